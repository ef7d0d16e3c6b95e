package points

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// unfinished leaves the output of a run of c that has ended with an error, which cannot be
// committed.
func unfinished(t *testing.T, c resumeCase, dir string) {
	t.Helper()
	r, out := c.start(t, dir)
	defer r.Close()
	defer out.Abort()
	c.job.Answer = func(_ context.Context, b *Block) error {
		if b.First > 500 {
			return errors.New("stop")
		}
		return nil
	}
	if _, err := c.job.Run(t.Context(), r, out); err == nil {
		t.Fatal("no error")
	}
	if err := out.Commit(); err == nil {
		t.Error("half an output is committed")
	}
}

// TestSpoiltJournal: a number that is not the one that was written.
func TestSpoiltJournal(t *testing.T) {
	number := regexp.MustCompile(`("Offset":|"Row":|"output":|"rows":)[0-9]+`)
	for _, value := range []string{"-1", "0", "7", "99999999999"} {
		dir := t.TempDir()
		unfinished(t, resumeCases(t)[0], dir)
		path := filepath.Join(dir, "out.journal")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		places := number.FindAllIndex(data, -1)
		if len(places) < 4 {
			t.Fatalf("%d numbers in %s", len(places), data)
		}
		for _, at := range places {
			spoilt := append([]byte{}, data[:at[0]]...)
			spoilt = append(spoilt, number.ReplaceAll(data[at[0]:at[1]], []byte("${1}"+value))...)
			spoilt = append(spoilt, data[at[1]:]...)
			if err := os.WriteFile(path, spoilt, 0o666); err != nil {
				t.Fatal(err)
			}
			out, err := CreateResumable(filepath.Join(dir, "out"), "key")
			if err == nil {
				out.Abort()
			}
			if err == nil || !strings.Contains(err.Error(), "not a journal") {
				t.Errorf("%s in the place of %s: error %v", value, data[at[0]:at[1]], err)
			}
		}
	}
}

// TestJournalMisfits: a journal that is whole, but not of these files.
func TestJournalMisfits(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*journal)
		want   string
	}{
		{"offset", func(j *journal) { j.Input.Offset = -1 }, "tells of byte -1 and row"},
		{"row", func(j *journal) { j.Input.Row = -1 }, "and row -1 of the points"},
		{"output", func(j *journal) { j.Output = -1 }, "its journal tells of -1"},
		{"long output", func(j *journal) { j.Output++ }, "bytes, its journal tells of"},
		{"long input", func(j *journal) { j.Input.Offset = 1e9 }, "bytes, its journal tells of 1000000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, dir := resumeCases(t)[0], t.TempDir()
			unfinished(t, run, dir)
			path := filepath.Join(dir, "out.journal")
			var j journal
			data, err := os.ReadFile(path)
			if err == nil {
				err = j.decode(data)
			}
			if err != nil {
				t.Fatal(err)
			}
			c.change(&j)
			if data, err = j.encode(); err == nil {
				err = os.WriteFile(path, data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			out, err := CreateResumable(filepath.Join(dir, "out"), "key")
			if err == nil {
				defer out.Abort()
				r, err2 := Open(filepath.Join(dir, "in"), run.opt)
				if err2 != nil {
					t.Fatal(err2)
				}
				defer r.Close()
				_, err = run.job.Run(t.Context(), r, out)
			}
			if err == nil || !strings.Contains(err.Error(), "cannot resume") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestResumableRace: many runs at once, one after the other has the lock; the output is
// whole at every moment.
func TestResumableRace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this system has no locks of whole files")
	}
	const runs, rounds = 4, 40
	path := filepath.Join(t.TempDir(), "out")
	const in, want = "1,2,3\n4,5,6\n", "1,2,3,1\n4,5,6,1\n"
	job := Job{Workers: 1, Columns: insideColumn, Answer: half}
	once := func() error {
		r, err := NewReader("in", strings.NewReader(in), Options{})
		if err != nil {
			return err
		}
		out, err := CreateResumable(path, "key")
		if errors.Is(err, errLocked) {
			runtime.Gosched()
			return nil
		}
		if err != nil {
			return err
		}
		defer out.Abort()
		if _, err := job.Run(t.Context(), r, out); err != nil {
			return err
		}
		return out.Commit()
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
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
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
