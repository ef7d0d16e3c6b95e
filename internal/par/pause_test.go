package par

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The garbage collector stops a loop that pauses, also without asynchronous preemption. Without the
// pauses, the child would wait forever.
func TestPause(t *testing.T) {
	if os.Getenv("INPOLY_TEST_PAUSE") == "" {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestPause$")
		c.Env = append(os.Environ(), "INPOLY_TEST_PAUSE=1", "GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=2")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", err, ctx.Err(), out)
		}
		return
	}
	var started, stopped atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; !stopped.Load(); i++ {
			started.Store(true)
			Pause(i)
		}
	})
	for !started.Load() {
		runtime.Gosched()
	}
	runtime.GC()
	stopped.Store(true)
	wg.Wait()
}
