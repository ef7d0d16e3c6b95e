package lazy

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// Concurrent and later calls of Get return the same value, and build runs once.
func TestValueBuildsOnce(t *testing.T) {
	var builds atomic.Int32
	l := New(func(context.Context) (*int32, error) {
		n := builds.Add(1)
		return &n, nil
	})
	values := make([]*int32, 50)
	var wg sync.WaitGroup
	for i := range values {
		wg.Go(func() {
			v, err := l.Get(t.Context())
			if err != nil {
				t.Error(err)
			}
			values[i] = v
		})
	}
	wg.Wait()
	for i, v := range values {
		if v == nil || v != values[0] || *v != 1 {
			t.Fatalf("call %d: value %v, want the value of call 0, %v; %d builds, want 1", i, v, values[0], builds.Load())
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if v, err := l.Get(ended); v != values[0] || err != nil {
		t.Errorf("built value, context that has ended: %v, %v", v, err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = l.Get(context.Background()) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// Get returns at once when its context ends, and the attempt continues for the other callers.
func TestValueOneLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		builds := 0
		l := New(func(ctx context.Context) (*int, error) {
			builds++
			<-release // this function ignores that ctx has ended
			return &builds, ctx.Err()
		})
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { _, err := l.Get(ctx); left <- err }()
		stayed := make(chan error, 1)
		go func() { _, err := l.Get(t.Context()); stayed <- err }()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("canceled call: %v, want %v", err, context.Canceled)
		}
		close(release)
		if err := <-stayed; err != nil || builds != 1 {
			t.Errorf("other call: %v after %d builds, want no error after 1", err, builds)
		}
	})
}

// An attempt is canceled when no caller waits for it. A later call starts another attempt, even if
// the canceled attempt has not returned.
func TestValueAllLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var builds, canceled atomic.Int32
		l := New(func(ctx context.Context) (*int32, error) {
			n := builds.Add(1)
			if n == 1 {
				<-ctx.Done()
				canceled.Add(1)
				<-release
				return nil, ctx.Err()
			}
			return &n, nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if _, err := l.Get(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("canceled call: %v, want %v", err, context.Canceled)
				}
			})
		}
		synctest.Wait()
		if _, err := l.Get(ended(t)); !errors.Is(err, context.Canceled) {
			t.Errorf("context that has ended: %v, want %v", err, context.Canceled)
		}
		if canceled.Load() != 0 {
			t.Error("the attempt was canceled while calls waited for it")
		}
		cancel()
		wg.Wait()
		synctest.Wait()
		if canceled.Load() != 1 {
			t.Error("the attempt was not canceled although no call waited for it")
		}
		v, err := l.Get(t.Context())
		if err != nil || *v != 2 {
			t.Fatalf("next call: %v, %v, want the value of build 2", v, err)
		}
		close(release)
		synctest.Wait()
		if again, err := l.Get(t.Context()); again != v || err != nil {
			t.Errorf("after the first attempt ended: %v, %v, want %v", again, err, v)
		}
	})
}

func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// A panic of build reaches the caller, and the next call builds again.
func TestValuePanics(t *testing.T) {
	builds := 0
	l := New(func(context.Context) (*int, error) {
		if builds++; builds == 1 {
			panic("first")
		}
		return &builds, nil
	})
	func() {
		defer func() {
			if r := recover(); r != "first" {
				t.Errorf("recovered %v, want first", r)
			}
		}()
		_, _ = l.Get(t.Context())
	}()
	if v, err := l.Get(t.Context()); err != nil || *v != 2 {
		t.Errorf("second call: %v, %v", v, err)
	}
}
