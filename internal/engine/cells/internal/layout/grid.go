package layout

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// Grid is the data of a cell index. Package build fills a Grid, which does not change afterward.
//
// A brick position is a place in the grid of bricks. The numbers of positions increase with x
// first, then y, then z. Top maps each position to a stored brick. A stored brick has eight Words,
// one for each layer of cells in z. Bit x + 8y of a word belongs to cell (x, y). The first stored
// bricks are the crossed bricks, each for one position. All other positions share uniform bricks,
// one for each winding number.
type Grid struct {
	Frame
	Mesh *mesh.Mesh
	Rule side.Rule
	// Parity means that the grid stores the parity of crossings as winding numbers. In this case
	// Rule is EvenOdd, the mesh is open, and every edge has an even number of faces.
	Parity     bool
	Degenerate map[int32]bool // set of the faces of zero area, or nil

	// Caps are triangles that close the boundary, with vertices of Mesh. Caps[i] is triangle
	// Mesh.NumFaces() + i. CapPlan and CapSum compute the potential of all caps. Both are nil
	// without caps.
	Caps    [][3]int32
	CapPlan *fmm.Plan
	CapSum  *bem.Direct

	// Top has one entry for each brick position. Bit 0 is set if the empty cells whose Value bit is
	// 0 are inside the mesh. Bit 1 is the same for empty cells whose Value bit is 1. Bit 2 is
	// TopRayOnly. The other bits are the number of the stored brick.
	Top       []uint32
	Words     []Word     // eight for each stored brick
	First     []uint32   // record number of the first crossed cell, for each word of a crossed brick
	W         [][2]int32 // W[b][v] is the winding number of the empty cells whose Value bit is v in stored brick b
	Positions []int32    // brick positions of the crossed bricks
	// Open has a bit for each cell of Words that is open. The labels and records of an open cell
	// hold for the mesh and its caps, and a query subtracts the potential of the caps. The Crossed
	// bit of an open cell is set. Listed has a bit for each cell that has a record. Both slices are
	// nil if no cell is open. Then a cell has a record if its Crossed bit is set.
	Open, Listed []uint64
	// Smooth has a bit for each open cell with a Field. If Smooth[i] is not 0, FirstField[i] is the
	// index in Fields of the first such cell of word i. The other fields follow in the order of the
	// bits.
	Smooth     []uint64
	FirstField []uint32
	Fields     []Field
	Chunks     []Chunk
	Counts     Counts

	// Only refits read the following fields. A cell with a list longer than LongList is refined if
	// this pays for PointsPerCell points in each level-0 cell. If Tables is set, cells with few
	// triangles have tables. Dead[i] is the number of records of Chunks[i] that refits have
	// replaced. Dead can be shorter than Chunks. Built is the size of the grid before all refits.
	LongList      int
	Tables        bool
	PointsPerCell float64
	Dead          []int32
	Built         Size

	// CapTimes is the multiplicity of each cap: the potential of the caps counts CapTimes times.
	CapTimes float64
	// Copies maps a listed triangle to the copies of it, the triangles with the same corners. It
	// omits triangles without copies. Copies can be nil.
	Copies map[int32]Copies

	kernel    kernelArgs
	useKernel bool
}

// TopRayOnly marks an entry of Top. Queries in the brick then use rays. The brick has no faces and
// an unknown winding number.
const TopRayOnly = 4

// Size counts the allocated records of a Grid, and the entries of its lists.
type Size struct{ Records, Entries int }

// Size returns the size of g.
func (g *Grid) Size() Size {
	s := Size{Entries: g.Counts.Entries}
	for i := range g.Chunks {
		s.Records += len(g.Chunks[i].Records)
	}
	return s
}

// Counts describes the size of a Grid.
type Counts struct {
	Bricks  int // number of crossed bricks
	Crossed int // number of crossed leaves that have a list
	Entries int // total length of the lists of the crossed leaves
	Depth   int // number of levels of refinement below level 0
	RayOnly int // number of leaves in which queries use rays
	Open    int // number of open level-0 cells
}

// Add adds the counts of other bricks of the same grid.
func (c *Counts) Add(o Counts) {
	c.Bricks += o.Bricks
	c.Crossed += o.Crossed
	c.Entries += o.Entries
	c.RayOnly += o.RayOnly
	c.Open += o.Open
	c.Depth = max(c.Depth, o.Depth)
}

// Room returns a radius within which a decision holds: if a label or certain signs of planes decide
// the side of a point, all points within Room have this side. The lists and labels of a cell hold
// for its box enlarged by Slack = 2⁻¹⁸ edges. Rounding takes less than 2⁻²³ + 2⁻²³ + 2⁻²⁰ + 2⁻²⁵
// edges of this slack, so 2⁻¹⁹ edges remain. At this distance a coordinate in units of 1/CoordUnit differs
// by at most 1/16, which changes a value by at most 3/16·PlaneUnit = 6144. SignBound has room for
// 131072 − 49149 − 61438 = 20485 (docs/design/016-error-bounds.md, Cells).
func (g *Grid) Room() float64 { return math.Ldexp(g.Cell, -19-ChildBits*g.Counts.Depth) }

// Bytes returns the number of bytes in the slices of g.
func (g *Grid) Bytes() int64 {
	n := 4*int64(len(g.Top)) + 16*int64(len(g.Words)) + 4*int64(len(g.First)+len(g.Positions)) + 8*int64(len(g.W))
	for _, c := range g.Chunks {
		n += int64(len(c.Records)) * RecordBytes
	}
	return n + 12*int64(len(g.Caps)) + 8*int64(len(g.Open)+len(g.Listed)+len(g.Smooth)) + 4*int64(len(g.FirstField)) + int64(unsafe.Sizeof(Field{}))*int64(len(g.Fields))
}

// Triangle returns the corners of triangle f, a face or a cap.
func (g *Grid) Triangle(f int32) mesh.Triangle {
	if n := int32(g.Mesh.NumFaces()); f >= n {
		c, v := g.Caps[f-n], g.Mesh.Vertices
		return mesh.Triangle{v[c[0]], v[c[1]], v[c[2]]}
	}
	return g.Mesh.Triangle(f)
}

// Copies counts triangles with the same corners. A triangle of the opposite orientation counts as
// −1.
type Copies struct {
	All   int32 // faces and caps
	Faces int32 // faces of the mesh
}

// CopiesOf returns the Copies of triangle f, which is in a list.
func (g *Grid) CopiesOf(f int32) Copies {
	if c, ok := g.Copies[f]; ok {
		return c
	}
	if g.IsCap(f) {
		return Copies{All: 1}
	}
	return Copies{All: 1, Faces: 1}
}

// HoldsCap reports whether triangle f is a cap, or a face with coincident caps that do not cancel.
func (g *Grid) HoldsCap(f int32) bool {
	c := g.CopiesOf(f)
	return c.All != c.Faces
}

// IsCap reports whether triangle f is a cap. Otherwise f is a face of the mesh.
func (g *Grid) IsCap(f int32) bool { return int(f) >= g.Mesh.NumFaces() }

// Record returns the record with number id.
func (g *Grid) Record(id uint32) *Record {
	return &g.Chunks[id>>ChunkBits].Records[id&(ChunkSize-1)]
}

// Faces returns the numbers of the faces whose planes are in the record with number id.
func (g *Grid) Faces(id uint32) *[PlanesPerRecord]int32 {
	return &g.Chunks[id>>ChunkBits].Faces[id&(ChunkSize-1)]
}

// ListedFace returns the face of plane j of the list that starts at record id.
func (g *Grid) ListedFace(id uint32, j int) int32 {
	for j >= PlanesPerRecord-1 {
		r := g.Record(id)
		if r.Kind() != KindMore {
			break
		}
		id, j = r.Next(), j-(PlanesPerRecord-1)
	}
	return g.Faces(id)[j]
}

// Side returns the side of all points with winding number w.
func (g *Grid) Side(w int32) side.Side { return g.Rule.Apply(int64(w), uint64(w)) }

// Reduce returns the winding number w in the form that records store. If Parity is set, this form
// is the parity of w. Otherwise it is w.
func (g *Grid) Reduce(w int32) int32 {
	if g.Parity {
		return w & 1
	}
	return w
}

// Find looks up a level-0 cell of the grid. It returns the Top entry of its brick, the number of
// its word, and its bit in the word.
func (g *Grid) Find(ix, iy, iz int32) (entry, word uint32, bit uint) {
	entry = g.Top[(iz>>BrickBits*g.Dims[1]+iy>>BrickBits)*g.Dims[0]+ix>>BrickBits]
	return entry, entry>>3*BrickSide + uint32(iz&(BrickSide-1)), uint(ix&(BrickSide-1) | iy&(BrickSide-1)<<BrickBits)
}

// IsOpen reports whether a level-0 cell is open.
func (g *Grid) IsOpen(word uint32, bit uint) bool { return g.Open != nil && g.Open[word]>>bit&1 == 1 }

// Uniform reports whether a stored brick has no crossed cell and a single winding number. Bricks
// without faces can be nonuniform, because caps can open cells or move their labels.
func (g *Grid) Uniform(brick uint32) bool {
	if int(brick) < len(g.Positions) {
		return false
	}
	first := g.Words[brick*BrickSide].Value
	for _, w := range g.Words[brick*BrickSide:][:BrickSide] {
		if w.Crossed != 0 || w.Value != first {
			return false
		}
	}
	return first == 0 || first == ^uint64(0)
}

// HasRecord reports whether a level-0 cell has a record.
func (g *Grid) HasRecord(word uint32, bit uint) bool {
	if g.Listed != nil {
		return g.Listed[word]>>bit&1 == 1
	}
	return g.Words[word].Crossed>>bit&1 == 1
}

// RecordOf returns the number of the first record of a level-0 cell that has a record.
func (g *Grid) RecordOf(word uint32, bit uint) uint32 {
	listed := g.Words[word].Crossed
	if g.Listed != nil {
		listed = g.Listed[word]
	}
	return g.First[word] + uint32(bits.OnesCount64(listed&(1<<bit-1)))
}

// Descend finds the leaf at the cell coordinates (x, y, z). Before the call, id and *c are the
// record and the address of the level-0 cell of this point. Descend sets *c to the address of the
// leaf and returns its first record. If the leaf is empty, ok is false, and w is its winding
// number.
func (g *Grid) Descend(x, y, z float64, id uint32, c *CellAddr) (leaf uint32, w int32, ok bool) {
	for {
		r := g.Record(id)
		switch r.Kind() {
		case KindUniform:
			return 0, int32(int64(r[1])), false
		case KindRefined:
		default:
			return id, 0, true
		}
		ch := r.Children()
		c.Level++
		scale := Scale(c.Level)
		c.At = [3]int32{int32(x * scale), int32(y * scale), int32(z * scale)}
		bit := uint(c.At[0]&3 | c.At[1]&3<<2 | c.At[2]&3<<4)
		if ch.Crossed>>bit&1 == 0 {
			return 0, ch.W[ch.Value>>bit&1], false
		}
		id = ch.First + uint32(bits.OnesCount64(ch.Crossed&(1<<bit-1)))
	}
}
