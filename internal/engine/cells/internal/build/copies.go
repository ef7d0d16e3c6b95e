package build

import (
	"cmp"
	"slices"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/order"
)

// Some caps have the same corners as a face or as another cap. For example, the cap of a mesh part
// that is a single triangle coincides with this triangle. Lists hold only one of these copies, and
// count its crossings for all copies. If a face and a cap cancel, the face stays in the lists,
// because a point can lie on the face.

// coincident is a triangle with sorted corners.
type coincident struct {
	corners  [3]int32
	triangle int32
	sign     int32 // −1 if sorting has turned the triangle over
}

// mergeCopies finds the triangles with the same corners as a cap. It sets Copies, and marks in
// b.unlisted the triangles that no list needs.
func (b *builder) mergeCopies() {
	onCap := make([]uint64, (len(b.Mesh.Vertices)+63)/64)
	for _, c := range b.Caps {
		for _, v := range c {
			onCap[v/64] |= 1 << (v % 64)
		}
	}
	isOn := func(v int32) bool { return onCap[v/64]>>(v%64)&1 == 1 }
	var all []coincident
	for f, c := range b.Mesh.Faces {
		if isOn(c[0]) && isOn(c[1]) && isOn(c[2]) {
			all = append(all, newCoincident(c, int32(f)))
		}
	}
	for i, c := range b.Caps {
		all = append(all, newCoincident(c, int32(b.Mesh.NumFaces()+i)))
	}
	all = order.Sorted(all, func(x, y *coincident) int {
		return cmp.Or(slices.Compare(x.corners[:], y.corners[:]), cmp.Compare(x.triangle, y.triangle))
	})
	for lo, hi := 0, 0; lo < len(all); lo = hi {
		for hi = lo; hi < len(all) && all[hi].corners == all[lo].corners; hi++ {
		}
		if hi > lo+1 || b.holes.times > 1 && b.IsCap(all[lo].triangle) {
			b.merge(all[lo:hi])
		}
	}
}

// merge merges the copies of one triangle. same lists the faces of the mesh before the caps.
func (b *builder) merge(same []coincident) {
	if b.Copies == nil {
		b.Copies = map[int32]layout.Copies{}
		b.unlisted = make([]uint64, (b.Mesh.NumFaces()+len(b.Caps)+63)/64)
	}
	var n layout.Copies
	first := same[0]
	for i, c := range same {
		if b.IsCap(c.triangle) {
			n.All += c.sign * first.sign * int32(b.holes.times)
		} else {
			n.All += c.sign * first.sign
			n.Faces += c.sign * first.sign
		}
		if i > 0 {
			b.unlisted[c.triangle/64] |= 1 << (c.triangle % 64)
		}
	}
	b.Copies[first.triangle] = n
	if n.All == 0 && b.IsCap(first.triangle) {
		b.unlisted[first.triangle/64] |= 1 << (first.triangle % 64)
	}
}

func newCoincident(c [3]int32, triangle int32) coincident {
	t := coincident{c, triangle, 1}
	for _, i := range [3]int{0, 1, 0} {
		if t.corners[i] > t.corners[i+1] {
			t.corners[i], t.corners[i+1] = t.corners[i+1], t.corners[i]
			t.sign = -t.sign
		}
	}
	return t
}

// isUnlisted reports whether no list needs triangle f.
func (b *builder) isUnlisted(f int32) bool {
	return b.unlisted != nil && b.unlisted[f/64]>>(f%64)&1 == 1
}
