package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/internal/plural"
)

// These are the exit codes of the commands.
const (
	ExitDone   = 0
	ExitError  = 1
	ExitUsage  = 2
	ExitStrict = 3
)

// UsageError reports a command line that cannot run.
type UsageError struct{ err error }

// Usage makes err a UsageError.
func Usage(err error) error { return UsageError{err} }

// Usagef returns a UsageError. It formats the message like fmt.Errorf.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

func (e UsageError) Error() string { return e.err.Error() }
func (e UsageError) Unwrap() error { return e.err }

// OneFile returns a function that checks that a command has exactly one file argument. The error
// message contains the given kind of argument, such as "mesh".
func OneFile(kind string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return Usagef("%s: expected one %s, found %s", c.Name(), kind, plural.Count(int64(len(args)), "file"))
		}
		return nil
	}
}

// CheckStdin returns an error if more than one argument is standard input, or one of several meshes. The last argument
// is the file of what the noun says, and the others are meshes.
func CheckStdin(args []string, noun string) error {
	switch meshes := args[:len(args)-1]; {
	case len(meshes) == 1 && meshes[0] == "-" && args[1] == "-":
		return Usagef("mesh and %s cannot both be standard input: give at least one of them as a file", noun)
	case len(meshes) > 1 && slices.Contains(meshes, "-"):
		return Usagef("-: standard input cannot be one of several meshes: give each mesh as a file")
	}
	return nil
}

// StrictError reports a result that --strict or --expect does not accept.
type StrictError struct{ flag, reason string }

// Strictf returns a StrictError of --strict. It formats the message like fmt.Sprintf.
func Strictf(format string, args ...any) error { return Refusedf("strict", format, args...) }

// Refusedf returns a StrictError of the flag with the given name. It formats the message like
// fmt.Sprintf.
func Refusedf(flag, format string, args ...any) error {
	return StrictError{flag, fmt.Sprintf(format, args...)}
}

func (e StrictError) Error() string { return e.flag + ": " + e.reason }

type hintedError struct {
	error
	hint string
}

func (e hintedError) Unwrap() error { return e.error }

// WithHint adds a hint to err. The command prints the hint on a separate line.
func WithHint(err error, hint string) error { return hintedError{err, hint} }

// Hint returns the hint that WithHint added to err, or "".
func Hint(err error) string {
	var h hintedError
	if errors.As(err, &h) {
		return h.hint
	}
	return ""
}

// unjoin replaces the line ends in the message of err that errors.Join has inserted by semicolons.
func unjoin(message string, err error) string {
	switch e := any(err).(type) { // errors.As would skip the errors around a joined error
	case interface{ Unwrap() error }:
		return unjoin(message, e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			message = unjoin(strings.Replace(message, "\n"+part.Error(), "; "+part.Error(), 1), part)
		}
	}
	return message
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

// grace is the longest time that RunUntilSignal waits for the command after a signal. A blocked
// read or write can keep the command from returning.
const grace = 2 * time.Second // tuning

// RunUntilSignal runs a command and returns its exit code.
//
// If a signal arrives before the command returns, RunUntilSignal cancels the context of the
// command. It waits until the command returns, two seconds pass or another signal arrives. Then it
// calls onSignal and returns 128 plus the number of the first signal. Signals that the process
// ignores, for example under nohup, stay ignored.
func RunUntilSignal(command func(context.Context) int, onSignal func()) int {
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
	go func() { done <- command(ctx) }()
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
		onSignal()
		return 128 + int(s.(syscall.Signal))
	}
}
