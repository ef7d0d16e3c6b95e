package fmm

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
)

// target is the evaluation tree: cells σ with local expansions of the far field
// and lists of the near triangles. It is immutable.
type target struct {
	frame
	children [][8]int32 // of inner cells: ≥ 0 another inner cell, < 0 the leaf −1−i, or none
	leaves   []leaf
	rows     int       // of a local expansion
	locals   []float64 // rows for each leaf, as prepareLocal leaves it
	spans    []bem.Span
	top      []int32 // inner cell or leaf of each cell of level topLevel
	topLevel int
	cells    int     // that were made
	pairs    int64   // that were translated
	looked   int64   // pairs that cells looked at
	rounding float64 // the largest part of a leaf's bound
}

// none marks a child that has no cell: points there are evaluated from the source
// tree.
const none = int32(-1 << 31)

// leaf is a cell of the evaluation tree that is not divided.
type leaf struct {
	cell
	level int8
	spans int32   // the first
	count int32   // of spans
	near  int32   // triangles in them
	bound float64 // of the error of the local expansion
}

// find returns the leaf that x lies in, or ok = false.
func (t *target) find(x r3.Vector) (i int32, ok bool) {
	c, ok := t.lattice(x)
	if !ok {
		return 0, false
	}
	shift := t.depth - t.topLevel
	side := int32(1) << t.topLevel
	at := t.top[((c.z>>shift)*side+c.y>>shift)*side+c.x>>shift]
	for at >= 0 {
		shift--
		at = t.children[at][c.x>>shift&1|c.y>>shift&1<<1|c.z>>shift&1<<2]
	}
	if at == none {
		return 0, false
	}
	return -1 - at, true
}

// local returns the expansion of leaf i.
func (t *target) local(i int32) []float64 { return t.locals[int(i)*t.rows : (int(i)+1)*t.rows] }

// far returns J of the far field at x in leaf i (L2P).
func (t *target) far(i int32, degree int, x r3.Vector) float64 {
	l := &t.leaves[i]
	p := x.Sub(t.centre(l.cell, int(l.level))).Mul(1 / t.half(int(l.level)))
	dst, px, py, pz := [1]float64{}, [1]float64{p.X}, [1]float64{p.Y}, [1]float64{p.Z}
	evaluateMany(dst[:], px[:], py[:], pz[:], t.local(i), degree)
	return dst[0]
}
