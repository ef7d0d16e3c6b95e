package testmesh

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// FoamOptions describes a foam. A zero field means its default.
type FoamOptions struct {
	// Resolution is the number of grid cubes along an edge of the unit cube, 4 to
	// MaxFoamResolution; default 64. The number of triangles grows with its square.
	Resolution int
	// Cells is the number of foam cells along an edge, 1 to Resolution; default 3.
	Cells int
	// Strut is the thickness of the struts: the difference d₃−d₁ on their surface,
	// in edge lengths of a cell, above 0 and at most 1; default 0.18, which fills
	// about a fifth of the cube.
	Strut float64
	// Seed moves the centers of the cells.
	Seed uint64
}

// MaxFoamResolution bounds the memory for the field, 8 bytes a node, to 8 GB.
const MaxFoamResolution = 1000

// Foam returns an open-cell foam in the unit cube, cut off and closed at its
// sides: a closed 2-manifold, normals outward, without faces of zero area.
//
// It stands for the foams of Muth, Of, Eberhard, Steinbach 2006, §3.2, whose
// meshes are not public. Of a random point set, one point in each cell of a cubic
// lattice, the solid is where the distance d₃ to the third-nearest point
// exceeds the distance d₁ to the nearest one by less than a constant. That is
// the surroundings of the edges of the Voronoi cells, where d₁ = d₂ = d₃: struts
// with a concave triangular section that widen where they meet, as in real foams.
// Marching tetrahedra turn the solid into triangles; noise of a thousandth of a
// grid cube keeps its flat sides from being exactly flat. Pieces that hang on
// nothing are left out. The same options give the same mesh, for any number of
// processors. Options out of range are errors, and struts so thin that the grid
// misses them all.
func Foam(opt FoamOptions) (*mesh.Mesh, error) {
	if opt.Resolution == 0 {
		opt.Resolution = 64
	}
	if opt.Cells == 0 {
		opt.Cells = 3
	}
	if opt.Strut == 0 {
		opt.Strut = 0.18
	}
	if opt.Resolution < 4 || opt.Resolution > MaxFoamResolution {
		return nil, fmt.Errorf("foam resolution %d, want 4 to %d", opt.Resolution, MaxFoamResolution)
	}
	if opt.Cells < 1 || opt.Cells > opt.Resolution {
		return nil, fmt.Errorf("foam with %d cells along an edge, want 1 to the resolution, %d", opt.Cells, opt.Resolution)
	}
	if !(opt.Strut > 0 && opt.Strut <= 1) {
		return nil, fmt.Errorf("foam strut thickness %v, want above 0 and at most 1", opt.Strut)
	}
	n := opt.Resolution + 1 // the outer half of the outer cubes is outside
	h := 1 / float64(opt.Resolution)
	f, cells := newField(n), newLattice(opt.Cells, opt.Seed)
	err := par.Blocks(context.Background(), n+1, 1, 0, func(_, z, _ int) {
		for y := range n + 1 {
			for x := range n + 1 {
				f.values[f.node(x, y, z)] = opt.value(cells, x, y, z, h)
			}
		}
	})
	mustNotFail(err)
	s := march(f)
	for i, p := range s.Vertices {
		s.Vertices[i] = r3.Vector{X: (p.X - 0.5) * h, Y: (p.Y - 0.5) * h, Z: (p.Z - 0.5) * h}
	}
	if len(s.Faces) == 0 {
		return nil, fmt.Errorf("foam struts of thickness %v fall between the nodes of resolution %d", opt.Strut, opt.Resolution)
	}
	return largest(Mesh(s)), nil
}

// value returns the field at node (x, y, z): negative inside, never 0.
func (opt *FoamOptions) value(cells *lattice, x, y, z int, h float64) float64 {
	p := r3.Vector{X: (float64(x) - 0.5) * h, Y: (float64(y) - 0.5) * h, Z: (float64(z) - 0.5) * h}
	k := float64(opt.Cells)
	d1, d3 := cells.distances(p.Mul(k))
	v := (d3 - d1 - opt.Strut) / k
	// Inside the cube as well: the largest of its six plane distances is ±h/2 in
	// the two outer layers of nodes, more than the noise.
	v = max(v, math.Abs(p.X-0.5)-0.5, math.Abs(p.Y-0.5)-0.5, math.Abs(p.Z-0.5)-0.5)
	noise := uniform(opt.Seed, 3, x, y, z) - 0.5
	if v += noise * h / 512; v == 0 {
		return h / 512
	}
	return v
}

// largest returns the component with the most faces, the first of several.
func largest(m *mesh.Mesh) *mesh.Mesh {
	labels, n := m.Components()
	if n < 2 {
		return m
	}
	parts := make([][]int32, n)
	for f, l := range labels {
		parts[l] = append(parts[l], int32(f))
	}
	best := 0
	for i, p := range parts {
		if len(p) > len(parts[best]) {
			best = i
		}
	}
	largest, err := m.Extract(context.Background(), parts[best])
	mustNotFail(err)
	return largest
}

// foamResolutions are the resolutions at which the default foam has about the numbers of
// triangles of the foams of Muth et al. 2006, §3.2: 28,792, 118,304 and 488,448.
var foamResolutions = [...]int{20, 38, 75}

// FoamLevel returns foam 1, 2 or 3: one solid with 28,952, 120,868 and 494,124
// triangles within 3 per cent, the sizes of Muth, Of, Eberhard, Steinbach 2006,
// §3.2. It panics for another level.
func FoamLevel(level int) *mesh.Mesh {
	if level < 1 || level > len(foamResolutions) {
		panic(fmt.Sprintf("testmesh: foam level %d, want 1 to %d", level, len(foamResolutions)))
	}
	m, err := Foam(FoamOptions{Resolution: foamResolutions[level-1]})
	mustNotFail(err)
	return m
}

// lattice is a cubic lattice of unit cells with a random center in each, around
// the cube from 0 to cells.
type lattice struct {
	width   int // cells along an edge, with rings more on each side
	centers []r3.Vector
}

const (
	// jitter is the largest distance of a center from the middle of its cell, along each axis.
	jitter = 0.4
	// rings is the number of layers of cells around the cell of a point that distances searches.
	rings = 2
	// margin is the number of layers of cells around the cube, so points up to one cell
	// outside have all their rings.
	margin = rings + 1
)

// newLattice places the centers.
func newLattice(cells int, seed uint64) *lattice {
	l := &lattice{width: cells + 2*margin}
	for z := range l.width {
		for y := range l.width {
			for x := range l.width {
				at := func(c, axis int) float64 {
					return float64(c-margin) + 0.5 + jitter*(2*uniform(seed, axis, x, y, z)-1)
				}
				l.centers = append(l.centers, r3.Vector{X: at(x, 0), Y: at(y, 1), Z: at(z, 2)})
			}
		}
	}
	return l
}

// distances returns the distance of p, at most one cell outside the cube, to the
// nearest and to the third-nearest center.
//
// A center beyond ring r is at least r+½−jitter from p. Ring 2 is always enough:
// the center of p's own cell and those of the two nearest neighbors across its
// sides are within √(0.9²+0.9²+1.4²) < 1.9 < 2.1.
func (l *lattice) distances(p r3.Vector) (d1, d3 float64) {
	cx, cy, cz := int(math.Floor(p.X))+margin, int(math.Floor(p.Y))+margin, int(math.Floor(p.Z))+margin
	for r := 1; ; r++ {
		a, b, c := math.Inf(1), math.Inf(1), math.Inf(1) // the three smallest squares
		for z := cz - r; z <= cz+r; z++ {
			for y := cy - r; y <= cy+r; y++ {
				row := (z*l.width + y) * l.width
				for _, q := range l.centers[row+cx-r : row+cx+r+1] {
					switch d := q.Sub(p).Norm2(); {
					case d < a:
						a, b, c = d, a, b
					case d < b:
						b, c = d, b
					case d < c:
						c = d
					}
				}
			}
		}
		if d3 = math.Sqrt(c); r == rings || d3 <= float64(r)+0.5-jitter {
			return math.Sqrt(a), d3
		}
	}
}

// uniform returns a pseudorandom number in [0, 1): it applies the finalizer of SplitMix64
// (Steele, Lea, Flood 2014) after each argument.
func uniform(seed uint64, salt, x, y, z int) float64 {
	h := seed
	for _, k := range [4]int{salt, x, y, z} {
		h += 0x9e3779b97f4a7c15 + uint64(k)
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return float64(h>>11) * 0x1p-53
}
