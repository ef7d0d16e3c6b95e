package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version prints versionText.
func (a *app) version() error {
	_, err := fmt.Fprintln(a.out, versionText())
	return err
}

// versionText is the version that the build recorded.
func versionText() string {
	version, revision := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("inpoly %s%s %s %s/%s", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
