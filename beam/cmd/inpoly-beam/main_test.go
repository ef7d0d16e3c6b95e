package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// asEnv is the name of an environment variable. If its value is "command", the test binary runs as
// inpoly-beam. If its value is "prism", the test binary runs as a Prism server.
const asEnv = "INPOLY_BEAM_AS"

func TestMain(m *testing.M) {
	switch os.Getenv(asEnv) {
	case "command":
		os.Exit(withFault(func() int { return start(os.Args[1:]) }))
	case "prism":
		port, err := strconv.Atoi(os.Args[1])
		if err == nil {
			_, err = prism.CreateJobServer(context.Background(), prism.Options{Port: port})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		select {}
	}
	flag.Parse()
	beam.Init()
	discardLogs()
	// Killed processes leave files in this folder.
	dir, err := os.MkdirTemp("", "inpoly-beam-tests-")
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

type result struct {
	code        int
	out, stderr string
}

// child returns a process that runs the test binary with the given value of asEnv.
func child(as string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), asEnv+"="+as)
	return c
}

func finish(t testing.TB, c *exec.Cmd) result {
	t.Helper()
	var out, stderr bytes.Buffer
	c.Stdout, c.Stderr = &out, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{c.ProcessState.ExitCode(), out.String(), stderr.String()}
}

func run(t testing.TB, code int, args ...string) result {
	t.Helper()
	r := finish(t, child("command", args...))
	if r.code != code {
		t.Fatalf("inpoly-beam %q: exit code %d, want %d\n%s", args, r.code, code, r.stderr)
	}
	return r
}

// single has the path of the command inpoly, which is built once.
var single struct {
	once sync.Once
	dir  string
	err  error
}

func inpolyAt(t testing.TB) string {
	t.Helper()
	single.once.Do(func() {
		if single.dir, single.err = os.MkdirTemp("", "inpoly-beam-test-"); single.err != nil {
			return
		}
		c := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(single.dir, "inpoly"), "./cmd/inpoly")
		c.Dir = filepath.Join("..", "..", "..")
		if text, err := c.CombinedOutput(); err != nil {
			single.err = fmt.Errorf("%w: %s", err, text)
		}
	})
	if single.err != nil {
		t.Fatal(single.err)
	}
	return filepath.Join(single.dir, "inpoly")
}

func inpoly(t testing.TB, args ...string) result {
	t.Helper()
	r := finish(t, exec.Command(inpolyAt(t), args...))
	if r.code != 0 {
		t.Fatalf("inpoly %q: exit code %d\n%s", args, r.code, r.stderr)
	}
	return r
}

// wantSame compares the merged output for each input with the output of inpoly.
func wantSame(t testing.TB, mesh, inputs, flags []string, out string) {
	t.Helper()
	merged := filepath.Join(t.TempDir(), "merged")
	inpoly(t, "merge", "-q", out+"-manifest.json", "--out-dir", merged)
	list, err := os.ReadDir(merged)
	if err != nil || len(list) != len(inputs) {
		t.Fatalf("%d merged files, want %d: %v", len(list), len(inputs), err)
	}
	for _, in := range inputs {
		want := []byte(inpoly(t, append(append(append([]string{"-q"}, flags...), mesh...), in)...).out)
		name := strings.TrimSuffix(filepath.Base(in), ".gz")
		found, err := filepath.Glob(filepath.Join(merged, strings.TrimSuffix(name, filepath.Ext(name))+".*"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: merged to %q, %v", in, found, err)
		}
		got, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			k := 0
			for k < len(got) && k < len(want) && got[k] == want[k] {
				k++
			}
			t.Errorf("%s %q: %d bytes, want %d; they differ at byte %d", in, flags, len(got), len(want), k)
		}
	}
}

// startPrism starts a server in another process and returns its address.
func startPrism(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	l.Close()
	c := child("prism", port)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	for range 1200 { // a server on a busy machine can need a minute
		if conn, err := net.Dial("tcp", "localhost:"+port); err == nil {
			conn.Close()
			return "localhost:" + port
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the server has not begun to listen")
	return ""
}
