package hostile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// hostileCase is an input and a function that reads it.
type hostileCase struct {
	label string
	file  string // name of the file, with its suffix
	data  []byte
	plain int64 // number of bytes after decompression
	limit int64 // memory limit; 0 means the default limit
}

// usage holds the resources that the reader of one case took.
type usage struct {
	Case         int
	Label        string
	Plain, Limit int64
	Peak         int64 // largest resident memory minus the resident memory before the reader ran
	CPU          time.Duration
	Error        string // error of the reader, or ""
}

// allowed returns the largest peak that is allowed: the memory limit, or 16 times the decompressed
// size. The allowance for buffers and garbage is 64 MB.
func (u *usage) allowed() int64 {
	if u.Limit > 0 {
		return u.Limit + 64<<20
	}
	return 16*u.Plain + 64<<20
}

const (
	rangeVariable = "INPOLY_HOSTILE_CASES" // half-open range of cases for a child process, such as "20:40"
	childSpace    = 24 << 30               // limit of the address space of a child process
	largestError  = 4 << 10                // largest length of an error message
)

// full reports whether the long versions of the tests run.
func full() bool { return os.Getenv("INPOLY_FULL") != "" }

// measureAll reads the cases 0 … n−1 in child processes, each of which reads several cases. It fails
// the test if a reader panics, takes too much memory or returns a very long message. The reader must
// return a message for a bad error, such as an error of the wrong type.
func measureAll(t *testing.T, n, batch int, makeCase func(i int) hostileCase, read func(path string, c *hostileCase) error) {
	if from := os.Getenv(rangeVariable); from != "" {
		measureRange(t, from, makeCase, read)
		return
	}
	var mu sync.Mutex
	var most, slowest usage
	count, refused := 0, 0
	tally := func(u usage) {
		mu.Lock()
		defer mu.Unlock()
		count++
		if u.Error != "" {
			refused++
		}
		if testing.Verbose() && u.Peak > 32<<20 {
			t.Logf("%5d %-50s plain %10d limit %9d: peak %5.1f of %6.1f MB, %6.3f s, %.150s", u.Case, u.Label, u.Plain, u.Limit, mb(u.Peak), mb(u.allowed()), u.CPU.Seconds(), u.Error)
		}
		if u.Peak > u.allowed() {
			t.Errorf("case %d, %s: peak of %.1f MB, must be at most %.1f MB; the reader returned %q", u.Case, u.Label, mb(u.Peak), mb(u.allowed()), u.Error)
		}
		if len(u.Error) > largestError {
			t.Errorf("case %d, %s: an error of %d bytes: %.200s", u.Case, u.Label, len(u.Error), u.Error)
		}
		if memoryRatio(u) > memoryRatio(most) {
			most = u
		}
		if secondsPerMB(u) > secondsPerMB(slowest) {
			slowest = u
		}
	}
	// Two children run at a time.
	var wg sync.WaitGroup
	ranges := make(chan [2]int)
	for range 2 {
		wg.Go(func() {
			for r := range ranges {
				runChild(t, r[0], r[1], tally)
			}
		})
	}
	for from := 0; from < n; from += batch {
		ranges <- [2]int{from, min(from+batch, n)}
	}
	close(ranges)
	wg.Wait()
	if count != n {
		t.Errorf("measured %d of %d cases", count, n)
	}
	t.Logf("%d cases, %d of them refused", count, refused)
	t.Logf("most memory: %.0f %% of the allowed %.1f MB: case %d, %s", 100*memoryRatio(most), mb(most.allowed()), most.Case, most.Label)
	t.Logf("slowest: %.2f s per MB: case %d, %s, %d bytes, %v", secondsPerMB(slowest), slowest.Case, slowest.Label, slowest.Plain, slowest.CPU)
}

func mb(n int64) float64 { return float64(n) / (1 << 20) }

func memoryRatio(u usage) float64 { return float64(u.Peak) / float64(max(u.allowed(), 1)) }

// secondsPerMB returns the CPU time for each decompressed megabyte. A shorter input counts as a
// megabyte.
func secondsPerMB(u usage) float64 { return u.CPU.Seconds() / max(mb(u.Plain), 1) }

// runChild runs the cases from … to−1 in a child process and passes the results to tally.
func runChild(t *testing.T, from, to int, tally func(usage)) {
	name, _, _ := strings.Cut(t.Name(), "/")
	c := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.v", "-test.timeout=10m")
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%d:%d", rangeVariable, from, to))
	out, err := c.CombinedOutput()
	got := 0
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		if text, ok := bytes.CutPrefix(lines.Bytes(), []byte("case: ")); ok {
			var u usage
			if err := json.Unmarshal(text, &u); err != nil {
				t.Errorf("%v: %s", err, text)
			}
			tally(u)
			got++
		}
	}
	if err != nil || got != to-from {
		t.Errorf("cases %d to %d: %v after %d cases:\n%s", from, to-1, err, got, tail(out))
	}
}

// tail returns the last part of the output of a child process.
func tail(out []byte) []byte { return out[max(0, len(out)-4000):] }

// measureRange measures cases in a child process and prints the results.
func measureRange(t *testing.T, text string, makeCase func(i int) hostileCase, read func(path string, c *hostileCase) error) {
	var from, to int
	if _, err := fmt.Sscanf(text, "%d:%d", &from, &to); err != nil {
		t.Fatal(err)
	}
	// A reader that takes far too much memory ends the child, not the machine.
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: childSpace, Max: childSpace}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := from; i < to; i++ {
		c := makeCase(i)
		path := filepath.Join(dir, c.file)
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		c.data = nil
		u := usage{Case: i, Label: c.label, Plain: c.plain, Limit: c.limit}
		fmt.Printf("begin %d %s %s\n", i, c.label, c.file)
		debug.FreeOSMemory()
		before := resetPeak(t)
		start := cpuTime(t)
		if err := read(path, &c); err != nil {
			u.Error = err.Error()
		}
		u.CPU = cpuTime(t) - start
		u.Peak = statusBytes(t, "VmHWM:") - before
		line, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("case: %s\n", line)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// resetPeak sets VmHWM to the present resident memory and returns it.
func resetPeak(t *testing.T) int64 {
	const peak = "5" // resets the peak resident set size; see proc(5)
	if err := os.WriteFile("/proc/self/clear_refs", []byte(peak), 0); err != nil {
		t.Fatal(err)
	}
	return statusBytes(t, "VmHWM:")
}

// statusBytes returns a size in /proc/self/status in bytes.
func statusBytes(t *testing.T, key string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	_, after, ok := strings.Cut(string(text), key)
	if err != nil || !ok {
		t.Fatal(key, err)
	}
	var kb int64
	if _, err := fmt.Sscan(after, &kb); err != nil {
		t.Fatal(err)
	}
	return kb << 10
}

func cpuTime(t *testing.T) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
