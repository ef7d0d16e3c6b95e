package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// workers returns the ids of the worker processes that a server has started.
func workers(t testing.TB) (pids []int) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	self := os.Args[0]
	for _, path := range list {
		line, err := os.ReadFile(path)
		if err == nil && bytes.HasPrefix(line, []byte(self+"\x00--id")) {
			var pid int
			if json.Unmarshal([]byte(filepath.Base(filepath.Dir(path))), &pid) == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// onServer returns the flags for a server that starts two workers.
func onServer(t testing.TB, address string) []string {
	t.Helper()
	config, err := json.Marshal(map[string]any{"command": os.Args[0], "env": map[string]string{asEnv: "command"}})
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--endpoint", address, "--environment_type", "PROCESS", "--environment_config", string(config), "--processes", "2"}
}

// TestServer checks that a server with two worker processes writes the same bytes as inpoly, even
// if workers are killed.
func TestServer(t *testing.T) {
	t.Parallel() // the test uses little processor time
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("processes cannot be listed")
	}
	runs := 2
	if os.Getenv("INPOLY_FULL") != "" {
		runs = 100
	}
	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	a := put(t, dir, "a.csv", csvOf(cloud(1, 100_000), "\n"))
	b := put(t, dir, "b.npy", npyOf(cloud(2, 100_000), 64))
	address := startPrism(t)
	for i := range runs {
		kills := i % 3
		out := filepath.Join(dir, "out", fmt.Sprint(kills))
		rel, err := filepath.Rel(dir, out)
		if err != nil {
			t.Fatal(err)
		}
		args := append([]string{"--mesh", "cube.obj", "--points", "a.csv", "--points", "b.npy", "--out", rel, "--shard-points", "1000", "--distance",
			"--silence", "10s", "--tries", "20"}, onServer(t, address)...)
		c := child("command", args...)
		c.Dir = dir // the server has a different working folder
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		most, killed, next := 0, 0, 3
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
	wait:
		for {
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("%d kills: %v: %s", kills, err, &stderr)
				}
				break wait
			case <-time.After(2 * time.Millisecond):
			}
			pids := workers(t)
			most = max(most, len(pids))
			done, _ := filepath.Glob(out + ".parts-*/*" + resultSuffix)
			if killed < kills && len(done) >= next && len(pids) > 0 {
				if syscall.Kill(pids[0], syscall.SIGKILL) == nil {
					killed++
					next = len(done) + 20
				}
			}
		}
		if most < 2 {
			t.Errorf("%d workers at once, want 2", most)
		}
		if killed < kills || kills > 0 && !strings.Contains(stderr.String(), "tries the unfinished shards again") {
			t.Errorf("killed %d of %d times, but the driver did not try again: %s", killed, kills, &stderr)
		}
		wantSame(t, []string{mesh}, []string{a, b}, []string{"--distance"}, out)
		wantWhole(t, out)
	}
}

// wantWhole checks that the output folder of a run has the manifest and the listed shards, and no
// other files.
func wantWhole(t testing.TB, out string) {
	t.Helper()
	m := readManifest(t, out)
	listed := map[string]bool{filepath.Base(out) + "-manifest.json": true}
	for _, in := range m.Inputs {
		for _, s := range in.Shards {
			listed[s.File] = true
		}
	}
	list, err := os.ReadDir(filepath.Dir(out))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range list {
		if listed[e.Name()] {
			n++
		} else if strings.HasPrefix(e.Name(), filepath.Base(out)) || strings.HasSuffix(e.Name(), ".tmp") {
			t.Errorf("left behind: %s", e.Name())
		}
	}
	if n != len(listed) {
		t.Errorf("%d files, the manifest lists %d", n, len(listed))
	}
}

// TestKilled kills the process of a run. It checks that the same command then continues the run.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	n := 80_000 // every 1000 points wait for the disk
	if os.Getenv("INPOLY_FULL") != "" {
		n = 200_000
	}
	a := put(t, dir, "a.csv", csvOf(cloud(1, n), "\n"))
	out := filepath.Join(dir, "out", "o")
	args := []string{"-q", "--mesh", mesh, "--points", a, "--out", out, "--shard-points", "1000"}
	c := child("command", args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if done, _ := filepath.Glob(out + ".parts-*/*" + resultSuffix); len(done) > 5 {
			break
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Fatal("it was done before it was killed")
	}
	kept, err := filepath.Glob(out + ".parts-*/*" + resultSuffix)
	if err != nil || len(kept) == 0 {
		t.Fatalf("%d shards kept, %v", len(kept), err)
	}
	if err := startHeartbeat(filepath.Join(filepath.Dir(kept[0]), "worker7"+heartbeatSuffix)); err != nil { // a driver with a server creates this file
		t.Fatal(err)
	}
	for _, name := range []string{".00003.csv.0123456789abcdef.tmp", ".00003.receipt.0123456789abcdef.tmp"} { // a killed process leaves these files
		put(t, filepath.Dir(kept[0]), name, nil)
	}
	run(t, 0, args...)
	wantSame(t, []string{mesh}, []string{a}, nil, out)
	wantWhole(t, out)
}

func TestTemporaryFiles(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	c := child("command", "-q", "--mesh", put(t, dir, "cube.obj", []byte(cube)), "--points", put(t, dir, "a.csv", csvOf(cloud(1, 100), "\n")),
		"--out", filepath.Join(dir, "o"), "--format", "las", "--keep", "inside")
	c.Env = append(c.Env, "TMPDIR="+temp)
	if r := finish(t, c); r.code != 0 {
		t.Fatal(r.stderr)
	}
	if list, err := os.ReadDir(temp); err != nil || len(list) > 0 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

// TestWorkerArguments checks that workers are recognized by their arguments, and that the quotes
// around the id of a worker are removed.
func TestWorkerArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"--mesh", "worker", "--points", "provision_endpoint"}, false},
		{[]string{"--worker", "--id=1"}, true}, {[]string{"-worker=true"}, true},
		{[]string{"--id='a'", "--provision_endpoint=localhost:1"}, true}, {nil, false},
	} {
		if got := isWorker(c.args); got != c.want {
			t.Errorf("isWorker(%q) = %v, want %v", c.args, got, c.want)
		}
	}
}
