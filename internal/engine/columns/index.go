// Package columns finds the winding numbers of a closed mesh by ray crossing (Muth, Of, Eberhard,
// Steinbach 2006, §2.2) along one coordinate axis. The index takes a fraction of the time and the
// memory of a tree or of package cells, so it is the fastest method for few points.
//
// A plane perpendicular to the rays is divided into equal rectangles, called columns. Each column
// of an Index lists the triangles whose bounding boxes intersect it. A query tests the triangles of
// one column. A Sweep needs no index: it sorts the points of a batch into columns, and tests each
// triangle against the points in its columns.
//
// All rays are parallel, so some meet edges and vertices. A random ray would be cast again; here
// the point is moved by an infinitesimal vector instead (Edelsbrunner, Mücke, "Simulation of
// Simplicity", 1990). All signs are exact, so every answer is exact.
package columns

import (
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// Options configures New. The zero value is valid.
type Options struct {
	// Workers is the number of goroutines that build the index. If Workers ≤ 0, New uses one
	// goroutine for each processor. The results of queries do not depend on Workers.
	Workers int
	// ExpectedPoints is the expected number of queries; 0 means many queries. With more points, New
	// makes more columns.
	ExpectedPoints int64
}

// Bytes returns the memory of x in bytes, without the mesh.
func (x *Index) Bytes() int64 { return int64(4*len(x.start) + 16*len(x.entries)) }

// Index finds winding numbers for one mesh. It is immutable and safe for concurrent use.
type Index struct {
	mesh *mesh.Mesh
	frame
	start   []uint32 // start[c] is the index of the first entry of column c
	entries []entry
}

// entry is a triangle in the list of a column. Each word holds three coordinates of a corner of the
// bounding box, in the units of the frame, and 16 bits of the face number. Bits 0 to 15 are for x,
// bits 16 to 31 for y, and bits 32 to 47 for z. Bits 48 to 63 of min hold the lower half of the
// face number, and bits 48 to 63 of max hold the upper half.
//
// Each coordinate has 15 bits, and the bit above them is its guard. max holds the largest
// coordinates with all guards set. min holds 1<<15 minus the least coordinates. Let p be a packed
// point. Then p + min has a guard set for each coordinate of p that is at least the least
// coordinate. max − p has a guard set for each coordinate of p that is at most the largest
// coordinate. No carry leaves a coordinate.
type entry struct{ min, max uint64 }

func newEntry(least, most uint64, face int) entry {
	return entry{min: guards - least | uint64(face)<<48, max: most | guards | uint64(face)>>16<<48}
}

// corners returns the packed corners of the box.
func (e entry) corners() (least, most uint64) {
	const all = guardZ<<1 - 1
	return guards - e.min&all, e.max & all &^ guards
}

// meets reports whether the ray from the packed point p meets the box. The least z does not matter.
func (e *entry) meets(p uint64) bool { return (p+e.min|guardZ)&(e.max-p)&guards == guards }

// hits returns a mask of the entries whose boxes intersect the ray from the packed point p. It
// takes at most 64 entries.
func hits(entries []entry, p uint64) (mask uint64) {
	for i, e := range entries {
		if e.meets(p) {
			mask |= 1 << i
		}
	}
	return mask
}

// within returns a mask of the packed points from which rays meet the box of e. It takes at most 64 points.
func (e entry) within(points []uint64) (mask uint64) {
	if hasAVX2 && len(points) > 0 {
		return withinAVX2(&points[0], len(points), e.min, e.max) & (1<<len(points) - 1)
	}
	return e.withinGeneric(points)
}

func (e entry) withinGeneric(points []uint64) (mask uint64) {
	for i, p := range points {
		if e.meets(p) {
			mask |= 1 << i
		}
	}
	return mask
}

const (
	unitBits = 15
	mostUnit = 1<<unitBits - 1

	guardX = 1 << 15
	guardY = 1 << 31
	guardZ = 1 << 47
	guards = guardX | guardY | guardZ
)

func (e entry) face() int32 { return int32(e.min>>48 | e.max>>48<<16) }

// frame maps points to columns. It permutes the axes so that rays run along +z.
type frame struct {
	axis     uint8 // axis of the mesh that becomes z: 0, 1 or 2 for x, y or z
	bitsX    uint8 // there are 1<<bitsX columns along x and 1<<bitsY along y
	bitsY    uint8
	min, max r3.Vector // turned box of the mesh
	inv      r3.Vector // units per length along each axis
}

// setBox sets the box of the mesh. The axis must be set.
func (f *frame) setBox(box bvh.Box) {
	f.min, f.max = f.turn(box.Min), f.turn(box.Max)
	d := f.max.Sub(f.min)
	f.inv = r3.Vector{X: inverse(d.X), Y: inverse(d.Y), Z: inverse(d.Z)}
}

// turn permutes the coordinates of v cyclically.
func (f *frame) turn(v r3.Vector) r3.Vector {
	switch f.axis {
	case 0:
		return r3.Vector{X: v.Y, Y: v.Z, Z: v.X}
	case 1:
		return r3.Vector{X: v.Z, Y: v.X, Z: v.Y}
	}
	return v
}

// contains reports whether the turned point p lies in the box. It returns false if p is not finite.
func (f *frame) contains(p r3.Vector) bool {
	return p.X >= f.min.X && p.X <= f.max.X && p.Y >= f.min.Y && p.Y <= f.max.Y && p.Z >= f.min.Z && p.Z <= f.max.Z
}

// pack returns the coordinates of the turned point p in units, as in entry. Packing is monotone on
// each axis. So if p lies in a box, pack(p) lies between the packed corners of the box. p must lie
// in the box of the mesh.
func (f *frame) pack(p r3.Vector) uint64 {
	return unit(p.X, f.min.X, f.inv.X) | unit(p.Y, f.min.Y, f.inv.Y)<<16 | unit(p.Z, f.min.Z, f.inv.Z)<<32
}

// unit converts through int64, which takes one instruction on amd64.
func unit(x, least, inv float64) uint64 { return uint64(min(int64((x-least)*inv), mostUnit)) }

// column returns the number of the column of a packed point.
func (f *frame) column(p uint64) uint64 {
	return p&mostUnit>>(unitBits-f.bitsX) | p>>16&mostUnit>>(unitBits-f.bitsY)<<f.bitsX
}

// inverse returns the number of units per length for an axis along which the box has the given size.
func inverse(size float64) float64 {
	if inv := (mostUnit + 1) / size; inv <= math.MaxFloat64 {
		return inv
	}
	return 0 // the size is 0 or so small that the inverse overflows: all units are 0
}

// Scratch counts the work of queries in one goroutine. The zero value is ready for use.
type Scratch struct {
	tested uint64
	signs  predicates.Counter
	warm   float64 // storing a sum here keeps the compiler from removing reads
}

// Stats returns the counts of all queries that used s. It does not count points.
func (s *Scratch) Stats() side.Stats {
	return side.Stats{Triangles: s.tested, Filter: s.signs.Filter, Expansion: s.signs.Expansion, Exact: s.signs.Exact}
}

// Winding returns the winding number w of p, which equals the result of package raycross. on
// reports whether p lies exactly on a face. If on is true or p is not finite, w is 0. Winding
// allocates only if a sign needs arbitrary precision.
func (x *Index) Winding(p r3.Vector, s *Scratch) (w int64, on bool) {
	q := x.turn(p)
	if !x.contains(q) {
		return 0, false
	}
	at := x.pack(q)
	column := x.column(at)
	first, end := x.start[column], x.start[column+1]
	for ; first < end; first += 64 {
		list := x.entries[first:min(first+64, end)]
		var mask uint64
		if hasAVX2 {
			mask = hitsAVX2(&list[0], len(list), at) & (1<<len(list) - 1)
		} else {
			mask = hits(list, at)
		}
		s.tested += uint64(bits.OnesCount64(mask))
		if len(x.mesh.Faces) > large { // read all corners first, so that the cache misses overlap
			for m := mask; m != 0; m &= m - 1 {
				f := &x.mesh.Faces[list[bits.TrailingZeros64(m)].face()]
				s.warm += x.mesh.Vertices[f[0]].X + x.mesh.Vertices[f[1]].X + x.mesh.Vertices[f[2]].X
			}
		}
		for ; mask != 0; mask &= mask - 1 {
			n, on := x.crossing(q, at, list[bits.TrailingZeros64(mask)], &s.signs)
			if on {
				return 0, true
			}
			w += int64(n)
		}
	}
	return w, false
}

// crossing returns the sign with which the ray from q crosses the triangle of e, or 0 if it does
// not cross. q is a turned point, and at is q packed. The box of e must intersect the ray. on
// reports whether q lies on the triangle.
func (x *Index) crossing(q r3.Vector, at uint64, e entry, signs *predicates.Counter) (n int, on bool) {
	f := &x.mesh.Faces[e.face()]
	t := mesh.Triangle{x.turn(x.mesh.Vertices[f[0]]), x.turn(x.mesh.Vertices[f[1]]), x.turn(x.mesh.Vertices[f[2]])}
	return crossing(q, t[0], t[1], t[2], (at+e.min)&guardZ == 0, signs)
}
