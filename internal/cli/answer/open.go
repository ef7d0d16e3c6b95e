package answer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/points"
)

const orderHint = "the order is: inpoly mesh points"

// OpenSolid opens the mesh at path, or reads it from standard input if path is "-". It shows the
// progress and prints the warnings of the mesh. If strict is set, a mesh with defects is an error,
// and the error message ends with the given outcome, such as "nothing was written".
func OpenSolid(ctx context.Context, t *term.Terminal, path string, opt inpoly.Options, strict bool, outcome string) (*inpoly.Solid, error) {
	s, err := OpenQuietly(ctx, t, path, opt)
	if err != nil {
		return nil, err
	}
	WarnReport(t, path, s.Report())
	if strict && s.Report().Defects() {
		return nil, term.Strictf("%s has defects: %s", term.InputName(path), outcome)
	}
	return s, nil
}

// OpenQuietly is like OpenSolid, but prints no warnings and accepts defects. The caller prints the
// warnings of several meshes with WarnMeshes.
func OpenQuietly(ctx context.Context, t *term.Terminal, path string, opt inpoly.Options) (s *inpoly.Solid, err error) {
	if err := t.CheckInputs(path); err != nil {
		return nil, err
	}
	bar := t.NewProgress()
	opt.Progress = bar.Stage
	if path == "-" {
		s, err = inpoly.Read(ctx, term.StdinName, t.In, opt)
	} else {
		s, err = inpoly.Open(ctx, path, opt)
	}
	bar.Done()
	if err != nil {
		return nil, hintOrder(err, path)
	}
	if err := CheckExternals(t, path, s.Report().Source); err != nil {
		return nil, err
	}
	return s, nil
}

// OpenSolids opens the meshes at paths, as Open does, and shows the progress. A single path can be
// "-" for standard input.
func OpenSolids(ctx context.Context, t *term.Terminal, paths []string, splitBodies bool, opt inpoly.Options) (s *Solids, err error) {
	if err := t.CheckInputs(paths...); err != nil {
		return nil, err
	}
	bar := t.NewProgress()
	defer bar.Done()
	opt.Progress = bar.Stage
	switch {
	case paths[0] != "-" || len(paths) > 1:
		s, err = Open(ctx, paths, splitBodies, opt)
	case splitBodies:
		return nil, term.Usagef("--body: requires a mesh file instead of standard input")
	default:
		s, err = Read(ctx, term.StdinName, t.In, opt)
	}
	if err != nil {
		return nil, hintOrder(err, paths[0])
	}
	for i, r := range s.Report().Solids {
		// If the solids are the bodies of one file, there is one path.
		if err := CheckExternals(t, paths[min(i, len(paths)-1)], r.Source); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// OpenSolids opens the meshes at paths as the function OpenSolids does, puts the solids at the pose of --pose, and prints
// warnings. check says whether the command accepts the solids. With --strict, a mesh with defects is an error.
func (f *Flags) OpenSolids(ctx context.Context, t *term.Terminal, paths []string, splitBodies bool, opt inpoly.Options, check func(*Solids) error) (*Solids, error) {
	s, err := OpenSolids(ctx, t, paths, splitBodies, opt)
	if err != nil {
		return nil, err
	}
	if err := f.Place(s); err != nil {
		return nil, err
	}
	if err := check(s); err != nil {
		return nil, err
	}
	WarnSolids(t, s, paths)
	if f.Strict && s.Report().Defects() {
		return nil, s.RefuseDefects("no output was written")
	}
	return s, nil
}

// CheckExternals returns an error if a file to which the mesh at path refers is an output.
func CheckExternals(t *term.Terminal, path string, info loaders.Info) error {
	var paths []string
	for _, name := range info.Externals {
		paths = append(paths, filepath.Join(filepath.Dir(path), filepath.FromSlash(name)))
	}
	return t.CheckInputs(paths...)
}

// hintOrder adds a hint to an error from opening a mesh if path has the suffix of a point file.
func hintOrder(err error, path string) error {
	if errors.Is(err, loaders.ErrUnknownFormat) && formats.HasPointsName(path) {
		return term.WithHint(err, orderHint)
	}
	return err
}

// OpenPoints opens the point file at path, or standard input if path is "-", and prints warnings
// about the points. It refuses the names of mesh files. The error has a hint if the mesh and the point
// file seem to be swapped.
func (f *Flags) OpenPoints(t *term.Terminal, meshPath, path string, opt points.Options) (in *points.Reader, err error) {
	if formats.HasMeshName(path) && formats.HasPointsName(meshPath) {
		return nil, term.WithHint(term.Usagef("%s: expected a mesh, but this is the name of a point file, and %s is the name of a mesh", meshPath, path), orderHint)
	}
	if formats.HasMeshName(path) { // the lines of an OBJ file would be rows of points
		return nil, term.WithHint(term.Usagef("%s: expected a point file, but this is the name of a mesh", path), orderHint+"; - reads points from standard input")
	}
	if err := t.CheckInputs(path, f.Matrix); err != nil {
		return nil, err
	}
	if path == "-" {
		in, err = points.NewReader(term.StdinName, t.In, opt)
	} else {
		in, err = points.Open(path, opt)
	}
	if err != nil {
		return nil, withPointHint(err, meshPath, path)
	}
	t.WarnList(InputWarnings(in), reservedForMeshes, "--json lists them")
	return in, nil
}

// withPointHint adds a hint to err if there is no file with the given path, which is a list of numbers.
func withPointHint(err error, mesh, path string) error {
	words := strings.FieldsFunc(path, func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) })
	for _, w := range words {
		if _, bad := strconv.ParseFloat(w, 64); bad != nil {
			return err
		}
	}
	switch {
	case len(words) == 0 || !errors.Is(err, fs.ErrNotExist):
		return err
	case len(words) == 3:
		return term.WithHint(err, "for a single point: inpoly explain "+mesh+" "+strings.Join(words, ","))
	}
	return term.WithHint(err, "this argument is the name of a file; - reads rows from standard input")
}

// InputWarnings returns the warnings of a point reader with the name of the file.
func InputWarnings(in *points.Reader) (lines []string) {
	for _, w := range in.Warnings() {
		lines = append(lines, in.Name()+": "+w)
	}
	return lines
}

// ExpectedPoints estimates the number of points of the reader. For an array, it returns the exact
// number, or 1 if the array is empty. For a text, it derives the number from the file size. It
// returns 0 if the file size is unknown.
func ExpectedPoints(in *points.Reader, shards int) int64 {
	if n := in.Rows(); n >= 0 {
		return max(1, n)
	}
	return textRows(in.Size(), len(in.Fields()), in.Compression() != "", shards)
}

// textRows estimates the number of rows in one shard of a text. All shards have the same size. If
// the size of the text is unknown (0), the estimate is 0.
func textRows(size int64, columns int, compressed bool, shards int) int64 {
	if size <= 0 {
		return 0
	}
	const column = 10 // bytes per column: eight digits, a sign or point, and a delimiter
	bytes := float64(size)
	if compressed {
		bytes *= 8 / math.Log2(10) // one compressed byte encodes 8/log₂ 10 digits
	}
	return int64(math.Ceil(bytes / float64(column*columns*max(1, shards))))
}

// SideParts returns the numbers of points with each side. The index of a number is its side. Points
// on the surface and uncertain points are omitted if there are none.
func SideParts(n [4]int64) []term.Counted {
	parts := []term.Counted{{N: n[inpoly.Inside], Word: "inside"}, {N: n[inpoly.Outside], Word: "outside"}}
	if n[inpoly.OnSurface] > 0 {
		parts = append(parts, term.Counted{N: n[inpoly.OnSurface], Word: "on the surface"})
	}
	if n[inpoly.Unknown] > 0 {
		parts = append(parts, term.Counted{N: n[inpoly.Unknown], Word: "uncertain"})
	}
	return parts
}

// SideCounts formats the numbers of points with each side. The index of a number is its side.
func SideCounts(n [4]int64) string {
	return fmt.Sprintf("%d inside, %d outside, %d on, %d uncertain", n[inpoly.Inside], n[inpoly.Outside], n[inpoly.OnSurface], n[inpoly.Unknown])
}

// BoxText returns the corners of a box as text.
func BoxText(b bvh.Box) string {
	corner := func(p r3.Vector) string {
		return plural.Decimal(p.X, 4) + " " + plural.Decimal(p.Y, 4) + " " + plural.Decimal(p.Z, 4)
	}
	return corner(b.Min) + " to " + corner(b.Max)
}
