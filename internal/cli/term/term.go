// Package term connects the commands with the terminal: standard streams, warnings, progress,
// output files that are complete or absent, and errors with hints and exit codes. Only this package
// prints to standard error. It escapes control characters in all messages (package quote).
//
//	t := &term.Terminal{In: disk.Stdin(), Out: term.Stdout(), Err: term.Stderr()}
//	t.Warn("%s: no points", name)
//	_, err := t.WriteOutput(path, func(w io.Writer) error { … })
package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly/internal/atomicfile"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
)

// Terminal holds the standard streams of a command and its unfinished output file.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Quiet    bool // suppress warnings, notes and progress

	verbose bool       // print the details of summaries
	color   colorValue // the value of --color
	warned  int        // number of printed warnings

	stage atomic.Value // the last stage of a Progress, a string

	mu      sync.Mutex
	output  Output // the unfinished output file, or nil
	dropped bool   // no output appears any more
	outputs outputs
}

// Stdout returns standard output. If the process was started without standard output, all writes
// to the result fail, because the output would be lost. So every command that prints its result there
// fails, also a command whose exit code is a result.
func Stdout() io.Writer {
	if disk.IsReplaced(1) {
		return closedStream("standard output")
	}
	return os.Stdout
}

// Stderr returns standard error. If the process was started without standard error, all writes to the
// result fail. Messages are then lost, and a command that prints an object there fails.
func Stderr() io.Writer {
	if disk.IsReplaced(2) {
		return closedStream("standard error")
	}
	return os.Stderr
}

// closedStream is the name of a stream that was closed when the process began.
type closedStream string

func (s closedStream) Write([]byte) (int, error) {
	return 0, WithHint(fmt.Errorf("%s is closed, so the output would be lost", string(s)),
		fmt.Sprintf("redirect %s to a file; /dev/null discards the output; a program must open /dev/null for writing only, unlike subprocess.DEVNULL of Python", string(s)))
}

// CheckLimits returns an error if the limits of the process are too small for the Go runtime, which
// would end the process with a dump of its state. With some limits of the address space, and with all
// limits below about 700 MB, the runtime ends the process before CheckLimits can be called.
func CheckLimits() error {
	const (
		leastFiles = 16 // tuning: a run opens at most 10 files
		// A run has reserved 1.9 GB with 2 threads and 2.6 GB with 64 threads (tuning).
		leastSpace, spacePerThread = 2 << 30, 16 << 20
	)
	files, space := disk.Limits()
	if files != 0 && files < leastFiles {
		return WithHint(fmt.Errorf("the process can open only %d files, expected at least %d", files, leastFiles), "raise the limit with ulimit -n")
	}
	least := leastSpace + spacePerThread*uint64(runtime.GOMAXPROCS(0))
	if space != 0 && space < least && strconv.IntSize == 64 { // with 32 bits the runtime reserves little
		return WithHint(fmt.Errorf("the address space of the process is limited to %sB, expected at least %sB", Short(float64(space)), Short(float64(least))),
			"raise the limit with ulimit -v; --max-memory limits the memory of a command")
	}
	return nil
}

// CloseOut closes standard output. A file system can report a failed write when the file is closed.
func (t *Terminal) CloseOut() error {
	if f, ok := t.Out.(*os.File); ok {
		return f.Close()
	}
	return nil
}

// QuietFlag adds the flag --quiet to the flag set.
func (t *Terminal) QuietFlag(set *pflag.FlagSet) { set.BoolVarP(&t.Quiet, "quiet", "q", false, "") }

// Warn prints a warning unless --quiet was given.
func (t *Terminal) Warn(format string, args ...any) {
	if !t.Quiet {
		t.warned++
		t.message(yellow, "warning:", fmt.Sprintf(format, args...))
	}
}

// mostWarnings is the largest number of warnings that WarnList lets a run print.
const mostWarnings = 10 // more do not fit on a small terminal

// WarnList prints warnings with different reasons. A run prints at most ten warnings of lists. The
// caller reserves a number of them for later lists. If there is no room for all warnings, the last
// line says how many more there are, and rest says where the user finds them.
func (t *Terminal) WarnList(warnings []string, reserved int, rest string) {
	room := max(1, mostWarnings-reserved-t.warned)
	for i, w := range warnings {
		if left := len(warnings) - i; i == room-1 && left > 1 {
			t.Warn("… and %d more kinds; %s", left, rest)
			return
		}
		t.Warn("%s", w)
	}
}

// Note prints a line of information unless --quiet was given.
func (t *Terminal) Note(format string, args ...any) {
	if !t.Quiet {
		t.message("", "", fmt.Sprintf(format, args...))
	}
}

// Fail prints the error of a program and, if hint is not "", a hint.
func (t *Terminal) Fail(program string, err error, hint string) {
	t.message(red, program+":", unjoin(err.Error(), err))
	if hint != "" {
		t.message(bold, "hint:", hint)
	}
}

// message prints a line: a label of the program, if it is not "", and a text, which can contain text
// from outside the program. Only the label gets a style, after the text is escaped. So the text
// cannot contain control sequences.
func (t *Terminal) message(style, label, text string) {
	line := quote.Line(text)
	if label != "" {
		line = t.paint(t.Err, style, label) + " " + line
	}
	fmt.Fprintln(t.Err, line)
}

// ReportLines returns a function that appends a line to a report. It pads the label to the given
// width.
func ReportLines(report *strings.Builder, width int) func(label, format string, args ...any) {
	return func(label, format string, args ...any) {
		fmt.Fprintf(report, "%-*s%s\n", width, label, quote.Line(fmt.Sprintf(format, args...)))
	}
}

// Output is a file that appears under its name when Commit is called. If it has a method Len, it
// consists of this number of files.
type Output interface {
	io.Writer
	Commit() error
	Abort()
}

// Outputs are several outputs that appear together. Commit commits them in order. It stops at the first
// error, and the remaining outputs do not appear.
type Outputs []Output

// Write fails: the caller writes to each output.
func (o Outputs) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Len returns the number of outputs.
func (o Outputs) Len() int { return len(o) }

// Commit commits all outputs.
func (o Outputs) Commit() error {
	for i, f := range o {
		if err := f.Commit(); err != nil {
			o[i:].Abort()
			return err
		}
	}
	return nil
}

// Abort aborts all outputs.
func (o Outputs) Abort() {
	for _, f := range o {
		f.Abort()
	}
}

// SetOutput registers an unfinished output. The caller must call CommitOutput or DropOutput.
func (t *Terminal) SetOutput(f Output) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dropped {
		f.Abort()
		return
	}
	t.output = f
}

// CommitOutput commits the unfinished output. The file then appears under its name.
func (t *Terminal) CommitOutput() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.output
	if f == nil {
		return errDropped
	}
	t.output = nil
	err := f.Commit()
	if err == nil {
		t.outputs.committed++
		if files, ok := f.(interface{ Len() int }); ok {
			t.outputs.committed += files.Len() - 1
		}
	}
	return err
}

// errDropped is the error of CommitOutput after DropOutputs.
var errDropped = errors.New("the output was dropped")

// DropOutputs aborts the unfinished output, and all outputs that a command which does not stop begins later.
func (t *Terminal) DropOutputs() {
	t.mu.Lock()
	t.dropped = true
	t.mu.Unlock()
	t.DropOutput()
}

// DropOutput aborts the unfinished output, if there is one. The file is removed, unless --resume
// keeps it. DropOutput is safe for concurrent use.
func (t *Terminal) DropOutput() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.output != nil {
		t.output.Abort()
		t.output = nil
	}
}

// WriteOutput calls write with the file at path, or with standard output if path is "" or "-". It
// returns the number of bytes written. If write fails, no file appears.
func (t *Terminal) WriteOutput(path string, write func(io.Writer) error) (size int64, err error) {
	out := &countingWriter{w: t.Out}
	if IsStdout(path) {
		err := write(out)
		return out.n, err
	}
	file, err := atomicfile.Create(path)
	if err != nil {
		return 0, err
	}
	t.SetOutput(file)
	defer t.DropOutput()
	out.w = file
	if err := write(out); err != nil {
		return out.n, err
	}
	return out.n, t.CommitOutput()
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// StdinName and StdoutName are the names of the standard streams in messages.
const (
	StdinName  = "standard input"
	StdoutName = "standard output"
)

// InputName returns the name of a file argument in messages: path, or StdinName for "-".
func InputName(path string) string {
	if path == "-" {
		return StdinName
	}
	return path
}

// IsStdout reports whether a value of --out selects standard output.
func IsStdout(path string) bool { return path == "" || path == "-" }

// IsCompressed reports whether path has the suffix .gz or .zst.
func IsCompressed(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".gz" || ext == ".zst"
}

// Rate returns n divided by d in seconds, or 0 if d is not positive.
func Rate(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// Short returns x with three digits and a unit, such as "1.23 M".
func Short(x float64) string {
	switch { // %.3g prints 999.5 as 1e+03, so a larger unit is used from 999.5
	case x >= 999.5e15:
		return fmt.Sprintf("%.3g E", x/1e18)
	case x >= 999.5e12:
		return fmt.Sprintf("%.3g P", x/1e15)
	case x >= 999.5e9:
		return fmt.Sprintf("%.3g T", x/1e12)
	case x >= 999.5e6:
		return fmt.Sprintf("%.3g G", x/1e9)
	case x >= 999.5e3:
		return fmt.Sprintf("%.3g M", x/1e6)
	case x >= 999.5:
		return fmt.Sprintf("%.3g k", x/1e3)
	}
	return fmt.Sprintf("%.3g", x)
}

// CheckUncertain returns a StrictError if strict is set and n > 0 results are uncertain. The
// message uses the given noun for one result, such as "point".
func CheckUncertain(strict bool, n int64, noun string) error {
	if strict && n > 0 {
		return Strictf("%s uncertain", plural.Count(n, noun))
	}
	return nil
}
