package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// listeners returns the addresses at which the process with the given id accepts connections, over
// TCP or by Unix sockets. It reads the tables of the kernel (man 5 proc).
func listeners(t *testing.T, pid int) (addresses []string) {
	t.Helper()
	sockets := map[string]bool{}
	list, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		if name, err := os.Readlink(path); err == nil { // a closed file has no link
			if inode, ok := strings.CutPrefix(name, "socket:["); ok {
				sockets[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	for _, c := range []struct {
		table        string
		state, inode int // columns
		listening    string
	}{{"tcp", 3, 9, "0A"}, {"tcp6", 3, 9, "0A"}, {"unix", 3, 6, "00010000"}} {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, c.table))
		if err != nil {
			continue // the process has ended, or the kernel lacks the protocol
		}
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) > c.inode && f[c.state] == c.listening && sockets[f[c.inode]] {
				addresses = append(addresses, c.table+" "+f[1])
			}
		}
	}
	return addresses
}

// TestListeners checks that a run accepts no connections: neither a run in one process, nor the
// driver and the workers of a run on a server.
func TestListeners(t *testing.T) {
	// The test can see a listener.
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	if got := listeners(t, os.Getpid()); len(got) == 0 {
		t.Fatalf("the listener at %v is not seen", l.Addr())
	}
	l.Close()

	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	points := put(t, dir, "a.csv", csvOf(cloud(1, 200_000), "\n"))
	for name, flags := range map[string][]string{"direct": nil, "server": onServer(t, startPrism(t))} {
		out := filepath.Join(dir, name)
		c := child("command", append([]string{"-q", "--mesh", mesh, "--points", points, "--out", out, "--shard-points", "1000"}, flags...)...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		looks, workerLooks, accepting := 0, 0, map[string]bool{}
		for running := true; running; {
			pids := workers(t)
			workerLooks += len(pids)
			for _, pid := range append(pids, c.Process.Pid) {
				for _, address := range listeners(t, pid) {
					accepting[address] = true
				}
			}
			if done, _ := filepath.Glob(out + ".parts-*/*" + resultSuffix); len(done) > 0 {
				looks++
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("%s: %v: %s", name, err, &stderr)
				}
				running = false
			case <-time.After(5 * time.Millisecond):
			}
		}
		if len(accepting) > 0 {
			t.Errorf("%s: the processes of the run accept connections at %v", name, accepting)
		}
		if flags != nil && workerLooks == 0 {
			t.Errorf("%s: the test saw no worker", name)
		}
		if looks == 0 {
			t.Errorf("%s: the run ended before the test could look while shards were computed", name)
		}
	}
}
