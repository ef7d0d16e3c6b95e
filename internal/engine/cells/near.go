package cells

import (
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// If the int16 planes leave a point undecided, the point is usually near the surface. This file
// finds the winding numbers of such points. It takes the steps of Grid.WindingInLeaf, but executes
// each step for many points. Then cache misses overlap, and vector registers compute four signs at
// once.

// nearRun is the largest number of near points that are handled together. Their data fit in the
// first-level cache.
const nearRun = 128 // tuning

// listSigns holds the signs of the planes in the list of a cell, and the signs at its references. Bit
// j stands for plane j.
type listSigns struct {
	pos, neg uint64 // planes that are certainly positive or negative at the point
	ref      [2]uint64
	n        uint8 // number of planes so far
}

// add adds the planes of a record with header h. mask has a bit for each plane of the record.
func (l *listSigns) add(h, pos, neg, mask uint64) {
	if l.n == 0 {
		*l = listSigns{}
	}
	l.pos |= pos << l.n
	l.neg |= neg << l.n
	l.ref[0] |= h >> 8 & mask << l.n
	l.ref[1] |= h >> 16 & mask << l.n
	l.n += uint8(bits.Len64(mask))
}

// nearest returns the reference that fewer planes separate from the point, and these planes. It
// ignores the planes outside of known.
func (l *listSigns) nearest(known uint64) (ref int, planes uint64) {
	d0, d1 := (l.pos^l.ref[0])&known, (l.pos^l.ref[1])&known
	if bits.OnesCount64(d1) < bits.OnesCount64(d0) {
		return 1, d1
	}
	return 0, d0
}

// nearPoint is a point that the int16 planes leave undecided: at least one sign in its list is
// unknown, or its signs agree with no reference.
type nearPoint struct {
	*listSigns
	point, record uint32
	level         int
	p             r3.Vector
	all           uint64 // planes whose faces can cross a segment that begins at p
	chi           int32  // signed crossings with the faces that the segment to the reference meets
	ref           uint8  // number of the reference
	is            nearOutcome
}

// nearOutcome is the way in which the side of a near point is found.
type nearOutcome uint8

const (
	byReference nearOutcome = iota // by the winding number of the reference plus chi
	onSurface                      // the point lies on a face
	byRay                          // by a ray
	alone                          // by a call of WindingInLeaf
)

// planeOf is a plane in the list of a near point.
type planeOf struct {
	point int32 // index of the near point
	plane uint8 // number of the plane in its list
}

// nearBatch is the working memory for near points.
type nearBatch struct {
	n      int
	points [runSize]nearPoint

	slots   []*int32   // addresses of the numbers of the faces
	planes  []planeOf  // planes of these faces
	faces   []int32    // numbers of the faces
	corners [][3]int32 // corners of the faces
	lanes   []layout.Lanes
	signs   []uint8
	read    float64
}

// add adds the deferred point d to the near points.
func (q *nearBatch) add(d deferred, l *listSigns) {
	p := &q.points[q.n]
	p.listSigns, p.point, p.level, p.record = l, d.point&pointMask, int(d.point>>levelShift), d.record
	p.all, p.chi, p.is = 1<<l.n-1, 0, byReference
	q.n++
}

// near finds the sides of the points of b.close.
func (x *Index) near(b *batch, dst []side.Side, pts []r3.Vector) {
	q := &b.close
	for lo := 0; lo < q.n; lo += nearRun {
		run := q.points[lo:min(q.n, lo+nearRun)]
		for i := range run {
			run[i].p = pts[run[i].point] // these cache misses overlap
		}
		x.findUnknown(b, run)
		x.countCrossings(b, run)
		for i := range run {
			x.finish(b, &run[i], dst)
		}
	}
	q.n = 0
}

// note appends planes from the list of near point i to q.planes.
func (q *nearBatch) note(g *layout.Grid, i int, d *nearPoint, planes uint64) {
	for id, first := d.record, 0; planes != 0; {
		count := layout.PlanesPerRecord - 1 // a record that is not the last has one plane less
		if planes>>count != 0 && g.Record(id).Kind() != layout.KindMore {
			count = layout.PlanesPerRecord
		}
		faces := g.Faces(id)
		for here := planes & (1<<count - 1); here != 0; here &= here - 1 {
			j := bits.TrailingZeros64(here)
			q.slots = append(q.slots, &faces[j%layout.PlanesPerRecord])
			q.planes = append(q.planes, planeOf{int32(i), uint8(first + j)})
		}
		if planes >>= count; planes != 0 {
			id, first = g.Record(id).Next(), first+count
		}
	}
}

// load fills q.lanes with the triangles of the noted planes. Each loop reads independent memory, so
// the cache misses overlap.
func (q *nearBatch) load(m *mesh.Mesh, caps [][3]int32, run []nearPoint) {
	n := len(q.slots)
	q.faces, q.corners = slices.Grow(q.faces[:0], n)[:n], slices.Grow(q.corners[:0], n)[:n]
	blocks := (n + layout.LaneCount - 1) / layout.LaneCount
	q.lanes, q.signs = slices.Grow(q.lanes[:0], blocks)[:blocks], slices.Grow(q.signs[:0], blocks)[:blocks]
	for k, at := range q.slots {
		q.faces[k] = *at
	}
	for k, f := range q.faces {
		if int(f) < len(m.Faces) {
			q.corners[k] = m.Faces[f]
		} else {
			q.corners[k] = caps[int(f)-len(m.Faces)]
		}
	}
	// This loop only reads the vertices. It is short, so it has more cache misses at a time than
	// the next loop.
	v := m.Vertices
	sum := 0.0
	for _, c := range q.corners {
		sum += v[c[0]].X + v[c[1]].X + v[c[2]].X
	}
	q.read = sum // storing sum keeps the compiler from removing the loop
	for k, c := range q.corners {
		q.lanes[k/layout.LaneCount].SetPlane(k, &v[c[0]], &v[c[1]], &v[c[2]], &run[q.planes[k].point].p)
	}
}

// sign returns the sign that a kernel found for job k: 1, −1, or 0 if the filter did not decide.
func (q *nearBatch) sign(k int) int {
	got := int(q.signs[k/layout.LaneCount]) >> (k % layout.LaneCount)
	return got&1 - got>>layout.LaneCount&1
}

// findUnknown finds the unknown signs of the planes at the points of the run.
func (x *Index) findUnknown(b *batch, run []nearPoint) {
	g, q := &x.grid, &b.close
	q.slots, q.planes = q.slots[:0], q.planes[:0]
	for i := range run {
		d := &run[i]
		q.note(g, i, d, d.all&^(d.pos|d.neg))
	}
	q.load(g.Mesh, g.Caps, run)
	layout.PlaneLanes(q.lanes, q.signs)
	for k, s := range q.planes {
		d := &run[s.point]
		if d.is != byReference {
			continue
		}
		sign, o := q.sign(k), layout.Decided
		if sign == 0 {
			sign, o = g.ExactSign(q.faces[k], d.p, &b.scratch.signs)
		} else {
			b.scratch.signs.Filter++
		}
		switch bit := uint64(1) << s.plane; {
		case o == layout.OnSurface:
			d.is = onSurface
		case o == layout.NeedsRay:
			d.is = byRay
		case sign > 0:
			d.neg |= bit // p is on the inner side
		case sign < 0:
			d.pos |= bit
		default:
			d.all &^= bit // p lies in the plane but not on the face
		}
	}
}

// countCrossings counts the crossings of the segments from the points of the run to references.
func (x *Index) countCrossings(b *batch, run []nearPoint) {
	g, q := &x.grid, &b.close
	q.slots, q.planes = q.slots[:0], q.planes[:0]
	for i := range run {
		if d := &run[i]; d.is == byReference {
			ref, planes := d.nearest(d.all)
			d.ref = uint8(ref)
			q.note(g, i, d, planes)
		}
	}
	q.load(g.Mesh, g.Caps, run)
	last, end := int32(-1), r3.Vector{}
	for k, s := range q.planes {
		if s.point != last {
			last, end = s.point, x.reference(&run[s.point])
		}
		q.lanes[k/layout.LaneCount].SetEnd(k, &end)
	}
	layout.SegmentLanes(q.lanes, q.signs)
	for k, s := range q.planes {
		d := &run[s.point]
		n := int32(1)
		if g.Copies != nil {
			n = g.CopiesOf(q.faces[k]).All
		}
		switch sign := q.sign(k); {
		case sign == 0:
			d.is = alone
			continue
		case sign < 0: // the segment misses the face
		case d.neg>>s.plane&1 == 1:
			d.chi += n // the segment goes from the inner side to the outer side
		default:
			d.chi -= n
		}
		b.scratch.signs.Filter += 3
	}
}

// reference returns the reference of d.
func (x *Index) reference(d *nearPoint) r3.Vector {
	corner, _, _ := x.grid.Record(d.record).Reference(int(d.ref))
	c, _ := x.leaf(d)
	return x.grid.Corner(c, corner)
}

// leaf returns the leaf that contains d, and the packed coordinates of d in the leaf.
func (x *Index) leaf(d *nearPoint) (c layout.CellAddr, at uint64) {
	tx, ty, tz := x.grid.Coords(d.p)
	scale := layout.Scale(d.level)
	c = layout.CellAddr{Level: d.level, At: [3]int32{int32(tx * scale), int32(ty * scale), int32(tz * scale)}}
	return c, layout.Pack(c.Units(tx, ty, tz, scale))
}

// finish writes the side of d.
func (x *Index) finish(b *batch, d *nearPoint, dst []side.Side) {
	g := &x.grid
	if d.is == alone {
		c, at := x.leaf(d)
		w, o := g.WindingInLeaf(d.p, at, d.record, c, &b.scratch.signs)
		switch o {
		case layout.NeedsRay:
			d.is = byRay
		case layout.OnSurface:
			d.is = onSurface
		default:
			dst[d.point] = g.Side(w)
		}
	}
	switch d.is {
	case byReference:
		_, _, w := g.Record(d.record).Reference(int(d.ref))
		dst[d.point] = g.Side(w + d.chi)
	case onSurface:
		dst[d.point] = side.OnSurface
	case byRay:
		dst[d.point] = x.sideByRay(d.p, &b.scratch)
		return // a ray counts its point
	}
	b.scratch.points++
}
