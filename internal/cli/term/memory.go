package term

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/inpoly/inpoly/internal/disk"
)

// A process with a memory limit takes at most 64 MB more than the limit. These constants are added to the limit.
const (
	liveExcess    = 12 << 20 // objects in use beyond it do not fit
	collectExcess = 20 << 20 // from here the runtime collects garbage as often as it must
	releaseExcess = 26 << 20 // from here LimitMemory makes the runtime return free memory
	mostExcess    = 32 << 20 // from here there is no time for that
)

// A process without --max-memory collects its garbage from memoryFactor bytes for each byte of the
// input, as package loaders limits its memory.
const memoryFactor = 16

// memoryInterval is the time between two looks at the memory of the process. Two cores fill about 10 MB
// in this time (tuning).
const memoryInterval = 2 * time.Millisecond

// MemoryError reports that a command needs more memory than the limit.
type MemoryError struct {
	Limit, Used int64  // in bytes
	Stage       string // what the command was doing, or ""

	base int64 // number of bytes that the process had before
}

func (e *MemoryError) Error() string {
	at := ""
	if e.Stage != "" {
		at = " at the stage " + e.Stage
	}
	return fmt.Sprintf("the command needs more memory than the limit of %d MiB: it has %d MiB%s", e.Limit>>20, e.Used>>20, at)
}

// LimitMemory limits the memory that the process takes until stop is called, beyond what it has now. The runtime collects garbage
// before the process takes more than the limit. If the memory in use is larger nevertheless,
// LimitMemory calls cancel with a MemoryError. It looks at the memory every two milliseconds, so the
// process can take up to 64 MB more than the limit.
func (t *Terminal) LimitMemory(limit int64, cancel context.CancelCauseFunc) (stop func()) {
	limit = min(limit, math.MaxInt64/2) // so that sums do not overflow
	base, _ := memoryInUse()
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, base+limit+collectExcess)) // the user can have set a smaller one
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(memoryInterval)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if used := excess(base + limit); used > 0 {
				stage, _ := t.stage.Load().(string)
				cancel(&MemoryError{limit, used - base, stage, base})
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		debug.SetMemoryLimit(before)
	}
}

// excess returns the number of bytes that the process has if it needs more than the limit, or else 0.
func excess(limit int64) int64 {
	used, live := memoryInUse()
	switch {
	case live > limit+liveExcess:
		return live
	case taken(used) <= limit+releaseExcess:
		return 0
	case taken(used) > limit+mostExcess:
		return used
	}
	debug.FreeOSMemory()
	if used, _ = memoryInUse(); taken(used) > limit+releaseExcess {
		return used
	}
	return 0
}

// taken returns the bytes of used memory that the process has written to, if the system tells.
func taken(used int64) int64 {
	if n := disk.AnonymousMemory(); n > 0 {
		return min(used, n)
	}
	return used
}

// memoryInUse returns the number of bytes that the runtime has from the operating system, and the number
// of bytes of objects that the last collection of garbage found in use.
func memoryInUse() (used, live int64) {
	s := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64()), int64(s[2].Value.Uint64())
}

// LimitGarbage makes the runtime collect garbage early enough that it does not let the process exceed
// limit plus 64 MB, if the memory in use permits. A smaller limit of LimitMemory stays. The
// returned function restores the previous setting.
func LimitGarbage(limit int64) (restore func()) {
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, limit+collectExcess))
	return func() { debug.SetMemoryLimit(before) }
}

// firstHeap is the size of the heap at the first collection of garbage after DelayCollection. // tuning
const firstHeap = 32 << 20

// DelayCollection lets the heap grow to firstHeap before the first collection of garbage, unless the user sets GOGC. A command that
// opens a small mesh would otherwise collect several times while the heap grows from 4 MiB. Later collections take place as
// usual, and limits of memory hold.
func DelayCollection() {
	const usual, usualHeap = 100, 4 << 20
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(usual * firstHeap / usualHeap)
	// The first collection finds that nothing refers to this object.
	runtime.SetFinalizer(new(*byte), func(**byte) { debug.SetGCPercent(usual) })
}

// MemoryOf returns the limit for LimitGarbage of a command that reads the given number of bytes, if the user
// sets none.
func MemoryOf(inputBytes int64) int64 { return memoryFactor * inputBytes }

// MemoryCause returns the MemoryError that ended ctx, with a hint, if err is the error of a command that stopped for it.
// Otherwise it returns err.
func MemoryCause(ctx context.Context, err error) error {
	var cause, own *MemoryError
	if errors.As(context.Cause(ctx), &cause) && (errors.Is(err, context.Canceled) || errors.As(err, &own)) {
		return WithHint(cause, "--max-memory changes the limit")
	}
	return err
}

// WaitForMemory returns the result of a command. If a MemoryError has ended ctx, but the command does not
// stop and takes more and more memory, WaitForMemory returns false.
func WaitForMemory[T any](ctx context.Context, done <-chan T) (result T, ok bool) {
	select {
	case result = <-done:
		return result, true
	case <-ctx.Done():
	}
	var cause *MemoryError
	if !errors.As(context.Cause(ctx), &cause) {
		return <-done, true
	}
	tick := time.NewTicker(memoryInterval)
	defer tick.Stop()
	for end := time.Now().Add(grace); time.Now().Before(end); {
		// The command will write to all memory in use. Busy workers can delay a tick by 20 ms, so there is no time to wait.
		if used, _ := memoryInUse(); used > cause.base+cause.Limit+mostExcess {
			return result, false
		}
		select {
		case result = <-done:
			return result, true
		case <-tick.C:
		}
	}
	return result, false
}
