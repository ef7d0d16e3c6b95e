package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// grace is how long a signal waits for the work to end by itself. After that, the process
// exits even if a read or write blocks.
const grace = 2 * time.Second // tuning

func main() { os.Exit(start()) }

// start runs the command line of the process and returns its exit code.
func start() int {
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) { // as under nohup
			signal.Notify(signals, s)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	done := make(chan int, 1)
	go func() { done <- a.main(ctx, os.Args[1:]) }()
	select {
	case code := <-done:
		return code
	case s := <-signals:
		cancel()
		select {
		case <-done:
		case <-signals:
		case <-time.After(grace):
		}
		a.dropOutput()
		fmt.Fprintln(a.err, "inpoly: interrupted")
		return 128 + int(s.(syscall.Signal))
	}
}

// Exit codes.
const (
	exitDone   = 0
	exitError  = 1
	exitUsage  = 2
	exitStrict = 3
)

// usageError is a command line that cannot be run.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// strictError is what --strict refuses.
type strictError struct{ reason string }

func (e strictError) Error() string { return "strict: " + e.reason }

// main runs a command line and returns the exit code; it has printed the error.
func (a *app) main(ctx context.Context, args []string) int {
	root := a.command()
	root.SetArgs(args)
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.helpErr
	}
	if err == nil {
		return exitDone
	}
	if ctx.Err() != nil {
		return exitError // start reports the signal
	}
	fmt.Fprintf(a.err, "inpoly: %v\n", err)
	if h := hint(err, c.Name()); h != "" {
		fmt.Fprintf(a.err, "hint: %s\n", h)
	}
	var usage usageError
	var strict strictError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &strict):
		return exitStrict
	}
	return exitError
}
