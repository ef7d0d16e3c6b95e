package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Exit codes of the commands.
const (
	ExitDone   = 0
	ExitError  = 1
	ExitUsage  = 2
	ExitStrict = 3
)

// UsageError is the error for a command line that cannot be run.
type UsageError struct{ err error }

// Usage makes err a UsageError.
func Usage(err error) error { return UsageError{err} }

// Usagef returns a UsageError with a message like that of fmt.Errorf.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

func (e UsageError) Error() string { return e.err.Error() }
func (e UsageError) Unwrap() error { return e.err }

// OneFile returns a UsageError unless args has one element. The message says that the
// command wants one file of that kind.
func OneFile(command, kind string, args []string) error {
	if len(args) != 1 {
		return Usagef("%d files given: %s wants one %s", len(args), command, kind)
	}
	return nil
}

// StrictError is the error for a result that --strict does not accept.
type StrictError struct{ reason string }

// Strictf returns a StrictError with a message like that of fmt.Sprintf.
func Strictf(format string, args ...any) error { return StrictError{fmt.Sprintf(format, args...)} }

func (e StrictError) Error() string { return "strict: " + e.reason }

// hintedError is an error with a piece of advice.
type hintedError struct {
	error
	hint string
}

func (e hintedError) Unwrap() error { return e.error }

// WithHint adds advice to an error. The command prints it on a line of its own.
func WithHint(err error, hint string) error { return hintedError{err, hint} }

// Hint returns the advice that WithHint has added to err, or "".
func Hint(err error) string {
	var h hintedError
	if errors.As(err, &h) {
		return h.hint
	}
	return ""
}

// ExitCode returns the exit code of a command that returned err.
func ExitCode(err error) int {
	var usage UsageError
	var strict StrictError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &usage):
		return ExitUsage
	case errors.As(err, &strict):
		return ExitStrict
	}
	return ExitError
}

// grace is how long RunUntilSignal waits for do after a signal. A read or write that still
// blocks after that is left behind.
const grace = 2 * time.Second // tuning

// RunUntilSignal calls do and returns its result, an exit code. If a signal arrives first,
// it cancels the context, waits for do for at most two seconds or until a second signal,
// calls interrupted and returns 128 plus the number of the signal. Signals that the process
// ignores, as under nohup, stay ignored.
func RunUntilSignal(do func(context.Context) int, interrupted func()) int {
	const hangUp = syscall.Signal(1) // syscall.SIGHUP, which js/wasm lacks
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, hangUp, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	done := make(chan int, 1)
	go func() { done <- do(ctx) }()
	select {
	case code := <-done:
		return code
	case s := <-signals:
		cancel(errors.New("interrupted"))
		select {
		case <-done:
		case <-signals:
		case <-time.After(grace):
		}
		interrupted()
		return 128 + int(s.(syscall.Signal))
	}
}
