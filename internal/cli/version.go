package cli

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// The linker can set these two for a build outside git, such as a package of a distribution:
//
//	go build -ldflags "-X github.com/inpoly/inpoly/internal/cli.version=v1.2.3" ./cmd/inpoly
var (
	version string // takes precedence over the version in the build information
	commit  string // takes precedence over the commit in the build information
)

// pseudoVersion matches the versions that Go derives from a commit without a tag. It is the pattern
// of IsPseudoVersion in golang.org/x/mod/module.
var pseudoVersion = regexp.MustCompile(`^v[0-9]+\.(0\.0-|\d+\.\d+-([^+]*\.)?0\.)\d{14}-[A-Za-z0-9]+(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

func versionCommand(t *term.Terminal) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use: "version", Args: noArgs,
		Long: `Usage:
  inpoly version [--json]

Prints the version of inpoly, the commit if it is known, the version of Go, and
the platform. A build of a commit without a tag has the version devel. If files
of the clone differ from the commit, the commit ends in +dirty.

Flags:
      --json             print a JSON object
`,
		RunE: func(*cobra.Command, []string) error {
			if format == "json" {
				return term.PrintJSON(t.Report(), versionObject(), "  ")
			}
			_, err := fmt.Fprintln(t.Report(), Version())
			return err
		},
	}
	term.JSONFlag(c.Flags(), &format)
	return c
}

// versionObject returns the parts of Version as a JSON object. The commit is omitted if it is
// unknown.
func versionObject() term.Object {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	version, commit := identify(info, version, commit)
	return term.Object{"inpoly", version, "commit", term.OmitZero(commit), "go", runtime.Version(), "os", runtime.GOOS, "arch", runtime.GOARCH}
}

// Version returns the version of inpoly, the commit if it is known, the version of Go and the
// platform.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return describe(info, version, commit)
}

// describe returns the text of Version for a build. A nonempty version or commit replaces the one
// in info.
func describe(info *debug.BuildInfo, version, commit string) string {
	version, commit = identify(info, version, commit)
	if commit != "" {
		commit = " " + commit
	}
	return fmt.Sprintf("inpoly %s%s %s %s/%s", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// identify returns the version and the commit of a build. A nonempty version or commit replaces the
// one in info.
func identify(info *debug.BuildInfo, version, commit string) (string, string) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision, modified := settings["vcs.revision"], settings["vcs.modified"] == "true"
	if version == "" {
		version = info.Main.Version
		// A clone has a tag, or a pseudo-version that says no more than its commit. A pseudo-version
		// without a revision is a commit that go install fetched.
		if version == "" || version == "(devel)" || revision != "" && (modified || pseudoVersion.MatchString(version)) {
			version = "devel"
		}
	}
	if commit == "" && revision != "" {
		commit = revision[:min(12, len(revision))]
		if modified {
			commit += "+dirty"
		}
	}
	return version, commit
}
