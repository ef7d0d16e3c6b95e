package parallel

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// TestAwakeEnds checks that the goroutine runs during steps only, also if the clock does not advance.
func TestAwakeEnds(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("needs two processors")
	}
	synctest.Test(t, func(t *testing.T) {
		var a Awake
		a.Begin(1)
		if a.spinning.Load() {
			t.Error("spins for one worker")
		}
		for range 3 {
			a.Begin(2)
			if !a.spinning.Load() {
				t.Error("does not spin in a step")
			}
			a.End()
			synctest.Wait()
			time.Sleep(time.Hour) // the clock of the test advances when all goroutines are blocked or have ended
			if a.spinning.Load() {
				t.Error("spins after the step")
			}
		}
	})
}
