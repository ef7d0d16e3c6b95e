package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/version"
)

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
				return term.PrintJSON(t.Out, versionObject(), "  ")
			}
			_, err := fmt.Fprintln(t.Out, Version())
			return err
		},
	}
	term.JSONFlag(c.Flags(), &format)
	return c
}

// versionObject returns the parts of Version as a JSON object. The commit is omitted if it is
// unknown.
func versionObject() term.Object {
	v, commit := version.Identify()
	return term.Object{"inpoly", v, "commit", term.OmitZero(commit), "go", runtime.Version(), "os", runtime.GOOS, "arch", runtime.GOARCH}
}

// Version returns the version of inpoly, the commit if it is known, the version of Go and the
// platform.
func Version() string {
	v, commit := version.Identify()
	if commit != "" {
		commit = " " + commit
	}
	return fmt.Sprintf("inpoly %s%s %s %s/%s", v, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
