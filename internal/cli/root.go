// Package cli implements the command inpoly: the tree of commands, help, the manual page, and
// the main command, which answers for the points of a file. Each other command is a package
// below this one.
//
//	t := &term.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
//	code := cli.Run(ctx, t, os.Args[1:])
package cli

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/cli/check"
	"github.com/inpoly/inpoly/internal/cli/collide"
	"github.com/inpoly/inpoly/internal/cli/explain"
	"github.com/inpoly/inpoly/internal/cli/merge"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/cli/view"
	"github.com/inpoly/inpoly/internal/cli/voxels"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

//go:embed help.txt
var help string

// commandLine is one run of the command.
type commandLine struct {
	*term.Terminal
	root     *cobra.Command
	commands []*cobra.Command // the root and all others, in the order of the manual page
	helpErr  error            // of printing a help text
}

// Run runs a command line, prints its error and returns the exit code.
func Run(ctx context.Context, t *term.Terminal, args []string) int {
	l := newCommandLine(t)
	l.root.SetArgs(args)
	c, err := l.root.ExecuteContextC(ctx)
	if err == nil {
		err = l.helpErr
	}
	if err == nil || ctx.Err() != nil { // the caller reports the signal
		return term.ExitCode(err)
	}
	fmt.Fprintf(t.Err, "inpoly: %v\n", err)
	if h := l.hint(err, c.Name()); h != "" {
		fmt.Fprintf(t.Err, "hint: %s\n", h)
	}
	return term.ExitCode(err)
}

// newCommandLine builds the command tree.
func newCommandLine(t *term.Terminal) *commandLine {
	l := &commandLine{Terminal: t, root: pointsCommand(t)}
	l.commands = []*cobra.Command{
		l.root, check.Command(t), explain.Command(t), voxels.Command(t), view.Command(t), collide.Command(t), merge.Command(t),
		l.completionCommand(), l.manCommand(), versionCommand(t),
	}
	l.root.Long = help
	l.root.AddCommand(l.commands[1:]...)
	l.root.SilenceErrors, l.root.SilenceUsage = true, true
	l.root.CompletionOptions = cobra.CompletionOptions{DisableDefaultCmd: true}
	l.root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		// The flag parser appends its reason after the flag. It adds no information.
		text, _, invalid := strings.Cut(err.Error(), `" flag: `)
		if invalid {
			text += `"`
		}
		return term.Usage(errors.New(text))
	})
	l.root.Version = Version()
	l.root.SetVersionTemplate("{{.Version}}\n")
	l.root.SetOut(t.Out)
	l.root.SetHelpFunc(func(c *cobra.Command, _ []string) { _, l.helpErr = fmt.Fprint(t.Out, c.Long) })
	l.root.SetHelpCommand(&cobra.Command{Use: "help", RunE: func(_ *cobra.Command, args []string) error {
		name := strings.Join(append(args, "inpoly")[:max(1, len(args))], " ")
		c := l.find(name)
		if c == nil {
			var names []string
			for _, c := range l.commands[1:] {
				names = append(names, c.Name())
			}
			return term.Usagef("no help for %q: want %s or nothing", name, strings.Join(names, ", "))
		}
		_, err := fmt.Fprint(t.Out, c.Long)
		return err
	}})
	return l
}

// find returns the command with a help text of that name, or nil.
func (l *commandLine) find(name string) *cobra.Command {
	i := slices.IndexFunc(l.commands, func(c *cobra.Command) bool { return c.Name() == name })
	if i < 0 {
		return nil
	}
	return l.commands[i]
}

// hint returns advice for an error of a command, or "".
func (l *commandLine) hint(err error, command string) string {
	var load *loaders.Error
	var usage term.UsageError
	var row *table.RowError
	errors.As(err, &load)
	switch {
	case term.Hint(err) != "":
		return term.Hint(err)
	case errors.Is(err, loaders.ErrTooLarge) && load != nil && load.Hint != "":
		return load.Hint + ": --max-memory sets it"
	case errors.Is(err, loaders.ErrTooLarge):
		return "--max-memory sets another limit"
	case load != nil && load.Hint != "":
		return load.Hint
	case errors.As(err, &usage):
		if command != "inpoly" && l.find(command) != nil {
			return "see inpoly help " + command
		}
		return "see inpoly help"
	case errors.Is(err, fmm.ErrEpsilon):
		return "a larger --epsilon, or none"
	case errors.Is(err, table.ErrColumns):
		return "--columns names the columns of x, y and z by header or number"
	case errors.Is(err, table.ErrPreamble):
		return "if this line is not a row of points, put # before it"
	case errors.Is(err, table.ErrTransposed):
		return "np.save(path, p.T), or --columns 1,2,3 if these are three points"
	case errors.Is(err, table.ErrFormat):
		return "points are text (CSV, TSV, columns separated by blanks), .npy, .ply, .las or .parquet"
	case errors.As(err, &row) && errors.Is(err, table.ErrCannotHold) && strings.Contains(row.Reason, "as text"):
		return "--text COLUMN takes a column as text, for csv, jsonl and parquet"
	case errors.Is(err, points.ErrOtherRun):
		return "the same command continues it; without --resume, or with another --out, a new run begins"
	}
	return ""
}

// noArgs returns an error if a command got arguments.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return term.Usagef("%s takes no arguments, got %q", c.Name(), args[0])
	}
	return nil
}

// versionCommand prints the version.
func versionCommand(t *term.Terminal) *cobra.Command {
	return &cobra.Command{
		Use: "version", Args: noArgs,
		Long: `Usage:
  inpoly version

Prints the version of inpoly and of Go, and the platform.
`,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(t.Out, Version())
			return err
		},
	}
}

// Version returns the version that the build recorded, the version of Go, and the platform.
func Version() string {
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

// completionCommand prints a script for a shell.
func (l *commandLine) completionCommand() *cobra.Command {
	shells := map[string]func() error{
		"bash":       func() error { return l.root.GenBashCompletionV2(l.Out, false) },
		"zsh":        func() error { return l.root.GenZshCompletionNoDesc(l.Out) },
		"fish":       func() error { return l.root.GenFishCompletion(l.Out, false) },
		"powershell": func() error { return l.root.GenPowerShellCompletion(l.Out) },
	}
	const want = "bash, zsh, fish or powershell"
	return &cobra.Command{
		Use: "completion SHELL",
		Long: `Usage:
  inpoly completion SHELL

Prints a script that completes commands and flags, for bash, zsh, fish or
powershell.

Example:
  source <(inpoly completion bash)
  inpoly completion fish > ~/.config/fish/completions/inpoly.fish
`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return term.Usagef("%s given: completion wants %s", plural.Count(int64(len(args)), "argument"), want)
			}
			return nil
		},
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(_ *cobra.Command, args []string) error {
			write, ok := shells[args[0]]
			if !ok {
				return term.Usagef("no completion for %q: want %s", args[0], want)
			}
			return write()
		},
	}
}
