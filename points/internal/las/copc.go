package las

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points/internal/laz"
	"github.com/inpoly/inpoly/points/table"
)

// Source: Hobu, "COPC – Cloud Optimized Point Cloud Specification", version 1.0.
const (
	copcInfoID    = 1
	copcInfoSize  = 160
	copcEntrySize = 32
	maxDepth      = 31 // keys are 32-bit integers
	maxPages      = 1 << 20
)

// copcInfo is the part of the info record that the hierarchy needs.
type copcInfo struct {
	center     r3.Vector
	half       float64
	root, size int64 // place of the root page
}

// copcNode is a node of the octree that has points.
type copcNode struct {
	box    table.NodeBox
	bytes  int64
	points int64
}

// Nodes returns the nodes of a COPC file in the order of the points. Each node is a chunk. Its box is
// grown by one step of the scale on each axis, because some writers round the coordinates after they
// have chosen the nodes.
//
// Nodes fails if the file is not a COPC file, if the hierarchy is damaged, if its nodes are not the
// chunks of the file, or if the options select other columns for x, y and z.
func (s *Source) Nodes() ([]table.Node, error) {
	nodes, err := s.readNodes()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return nodes, nil
}

func (s *Source) readNodes() ([]table.Node, error) {
	p := s.header.packed
	switch {
	case p == nil || p.copc == nil:
		return nil, errors.New("the file is not a COPC file")
	case s.sequence || s.axes != [3]int{0, 1, 2}:
		return nil, errors.New("the nodes of COPC need the coordinates x, y and z of LAS")
	}
	info, err := parseInfo(p.copc)
	if err != nil {
		return nil, err
	}
	root, _ := s.nodeBox(info, [4]int64{})
	if lo, hi := s.header.box(); s.header.count > 0 && !(root.Contains(lo) && root.Contains(hi)) {
		return nil, fmt.Errorf("the box of the points is %v to %v, but the cube of COPC is %v to %v: %w", lo, hi, root.Min, root.Max, laz.ErrDamaged)
	}
	found, err := s.readHierarchy(info)
	if err != nil {
		return nil, err
	}
	nodes := make([]table.Node, len(p.chunks))
	for i, c := range p.chunks {
		n, ok := found[c.Offset]
		if !ok || n.bytes != c.Bytes || n.points != c.Points {
			return nil, plural.Errorf("no node of the COPC hierarchy has the %d points of the chunk at byte %d: %w", c.Points, c.Offset, laz.ErrDamaged)
		}
		nodes[i] = table.Node{Points: c.Points, NodeBox: n.box}
	}
	if len(found) != len(nodes) {
		return nil, plural.Errorf("the COPC hierarchy has %d nodes with points, but the file has %d chunks: %w", len(found), len(nodes), laz.ErrDamaged)
	}
	s.nodes, s.skipped = nodes, make([]bool, len(nodes))
	return nodes, nil
}

// box returns the box of the points according to the header.
func (h *header) box() (lo, hi r3.Vector) {
	at := func(i int) float64 { return getFloat(h.raw, atBox+8*i) }
	return r3.Vector{X: at(1), Y: at(3), Z: at(5)}, r3.Vector{X: at(0), Y: at(2), Z: at(4)}
}

func parseInfo(b []byte) (c copcInfo, err error) {
	if len(b) != copcInfoSize {
		return c, plural.Errorf("the info record of COPC has %d bytes: expected %d: %w", len(b), copcInfoSize, laz.ErrDamaged)
	}
	c.center, c.half = r3.Vector{X: getFloat(b, 0), Y: getFloat(b, 8), Z: getFloat(b, 16)}, getFloat(b, 24)
	c.root, c.size = int64(le.Uint64(b[40:])), int64(le.Uint64(b[48:]))
	if d := c.center.X + c.center.Y + c.center.Z + c.half; d-d != 0 || c.half <= 0 {
		return c, fmt.Errorf("the cube of COPC has the center %v and the half size %v: %w", c.center, c.half, laz.ErrDamaged)
	}
	return c, nil
}

// readHierarchy reads all pages and returns the nodes with points by the offsets of their chunks.
func (s *Source) readHierarchy(info copcInfo) (map[int64]copcNode, error) {
	type page struct{ at, size int64 }
	damaged := func(at int64, what string) error {
		return fmt.Errorf("byte %d: the COPC hierarchy is damaged: %s: %w", at, what, laz.ErrDamaged)
	}
	found, seen := map[int64]copcNode{}, map[int64]bool{}
	left := s.size // limit for the total size of the pages, because pages must not overlap
	for todo := []page{{info.root, info.size}}; len(todo) > 0; {
		g := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case g.at < 0 || g.size < 0 || g.size%copcEntrySize != 0 || g.size > s.size || g.at > s.size-g.size:
			return nil, damaged(g.at, plural.Sprintf("a page has %d bytes, beyond the file or not whole entries", g.size))
		case seen[g.at] || len(seen) > maxPages:
			return nil, damaged(g.at, "a page occurs twice, or there are too many")
		}
		if seen[g.at], left = true, left-g.size; left < 0 {
			return nil, damaged(g.at, "pages overlap")
		}
		b := make([]byte, min(g.size, int64(maxHeaderBytes)))
		if int64(len(b)) < g.size {
			return nil, damaged(g.at, "a page is too large")
		}
		if _, err := io.ReadFull(io.NewSectionReader(s.file, g.at, g.size), b); err != nil {
			return nil, unexpectedEOF(err)
		}
		for ; len(b) > 0; b = b[copcEntrySize:] {
			at, size, n := int64(le.Uint64(b[16:])), int64(int32(le.Uint32(b[24:]))), int64(int32(le.Uint32(b[28:])))
			switch {
			case n == -1:
				todo = append(todo, page{at, size})
				continue
			case n == 0:
				continue
			case n < 0 || size <= 0:
				return nil, damaged(g.at, plural.Sprintf("a node has %d points and %d bytes", n, size))
			}
			var key [4]int64
			for i := range key {
				key[i] = int64(int32(le.Uint32(b[4*i:])))
			}
			if _, twice := found[at]; twice || len(found) >= len(s.header.packed.chunks) {
				return nil, damaged(g.at, "there are more nodes than chunks")
			}
			box, ok := s.nodeBox(info, key)
			if !ok {
				return nil, damaged(g.at, fmt.Sprintf("no node has the key %v", key))
			}
			found[at] = copcNode{box: box, bytes: size, points: n}
		}
	}
	return found, nil
}

// nodeBox returns the grown box of the node with the given key: depth, x, y and z.
func (s *Source) nodeBox(info copcInfo, key [4]int64) (box table.NodeBox, ok bool) {
	depth := key[0]
	if depth < 0 || depth > maxDepth {
		return box, false
	}
	side := math.Ldexp(2*info.half, -int(depth))
	center := [3]float64{info.center.X, info.center.Y, info.center.Z}
	var lo, hi [3]float64
	for i := range 3 {
		k := key[i+1]
		if k < 0 || k >= 1<<depth {
			return box, false
		}
		start := center[i] - info.half
		// The second term exceeds the rounding errors of the other operations.
		grow := math.Abs(s.header.scale[i]) + 0x1p-48*(math.Abs(center[i])+2*info.half)
		lo[i], hi[i] = start+float64(k)*side-grow, start+float64(k+1)*side+grow
	}
	return table.NodeBox{Min: r3.Vector{X: lo[0], Y: lo[1], Z: lo[2]}, Max: r3.Vector{X: hi[0], Y: hi[1], Z: hi[2]}}, true
}

// SkipNodes makes Fill skip nodes. The argument has an element for each node that Nodes returned. Parse
// then fails with table.ErrNodeBox if a point of another node is outside of the box of its node.
func (s *Source) SkipNodes(skip []bool) {
	if len(skip) != len(s.nodes) {
		panic(fmt.Sprintf("las: SkipNodes: %d elements for %d nodes", len(skip), len(s.nodes)))
	}
	copy(s.skipped, skip)
}

// checkNodes returns an error if a point of b is outside of the box of its node.
func (s *Source) checkNodes(b *table.Block) error {
	row := int64(0)
	for i, k := range b.Source.(*packedBlock).chunks {
		box := &s.nodes[b.Source.(*packedBlock).first+i].NodeBox
		for _, p := range b.Points[row : row+k.Points] {
			if !box.Contains(p) {
				return fmt.Errorf("%s: the chunk at byte %d: %w: %v is not in %v to %v", s.name, k.Offset, table.ErrNodeBox, p, box.Min, box.Max)
			}
		}
		row += k.Points
	}
	return nil
}
