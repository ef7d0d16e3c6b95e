package par

import "runtime"

// pauseInterval is the number of iterations between two pauses. These iterations take about a
// millisecond (tuning).
const pauseInterval = 1 << 14

// Pause lets the garbage collector stop the goroutine in a long loop that calls no function, such as
// a sum over all faces. Without asynchronous preemption, as in the C library, all other goroutines would wait
// for the end of the loop. i is the number of the iteration. Blocks needs no pauses, because it
// calls functions between its blocks.
func Pause(i int) {
	if i%pauseInterval == 0 {
		runtime.Gosched()
	}
}
