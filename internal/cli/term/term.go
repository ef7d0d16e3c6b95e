// Package term connects the commands with the terminal: standard streams, warnings, progress,
// output files that are complete or absent, and errors with hints and exit codes. Only this package
// prints to standard error.
//
//	t := &term.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
//	t.Warn("%s: no points", name)
//	_, err := t.WriteOutput(path, func(w io.Writer) error { … })
package term

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly/internal/atomicfile"
)

// Terminal holds the standard streams of a command and its unfinished output file.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Quiet    bool // suppress warnings, notes and progress

	mu     sync.Mutex
	output Output // the unfinished output file, or nil
}

// QuietFlag adds the flag --quiet to set.
func (t *Terminal) QuietFlag(set *pflag.FlagSet) { set.BoolVarP(&t.Quiet, "quiet", "q", false, "") }

// Warn prints a warning unless --quiet was given.
func (t *Terminal) Warn(format string, args ...any) { t.Note("warning: "+format, args...) }

// Note prints a line of information unless --quiet was given.
func (t *Terminal) Note(format string, args ...any) {
	if !t.Quiet {
		fmt.Fprintf(t.Err, format+"\n", args...)
	}
}

// Output is a file that appears under its name when Commit is called.
type Output interface {
	io.Writer
	Commit() error
	Abort()
}

// SetOutput registers an unfinished output. The caller must call CommitOutput or DropOutput.
func (t *Terminal) SetOutput(f Output) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.output = f
}

// CommitOutput commits the unfinished output: its file appears under its name.
func (t *Terminal) CommitOutput() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.output
	t.output = nil
	return f.Commit()
}

// DropOutput aborts the unfinished output, if there is one: its file is removed, or kept for
// --resume. DropOutput is safe for concurrent use.
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

// StdinName is the name of standard input in messages.
const StdinName = "standard input"

// InputName returns the name of a file argument in messages: path, or StdinName for "-".
func InputName(path string) string {
	if path == "-" {
		return StdinName
	}
	return path
}

// IsStdout reports whether path, a value of --out, selects standard output.
func IsStdout(path string) bool { return path == "" || path == "-" }

// IsCompressed reports whether path has the suffix .gz or .zst.
func IsCompressed(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".gz" || ext == ".zst"
}

// SameFile reports whether out and in name the same regular file.
func SameFile(out, in string) bool {
	a, errA := os.Stat(out)
	b, errB := os.Stat(in)
	return errA == nil && errB == nil && a.Mode().IsRegular() && os.SameFile(a, b)
}

// RefuseCompressed returns an error if path, a value of flag, has the suffix .gz or .zst.
func RefuseCompressed(flag, path string) error {
	if IsCompressed(path) {
		return WithHint(Usagef("%s %s: cannot write compressed files", flag, path), "pipe standard output through gzip or zstd")
	}
	return nil
}
