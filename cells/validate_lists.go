package cells

import (
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r3"
)

// list looks at the list of the leaf at p from line id on.
func (v *validator) list(id uint32, p place) error {
	x := v.x
	faces := []int32{}
	for at := id; ; {
		l, listed := x.line(at), x.faces(at)
		n := l.planes()
		if l.kind() > more {
			return fmt.Errorf("%v: a list goes on in line %d of kind %d", p, at, l.kind())
		}
		for j, f := range listed {
			switch {
			case j >= n || f < 0:
				if f != -1 || j < n && l[1+j] != noPlane || l.kind() == more && j < n {
					return fmt.Errorf("%v: line %d: face %d and plane %#x where there is none", p, at, f, l[1+j])
				}
			case int(f) >= x.mesh.NumFaces()+len(x.fans):
				return fmt.Errorf("%v: face %d, there are %d and %d fans", p, f, x.mesh.NumFaces(), len(x.fans))
			case slices.Contains(faces, f):
				return fmt.Errorf("%v: face %d is listed twice", p, f)
			case j > 0 && listed[j-1] < 0:
				return fmt.Errorf("%v: face %d after a gap", p, f)
			default:
				faces = append(faces, f)
			}
		}
		if l.kind() != more {
			break
		}
		at = l.next()
		if err := v.take(at, p); err != nil {
			return err
		}
	}
	if len(faces) == 0 || len(faces) > longest {
		return fmt.Errorf("%v: %d faces in a list", p, len(faces))
	}
	if x.line(id).open() {
		return fmt.Errorf("%v: no references", p)
	}
	if x.veil != nil && slices.ContainsFunc(faces, x.isFan) {
		b := [3]int32{p.at[0] >> (childBits * p.level), p.at[1] >> (childBits * p.level), p.at[2] >> (childBits * p.level)}
		if e, _, _ := x.find(b[0], b[1], b[2]); e&needsRays == 0 {
			return fmt.Errorf("%v: fans in a brick that needs no rays", p)
		}
	}
	v.lists[id], v.leaves = faces, append(v.leaves, located{id, p})
	return nil
}

// region is what a cell belongs to: a leaf, empty if it has a winding number; or
// it is refined.
type region struct {
	id      uint32
	w       int32
	empty   bool
	refined bool
}

// regionOf returns what the cell at p, in the grid, belongs to.
func (v *validator) regionOf(p place) region {
	x := v.x
	shift := childBits * p.level
	e, word, bit := x.find(p.at[0]>>shift, p.at[1]>>shift, p.at[2]>>shift)
	if w := x.words[word]; w.crossed>>bit&1 == 0 {
		return region{w: x.w[e>>3][w.value>>bit&1], empty: true}
	}
	id := x.lineOf(word, bit)
	for {
		l := x.line(id)
		switch {
		case l.kind() == constant:
			return region{w: int32(int64(l[1])), empty: true}
		case l.kind() != refined:
			return region{id: id}
		case shift == 0:
			return region{id: id, refined: true}
		}
		shift -= childBits
		c := l.child()
		i := p.at[0]>>shift&3 | p.at[1]>>shift&3<<2 | p.at[2]>>shift&3<<4
		if c.crossed>>i&1 == 0 {
			return region{w: c.w[c.value>>i&1], empty: true}
		}
		id = c.base
		for j := range i {
			id += uint32(c.crossed >> j & 1)
		}
	}
}

// faces checks that every face and fan is listed in each leaf that it meets.
func (v *validator) faces() error {
	for f := range int32(v.x.mesh.NumFaces() + len(v.x.fans)) {
		if f%1024 == 0 && v.ctx.Err() != nil {
			return v.ctx.Err()
		}
		if err := v.pointsOf(f); err != nil {
			return err
		}
		if err := v.cellsOf(f); err != nil {
			return err
		}
	}
	return nil
}

// pointsOf checks that the leaves of vertices and random points of face f list
// it. Points are rounded, which moves them by a few units in the last place, far
// less than slack allows.
func (v *validator) pointsOf(f int32) error {
	x, t := v.x, v.x.triangle(f)
	for n := range 9 {
		var p r3.Vector
		switch u := v.random.Float64(); {
		case n < 3:
			p = t[n]
		case n < 6:
			p = t[n-3].Mul(1 - u).Add(t[(n-2)%3].Mul(u))
		default:
			w := (1 - u) * v.random.Float64()
			p = t[0].Mul(1 - u - w).Add(t[1].Mul(u)).Add(t[2].Mul(w))
		}
		tx, ty, tz := x.at(p)
		if !x.holds(tx, ty, tz) {
			if n < 3 {
				return fmt.Errorf("vertex %d of face %d is not in the grid", n, f)
			}
			continue // rounded out of the box
		}
		c := place{0, [3]int32{int32(tx), int32(ty), int32(tz)}}
		e, word, bit := x.find(c.at[0], c.at[1], c.at[2])
		id, ok := uint32(0), false
		if e>>3 < uint32(len(x.gridOf)) && x.words[word].crossed>>bit&1 == 1 {
			id, _, ok = x.leaf(tx, ty, tz, x.lineOf(word, bit), &c)
		}
		list, listed := v.lists[id]
		if !ok || !listed || list != nil && !slices.Contains(list, f) {
			return fmt.Errorf("%v: face %d is not listed at its point %v", c, f, p)
		}
	}
	return nil
}

// cellsOf checks that face f is listed in the leaves whose enlarged boxes it
// certainly meets.
func (v *validator) cellsOf(f int32) error {
	x := v.x
	var t solidFace
	for i, p := range x.triangle(f) {
		t[i][0], t[i][1], t[i][2] = x.at(p)
	}
	lo, hi := t.box(brickSide)
	for k := max(0, lo[2]); k <= min(x.dims[2]-1, hi[2]); k++ {
		for j := max(0, lo[1]); j <= min(x.dims[1]-1, hi[1]); j++ {
			for i := max(0, lo[0]); i <= min(x.dims[0]-1, hi[0]); i++ {
				if err := v.cellsOfBrick(f, &t, [3]int32{i, j, k}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cellsOfBrick is cellsOf for the cells of brick b.
func (v *validator) cellsOfBrick(f int32, t *solidFace, b [3]int32) error {
	x := v.x
	extent := max(x.lim[0], x.lim[1], x.lim[2])
	if !t.meets(b, brickSide, extent) {
		return nil
	}
	lo, hi := t.box(1)
	for a := range lo {
		lo[a], hi[a] = max(lo[a], b[a]*brickSide), min(hi[a], b[a]*brickSide+brickSide-1)
	}
	for k := lo[2]; k <= hi[2]; k++ {
		for j := lo[1]; j <= hi[1]; j++ {
			for i := lo[0]; i <= hi[0]; i++ {
				if err := v.met(f, t, place{0, [3]int32{i, j, k}}, extent); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// met checks that face f is listed in the cell at p, or its children, if it
// certainly meets it. t is in coordinates of its level, the extent of which is
// given.
func (v *validator) met(f int32, t *solidFace, p place, extent float64) error {
	if !t.meets(p.at, 1, extent) {
		return nil
	}
	r := v.regionOf(p)
	switch {
	case r.empty:
		return fmt.Errorf("%v: face %d meets it, and it is empty", p, f)
	case !r.refined:
		if list := v.lists[r.id]; list != nil && !slices.Contains(list, f) {
			return fmt.Errorf("%v: face %d meets it and is not listed", p, f)
		}
		return nil
	}
	fine := *t
	for i := range fine {
		for a := range fine[i] {
			fine[i][a] *= childSide
		}
	}
	lo := [3]int32{p.at[0] << childBits, p.at[1] << childBits, p.at[2] << childBits}
	for i := range int32(64) {
		if err := v.met(f, &fine, place{p.level + 1, cellOf(lo, i, childBits)}, childSide*extent); err != nil {
			return err
		}
	}
	return nil
}

// solidFace is a triangle in coordinates of a level.
type solidFace [3][3]float64

// box returns the cubes with an edge of e that the box of t meets, and a little
// more.
func (t *solidFace) box(e float64) (lo, hi [3]int32) {
	for a := range 3 {
		lo[a] = int32(math.Floor(min(t[0][a], t[1][a], t[2][a])/e - 2*slack))
		hi[a] = int32(math.Floor(max(t[0][a], t[1][a], t[2][a])/e + 2*slack))
	}
	return lo, hi
}

// meets reports whether t certainly meets the closed cube number at with the
// given edge, enlarged by slack on all sides: their shadows overlap, by more than
// rounding explains, on each of the 13 axes that may separate a triangle from a
// cube (Akenine-Möller 2001).
//
// Coordinates are off by δ = 2^−50·extent; D is the largest of them from the centre.
// An axis is a unit vector, or the product of one with an edge, off by 2δ·2; or the
// normal, whose components are off by 2·2D·2·2δ·2. Sums of products are as large as
// 3·2D·D, or 3·8D²·D: what rounding adds is below the same multiple of δ ≥ 2^−50·D.
func (t *solidFace) meets(at [3]int32, edge, extent float64) bool {
	half := edge/2 + slack
	delta := 0x1p-50 * extent
	var v [3][3]float64
	far := half
	for i := range t {
		for a := range 3 {
			v[i][a] = t[i][a] - (float64(at[a])*edge + edge/2)
			far = max(far, math.Abs(v[i][a]))
		}
	}
	overlap := func(axis [3]float64, err float64) bool {
		r := half*(math.Abs(axis[0])+math.Abs(axis[1])+math.Abs(axis[2])) - err
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range v {
			d := axis[0]*v[i][0] + axis[1]*v[i][1] + axis[2]*v[i][2]
			lo, hi = min(lo, d), max(hi, d)
		}
		return lo <= r && hi >= -r
	}
	var edges [3][3]float64
	for a := range 3 {
		var unit [3]float64
		unit[a] = 1
		if !overlap(unit, 2*delta) {
			return false
		}
		for i := range edges {
			edges[i][a] = v[(i+1)%3][a] - v[i][a]
		}
	}
	for _, e := range edges {
		for a := range 3 {
			var axis [3]float64
			axis[(a+1)%3], axis[(a+2)%3] = -e[(a+2)%3], e[(a+1)%3]
			if !overlap(axis, 32*delta*far) {
				return false
			}
		}
	}
	b, c := edges[0], edges[1]
	return overlap([3]float64{b[1]*c[2] - b[2]*c[1], b[2]*c[0] - b[0]*c[2], b[0]*c[1] - b[1]*c[0]}, 256*delta*far*far)
}
