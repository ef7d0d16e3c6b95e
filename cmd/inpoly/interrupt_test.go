package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
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

// TestInterrupt sends signals to the command while it waits for more points. The exit code must
// identify the signal. The command must leave neither an output nor a temporary file.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}, {syscall.SIGHUP, 129}, {syscall.SIGQUIT, 131}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			if signal.Ignored(c.signal) {
				t.Skip("this process ignores the signal, as under nohup, and so does the command")
			}
			code, stderr := interrupt(t, t.TempDir(), c.signal)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !strings.HasPrefix(stderr, "inpoly: interrupted: nothing was written to ") || !strings.HasSuffix(stderr, "out.csv\n") {
				t.Errorf("standard error %q", stderr)
			}
		})
	}
}

// interrupt runs the command in dir until it has written some rows and waits for more points. Then
// interrupt sends the signal and checks that no file remains. It returns the exit code and standard
// error. The code is −1 if the process did not handle the signal.
func interrupt(t *testing.T, dir string, sig syscall.Signal) (code int, stderr string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir) // the system lists open files by paths without symbolic links
	if err != nil {
		t.Fatal(err)
	}
	mesh := filepath.Join(dir, "cube.obj")
	if err := os.WriteFile(mesh, []byte(cubeOBJ), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("inpoly", mesh, "-", "--out", filepath.Join(dir, "out.csv"))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	cmd.Stderr = &printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// After a minute, kill a command that hangs. The test then fails and does not block.
	defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop()
	// The points fill more than one block, so the command writes some rows.
	if _, err := io.WriteString(stdin, strings.Repeat("0.5,0.5,0.5\n", 500_000)); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "rows in the file", func() bool { return written(t, cmd.Process.Pid, dir) > 0 })
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("%v, want an exit code", err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
	return exit.ExitCode(), printed.String()
}

// TestInterruptResume interrupts a run with --resume. The message says which files keep the finished
// rows, and gives the command that goes on, which then completes the output.
func TestInterruptResume(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot send an interrupt to one process, and has no sh")
	}
	if signal.Ignored(syscall.SIGINT) {
		t.Skip("this process ignores the signal, as under nohup, and so does the command")
	}
	dir := t.TempDir()
	const rows = 10_000 // the center of the cube is equally near to all faces, so each distance takes long
	for name, text := range map[string]string{"cube.obj": cubeOBJ, "my points.csv": strings.Repeat("0.5,0.5,0.5\n", rows)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	begin := func() (cmd *exec.Cmd, printed *bytes.Buffer) {
		cmd = exec.Command("inpoly", "cube.obj", "my points.csv", "--out", "out.csv", "--resume", "--workers", "1", "--distance")
		printed = &bytes.Buffer{}
		cmd.Dir, cmd.Stderr, cmd.Env = dir, printed, append(os.Environ(), "GOMAXPROCS=1")
		return cmd, printed
	}
	cmd, printed := begin()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop()
	journal := filepath.Join(dir, "out.csv.journal")
	waitFor(t, "journal", func() bool { _, err := os.Stat(journal); return err == nil })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is checked below
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Fatalf("exit code %d: %s", code, printed)
	}
	const want = "inpoly: interrupted: out.csv.part and out.csv.journal keep the finished rows\n" +
		"hint: to go on, repeat the command: inpoly cube.obj 'my points.csv' --out out.csv --resume --workers 1 --distance\n"
	if printed.String() != want {
		t.Errorf("got  %q\nwant %q", printed, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "out.csv")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("out.csv is there: %v", err)
	}
	_, line, _ := strings.Cut(strings.TrimSpace(printed.String()), "repeat the command: ")
	shell := exec.Command("sh", "-c", line)
	shell.Dir = dir
	if said, err := shell.CombinedOutput(); err != nil || !strings.HasPrefix(string(said), "10,000 points: 10,000 inside, 0 outside\n") {
		t.Fatalf("%s: %v: %s", line, err, said)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "out.csv"))
	if err != nil || bytes.Count(whole, []byte("\n")) != rows {
		t.Errorf("the output has %d rows, %v", bytes.Count(whole, []byte("\n")), err)
	}
}

// written returns the size of the output that a process is writing in dir, or 0 if there is no
// output yet. The output is a file with a temporary name, or an open file without a name.
func written(t *testing.T, pid int, dir string) int64 {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, ".out.csv.*.tmp"))
	if err != nil {
		t.Fatal(err)
	}
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range open {
		target, err := os.Readlink(path)
		// Linux lists an open file without a name as dir/#number (deleted).
		if err == nil && strings.HasPrefix(target, dir+"/#") && strings.HasSuffix(target, " (deleted)") {
			list = append(list, path)
		}
	}
	for _, path := range list {
		if fi, err := os.Stat(path); err == nil && fi.Size() > 0 {
			return fi.Size()
		}
	}
	return 0
}

// waitFor polls ok for at most half a minute.
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
