// Package term is the terminal as the commands see it: standard input and output, warnings
// and notes, progress, output files that are complete or absent, and errors with hints and
// exit codes. Only this package prints to standard error.
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
	Quiet    bool // print no warnings, notes and progress

	mu     sync.Mutex
	output Output // the unfinished output, nil if there is none
}

// QuietFlag adds the flag --quiet.
func (t *Terminal) QuietFlag(set *pflag.FlagSet) { set.BoolVarP(&t.Quiet, "quiet", "q", false, "") }

// Warn prints a warning unless --quiet was given.
func (t *Terminal) Warn(format string, args ...any) { t.Note("warning: "+format, args...) }

// Note prints a line of information unless --quiet was given.
func (t *Terminal) Note(format string, args ...any) {
	if !t.Quiet {
		fmt.Fprintf(t.Err, format+"\n", args...)
	}
}

// Output is a file that appears only when Commit is called.
type Output interface {
	io.Writer
	Commit() error
	Abort()
}

// SetOutput registers an unfinished output. CommitOutput or DropOutput ends it.
func (t *Terminal) SetOutput(f Output) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.output = f
}

// CommitOutput gives the unfinished output its name.
func (t *Terminal) CommitOutput() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.output
	t.output = nil
	return f.Commit()
}

// DropOutput ends an unfinished output: its file is removed, or kept for --resume. Without
// an unfinished output it does nothing. It may be called from another goroutine.
func (t *Terminal) DropOutput() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.output != nil {
		t.output.Abort()
		t.output = nil
	}
}

// WriteOutput calls write with the file at path, or with standard output if path is "" or
// "-". It returns the number of bytes written. If write fails, no file is left.
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

// countingWriter counts the bytes that are written.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// StdinName stands for standard input in messages.
const StdinName = "standard input"

// InputName returns the name that messages use for a file argument.
func InputName(path string) string {
	if path == "-" {
		return StdinName
	}
	return path
}

// IsStdout reports whether path, the value of --out, means standard output.
func IsStdout(path string) bool { return path == "" || path == "-" }

// IsCompressed reports whether path ends like the name of a compressed file.
func IsCompressed(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".gz" || ext == ".zst"
}

// SameFile reports whether out is a regular file and the same file as in, perhaps by
// another name.
func SameFile(out, in string) bool {
	a, errA := os.Stat(out)
	b, errB := os.Stat(in)
	return errA == nil && errB == nil && a.Mode().IsRegular() && os.SameFile(a, b)
}

// RefuseCompressed returns an error if path, given with a flag, ends like the name of a compressed
// file.
func RefuseCompressed(flag, path string) error {
	if IsCompressed(path) {
		return WithHint(Usagef("%s %s: output is not compressed", flag, path), "pipe standard output through gzip or zstd")
	}
	return nil
}
