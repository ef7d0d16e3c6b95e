package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const cubeOBJ = `v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
`

// TestInterrupt ends the command while it waits for more points: the exit code
// tells the signal, and neither the output nor its temporary file is left.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}, {syscall.SIGHUP, 129}, {syscall.SIGQUIT, 131}} {
		dir := t.TempDir()
		mesh := filepath.Join(dir, "cube.obj")
		if err := os.WriteFile(mesh, []byte(cubeOBJ), 0o666); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "out.csv")
		cmd := exec.Command("inpoly", mesh, "-", "--out", out)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// More than one block, so that some rows are written.
		if _, err := io.WriteString(stdin, strings.Repeat("0.5,0.5,0.5\n", 500_000)); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "rows in the temporary file", func() bool {
			list, err := filepath.Glob(filepath.Join(dir, ".out.csv.*.tmp"))
			if err != nil || len(list) != 1 {
				return false
			}
			fi, err := os.Stat(list[0])
			return err == nil && fi.Size() > 0
		})
		if err := cmd.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != c.code {
			t.Errorf("%v: %v, want exit code %d", c.signal, err, c.code)
		}
		if !strings.HasSuffix(stderr.String(), "inpoly: interrupted\n") {
			t.Errorf("%v: standard error %q", c.signal, stderr.String())
		}
		list, err := os.ReadDir(dir)
		if err != nil || len(list) != 1 {
			t.Errorf("%v: left behind: %v, %v", c.signal, list, err)
		}
	}
}

// waitFor polls for half a minute, which no working machine needs.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 3000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no %s", what)
}
