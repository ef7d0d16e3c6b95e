package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/atomicfile"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// app is the process as far as the commands see it. Only this type and its
// methods print.
type app struct {
	in       io.Reader
	out, err io.Writer
	quiet    bool
	helpErr  error // of writing a help

	mu   sync.Mutex
	file output // being written, nil if none
}

// warn prints a warning unless --quiet was given.
func (a *app) warn(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, "warning: "+format+"\n", args...)
	}
}

// note prints a line of information unless --quiet was given.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
}

// output is a file that is there whole or not at all.
type output interface {
	io.Writer
	Commit() error
	Abort()
}

// setOutput begins an output file; dropOutput ends it.
func (a *app) setOutput(f output) {
	a.mu.Lock()
	a.file = f
	a.mu.Unlock()
}

// createOutput begins the output file; dropOutput removes it again.
func (a *app) createOutput(path string) (*atomicfile.File, error) {
	f, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	a.setOutput(f)
	return f, nil
}

// commitOutput gives the output file its name.
func (a *app) commitOutput() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.file
	a.file = nil
	return f.Commit()
}

// dropOutput removes an output file that is not complete, or leaves what --resume
// needs.
func (a *app) dropOutput() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file != nil {
		a.file.Abort()
		a.file = nil
	}
}

// hinted is an error with a piece of advice of this command.
type hinted struct {
	err  error
	hint string
}

func (e hinted) Error() string { return e.err.Error() }
func (e hinted) Unwrap() error { return e.err }

// hint returns advice for an error of a command, or "".
func hint(err error, command string) string {
	var own hinted
	var load *loaders.Error
	var usage usageError
	var row *table.RowError
	errors.As(err, &load)
	switch {
	case errors.As(err, &own):
		return own.hint
	case errors.Is(err, loaders.ErrTooLarge) && load != nil && load.Hint != "":
		return load.Hint + ": --max-memory sets it"
	case errors.Is(err, loaders.ErrTooLarge):
		return "--max-memory sets another limit"
	case load != nil && load.Hint != "":
		return load.Hint
	case errors.As(err, &usage):
		if _, ok := helpOf(command); ok && command != "inpoly" {
			return "see inpoly help " + command
		}
		return "see inpoly help"
	case errors.Is(err, fmm.ErrEpsilon):
		return "a larger --epsilon, or none"
	case errors.Is(err, table.ErrColumns):
		return "--columns names the columns of x, y and z by header or number"
	case errors.Is(err, table.ErrPreamble):
		return "if this is no row of points, prefix such lines with #"
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

// meshSuffixes and pointSuffixes tell a mesh from a point file by name, only to
// notice when the two were exchanged. What the files are is told by content.
var (
	meshSuffixes  = []string{".stl", ".obj", ".ply", ".off", ".gltf", ".glb", ".3mf"}
	onlyMeshes    = []string{".stl", ".obj", ".off", ".gltf", ".glb", ".3mf"} // a .ply may be points
	pointSuffixes = []string{".csv", ".tsv", ".txt", ".xyz", ".npy", ".dat", ".pts", ".asc", ".las", ".parquet"}
)

// hasSuffix reports whether the file's name ends in one of suffixes, in any case
// and before .gz or .zst.
func hasSuffix(path string, suffixes []string) bool {
	name := strings.ToLower(filepath.Base(path))
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	for _, s := range suffixes {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// isPacked reports whether a name ends like a compressed file's.
func isPacked(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".gz" || ext == ".zst"
}

// stdinName stands for standard input in messages.
const stdinName = "standard input"

// inputName is what messages call a file argument.
func inputName(path string) string {
	if path == "-" {
		return stdinName
	}
	return path
}

// onlyStdout reports whether path asks for standard output.
func onlyStdout(path string) bool { return path == "" || path == "-" }
