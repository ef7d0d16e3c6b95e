package raytree

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// lanes is the number of float32 in a register of 256 bits.
const lanes = 8

// leafSize is the largest number of triangles in a leaf, at most lanes.
const leafSize = 8 // tuning

// node holds the boxes of up to eight children, in the coordinates of the tree. Its size is a power
// of two.
type node struct {
	// rows[k][j] is coordinate k of box j, in the order minimum x, y, z, maximum x, y, z. A lane
	// without a child has the box from +Inf to −Inf.
	rows  [6][lanes]float32
	links [lanes]int32 // the number of a node, or ^(8·block + count − 1) for a block of count triangles
	_     [lanes]int32
}

// block holds up to eight triangles. Its size is five cache lines.
type block struct {
	center  [3]float64           // in the coordinates of the tree
	corners [3][3][lanes]float32 // coordinate j of corner i, relative to center; free lanes repeat lane 0
	reach   float32              // at least twice the largest magnitude in corners
	first   int32                // number of the first triangle in mesh.Indexed.Triangles
}

// Tree holds the triangles of a mesh for walks along rays. It is immutable and safe for concurrent use.
//
// The coordinates of a tree are (v − center)·scale·lift. They have magnitudes of at most 1.
type Tree struct {
	nodes  []node
	blocks []block
	tris   []mesh.Triangle // mesh.Indexed.Triangles
	faces  []Face
	center r3.Vector
	scale  float64 // a power of two
	lift   float64 // a power of two, which is 1 unless the mesh is tiny
	// walls has the bounds of the box of the mesh, enlarged by margin, in the coordinates of the tree: the lower
	// ones, −Inf, the upper ones, +Inf.
	walls [8]float64

	// outerLow, outerHigh and reach are for Misses. outerLow and outerHigh are the corners of the
	// box of the mesh, enlarged, in the coordinates of the mesh. reach is the largest distance on
	// an axis between the origin of a ray and the box that Misses accepts. It is −1 if the size or
	// the place of the mesh is extreme.
	outerLow, outerHigh [3]float64
	reach               float64
}

// Face is a face of the mesh: its number and the numbers of its vertices.
type Face struct {
	Vertices [3]int32
	Number   int32
}

// Faces returns the faces in the order of mesh.Indexed.Triangles. The caller must not modify the slice.
func (t *Tree) Faces() []Face { return t.faces }

// maxBlocks limits the number of blocks, because a link has 28 bits for the number of a block.
const maxBlocks = 1 << 28

// New returns a Tree over the faces of x. It takes O(n) time for n faces and about 100 bytes of memory
// per face. Faces of zero area are in the tree like others.
//
// Errors: an error if x has more than about 10⁹ faces; the error of ctx if ctx ends first.
func New(ctx context.Context, x *mesh.Indexed, workers int) (*Tree, error) {
	root, ok := x.Tree().Root()
	t := &Tree{scale: 1, lift: 1}
	b := builder{tree: t}
	if !ok { // a node without children
		t.nodes, t.blocks, t.tris, t.faces = []node{emptyNode()}, make([]block, 1), make([]mesh.Triangle, 1), make([]Face, 1)
		return t, ctx.Err()
	}
	t.setFrame(root.Box())
	t.setOuter(root.Box())
	b.collapse(measure(root))
	if len(b.leaves) > maxBlocks {
		return nil, fmt.Errorf("raytree: the mesh needs %d blocks of faces, and the limit is %d", len(b.leaves), maxBlocks)
	}
	t.blocks = make([]block, len(b.leaves))
	t.tris, t.faces = x.Triangles(), make([]Face, len(x.Triangles()))
	order, faces := x.Tree().Index(), x.Mesh().Faces
	if err := par.Blocks(ctx, len(b.leaves), 1<<10, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			l := b.leaves[i]
			t.setBlock(&t.blocks[i], l.first, t.tris[l.first:l.first+l.count])
			for k := l.first; k < l.first+l.count; k++ {
				t.faces[k] = Face{faces[order[k]], order[k]}
			}
		}
	}); err != nil {
		return nil, err
	}
	return t, nil
}

// setFrame chooses the coordinates of the tree for the box of the mesh.
func (t *Tree) setFrame(b bvh.Box) {
	t.center = b.Min.Mul(0.5).Add(b.Max.Mul(0.5))
	size := b.Size()
	_, e := math.Frexp(max(size.X, size.Y, size.Z)) // the size is at most 2ᵉ; the box of a single point has the scale 1
	t.scale, t.lift = powerOfTwo(min(-e, maxScale)), powerOfTwo(max(0, -e-maxScale))
	low, high := t.local(b.Min), t.local(b.Max)
	t.walls = [8]float64{
		low.X - margin, low.Y - margin, low.Z - margin, math.Inf(-1),
		high.X + margin, high.Y + margin, high.Z + margin, math.Inf(1),
	}
}

// setOuter sets outerLow, outerHigh and reach.
func (t *Tree) setOuter(b bvh.Box) {
	size := b.Size()
	longest := max(size.X, size.Y, size.Z)
	t.reach = -1
	if !(longest >= leastSize && longest <= 1/leastSize) {
		return
	}
	t.reach = longest * outerReach
	if max(vec.MaxAbs(b.Min), vec.MaxAbs(b.Max)) > t.reach {
		t.reach = -1 // the mesh is far from the origin, so the bounds of its enlarged box are rounded too much
		return
	}
	pad := longest * outerPad
	t.outerLow = [3]float64{b.Min.X - pad, b.Min.Y - pad, b.Min.Z - pad}
	t.outerHigh = [3]float64{b.Max.X + pad, b.Max.Y + pad, b.Max.Z + pad}
}

const (
	// outerPad·(longest edge) is the margin of the enlarged box of Misses, and outerReach·(longest
	// edge) limits the distance of an origin. docs/design/026-rays.md proves that outerPad exceeds
	// the errors.
	outerPad   = 0x1p-20
	outerReach = 0x1p20
	// If the size of the mesh and the components of the direction are in these ranges, no quotient
	// of Misses overflows or underflows.
	leastSize      = 0x1p-200
	leastComponent = 0x1p-300
)

// maxScale limits the binary exponent of Tree.scale. The largest size of a box is at least 2⁻¹⁰⁷⁴,
// so lift is at most 2⁷⁴.
const maxScale = 1000

// exponent returns an e with |x| ≤ 2ᵉ. If x is a normal number, 2ᵉ is at most 2|x|.
func exponent(x float64) int { return int(math.Float64bits(x)>>52&0x7ff) - 1022 }

// local returns v in the coordinates of the tree. Its error is at most 2⁻⁵² per coordinate in the box
// of the mesh.
func (t *Tree) local(v r3.Vector) r3.Vector { return v.Sub(t.center).Mul(t.scale).Mul(t.lift) }

// roundingSlack covers the error of local for a point in the box of the mesh.
const roundingSlack = 0x1p-50

// builder derives the nodes of a Tree from the nodes of a bvh.Tree.
type builder struct {
	tree   *Tree
	leaves []span
}

// span is a range of triangles.
type span struct{ first, count int32 }

// part is a subtree of the bvh.Tree, or a range of triangles of a leaf with more than leafSize
// triangles.
type part struct {
	node bvh.Node
	span
	area float64
}

// measure returns the part for the subtree n. If the subtree has more than leafSize triangles, the
// count of the part exceeds leafSize but can be too small; see count.
func measure(n bvh.Node) part { return part{n, count(n, leafSize), area(n.Box())} }

// halves divides a part of more than leafSize triangles.
func (p *part) halves() (l, r part) {
	if _, k := p.node.Entries(); k > 0 {
		l, r = *p, *p
		l.count = p.count / 2
		r.first, r.count = p.first+l.count, p.count-l.count
		return l, r
	}
	left, right := p.node.Children()
	return measure(left), measure(right)
}

// count returns the range of the triangles below n. If there are more than most triangles, count
// stops early, and the count of the result is only known to exceed most.
func count(n bvh.Node, most int32) span {
	if first, k := n.Entries(); k > 0 {
		return span{first, k}
	}
	l, r := n.Children()
	s := count(l, most)
	if s.count <= most {
		s.count += count(r, most-s.count).count
	}
	return s
}

func area(b bvh.Box) float64 {
	s := b.Size()
	return float64(s.X*s.Y) + float64(s.Y*s.Z) + float64(s.Z*s.X)
}

// collapse adds a node for p, and nodes for its descendants, and returns the number of the first.
// As long as the node has a free lane, collapse replaces its largest child by the two halves of the
// child. Children that are leaves of the Tree stay.
func (b *builder) collapse(p part) int32 {
	parts := [lanes]part{p}
	used := 1
	for used < lanes {
		best := -1
		for i := range parts[:used] {
			if p := &parts[i]; p.count > leafSize && (best < 0 || p.area > parts[best].area) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		parts[best], parts[used] = parts[best].halves()
		used++
	}
	id := int32(len(b.tree.nodes))
	b.tree.nodes = append(b.tree.nodes, node{})
	out := emptyNode()
	for k := range used {
		p := &parts[k]
		box := p.node.Box()
		low, high := b.tree.local(box.Min), b.tree.local(box.Max)
		for j, x := range [3][2]float64{{low.X, high.X}, {low.Y, high.Y}, {low.Z, high.Z}} {
			out.rows[j][k], out.rows[j+3][k] = below(x[0]-roundingSlack), above(x[1]+roundingSlack)
		}
		if p.count <= leafSize {
			out.links[k] = ^(int32(len(b.leaves))<<3 | (p.count - 1))
			b.leaves = append(b.leaves, p.span)
			continue
		}
		out.links[k] = b.collapse(*p)
	}
	b.tree.nodes[id] = out
	return id
}

// emptyNode returns a node without children.
func emptyNode() (n node) {
	for k := range lanes {
		for j := range 3 {
			n.rows[j][k], n.rows[j+3][k] = float32(math.Inf(1)), float32(math.Inf(-1))
		}
	}
	return n
}

// above returns a float32 that is at least x. −above(−x) is at most x. |x| must be at most 2.
func above(x float64) float32 { return float32(x + math.Abs(x)*0x1p-23 + 0x1p-100) }
func below(x float64) float32 { return -above(-x) }

// setBlock stores triangles in b.
func (t *Tree) setBlock(b *block, first int32, tris []mesh.Triangle) {
	b.first = first
	box := bvh.EmptyBox()
	for i := range tris {
		for _, v := range tris[i] {
			box = box.Add(t.local(v))
		}
	}
	c := box.Min.Add(box.Max).Mul(0.5)
	b.center = [3]float64{c.X, c.Y, c.Z}
	reach := 0.0
	for k := range lanes {
		tri := &tris[0]
		if k < len(tris) {
			tri = &tris[k]
		}
		for i, v := range tri {
			v = t.local(v).Sub(c)
			for j, x := range [3]float64{v.X, v.Y, v.Z} {
				b.corners[i][j][k] = float32(x)
				reach = max(reach, math.Abs(x))
			}
		}
	}
	b.reach = above(2 * reach)
}
