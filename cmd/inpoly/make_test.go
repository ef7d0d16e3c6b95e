package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMakePage runs the commands of docs/make.md. The meshes have the numbers of triangles of the page.
func TestMakePage(t *testing.T) {
	if os.Getenv("INPOLY_FULL") == "" {
		t.Skip("generates large meshes: set INPOLY_FULL=1")
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("the page has commands for sh")
	}
	page := filepath.Join(root, "docs", "make.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(foam[0-9].ply)` \\| ([0-9,]+) \\|").FindAllStringSubmatch(string(text), -1)
	if len(rows) != 3 {
		t.Fatalf("%d rows with foams, want 3", len(rows))
	}
	blocks := shellBlocks(t, page, "", "")
	cmd := exec.CommandContext(t.Context(), sh, "-eu")
	cmd.Dir = t.TempDir()
	cmd.Stdin = strings.NewReader(strings.Join(blocks, ""))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, row := range rows {
		check := exec.CommandContext(t.Context(), "inpoly", "check", "--strict", row[1])
		check.Dir = cmd.Dir
		report, err := check.CombinedOutput()
		n := strings.ReplaceAll(row[2], ",", "")
		if err != nil || !strings.Contains(string(report), "\ntriangles       "+n+" of "+n+" faces") {
			t.Errorf("%s: want %s triangles and no defects: %v\n%s", row[1], n, err, report)
		}
	}
	for _, want := range []string{"sphere: 8 triangles, 6 vertices, closed\n", "sphere: 131,072 triangles, 65,538 vertices, closed\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in the output:\n%s", want, out)
		}
	}
}

// TestInterruptMake interrupts the generation of a mesh, which leaves no file.
func TestInterruptMake(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot send an interrupt to one process")
	}
	if signal.Ignored(syscall.SIGINT) {
		t.Skip("this process ignores the signal, as under nohup, and so does the command")
	}
	for _, line := range []string{"make foam --resolution 1000 --max-memory 64G --out a.stl", "make sphere --refine 12 --max-memory 64G --out a.ply"} {
		dir := t.TempDir()
		cmd := exec.Command("inpoly", strings.Fields(line)...)
		var printed bytes.Buffer
		cmd.Dir, cmd.Stderr = dir, &printed
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		time.Sleep(500 * time.Millisecond) // the runs take minutes
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		kill.Stop()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 130 || !strings.Contains(printed.String(), "interrupted: nothing was written to a.") {
			t.Errorf("%s: %v, %s", line, err, &printed)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
			t.Errorf("%s: left behind: %v, %v", line, list, err)
		}
	}
}
