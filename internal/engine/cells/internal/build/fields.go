package build

import (
	"cmp"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/predicates"
)

// cellField is the field of one open cell: the cell of bit n in word z of a brick.
type cellField struct {
	z, n  int32
	field layout.Field
}

// widestField is the largest error bound of a stored field. A field with a larger bound decides few
// points. // tuning
const widestField = 0.25

// field returns the field of a single cell that has no label. The kind of the result is NoField if
// no field of the cell has a small error bound. bound is the error bound of the interpolation of J,
// or at least widestField. edge is the edge of the cell times l.holes.scale.
//
// If no cap meets the cell, the field interpolates J. If caps but no faces of the mesh meet the
// cell, the field interpolates W. Both functions are smooth in the cell. If caps and faces meet the
// cell, W jumps at the faces, and so does the number χ of crossings between the point and a
// reference. Then the field interpolates W − χ, which is smooth.
func (l *labeler) field(b *openBox, caps bool, bound, edge float64, stack *[]int32) (f layout.Field) {
	var v [8]float64
	errors := 0.0
	for c := range int32(8) {
		at := latticeAt(b.at, c, 1)
		v[c] = b.brick.lattice.j[at]
		errors = max(errors, float64(b.brick.lattice.bound[at]))
	}
	kind := uint8(layout.CapField)
	limit := widestField
	if caps {
		w, with, ok := l.cornerWindings(b)
		if !ok {
			return f
		}
		least := math.Inf(1)
		for c := range v {
			v[c] = float64(w[c]) - v[c]
			least = min(least, math.Abs(v[c]))
		}
		kind, limit = with, max(limit, least/2) // tuning
		// Caps meet the cell, so only the edges of the boundary give bounds.
		box := l.Box(l.firstCell(b), 1)
		_, bound = l.holes.inBox(l.holes.wholeSpread(), &box, edge, 0, limit, stack)
	}
	if !(bound < limit) {
		return f
	}
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	// The last two terms cover the points of the enlarged cell beyond its corners.
	f.Set(kind, &v, bound+errors+0x1p-10+0x1p-15*largest)
	return f
}

// cornerWindings returns the winding numbers of the mesh and its caps at the corners of a cell. If
// the cell lists faces of the mesh, cornerWindings subtracts the crossings with these faces, and
// kind is FaceField. Otherwise kind is MeshField. ok is false if a corner lies on a face or a cap,
// or if crossings cannot be counted.
func (l *labeler) cornerWindings(b *openBox) (w [8]int32, kind uint8, ok bool) {
	word, bit := l.crossedAt[b.brick.position]*layout.BrickSide+b.at[2], uint(b.at[0]|b.at[1]<<layout.BrickBits)
	id := l.RecordOf(uint32(word), bit)
	kind = layout.MeshField
	if l.listsFace(id) {
		kind = layout.FaceField
	}
	c := layout.CellAddr{At: l.firstCell(b)}
	var k predicates.Counter
	for i := range w {
		p := l.Corner(c, uint8(i))
		x, y, z := l.Coords(p)
		var o layout.Outcome
		if w[i], o = l.WindingInCell(p, x, y, z, id, c, &k); o != layout.Decided {
			return w, kind, false
		}
		if kind == layout.FaceField {
			chi, o := l.FaceCrossings(p, x, y, z, id, c, &k)
			if o != layout.Decided {
				return w, kind, false
			}
			w[i] -= chi
		}
	}
	return w, kind, true
}

// listsFace reports whether the cell with the given record can list a face of the mesh. The result is
// true if the cell is refined or has no list.
func (b *builder) listsFace(id uint32) bool {
	for {
		r := b.Record(id)
		if !r.HasPlanes() {
			return true
		}
		for _, f := range b.Faces(id)[:r.Planes()] {
			if f >= 0 && !b.IsCap(f) {
				return true
			}
		}
		if r.Kind() != layout.KindMore {
			return false
		}
		id = r.Next()
	}
}

// writeFields appends the fields of a brick to Fields. The first word of the brick is Words[word].
func (l *labeler) writeFields(o *openBrick, word int) {
	slices.SortFunc(o.fields, func(a, b cellField) int { return cmp.Or(cmp.Compare(a.z, b.z), cmp.Compare(a.n, b.n)) })
	for _, f := range o.fields {
		at := word + int(f.z)
		if l.Smooth[at] == 0 {
			l.FirstField[at] = uint32(len(l.Fields))
		}
		l.Smooth[at] |= 1 << f.n
		l.Fields = append(l.Fields, f.field)
	}
}
