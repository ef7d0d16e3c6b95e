package view

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// openers lists the programs that open a file with the default browser, for each operating system.
// The path of the file follows the arguments.
var openers = map[string][][]string{
	"darwin":  {{"open"}},
	"windows": {{"rundll32", "url.dll,FileProtocolHandler"}},
	"":        {{"xdg-open"}, {"sensible-browser"}, {"x-www-browser"}}, // all other systems
}

// startTime is the time after which a program that still runs counts as started. Some of the
// programs run as long as the browser.
const startTime = time.Second // tuning

// openPage opens a file in the default browser.
func openPage(ctx context.Context, path string) error {
	full, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("--open: %w", err)
	}
	list, ok := openers[runtime.GOOS]
	if !ok {
		list = openers[""]
	}
	for _, words := range list {
		program, err := exec.LookPath(words[0])
		if err != nil {
			continue
		}
		return start(ctx, exec.Command(program, append(words[1:], full)...))
	}
	return term.WithHint(fmt.Errorf("--open: %s was written, but there is no program to open it: %s is not installed", path, list[0][0]),
		"open the file in a browser")
}

// start runs a command. It does not wait for a command that runs for a long time.
func start(ctx context.Context, c *exec.Cmd) error {
	failed := func(err error) error { return fmt.Errorf("--open: %s: %w", filepath.Base(c.Path), err) }
	if err := c.Start(); err != nil {
		return failed(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-ended:
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			return failed(fmt.Errorf("the program ended with %v; open the file in a browser", exit.ProcessState))
		}
		return err
	case <-time.After(startTime):
	case <-ctx.Done():
	}
	return nil
}
