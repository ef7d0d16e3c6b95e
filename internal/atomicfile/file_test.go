package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

func TestFileCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	for _, content := range []string{"first", "second"} {
		f, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
		if content == "second" {
			if was, _ := os.ReadFile(path); string(was) != "first" {
				t.Errorf("before Commit the file has %q", was)
			}
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		f.Abort()
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("got %q, %v; want %q", got, err, content)
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if list := names(t, dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != permitted(0o640) {
		t.Errorf("permissions %v, %v", fi.Mode(), err)
	}
}

// permitted returns the permissions of a file after a change to perm. Windows has one bit: whether
// the file is writable.
func permitted(perm fs.FileMode) fs.FileMode {
	if runtime.GOOS == "windows" {
		return 0o666
	}
	return perm
}

func TestFileAbort(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("got %q, %v; want the old file", got, err)
	}
	if list := names(t, dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

// symlink creates a symbolic link. It skips the test if the system does not permit links, or if it
// has none, as Wine 8.
func symlink(t *testing.T, target, link string) {
	t.Helper()
	err := os.Symlink(target, link)
	if runtime.GOOS == "windows" {
		if fi, err := os.Lstat(link); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
			t.Skipf("no symbolic links: %v", err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestFileThroughLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	symlink(t, "target", link)
	f, err := Create(link)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", fi, err)
	}
	if got, _ := os.ReadFile(target); string(got) != "new" {
		t.Errorf("the target has %q", got)
	}
}

func TestFileOntoDevice(t *testing.T) {
	f, err := Create(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(os.DevNull); err != nil || fi.Mode().IsRegular() {
		t.Errorf("the device became a file: %v, %v", fi, err)
	}
	f, err = Create(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if _, err := os.Stat(os.DevNull); err != nil {
		t.Error("Abort removed the device")
	}
}

func TestCreateErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Create(dir); err == nil {
		t.Error("a directory is accepted")
	}
	if _, err := Create(filepath.Join(dir, "none", "out.csv")); err == nil {
		t.Error("a missing folder is accepted")
	}
}

// TestFileThroughDanglingLink commits a File to a link without a target. Commit must create the
// target.
func TestFileThroughDanglingLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	symlink(t, "target", link)
	f, err := Create(link)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", fi, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "target")); err != nil {
		t.Error(err)
	}
}

// begins returns the functions that create a File: begin and beginNamed.
func begins(t *testing.T, dir string) map[string]func(string, fs.FileMode) (*File, error) {
	t.Helper()
	all := map[string]func(string, fs.FileMode) (*File, error){"named": beginNamed}
	f, err := openUnnamed(filepath.Join(dir, "probe"))
	if err != nil {
		t.Logf("not without a name: %v", err)
		return all
	}
	f.Close()
	all["unnamed"] = begin
	return all
}

// TestFileBegun checks that a temporary file with or without a name gets its final name after
// Commit and disappears after Abort.
func TestFileBegun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	for name, begin := range begins(t, dir) {
		for _, commit := range []bool{false, true} {
			if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
			f, err := begin(path, 0o666)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write([]byte("new")); err != nil {
				t.Fatal(err)
			}
			if list := names(t, dir); (len(list) == 2) != (name == "named") {
				t.Errorf("%s: while it is written: %v", name, list)
			}
			if err := f.Patch([]byte("N")); err != nil || !f.CanPatch() {
				t.Errorf("%s: no patch: %v", name, err)
			}
			want := "old"
			if commit {
				want = "New"
				if err := f.Commit(); err != nil {
					t.Error(err)
				}
			}
			f.Abort()
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
				t.Errorf("%s: got %q, %v; want %q", name, got, err, want)
			}
			if list := names(t, dir); len(list) != 1 {
				t.Errorf("%s: left behind: %v", name, list)
			}
		}
		// Commit cannot replace a folder.
		f, err := begin(path, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o777)); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err == nil {
			t.Errorf("%s: a folder is replaced", name)
		}
		if list := names(t, dir); len(list) != 1 {
			t.Errorf("%s: left behind: %v", name, list)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// SameFile knows all names of a file, whether the file exists or not.
func TestSameFile(t *testing.T) {
	for _, exists := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "out")
		if exists {
			if err := os.WriteFile(path, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		symlink(t, "out", filepath.Join(dir, "link"))
		symlink(t, ".", filepath.Join(dir, "folder"))
		same := []string{path, filepath.Join(dir, "link"), filepath.Join(dir, "folder", "out"), filepath.Join(dir, "folder", "link")}
		if exists {
			hard := filepath.Join(dir, "hard")
			if err := os.Link(path, hard); err != nil {
				t.Fatal(err)
			}
			same = append(same, hard)
		}
		t.Chdir(dir)
		same = append(same, "out", "link", "./folder/link")
		if !exists { // on some disks, these names are one file
			same = append(same, "OUT", filepath.Join(dir, "folder", "Out"))
		}
		for _, a := range same {
			for _, b := range same {
				if !SameFile(a, b) {
					t.Errorf("exists %v: %s and %s are different files", exists, a, b)
				}
			}
			if SameFile(a, "other") || SameFile("other", a) || SameFile(a, filepath.Join("missing", "out")) {
				t.Errorf("exists %v: %s is the same file as another", exists, a)
			}
		}
	}
}
