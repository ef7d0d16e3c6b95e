package answer

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/points"
)

// orderHint is the hint if mesh and points may have been swapped.
const orderHint = "the order is: inpoly mesh points"

// meshNames and pointNames are name suffixes of meshes and point files. They are used only to
// detect swapped files: the formats are found by content. A .ply file may hold either.
const (
	meshNames  = ".stl .obj .off .gltf .glb .3mf"
	pointNames = ".csv .tsv .txt .xyz .npy .dat .pts .asc .las .parquet"
)

// IsMeshName reports whether path is named like a mesh, and not like a file that may hold points.
func IsMeshName(path string) bool { return HasSuffix(path, meshNames) }

// HasSuffix reports whether the name of a file has one of the suffixes, which are separated by
// blanks. Upper and lower case are the same, and a suffix .gz or .zst is ignored.
func HasSuffix(path, suffixes string) bool {
	name := strings.ToLower(filepath.Base(path))
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	for s := range strings.FieldsSeq(suffixes) {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// OpenSolid opens one mesh, or reads it from standard input if path is "-". It shows the progress
// and prints the warnings of the mesh. If strict, it fails for a mesh with defects; the error
// ends with outcome.
func OpenSolid(ctx context.Context, t *term.Terminal, path string, opt inpoly.Options, strict bool, outcome string) (s *inpoly.Solid, err error) {
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
	WarnReport(t, path, s.Report())
	if strict && s.Report().Defects() {
		return nil, term.Strictf("%s has defects: %s", term.InputName(path), outcome)
	}
	return s, nil
}

// OpenSolids opens the meshes of paths; see Open. A single path may be "-" for standard input.
// OpenSolids shows the progress.
func OpenSolids(ctx context.Context, t *term.Terminal, paths []string, bodies bool, opt inpoly.Options) (s *Solids, err error) {
	bar := t.NewProgress()
	defer bar.Done()
	opt.Progress = bar.Stage
	switch {
	case paths[0] != "-" || len(paths) > 1:
		s, err = Open(ctx, paths, bodies, opt)
	case bodies:
		return nil, term.Usagef("--body wants the mesh in a file, not on standard input")
	default:
		s, err = Read(ctx, term.StdinName, t.In, opt)
	}
	return s, hintOrder(err, paths[0])
}

// hintOrder adds a hint to the error of opening a mesh if path is named like a point file.
func hintOrder(err error, path string) error {
	if errors.Is(err, loaders.ErrUnknownFormat) && HasSuffix(path, pointNames) {
		return term.WithHint(err, orderHint)
	}
	return err
}

// OpenPoints opens the point file at path, "-" being standard input, and prints its warnings. mesh
// is the first mesh: the error says if the two files may have been swapped.
func OpenPoints(t *term.Terminal, mesh, path string, opt points.Options) (in *points.Reader, err error) {
	if IsMeshName(path) && HasSuffix(mesh, pointNames) {
		return nil, term.WithHint(term.Usagef("%s looks like a point file and %s like a mesh", mesh, path), orderHint)
	}
	if path == "-" {
		in, err = points.NewReader(term.StdinName, t.In, opt)
	} else {
		in, err = points.Open(path, opt)
	}
	if err != nil {
		if path != "-" && !errors.Is(err, fs.ErrNotExist) && IsMeshName(path) {
			err = term.WithHint(err, orderHint)
		}
		return nil, err
	}
	for _, w := range in.Warnings() {
		t.Warn("%s: %s", in.Name(), w)
	}
	return in, nil
}

// ExpectedPoints estimates the number of points of in, at least 1. It is exact for arrays and
// guessed from the size for texts. If the size is not known, it is 0.
func ExpectedPoints(in *points.Reader, shards int) int64 {
	if n := in.Rows(); n >= 0 {
		return max(1, n)
	}
	return textRows(in.Size(), len(in.Fields()), in.Compression() != "", shards)
}

// textRows estimates the rows in one of several shards of a text of size bytes. It is 0 if size
// is.
func textRows(size int64, columns int, compressed bool, shards int) int64 {
	if size <= 0 {
		return 0
	}
	const column = 10 // bytes: eight digits with sign or point, and a delimiter
	bytes := float64(size)
	if compressed {
		bytes *= 8 / math.Log2(10) // bits of a byte, over those of a digit
	}
	return int64(math.Ceil(bytes / float64(column*columns*max(1, shards))))
}
