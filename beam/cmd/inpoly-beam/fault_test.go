package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/inpoly/inpoly/internal/disk"
)

// These environment variables make a call to the file system fail in a child process. The value of
// faultEnv is the number of the call and the index in faults. The child writes the names of its
// calls to the file callsEnv.
const (
	faultEnv = "INPOLY_BEAM_FAULT"
	callsEnv = "INPOLY_BEAM_CALLS"
)

var faults = []disk.Fault{
	{Err: syscall.ENOSPC}, {Err: syscall.EIO}, {Err: syscall.EINTR}, {Err: syscall.ENOSPC, Short: true}, {Short: true},
}

// withFault calls command with the fault of the environment and returns its exit code.
func withFault(command func() int) int {
	if os.Getenv(callsEnv) == "" {
		return command()
	}
	failing, kind := -1, 0
	fmt.Sscan(os.Getenv(faultEnv), &failing, &kind)
	var mu sync.Mutex
	var calls bytes.Buffer
	n := 0
	disk.Inject(func(op, path string) disk.Fault {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(&calls, op, path)
		if n++; n-1 != failing {
			return disk.Fault{}
		}
		return faults[kind]
	})
	code := command()
	mu.Lock()
	defer mu.Unlock()
	if err := os.WriteFile(os.Getenv(callsEnv), calls.Bytes(), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	return code
}

// TestFaults runs the command while one call to the file system fails. Then the inputs have not
// changed. If the exit code is 0, the outputs are complete and there are no other files. Otherwise
// each output is complete or as before, the manifest is as before, and the next run completes the
// outputs.
//
// INPOLY_FULL=1 lets every call fail in every way. Otherwise the test makes a random selection.
func TestFaults(t *testing.T) {
	share := 0.01
	if os.Getenv("INPOLY_FULL") == "1" {
		share = 1
	}
	rng := rand.New(rand.NewPCG(5, 6))
	dir, tmp := t.TempDir(), t.TempDir()
	list := filepath.Join(t.TempDir(), "calls")
	mesh := put(t, dir, "cube.obj", []byte(cube))
	small := put(t, dir, "small.csv", csvOf(cloud(1, 30), "\n"))
	inputs := []string{put(t, dir, "a.csv", csvOf(cloud(2, 40), "\n")), put(t, dir, "b.npy", npyOf(cloud(3, 40), 64))}
	args := []string{"-q", "--mesh", mesh, "--shard-points", "20", "--workers", "1", "--out", filepath.Join(dir, "o")}
	for _, in := range inputs {
		args = append(args, "--points", in)
	}
	command := func(fault string) (result, []string) {
		c := child("command", args...)
		c.Env = append(c.Env, callsEnv+"="+list, faultEnv+"="+fault, "TMPDIR="+tmp)
		r := finish(t, c)
		calls, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		return r, strings.Split(strings.TrimSpace(string(calls)), "\n")
	}
	sources := folder(t, dir)
	restore := func(files map[string]string) {
		for name := range folder(t, dir) {
			if _, ok := sources[name]; !ok {
				os.RemoveAll(filepath.Join(dir, name))
			}
		}
		for name, text := range files {
			if _, ok := sources[name]; !ok { // the manifest has the modification times of the inputs
				put(t, dir, name, []byte(text))
			}
		}
	}
	run(t, 0, "-q", "--mesh", mesh, "--points", small, "--shard-points", "20", "--out", filepath.Join(dir, "o"))
	previous := folder(t, dir)
	restore(nil)
	if r, _ := command(""); r.code != 0 {
		t.Fatal(r.stderr)
	}
	complete := folder(t, dir)
	runs, stopped := 0, 0
	for _, before := range []map[string]string{sources, previous} {
		restore(before)
		_, calls := command("")
		for k, call := range calls {
			for kind, fault := range faults {
				op, _, _ := strings.Cut(call, " ")
				if rng.Float64() >= share || fault.Short && !slices.Contains([]string{"read", "pread", "write"}, op) {
					continue
				}
				restore(before)
				r, now := command(fmt.Sprint(k, " ", kind))
				runs++
				failed := "none"
				if k < len(now) {
					failed = now[k]
				}
				report := func(format string, args ...any) {
					t.Errorf("%d outputs before, call %d (%s) fails with %+v: exit code %d, %s: %s",
						len(before)-len(sources), k, failed, fault, r.code, r.stderr, fmt.Sprintf(format, args...))
				}
				got := folder(t, dir)
				if r.code == 0 && !maps.Equal(got, complete) {
					report("the files are %v", slices.Sorted(maps.Keys(got)))
				}
				if r.code != 0 {
					stopped++
					for name, text := range sources {
						if got[name] != text {
							report("the input %s has changed", name)
						}
					}
					for name, text := range got {
						if text != before[name] && text != complete[name] && !strings.Contains(name, ".parts-") {
							report("%s is neither complete nor as before", name)
						}
					}
					if m := got["o-manifest.json"]; m == complete["o-manifest.json"] {
						report("the manifest is complete")
					}
					if r.code != 1 || strings.Count(r.stderr, "\n") != 1 {
						report("expected one line")
					}
					again, _ := command("")
					if got := folder(t, dir); again.code != 0 || !maps.Equal(got, complete) {
						report("repeated: exit code %d, %s, files %v", again.code, again.stderr, slices.Sorted(maps.Keys(got)))
					}
				}
				if left := folder(t, tmp); len(left) > 0 {
					report("temporary files are left: %v", slices.Sorted(maps.Keys(left)))
				}
				if t.Failed() {
					return
				}
			}
		}
	}
	t.Logf("%d faults, %d stopped the command", runs, stopped)
}

// folder returns the content of the files in and below dir. A folder has the content "folder".
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() {
			files[name] = "folder"
			return err
		}
		data, err := os.ReadFile(path)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
