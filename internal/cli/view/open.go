package view

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
)

// opener is a program that opens a file with the default browser. The path of the file follows the
// arguments.
type opener struct {
	name      string
	arguments []string
}

// openers lists the programs for each operating system.
var openers = map[string][]opener{
	"darwin":  {{"open", nil}},
	"windows": {{"rundll32.exe", []string{"url.dll,FileProtocolHandler"}}},
	"":        {{"xdg-open", nil}, {"sensible-browser", nil}, {"x-www-browser", nil}}, // all other systems
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
	for _, o := range list {
		if program := find(o.name); program != "" {
			if err := start(ctx, program, append(append([]string{program}, o.arguments...), full)); err != nil {
				return fmt.Errorf("--open: %s: %w", o.name, err)
			}
			return nil
		}
	}
	return term.WithHint(fmt.Errorf("--open: %s was written, but there is no program to open it: %s is not installed", path, list[0].name),
		"open the file in a browser")
}

// find returns the path of a program in the folders of PATH, or "". It ignores relative folders,
// because their files depend on the current folder.
func find(name string) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if !filepath.IsAbs(dir) {
			continue
		}
		if fi, err := disk.Stat(path); err == nil && fi.Mode().IsRegular() && (runtime.GOOS == "windows" || fi.Mode()&0o111 != 0) {
			return path
		}
	}
	return ""
}

// start runs a program. It does not wait for a program that runs for a long time.
func start(ctx context.Context, program string, arguments []string) error {
	wait, err := disk.Start(program, arguments)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%w; open the file in a browser", err)
		}
	case <-time.After(startTime):
	case <-ctx.Done():
	}
	return nil
}
