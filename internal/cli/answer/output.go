package answer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/points"
)

// CheckOut returns an error if --out names a compressed file or a mesh. others are the suffixes of files
// other than point files that the command writes, separated by blanks.
func CheckOut(out, others string) error {
	if term.IsStdout(out) {
		return nil
	}
	if err := term.RefuseCompressed("--out", out); err != nil {
		return err
	}
	written := slices.ContainsFunc(strings.Fields(others), func(s string) bool { return formats.HasSuffix(out, strings.TrimPrefix(s, ".")) })
	if formats.HasMeshName(out) && !written {
		return term.Usagef("--out %s: the output is a point file, but this is the name of a mesh", out)
	}
	if formats.HasSuffix(out, "npz") {
		return term.WithHint(term.Usagef("--out %s: .npz files are only read, not written", out), "a .npy file with a field for each array has the same data")
	}
	return nil
}

// OutputFormat returns the format of the output, or "" if the output has the format of the points. out
// and format are the values of --out and --format, and path is the file of the points. An output with
// the suffix .csv keeps the commas or semicolons of the points.
func OutputFormat(out, format, path string, in *points.Reader) (string, error) {
	if format != "" || term.IsStdout(out) {
		return format, nil
	}
	l := in.Layout()
	for _, f := range formats.Outputs() {
		if formats.HasSuffix(out, f.Written...) && !(f.Output == "csv" && l != nil && (l.Delimiter == ',' || l.Delimiter == ';')) {
			return f.Output, nil
		}
	}
	if !term.AllowsSuffix(term.Suffix(path), out) && !formats.HasSuffix(out, formats.Named(in.Format()).OutputSuffixes()...) {
		err := term.Usagef("--out %s: %s is not the suffix of an output format for points in the format %s", out, term.Suffix(out), in.Format())
		return "", term.FormatHint(err, term.Suffix(out), points.OutputFormats(), "select a format with --format "+term.Join(points.OutputFormats(), "or"))
	}
	return "", nil
}

// SetFormat sets f.Format to the format of the output, and refuses a binary format on a terminal. out is the value of
// --out, and path is the file of the rows. Derived rows cannot have the layout of the input: text becomes CSV.
func (f *Flags) SetFormat(t *term.Terminal, out, path string, in *points.Reader, derived bool) (err error) {
	if f.Format, err = OutputFormat(out, f.Format, path, in); err != nil {
		return err
	}
	if derived && f.Format == "" {
		if f.Format = in.Format(); !slices.Contains(points.OutputFormats(), f.Format) {
			f.Format = "csv"
		}
		if f.Format == "csv" && !term.AllowsSuffix(term.CSVSuffixes, out) {
			return term.WithHint(term.Usagef("--out %s: the rows are written as CSV", out), "use the suffix .csv, or --format csv")
		}
	}
	if format := BinaryFormat(f.Format, in); format != "" {
		return t.RefuseBinary(out, format)
	}
	return nil
}

// BinaryFormat returns the name of the output format, or "" if the output is text. format is the result
// of OutputFormat.
func BinaryFormat(format string, in *points.Reader) string {
	format = cmp.Or(format, in.Format())
	source, ok := in.Source().(interface{ ASCII() bool })
	switch {
	case format == in.Format() && ok && source.ASCII():
		return ""
	}
	if formats.Named(format).Binary {
		return format
	}
	return ""
}
