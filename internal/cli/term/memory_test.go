package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
)

var kept [][]byte

// A command that keeps more than the limit ends with an error that names its stage. Garbage is collected instead.
func TestLimitMemory(t *testing.T) {
	tm := &Terminal{Err: io.Discard}
	before := debug.SetMemoryLimit(-1)
	for _, c := range []struct {
		name string
		keep bool
	}{{"garbage", false}, {"kept", true}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := tm.LimitMemory(32<<20, cancel)
		tm.NewProgress().Start("fill")
		kept = nil
		for range 64 {
			b := make([]byte, 4<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			if c.keep {
				kept = append(kept, b)
			}
			time.Sleep(memoryInterval)
			if ctx.Err() != nil {
				break
			}
		}
		stop()
		var e *MemoryError
		cause := MemoryCause(ctx, ctx.Err())
		switch {
		case !c.keep && cause != nil:
			t.Errorf("%s: %v", c.name, cause)
		case c.keep && !errors.As(cause, &e):
			t.Errorf("%s: no error", c.name)
		case c.keep:
			if e.Used < e.Limit || e.Used > e.Limit+64<<20 || !strings.Contains(e.Error(), "stage fill") || Hint(cause) == "" {
				t.Errorf("%s: %v of %d bytes", c.name, e, e.Used)
			}
		}
		cancel(nil)
		kept = nil
		debug.FreeOSMemory()
	}
	if after := debug.SetMemoryLimit(-1); after != before {
		t.Errorf("the limit of the runtime is %d afterwards, it was %d", after, before)
	}
}

// A command that does not stop although its context has ended is left after some time. A signal waits for it.
func TestWaitForMemory(t *testing.T) {
	done := make(chan int, 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&MemoryError{Limit: 1 << 40})
	if _, ok := WaitForMemory(ctx, done); ok {
		t.Error("the command is done, although it has no result")
	}
	done <- 7
	if x, ok := WaitForMemory(ctx, done); !ok || x != 7 {
		t.Errorf("result %d, %t", x, ok)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	go func() { time.Sleep(10 * time.Millisecond); done <- 8 }()
	if x, ok := WaitForMemory(ctx, done); !ok || x != 8 || MemoryCause(ctx, nil) != nil {
		t.Errorf("result %d, %t", x, ok)
	}
}

// Only an error of a command that stopped for the limit becomes a MemoryError.
func TestMemoryCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := &MemoryError{Limit: 1, Used: 2}
	cancel(cause)
	for _, c := range []struct {
		err  error
		want bool
	}{{ctx.Err(), true}, {fmt.Errorf("a.csv: %w", cause), true}, {Strictf("1 point uncertain"), false}, {nil, false}} {
		var e *MemoryError
		if got := MemoryCause(ctx, c.err); errors.As(got, &e) != c.want || !c.want && !errors.Is(got, c.err) {
			t.Errorf("%v becomes %v", c.err, got)
		}
	}
	other, stop := context.WithCancel(t.Context())
	stop()
	if got := MemoryCause(other, other.Err()); !errors.Is(got, context.Canceled) {
		t.Errorf("an interrupted command: %v", got)
	}
}

// A command that goes on after its outputs were dropped commits no file.
func TestDropOutputs(t *testing.T) {
	tm, path := &Terminal{Err: io.Discard, Out: io.Discard}, filepath.Join(t.TempDir(), "a")
	for range 2 {
		_, err := tm.WriteOutput(path, func(w io.Writer) error {
			tm.DropOutputs()
			return nil
		})
		if _, lost := os.Stat(path); err == nil || lost == nil {
			t.Errorf("error %v, a file: %t", err, lost == nil)
		}
	}
}

// The largest limit is no limit.
func TestLargestLimit(t *testing.T) {
	tm := &Terminal{Err: io.Discard}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := tm.LimitMemory(math.MaxInt64, cancel)
	time.Sleep(5 * memoryInterval)
	stop()
	if ctx.Err() != nil {
		t.Error(context.Cause(ctx))
	}
}

// DelayCollection raises the percentage of garbage until the first collection.
func TestDelayCollection(t *testing.T) {
	percent := func() uint64 {
		s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	t.Setenv("GOGC", "50")
	if DelayCollection(); percent() != 100 {
		t.Errorf("DelayCollection changes the percentage that the user sets: %d", percent())
	}
	t.Setenv("GOGC", "")
	DelayCollection()
	if percent() <= 100 {
		t.Errorf("%d %% before the first collection", percent())
	}
	for start := time.Now(); percent() != 100 && time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	if percent() != 100 {
		t.Errorf("%d %% after the first collection", percent())
	}
}
