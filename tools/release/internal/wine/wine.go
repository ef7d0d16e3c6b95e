// Package wine runs programs for Windows in Wine.
//
//	cmd, err := wine.Command(ctx, "inpoly.exe", "version")
package wine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrMissing is the error if no program wine is on the path.
var ErrMissing = errors.New("wine is missing: apt-get install wine")

// Command returns a command that runs a program for windows/amd64. Wine's folder of settings
// (WINEPREFIX) is inpoly/wine in the user's folder for caches, so other programs in Wine are not
// affected. The first call creates the folder, which takes half a minute. Command returns ErrMissing
// if Wine is not installed.
func Command(ctx context.Context, program string, args ...string) (*exec.Cmd, error) {
	path, err := exec.LookPath("wine")
	if err != nil {
		return nil, ErrMissing
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	prefix := filepath.Join(cache, "inpoly", "wine")
	environ := append(os.Environ(), "WINEPREFIX="+prefix, "WINEARCH=win64", "WINEDEBUG=-all", "DISPLAY=", "WAYLAND_DISPLAY=")
	system := filepath.Join(prefix, "drive_c", "windows", "system32")
	if _, err := os.Stat(filepath.Join(system, "kernel32.dll")); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(prefix, 0o755); err != nil {
			return nil, err
		}
		boot := exec.CommandContext(ctx, path, "wineboot", "--init")
		boot.Env = environ
		if out, err := boot.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%v: %w\n%s", boot, err, out)
		}
	} else if err != nil {
		return nil, err
	}
	// Go programs take random numbers from this DLL, which Wine 8 does not have.
	dll := filepath.Join(system, "bcryptprimitives.dll")
	if _, err := os.Stat(dll); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(dll, forwarder("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"), 0o644); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, append([]string{program}, args...)...)
	cmd.Env = environ
	return cmd, nil
}
