package parallel

import (
	"runtime"
	"sync/atomic"
)

// linger is the number of yields for which the thread stays awake after a step, so that the next step
// finds it awake: some 50 µs. // tuning
const linger = 300

// Awake keeps a second thread awake while a world makes a step. A step has several short parallel
// loops, with serial code and the loops of other packages between them. Between the loops, a thread
// without work would sleep. The system takes 50 to 100 µs to wake it up, which can be as long as a
// loop. The zero value is ready.
//
// One thread is enough. Its goroutine always yields, so the thread can take over the caller of a
// loop, and the scheduler wakes the other threads as usual. More such goroutines would fill the
// global queue of the scheduler. Then no thread would take the new goroutines from the queue of the
// caller's thread.
type Awake struct {
	inStep   atomic.Bool
	spinning atomic.Bool
}

// Begin keeps a thread awake until End if there are several workers and processors.
func (a *Awake) Begin(workers int) {
	if workers == 1 || runtime.GOMAXPROCS(0) == 1 {
		return
	}
	a.inStep.Store(true)
	if a.spinning.CompareAndSwap(false, true) {
		go a.spin()
	}
}

// End lets the thread sleep.
func (a *Awake) End() { a.inStep.Store(false) }

// spin yields to other goroutines. It ends linger yields after the end of a step.
func (a *Awake) spin() {
	defer a.spinning.Store(false)
	for left := linger; left > 0; left-- {
		runtime.Gosched()
		if a.inStep.Load() {
			left = linger
		}
	}
}
