// Package cli implements the command inpoly: the command tree, the help, the manual page, and the
// main command, which locates the points of a file. Each subcommand has its own package below
// internal/cli.
//
//	t := &term.Terminal{In: disk.Stdin(), Out: term.Stdout(), Err: term.Stderr()}
//	code := cli.Run(ctx, t, os.Args[1:])
package cli

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/blocks"
	"github.com/inpoly/inpoly/internal/cli/check"
	"github.com/inpoly/inpoly/internal/cli/collide"
	"github.com/inpoly/inpoly/internal/cli/explain"
	"github.com/inpoly/inpoly/internal/cli/generate"
	"github.com/inpoly/inpoly/internal/cli/measure"
	"github.com/inpoly/inpoly/internal/cli/merge"
	"github.com/inpoly/inpoly/internal/cli/rays"
	sectioncommand "github.com/inpoly/inpoly/internal/cli/section"
	"github.com/inpoly/inpoly/internal/cli/segments"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/cli/view"
	"github.com/inpoly/inpoly/internal/cli/voxels"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

//go:embed help.txt
var help string

// commandLine is the command tree of one run.
type commandLine struct {
	*term.Terminal
	root     *cobra.Command
	commands []*cobra.Command // the root and all subcommands, in the order of the manual page
	helpErr  error            // the error from printing a help text
}

// Run executes a command line, prints the error if it fails, and returns the exit code.
func Run(ctx context.Context, t *term.Terminal, args []string) int {
	l := newCommandLine(t)
	l.root.SetArgs(args)
	t.FindColor(args)
	c, err := l.root, term.CheckLimits()
	if err == nil {
		c, err = l.execute(ctx)
	}
	if err == nil {
		err = cmp.Or(l.helpErr, t.CloseOut())
	}
	if err == nil || ctx.Err() != nil { // the caller reports a signal that ended ctx
		return term.ExitCode(err)
	}
	t.Fail("inpoly", err, cmp.Or(optionalValueHint(c, args, err), l.hint(err, c.Name())))
	return term.ExitCode(err)
}

// execute runs the command within the limit of --max-memory, and returns it with its error.
func (l *commandLine) execute(ctx context.Context) (*cobra.Command, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := func() {}
	l.root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		limit, err := answer.MaxMemory(c.Flags())
		if limit > 0 {
			stop = l.LimitMemory(limit, cancel)
		}
		return err
	}
	type result struct {
		c   *cobra.Command
		err error
	}
	done := make(chan result, 1)
	go func() {
		c, err := l.root.ExecuteContextC(ctx)
		stop()
		done <- result{c, err}
	}()
	r, stopped := term.WaitForMemory(ctx, done)
	if !stopped {
		l.DropOutputs()
		r = result{l.root, context.Canceled}
	}
	return r.c, term.MemoryCause(ctx, r.err)
}

func newCommandLine(t *term.Terminal) *commandLine {
	l := &commandLine{Terminal: t, root: pointsCommand(t)}
	l.commands = []*cobra.Command{
		l.root, check.Command(t), explain.Command(t), voxels.Command(t), blocks.Command(t),
		rays.Command(t), segments.Command(t), sectioncommand.Command(t), measure.Command(t), view.Command(t), collide.Command(t), generate.Command(t), merge.Command(t),
		l.completionCommand(), l.manCommand(), checkerCommand(t), versionCommand(t),
	}
	l.root.Long = help
	l.root.AddCommand(l.commands[1:]...)
	l.root.SilenceErrors, l.root.SilenceUsage = true, true
	l.root.CompletionOptions = cobra.CompletionOptions{DisableDefaultCmd: true}
	l.root.SetFlagErrorFunc(flagError)
	t.ColorFlag(l.root.PersistentFlags())
	if err := l.root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(term.Colors, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // no flag has this name
	}
	args := l.root.Args
	l.root.Args = func(c *cobra.Command, names []string) error { return cmp.Or(l.checkCommand(names), args(c, names)) }
	l.root.Version = Version()
	l.root.SetVersionTemplate("{{.Version}}\n")
	l.root.SetOut(t.Out)
	l.root.SetHelpFunc(func(c *cobra.Command, _ []string) { l.helpErr = l.printText(c.Long) })
	l.root.SetHelpCommand(&cobra.Command{Use: "help", RunE: func(_ *cobra.Command, args []string) error {
		name := strings.Join(append(args, "inpoly")[:max(1, len(args))], " ")
		if c := l.find(name); c != nil {
			return l.printText(c.Long)
		}
		if text := section(name); text != "" {
			return l.printText(text)
		}
		names := l.names()[1:]
		return term.DidYouMean(term.Usagef("help %s: unknown command: expected %s or nothing", name, strings.Join(names, ", ")), "inpoly help", name,
			append(names, sections()...))
	}})
	return l
}

func (l *commandLine) find(name string) *cobra.Command {
	i := slices.IndexFunc(l.commands, func(c *cobra.Command) bool { return c.Name() == name })
	if i < 0 {
		return nil
	}
	return l.commands[i]
}

// hint returns a hint for an error of the given command, or "".
func (l *commandLine) hint(err error, command string) string {
	var load *loaders.Error
	var usage term.UsageError
	var row *table.RowError
	var format *table.FormatError
	errors.As(err, &load)
	switch {
	case term.Hint(err) != "":
		return term.Hint(err)
	case load != nil && strings.Contains(load.Hint, "memory limit"):
		return load.Hint + ": --max-memory changes it"
	case errors.Is(err, disk.ErrTooLarge) && command == "collide":
		return "--max-memory changes the limit"
	case load != nil && load.Hint != "":
		return load.Hint
	case errors.As(err, &usage):
		if command != "inpoly" && l.find(command) != nil {
			return "see inpoly help " + command
		}
		return "see inpoly help"
	case errors.Is(err, syscall.EMFILE):
		return "raise the limit of open files with ulimit -n"
	case errors.Is(err, inpoly.ErrNegative):
		return "inpoly mesh points finds the sides of such a file, also with --body; --parts all reads all parts as solid"
	case errors.Is(err, fmm.ErrEpsilon):
		return "use a larger --epsilon, or omit it"
	case errors.As(err, &row) && row.Hint != "":
		return row.Hint
	case errors.As(err, &row) && row.Columns != [3]int{}:
		return fmt.Sprintf("--columns %d,%d,%d", row.Columns[0], row.Columns[1], row.Columns[2])
	case errors.Is(err, table.ErrColumns):
		return "--columns selects the columns of x, y and z by header or number"
	case errors.Is(err, table.ErrPreamble):
		return "if this line is not a row of points, put # in front of the line"
	case errors.Is(err, table.ErrTransposed):
		return "--columns row:1,row:2,row:3 reads the columns of the array as points, and --columns 1,2,3 its rows"
	case errors.As(err, &format):
		return format.Hint
	case errors.Is(err, table.ErrFormat):
		return "point files are " + term.Join(formats.PointTitles(), "or")
	case errors.Is(err, points.ErrOtherRun):
		return "to begin a new run and keep these files, omit --resume or change --out"
	}
	return ""
}

func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return term.Usagef("%s: expected no arguments, found %q", c.Name(), args[0])
	}
	return nil
}

func (l *commandLine) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man", Args: noArgs,
		Long: `Usage:
  inpoly man

Prints the help texts of all commands as a manual page.

Example:
  inpoly man > /usr/local/share/man/man1/inpoly.1
`,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(l.Out, manPage(l.commands))
			return err
		},
	}
}

// manPage returns the help texts of commands as a manual page. Headings become sections. The text
// below a heading keeps its layout.
func manPage(commands []*cobra.Command) string {
	var s strings.Builder
	s.WriteString(".TH INPOLY 1\n.SH NAME\ninpoly \\- decides exactly which points are inside a triangle mesh\n")
	for _, c := range commands {
		if c.Name() != "inpoly" {
			fmt.Fprintf(&s, ".SH INPOLY %s\n", strings.ToUpper(c.Name()))
		}
		open := false
		end := func() {
			if open {
				s.WriteString(".fi\n")
			}
			open = false
		}
		for line := range strings.Lines(c.Long) {
			line = strings.TrimRight(line, "\n")
			if heading, ok := strings.CutSuffix(line, ":"); ok && isHeading(heading) {
				end()
				if c.Name() == "inpoly" {
					fmt.Fprintf(&s, ".SH %s\n", strings.ToUpper(heading))
				} else {
					fmt.Fprintf(&s, ".SS %s\n", heading)
				}
				continue
			}
			if !open && line == "" {
				continue
			}
			if !open {
				s.WriteString(".nf\n")
				open = true
			}
			s.WriteString(roff(line) + "\n")
		}
		end()
	}
	return s.String()
}

// isHeading reports whether a line of a help text is a heading. The line is passed without its
// colon. A heading begins with a capital letter, has at most three words and no punctuation.
func isHeading(s string) bool {
	return s != "" && s[0] >= 'A' && s[0] <= 'Z' && !strings.ContainsAny(s, ".,;:") && strings.Count(s, " ") < 3
}

// roff escapes a line for the manual page: backslashes, minus signs and characters outside ASCII.
// It also escapes a leading dot or quote, which would begin a roff request.
func roff(line string) string {
	var s strings.Builder
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		s.WriteString(`\&`)
	}
	for _, r := range line {
		switch {
		case r == '\\':
			s.WriteString(`\e`)
		case r == '-':
			s.WriteString(`\-`)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&s, `\[u%04X]`, r)
		default:
			s.WriteRune(r)
		}
	}
	return s.String()
}
