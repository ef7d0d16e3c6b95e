package cells

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
)

// longest is the largest number of triangles in a list. Package build has the same constant.
const longest = 60

// list checks the list of the leaf at a. The first record of the list has number id.
func (v *validator) list(id uint32, a layout.CellAddr) error {
	faces := []int32{}
	for at := id; ; {
		r, listed := v.Record(at), v.Faces(at)
		n := r.Planes()
		if r.Kind() > layout.KindMore {
			return fmt.Errorf("cell %+v: the list continues in record %d, which has kind %d", a, at, r.Kind())
		}
		for j, f := range listed {
			switch {
			case j >= n || f < 0:
				if f != -1 || j < n && r[1+j] != layout.NoPlane || r.Kind() == layout.KindMore && j < n {
					return fmt.Errorf("cell %+v: record %d: element has face %d and plane %#x, want no face and no plane", a, at, f, r[1+j])
				}
			case int(f) >= v.Mesh.NumFaces()+len(v.Caps):
				return fmt.Errorf("cell %+v: listed face %d, but the mesh has %d faces and %d caps", a, f, v.Mesh.NumFaces(), len(v.Caps))
			case slices.Contains(faces, f):
				return fmt.Errorf("cell %+v: face %d is listed twice", a, f)
			case j > 0 && listed[j-1] < 0:
				return fmt.Errorf("cell %+v: face %d follows an unused element", a, f)
			default:
				faces = append(faces, f)
			}
		}
		if r.Kind() != layout.KindMore {
			break
		}
		at = r.Next()
		if err := v.claim(at, a); err != nil {
			return err
		}
	}
	if len(faces) == 0 || len(faces) > longest {
		return fmt.Errorf("cell %+v: the list has %d faces", a, len(faces))
	}
	if v.Record(id).Unreferenced() {
		return fmt.Errorf("cell %+v: the list has no references", a)
	}
	if slices.ContainsFunc(faces, v.HoldsCap) && !v.isOpen(a) {
		return fmt.Errorf("cell %+v: the list has caps, but the cell is not open", a)
	}
	v.lists[id], v.leaves = faces, append(v.leaves, layout.Leaf{Record: id, CellAddr: a})
	return nil
}

// isOpen reports whether the cell at a is in an open cell, or in a brick in which queries use rays.
func (v *validator) isOpen(a layout.CellAddr) bool {
	shift := layout.ChildBits * a.Level
	entry, word, bit := v.Find(a.At[0]>>shift, a.At[1]>>shift, a.At[2]>>shift)
	return entry&layout.TopRayOnly != 0 || v.IsOpen(word, bit)
}

// region describes the part of the grid that contains a given cell. The region is an empty leaf
// with winding number w, a crossed leaf, or a refined cell as large as the given cell.
type region struct {
	id      uint32
	w       int32
	empty   bool
	refined bool
}

// regionOf returns the region that contains the cell at a. The cell must be in the grid.
func (v *validator) regionOf(a layout.CellAddr) region {
	shift := layout.ChildBits * a.Level
	entry, word, bit := v.Find(a.At[0]>>shift, a.At[1]>>shift, a.At[2]>>shift)
	if !v.HasRecord(word, bit) {
		return region{w: v.W[entry>>3][v.Words[word].Value>>bit&1], empty: true}
	}
	id := v.RecordOf(word, bit)
	for {
		r := v.Record(id)
		switch {
		case r.Kind() == layout.KindUniform:
			return region{w: int32(int64(r[1])), empty: true}
		case r.Kind() != layout.KindRefined:
			return region{id: id}
		case shift == 0:
			return region{id: id, refined: true}
		}
		shift -= layout.ChildBits
		c := r.Children()
		i := a.At[0]>>shift&3 | a.At[1]>>shift&3<<2 | a.At[2]>>shift&3<<4
		if c.Crossed>>i&1 == 0 {
			return region{w: c.W[c.Value>>i&1], empty: true}
		}
		id = c.First
		for j := range i {
			id += uint32(c.Crossed >> j & 1)
		}
	}
}

// faces checks that each leaf lists every face and cap that it meets.
func (v *validator) faces() error {
	copies := v.copies()
	for f := range int32(v.Mesh.NumFaces() + len(v.Caps)) {
		c := copies[v.cornersOf(f)]
		if c != nil && c.count != v.CopiesOf(c.first) {
			return fmt.Errorf("triangle %d has the copies %+v, want %+v", c.first, v.CopiesOf(c.first), c.count)
		}
		if c != nil && (f != c.first || v.IsCap(f) && c.count.All == 0) {
			if slices.ContainsFunc(slices.Collect(maps.Values(v.lists)), func(l []int32) bool { return slices.Contains(l, f) }) {
				return fmt.Errorf("triangle %d is listed, but %d has the same corners", f, c.first)
			}
			continue
		}
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

// sameCorners describes the triangles with the same corners.
type sameCorners struct {
	first int32
	count layout.Copies
}

// cornersOf returns the vertices of triangle f in ascending order.
func (v *validator) cornersOf(f int32) (c [3]int32) {
	c = v.verticesOf(f)
	slices.Sort(c[:])
	return c
}

func (v *validator) verticesOf(f int32) [3]int32 {
	if v.IsCap(f) {
		return v.Caps[int(f)-v.Mesh.NumFaces()]
	}
	return v.Mesh.Faces[f]
}

// copies returns the triangles whose corners are all corners of caps.
func (v *validator) copies() map[[3]int32]*sameCorners {
	onCap := map[int32]bool{}
	for _, c := range v.Caps {
		onCap[c[0]], onCap[c[1]], onCap[c[2]] = true, true, true
	}
	found := map[[3]int32]*sameCorners{}
	for f := range int32(v.Mesh.NumFaces() + len(v.Caps)) {
		c := v.verticesOf(f)
		if !onCap[c[0]] || !onCap[c[1]] || !onCap[c[2]] {
			continue
		}
		n := int32(1)
		if (c[0] > c[1]) != (c[1] > c[2]) != (c[0] > c[2]) { // an odd number of inversions
			n = -1
		}
		same := found[v.cornersOf(f)]
		if same == nil {
			same = &sameCorners{first: f}
			found[v.cornersOf(f)] = same
		}
		if v.IsCap(f) {
			n *= int32(v.CapTimes)
		} else {
			same.count.Faces += n
		}
		same.count.All += n
	}
	for _, same := range found { // relative to the first triangle
		c := v.verticesOf(same.first)
		if (c[0] > c[1]) != (c[1] > c[2]) != (c[0] > c[2]) {
			same.count.All, same.count.Faces = -same.count.All, -same.count.Faces
		}
	}
	return found
}

// pointsOf checks the vertices and some random points of face f. The leaf that contains a point
// must list f. Rounding moves the points by a few units in the last place, which is far less than
// Slack.
func (v *validator) pointsOf(f int32) error {
	t := v.Triangle(f)
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
		x, y, z := v.Coords(p)
		if !v.Contains(x, y, z) {
			if n < 3 {
				return fmt.Errorf("vertex %d of face %d is not in the grid", n, f)
			}
			continue // rounding moved the point out of the box
		}
		c := layout.CellAddr{Level: 0, At: [3]int32{int32(x), int32(y), int32(z)}}
		entry, word, bit := v.Find(c.At[0], c.At[1], c.At[2])
		id, ok := uint32(0), false
		if entry>>3 < uint32(len(v.Positions)) && v.HasRecord(word, bit) {
			id, _, ok = v.Descend(x, y, z, v.RecordOf(word, bit), &c)
		}
		list, listed := v.lists[id]
		if !ok || !listed || list != nil && !slices.Contains(list, f) {
			return fmt.Errorf("cell %+v: face %d is not listed at its point %v", c, f, p)
		}
	}
	return nil
}

// cellsOf checks that each leaf lists face f if f certainly meets the enlarged box of the leaf.
func (v *validator) cellsOf(f int32) error {
	var t cellTriangle
	for i, p := range v.Triangle(f) {
		t[i][0], t[i][1], t[i][2] = v.Coords(p)
	}
	lo, hi := t.box(layout.BrickSide)
	for k := max(0, lo[2]); k <= min(v.Dims[2]-1, hi[2]); k++ {
		for j := max(0, lo[1]); j <= min(v.Dims[1]-1, hi[1]); j++ {
			for i := max(0, lo[0]); i <= min(v.Dims[0]-1, hi[0]); i++ {
				if err := v.cellsOfBrick(f, &t, [3]int32{i, j, k}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cellsOfBrick does the work of cellsOf for the cells of brick b.
func (v *validator) cellsOfBrick(f int32, t *cellTriangle, b [3]int32) error {
	extent := max(v.Cells[0], v.Cells[1], v.Cells[2])
	if !t.meets(b, layout.BrickSide, extent) {
		return nil
	}
	lo, hi := t.box(1)
	for a := range lo {
		lo[a], hi[a] = max(lo[a], b[a]*layout.BrickSide), min(hi[a], b[a]*layout.BrickSide+layout.BrickSide-1)
	}
	for k := lo[2]; k <= hi[2]; k++ {
		for j := lo[1]; j <= hi[1]; j++ {
			for i := lo[0]; i <= hi[0]; i++ {
				if err := v.cellOf(f, t, layout.CellAddr{Level: 0, At: [3]int32{i, j, k}}, extent); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cellOf does the work of cellsOf for the cell at c and its children. t and extent are in units of
// the edge of the cell at c.
func (v *validator) cellOf(f int32, t *cellTriangle, c layout.CellAddr, extent float64) error {
	if !t.meets(c.At, 1, extent) {
		return nil
	}
	r := v.regionOf(c)
	switch {
	case r.empty:
		return fmt.Errorf("cell %+v: face %d meets the cell, but the cell is empty", c, f)
	case !r.refined:
		if list := v.lists[r.id]; list != nil && !slices.Contains(list, f) {
			return fmt.Errorf("cell %+v: face %d meets the cell, but is not listed", c, f)
		}
		return nil
	}
	fine := *t
	for i := range fine {
		for a := range fine[i] {
			fine[i][a] *= layout.ChildSide
		}
	}
	lo := c.FirstChild()
	for i := range int32(64) {
		child := layout.CellAddr{Level: c.Level + 1, At: layout.CellOf(lo, i, layout.ChildBits)}
		if err := v.cellOf(f, &fine, child, layout.ChildSide*extent); err != nil {
			return err
		}
	}
	return nil
}

// cellTriangle is a triangle in coordinates whose unit is the edge of a cell of one level.
type cellTriangle [3][3]float64

// box returns the range of cubes of edge e that meet the slightly enlarged box of t.
func (t *cellTriangle) box(e float64) (lo, hi [3]int32) {
	for a := range 3 {
		lo[a] = int32(math.Floor(min(t[0][a], t[1][a], t[2][a])/e - 2*layout.Slack))
		hi[a] = int32(math.Floor(max(t[0][a], t[1][a], t[2][a])/e + 2*layout.Slack))
	}
	return lo, hi
}

// meets reports whether t certainly meets a closed cube. The cube starts at the point edge·at and
// is enlarged by Slack on all sides. 13 axes can separate a triangle from a cube (Akenine-Möller
// 2001). meets returns true if the projections on every axis overlap by more than the error bound.
//
// Error bound: coordinates have errors of at most δ = 2^−50·extent. Let D be the largest coordinate
// of t, relative to the center of the cube.
//   - An axis that is a unit vector has no error.
//   - An axis that is the cross product of a unit vector and an edge has an error of at most 2δ·2.
//   - The components of the normal have errors of at most 2·2D·2·2δ·2.
//   - Sums of products are at most 3·2D·D or 3·8D²·D. Because δ ≥ 2^−50·D, rounding adds less than
//     3·2D·δ or 3·8D²·δ.
func (t *cellTriangle) meets(at [3]int32, edge, extent float64) bool {
	half := edge/2 + layout.Slack
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
