package term

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly/internal/atomicfile"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/suggest"
)

// outputs describes the outputs of a command.
type outputs struct {
	paths     []string // see SetOutputs
	scratch   []string // files besides the outputs that a run with --resume writes
	partial   bool     // see SetPartial
	force     bool     // the value of --force
	committed int      // number of outputs that have their final names
}

// OutputFlags adds the flags of commands with inputs, outputs and a summary: --force and those of
// SummaryFlags.
func (t *Terminal) OutputFlags(set *pflag.FlagSet, stats *string) {
	set.BoolVar(&t.outputs.force, "force", false, "")
	t.SummaryFlags(set, stats)
}

// SummaryFlags adds the flags of commands with a summary: --quiet, --verbose and --json, which sets
// *stats to "json".
func (t *Terminal) SummaryFlags(set *pflag.FlagSet, stats *string) {
	t.QuietFlag(set)
	set.BoolVarP(&t.verbose, "verbose", "v", false, "")
	JSONFlag(set, stats)
}

// SetOutputs sets the paths of all outputs of the command. The paths "" and "-" mean standard
// output, which is the only output if SetOutputs is not called.
func (t *Terminal) SetOutputs(paths ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.outputs.paths = paths
}

// SetResumable says that the next run can continue the output at path, and reserves the files that
// this needs.
func (t *Terminal) SetResumable(path string) error {
	scratch, err := atomicfile.ResumablePaths(path)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.outputs.scratch = scratch
	return err
}

// SetPartial says that the command uses only a part of its inputs. Then --force does not allow an
// output to replace an input, because the rest of the input would be lost.
func (t *Terminal) SetPartial() { t.outputs.partial = true }

// CheckInputs returns a UsageError if an input and an output are the same regular file. The run
// would destroy its input, or read its own output without end. The input "-" is standard input, and "" is none.
// Commands call CheckInputs before they read the inputs.
//
// With --force, an output can replace an input that the command reads to its end before. This is
// not allowed with --resume, for a part of the input, and for an output that does not appear
// atomically, such as standard output.
func (t *Terminal) CheckInputs(paths ...string) error { return t.checkInputs(true, paths) }

// CheckLateInputs is like CheckInputs for inputs that the command still reads after the first
// output appears. --force does not allow to replace them.
func (t *Terminal) CheckLateInputs(paths ...string) error { return t.checkInputs(false, paths) }

func (t *Terminal) checkInputs(replaceable bool, paths []string) error {
	outputs := t.outputs.paths
	if len(outputs) == 0 {
		outputs = []string{"-"}
	}
	for i, out := range append(outputs[:len(outputs):len(outputs)], t.outputs.scratch...) {
		written := statRegular(out, t.Out)
		if written == nil {
			continue
		}
		canReplace := replaceable && i < len(outputs) && len(t.outputs.scratch) == 0 && !t.outputs.partial && !IsStdout(out) && atomicfile.Replaces(out)
		if canReplace && t.outputs.force {
			continue
		}
		if IsStdout(out) {
			out = StdoutName
		}
		for _, in := range paths {
			if in == "" || !os.SameFile(written, statRegular(in, t.In)) {
				continue
			}
			err := Usagef("%s: this input is the same file as the output, %s: write to another file", InputName(in), out)
			if canReplace {
				return WithHint(err, "--force replaces the input, after the command has read it to the end")
			}
			return err
		}
	}
	return nil
}

// IsOut reports whether standard output is redirected to the regular file at path.
func (t *Terminal) IsOut(path string) bool {
	out := statRegular("-", t.Out)
	return out != nil && os.SameFile(out, statRegular(path, nil))
}

// SameOutput reports whether two outputs are one file, which can have two names. The files do not have
// to exist. The paths "" and "-" mean standard output.
func (t *Terminal) SameOutput(a, b string) bool {
	switch {
	case IsStdout(a) && IsStdout(b):
		return true
	case IsStdout(a):
		return t.IsOut(b)
	case IsStdout(b):
		return t.IsOut(a)
	}
	return atomicfile.SameFile(a, b)
}

// statRegular returns information about the regular file at path, or nil if there is none. If the
// path is "" or "-", the file is the standard stream.
func statRegular(path string, stream any) fs.FileInfo {
	stat := func() (fs.FileInfo, error) { return disk.Stat(path) }
	if IsStdout(path) {
		f, ok := stream.(interface{ Stat() (fs.FileInfo, error) })
		if !ok {
			return nil
		}
		stat = f.Stat
	}
	if fi, err := stat(); err == nil && fi.Mode().IsRegular() {
		return fi
	}
	return nil
}

// RefuseBinary returns a UsageError if a command without --out would write an array to a terminal,
// whose user would see garbage. format names the format. --out - is explicit, so it is allowed.
func (t *Terminal) RefuseBinary(out, format string) error {
	if out != "" || !IsTerminal(t.Out) {
		return nil
	}
	return WithHint(Usagef("%s is a binary format and standard output is a terminal: nothing was written", format),
		"write to a file with --out FILE, or to another program with a pipe; --out - writes to the terminal")
}

// CSVSuffixes are the suffixes of a table that is always CSV; see AllowsSuffix.
const CSVSuffixes = ".csv .txt .text .dat .out .log"

// RefuseCompressed returns an error if path has the suffix .gz or .zst. The error message contains
// the given flag.
func RefuseCompressed(flag, path string) error {
	if IsCompressed(path) {
		return WithHint(Usagef("%s %s: cannot write compressed files", flag, path), "pipe standard output through gzip or zstd")
	}
	return nil
}

// CheckSuffix returns an error if AllowsSuffix returns false. The error message contains the given
// flag, and expected, the names that are allowed.
func CheckSuffix(flag, path, suffixes, expected string) error {
	if AllowsSuffix(suffixes, path) {
		return nil
	}
	return Usagef("%s %s: unknown suffix: expected %s", flag, path, expected)
}

// SuffixFormat returns the name of the format that the suffix of the file at path selects: the suffix without its dot.
// The error has a hint if the suffix is not one of the formats. expected lists the suffixes of the command.
func SuffixFormat(path, suffix string, formats []string, expected string) (string, error) {
	name := strings.TrimPrefix(strings.ToLower(suffix), ".")
	if slices.Contains(formats, name) {
		return name, nil
	}
	return "", FormatHint(Usagef("--out %s: unknown suffix: expected %s", path, expected), name, formats, "--format selects a format for any suffix")
}

// FormatHint adds a hint to an error about the suffix of --out: the suffix that looks like it, or else the given hint.
func FormatHint(err error, suffix string, formats []string, hint string) error {
	if meant, ok := suggest.Closest(strings.TrimPrefix(suffix, "."), formats); ok {
		hint = "did you mean ." + meant + "? --format selects a format for any suffix"
	}
	return WithHint(err, hint)
}

// AllowsSuffix reports whether a list, in which blanks separate suffixes, has the suffix of the file
// name at path. Names without a suffix, devices and standard output are allowed.
func AllowsSuffix(suffixes, path string) bool {
	ext := Suffix(path)
	return ext == "" || slices.Contains(strings.Fields(suffixes), ext)
}

// Suffix returns the suffix of a file name in lower case with its dot, or "" if the name has no
// suffix, or if path is standard output or not a regular file.
func Suffix(path string) string {
	base := filepath.Base(path)
	if IsStdout(path) || strings.LastIndexByte(base, '.') <= 0 { // the first dot of .name begins no suffix
		return ""
	}
	if fi, err := disk.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return ""
	}
	return strings.ToLower(filepath.Ext(base))
}

// Interrupted prints that a signal has ended the command, what it has left, and how to go on. args
// is the command line with the name of the program. The caller has called DropOutput.
func (t *Terminal) Interrupted(program string, args []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var files []string
	for _, path := range t.outputs.paths {
		if !IsStdout(path) {
			files = append(files, path)
		}
	}
	if len(files) == 0 {
		t.message(red, program+":", "interrupted")
		return
	}
	names := Join(files, "and")
	scratch := t.outputs.scratch
	switch n := t.outputs.committed; {
	case n >= len(files):
		t.message(red, program+":", fmt.Sprintf("interrupted after %s", plural.Sprintf("%d outputs were complete", n)))
	case n > 0:
		t.message(red, program+":", fmt.Sprintf("interrupted: %d of %s complete, nothing was written to the rest", n, plural.Count(int64(len(files)), "output")))
	case len(scratch) > 1 && statRegular(scratch[0], nil) != nil && statRegular(scratch[1], nil) != nil:
		t.message(red, program+":", fmt.Sprintf("interrupted: %s and %s keep the finished rows", scratch[0], scratch[1]))
		t.message(bold, "hint:", "to go on, repeat the command: "+shellLine(args))
	default:
		t.message(red, program+":", "interrupted: nothing was written to "+names)
	}
}

// shellLine returns arguments as a line that the shell divides into the same arguments.
func shellLine(args []string) string {
	plain := regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)
	words := make([]string, len(args))
	for i, a := range args {
		switch {
		case plain.MatchString(a):
			words[i] = a
		case runtime.GOOS == "windows":
			words[i] = `"` + strings.ReplaceAll(a, `"`, `""`) + `"`
		default:
			words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
