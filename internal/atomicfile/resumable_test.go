package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

const content = "1,2,3,1\n4,5,6,1\n"

// The function whole writes the text in the constant named content to path and commits the output.
// If an earlier run was interrupted, it writes only the missing bytes.
func whole(path, key string) error {
	out, err := CreateResumable(path, key)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := writeAll(out, -1); err != nil {
		return err
	}
	return out.Commit()
}

// writeAll writes content line by line, with a checkpoint after each line, and then calls Finish.
// If lines is not −1, writeAll stops after this number of lines.
func writeAll(out *Resumable, lines int) error {
	at := 0
	if out.Begun() {
		if err := out.State(&at); err != nil {
			return err
		}
	}
	for out.SaveEvery = 1; at < len(content); lines-- {
		if lines == 0 {
			return nil
		}
		line := content[at : at+strings.Index(content[at:], "\n")+1]
		if _, err := out.Write([]byte(line)); err != nil {
			return err
		}
		at += len(line)
		if err := out.Checkpoint(at); err != nil {
			return err
		}
	}
	return out.Finish(at)
}

// unfinished writes one line to path and checks that the output cannot be committed.
func unfinished(t *testing.T, path string) {
	t.Helper()
	out, err := CreateResumable(path, "key")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	if err := writeAll(out, 1); err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(); err == nil {
		t.Error("half an output is committed")
	}
}

func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	unfinished(t, path)
	f, err := os.OpenFile(path+".part", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, "half a row")
	f.Close()
	if err := whole(path, "key"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != content {
		t.Errorf("got %q, %v", got, err)
	}
	if list := names(t, filepath.Dir(path)); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

// TestResumableErrors checks the errors for outputs that cannot be resumed. It also checks that the
// files of these outputs still exist.
func TestResumableErrors(t *testing.T) {
	for _, c := range []struct {
		name, key string
		spoil     func(path string) error
		want      string
	}{
		{"other run", "other", func(string) error { return nil }, "another run has left this output unfinished"},
		{"no journal", "key", func(p string) error { return os.Remove(p + ".journal") }, "out.part exists without a journal"},
		{"no part", "key", func(p string) error { return os.Remove(p + ".part") }, "cannot resume"},
		{"short part", "key", func(p string) error { return os.Truncate(p+".part", 5) }, "has 5 bytes, but its journal says"},
		{"broken journal", "key", func(p string) error { return os.WriteFile(p+".journal", []byte("{"), 0o666) }, "not a journal"},
		{"negative output", "key", func(p string) error { return reseal(p, func(j *journal) { j.Size = -1 }) }, "its journal says -1"},
		{"long output", "key", func(p string) error { return reseal(p, func(j *journal) { j.Size++ }) }, "bytes, but its journal says"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out")
			unfinished(t, path)
			if err := c.spoil(path); err != nil {
				t.Fatal(err)
			}
			before := names(t, filepath.Dir(path))
			err := whole(path, c.key)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if (c.name == "other run") != errors.Is(err, ErrOtherRun) {
				t.Errorf("error %v", err)
			}
			if after := names(t, filepath.Dir(path)); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("files %v, before %v", after, before)
			}
		})
	}
	if _, err := CreateResumable(os.DevNull, "key"); err == nil {
		t.Error("a device is accepted")
	}
	if _, err := CreateResumable(t.TempDir(), "key"); err == nil {
		t.Error("a folder is accepted")
	}
	if _, err := CreateResumable(filepath.Join(t.TempDir(), "none", "out"), "key"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}

// TestDue checks that Due predicts whether Checkpoint replaces the journal.
func TestDue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	out, err := CreateResumable(path, "key")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	out.SaveEvery = 10
	for i, want := range []bool{false, true, false, true} {
		if _, err := out.Write([]byte("5 or6")); err != nil {
			t.Fatal(err)
		}
		if due := out.Due(); due != want {
			t.Errorf("after %d bytes: %v", 5*(i+1), due)
		}
		before, _ := os.ReadFile(path + ".journal")
		if err := out.Checkpoint(i); err != nil {
			t.Fatal(err)
		}
		if after, _ := os.ReadFile(path + ".journal"); (string(after) != string(before)) != want {
			t.Errorf("after %d bytes: the journal is %s", 5*(i+1), after)
		}
	}
}

// reseal changes the journal of the output at path and updates the checksum in the journal.
func reseal(path string, change func(*journal)) error {
	var j journal
	data, err := os.ReadFile(path + ".journal")
	if err == nil {
		err = j.decode(data)
	}
	if err != nil {
		return err
	}
	change(&j)
	if data, err = j.encode(); err != nil {
		return err
	}
	return os.WriteFile(path+".journal", data, 0o666)
}

func TestDamagedJournal(t *testing.T) {
	number := regexp.MustCompile(`("version":|"output":|"state":)[0-9]+`)
	for _, value := range []string{"-1", "0", "7", "99999999999"} {
		path := filepath.Join(t.TempDir(), "out")
		unfinished(t, path)
		data, err := os.ReadFile(path + ".journal")
		if err != nil {
			t.Fatal(err)
		}
		places := number.FindAllIndex(data, -1)
		if len(places) != 3 {
			t.Fatalf("%d numbers in %s", len(places), data)
		}
		for _, at := range places {
			spoilt := append([]byte{}, data[:at[0]]...)
			spoilt = append(spoilt, number.ReplaceAll(data[at[0]:at[1]], []byte("${1}"+value))...)
			spoilt = append(spoilt, data[at[1]:]...)
			if err := os.WriteFile(path+".journal", spoilt, 0o666); err != nil {
				t.Fatal(err)
			}
			out, err := CreateResumable(path, "key")
			if err == nil {
				out.Abort()
			}
			if err == nil || !strings.Contains(err.Error(), "not a journal") {
				t.Errorf("%s in the place of %s: error %v", value, data[at[0]:at[1]], err)
			}
		}
	}
}

func TestResumableTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	first, err := CreateResumable(path, "key")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := CreateResumable(path, "key"); !errors.Is(err, ErrLocked) {
		t.Errorf("error %v", err)
	}
	if err := writeAll(first, -1); err != nil {
		t.Fatal(err)
	}
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
}

// TestResumableReplaces checks that an old file is not replaced before Commit. The new file must
// have the permissions of the old file.
func TestResumableReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	out, err := CreateResumable(path, "key")
	if err != nil {
		t.Fatal(err)
	}
	if err := writeAll(out, -1); err != nil {
		t.Fatal(err)
	}
	if was, _ := os.ReadFile(path); string(was) != "old" {
		t.Errorf("before Commit the file has %q", was)
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	out.Abort()
	fi, err := os.Stat(path)
	if got, _ := os.ReadFile(path); err != nil || string(got) != content || fi.Mode().Perm() != permitted(0o640) {
		t.Errorf("got %q, %v", got, fi.Mode())
	}
}

// TestResumableRace starts many runs at once. The runs lock the output one after the other. The
// output must be complete at all times.
func TestResumableRace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file is closed before it is renamed, so a run that starts in between makes this run fail")
	}
	const runs, rounds = 4, 40
	path := filepath.Join(t.TempDir(), "out")
	once := func() error {
		err := whole(path, "key")
		if errors.Is(err, ErrLocked) {
			runtime.Gosched()
			return nil
		}
		return err
	}
	if err := once(); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var busy, watch sync.WaitGroup
	watch.Add(1)
	go func() {
		defer watch.Done()
		for {
			select {
			case <-stop:
				return
			default:
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != content {
				t.Errorf("the output has %q, %v", got, err)
				return
			}
		}
	}()
	for range runs {
		busy.Add(1)
		go func() {
			defer busy.Done()
			for range rounds {
				if err := once(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	busy.Wait()
	close(stop)
	watch.Wait()
	if list := names(t, filepath.Dir(path)); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}
