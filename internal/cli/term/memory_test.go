package term

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
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
		cause := MemoryCause(ctx)
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
	if x, ok := WaitForMemory(ctx, done); !ok || x != 8 || MemoryCause(ctx) != nil {
		t.Errorf("result %d, %t", x, ok)
	}
}
