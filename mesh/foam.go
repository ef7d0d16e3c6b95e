package mesh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/plural"
)

// ErrNoStrut reports a foam whose struts are too thin for its grid.
var ErrNoStrut = errors.New("no grid node is inside a strut")

// FoamOptions describes a foam. A field that is 0 has its default value.
type FoamOptions struct {
	// Cells is the number of foam cells in the cube, from 1 to MaxFoamCells. The default is 27. The
	// length of a cell is Size/∛Cells.
	Cells int
	// Resolution is the number of grid cubes along an edge of the cube, from 4 to MaxFoamResolution.
	// It must be at least ∛Cells. The default is 13·∛Cells, rounded up, which gives a foam cell
	// about 13 grid cubes along each axis. The default never exceeds MaxFoamResolution. With struts
	// of the default thickness, the foam has about 25·∛Cells·Resolution² triangles.
	Resolution int
	// Strut is the thickness of the struts in lengths of a cell, above 0 and at most 1. The surface
	// of a strut is where d₃−d₁ = Strut; Foam explains d₁ and d₃. The default is 0.18. Struts of
	// this thickness fill about a fifth of the cube.
	Strut float64
	// Seed selects the random centers of the cells.
	Seed uint64
	// Size is the edge length of the cube, from MinLength to MaxLength. It has the unit of the
	// coordinates. 0 means 1.
	Size float64
	// MaxFaces is the largest number of triangles. 0 means the constant MaxFaces.
	MaxFaces int
	// Workers is the number of goroutines. 0 means one for each processor. The mesh does not depend
	// on Workers.
	Workers int
	// Progress, if it is not nil, is called at each layer of the grid with the number of layers that
	// are done, and the number of all layers.
	Progress func(done, total int64)
}

// MaxFoamCells and MaxFoamResolution are the largest numbers of cells and of grid cubes along an edge
// of a foam.
const (
	MaxFoamCells      = 1_000_000
	MaxFoamResolution = 1000
)

// Foam returns an open-cell foam in the cube with the corners (0, 0, 0) and (Size, Size, Size). The
// mesh is a closed 2-manifold with outward normals and without faces of zero area. The same options
// give the same mesh, bit for bit, on every platform.
//
// The foam is similar to the foams of Muth, Of, Eberhard, Steinbach 2006, §3.2, which are not public.
// The construction divides the cube into boxes of equal volume and chooses a random center in each
// box: the foam cells are the Voronoi cells of these centers. If Cells is a cube number, the boxes are
// cubes. More boxes surround the cube, so that the foam is cut off at the sides of the cube. At a
// point, d₁, d₂ and d₃ are the distances to the three nearest centers, in lengths of a cell. The solid
// contains the points at which d₃−d₁ is less than Strut. These points surround the edges of the
// Voronoi cells, where d₁ = d₂ = d₃. The struts have a concave triangular cross section and widen
// where they meet, as in real foams. Marching tetrahedra (Doi, Koide 1991) turn the solid into
// triangles. Noise of a thousandth of a grid cube prevents exactly flat sides. So vertices can be this
// far outside the cube. Only the largest component remains.
//
// Foam takes O(Resolution³) time. It needs memory for the triangles and for two layers of the grid.
//
// Errors: ErrOption; ErrNoStrut; ErrTooLarge if there are more than MaxFaces triangles; the error of
// ctx if ctx ends first.
func Foam(ctx context.Context, opt FoamOptions) (*Mesh, error) {
	opt, err := opt.Complete()
	if err != nil {
		return nil, err
	}
	f := &foam{opt: opt, cells: newCenters(opt.Cells, opt.Seed), nodes: opt.Resolution + 2, h: 1 / float64(opt.Resolution)}
	layers := f.nodes - 1
	progress := func(done int) {
		if opt.Progress != nil {
			opt.Progress(int64(done), int64(layers))
		}
	}
	s, err := march(ctx, layers, cmp.Or(opt.MaxFaces, MaxFaces), func(z int, values []float64) error {
		progress(max(0, z-1))
		return f.layer(ctx, z, values)
	})
	if err != nil {
		return nil, err
	}
	progress(layers)
	if len(s.Faces) == 0 {
		return nil, fmt.Errorf("strut %g, resolution %d: %w", opt.Strut, opt.Resolution, ErrNoStrut)
	}
	for i, v := range s.Vertices {
		v = f.inCube(v)
		s.Vertices[i] = r3.Vector{X: v.X * opt.Size, Y: v.Y * opt.Size, Z: v.Z * opt.Size}
	}
	m, err := NewOwned(ctx, s, Options{Workers: opt.Workers})
	if err != nil {
		return nil, err
	}
	return m.largest(ctx)
}

// foam is a foam in the unit cube.
type foam struct {
	opt   FoamOptions // from Complete
	cells *centers
	nodes int     // number of grid nodes along an edge; the grid extends half a grid cube beyond each side of the unit cube
	h     float64 // edge length of a grid cube
}

// Complete returns opt with the default values of the fields that are 0, except MaxFaces and Workers. The
// error wraps ErrOption if an option is out of range.
func (opt FoamOptions) Complete() (FoamOptions, error) {
	opt.Cells = cmp.Or(opt.Cells, 27)
	if opt.Cells < 1 || opt.Cells > MaxFoamCells {
		return opt, fmt.Errorf("cells %d: %w: must be from 1 to %d", opt.Cells, ErrOption, MaxFoamCells)
	}
	edge := cubeRoot(opt.Cells)
	opt.Resolution = cmp.Or(opt.Resolution, min(int(math.Ceil(13*edge)), MaxFoamResolution))
	if least := max(4, int(math.Ceil(edge))); opt.Resolution < least || opt.Resolution > MaxFoamResolution {
		return opt, plural.Errorf("resolution %d: %w: must be from %d to %d for %d cells", opt.Resolution, ErrOption, least, MaxFoamResolution, opt.Cells)
	}
	opt.Strut = cmp.Or(opt.Strut, 0.18)
	if !(opt.Strut > 0 && opt.Strut <= 1) {
		return opt, fmt.Errorf("strut %g: %w: must be above 0 and at most 1", opt.Strut, ErrOption)
	}
	if opt.MaxFaces < 0 || opt.MaxFaces > MaxFaces {
		return opt, fmt.Errorf("largest number of faces %d: %w: must be from 0 to %d", opt.MaxFaces, ErrOption, MaxFaces)
	}
	if err := checkLength("size", opt.Size); err != nil {
		return opt, err
	}
	opt.Size = cmp.Or(opt.Size, 1)
	return opt, nil
}

// inCube converts grid coordinates to coordinates in the unit cube. The conversions to float64 forbid
// fused operations.
func (f *foam) inCube(p r3.Vector) r3.Vector {
	return r3.Vector{X: float64((p.X - 0.5) * f.h), Y: float64((p.Y - 0.5) * f.h), Z: float64((p.Z - 0.5) * f.h)}
}

// layer writes the field at the nodes of layer z to values.
func (f *foam) layer(ctx context.Context, z int, values []float64) error {
	const block = 256 // tuning: a block takes about 0.1 ms
	return par.Blocks(ctx, len(values), block, f.opt.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			x, y := i%f.nodes, i/f.nodes
			noise := uniform(f.opt.Seed, 3, x, y, z) - 0.5
			values[i] = f.value(f.inCube(r3.Vector{X: float64(x), Y: float64(y), Z: float64(z)})) + noise*f.h/512
			if values[i] == 0 {
				values[i] = f.h / 512
			}
		}
	})
}

// value returns the field at p without noise. The value is negative inside the foam.
func (f *foam) value(p r3.Vector) float64 {
	k := f.cells.edge
	d1, d3 := f.cells.distances(r3.Vector{X: float64(p.X * k), Y: float64(p.Y * k), Z: float64(p.Z * k)})
	// Intersect the foam with the unit cube. At a node on the boundary of the grid, the largest of
	// the last three values is half a grid cube. This is more than the noise.
	return max((d3-d1-f.opt.Strut)/k, math.Abs(p.X-0.5)-0.5, math.Abs(p.Y-0.5)-0.5, math.Abs(p.Z-0.5)-0.5)
}

// largest returns the component with the most faces. If there are several, it returns the first.
func (m *Mesh) largest(ctx context.Context) (*Mesh, error) {
	labels, n := m.Components()
	if n < 2 {
		return m, nil
	}
	sizes := make([]int, n)
	for _, l := range labels {
		if l >= 0 {
			sizes[l]++
		}
	}
	best := int32(0)
	for i, size := range sizes {
		if size > sizes[best] {
			best = int32(i)
		}
	}
	faces := make([]int32, 0, sizes[best])
	for f, l := range labels {
		if l == best {
			faces = append(faces, int32(f))
		}
	}
	return m.Extract(ctx, faces)
}
