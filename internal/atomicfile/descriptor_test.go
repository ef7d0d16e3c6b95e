//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestFileOntoDescriptor checks each path of an open file, such as /dev/fd/3. A File must write to
// the open file at its current offset and must not replace the file.
func TestFileOntoDescriptor(t *testing.T) {
	dir := t.TempDir()
	paths := []string{"/dev/fd/%d"}
	if runtime.GOOS == "linux" {
		paths = append(paths, "/proc/self/fd/%d", fmt.Sprintf("/proc/%d/fd/%%d", os.Getpid()), "/proc/thread-self/fd/%d", "/dev/../proc/self/fd/%d")
	}
	for i, p := range paths {
		for _, linked := range []bool{false, true} {
			target := filepath.Join(dir, fmt.Sprint("target", i, linked))
			open, err := os.Create(target)
			if err != nil {
				t.Fatal(err)
			}
			defer open.Close()
			fmt.Fprintln(open, "before")
			path := fmt.Sprintf(p, open.Fd())
			if linked {
				link := filepath.Join(dir, fmt.Sprint("link", i))
				if err := os.Symlink(path, link); err != nil {
					t.Fatal(err)
				}
				path = link
			}
			f, err := Create(path)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if f.CanPatch() {
				t.Errorf("%s: the first bytes are not the file's own", path)
			}
			fmt.Fprintln(f, "rows")
			if err := f.Commit(); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			fmt.Fprintln(open, "after")
			if got, err := os.ReadFile(target); err != nil || string(got) != "before\nrows\nafter\n" {
				t.Errorf("%s: the file has %q, %v", path, got, err)
			}
			if _, err := CreateResumable(path, "key"); err == nil || !strings.Contains(err.Error(), "cannot be resumed") {
				t.Errorf("%s: resumable: %v", path, err)
			}
		}
	}
}

// TestFileOntoPipe writes to a pipe through its descriptor. Create must fail for the reading end of
// the pipe, and for a descriptor that is not open.
func TestFileOntoPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := Create(fmt.Sprintf("/dev/fd/%d", w.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, "rows")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if got, err := io.ReadAll(r); err != nil || string(got) != "rows" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, path := range []string{fmt.Sprintf("/dev/fd/%d", r.Fd()), "/dev/fd/1000000"} {
		if _, err := Create(path); err == nil || !strings.Contains(err.Error(), path+": cannot write: ") {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

// TestFileOntoOtherProcess appends to a file that another process has open.
func TestFileOntoOtherProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not show the files of other processes")
	}
	target := filepath.Join(t.TempDir(), "target")
	open, err := os.Create(target)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	cmd := exec.Command("sh", "-c", "echo before >&3; echo; read line")
	cmd.ExtraFiles = []*os.File{open}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(said).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	f, err := Create(fmt.Sprintf("/proc/%d/fd/3", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, "rows")
	if err := f.Commit(); err != nil {
		t.Error(err)
	}
	in.Close()
	_ = cmd.Wait() // the command "read" of the shell fails when its input ends
	if got, err := os.ReadFile(target); err != nil || string(got) != "before\nrows\n" {
		t.Errorf("the file has %q, %v", got, err)
	}
}
