package table

import (
	"errors"

	"github.com/golang/geo/r3"
)

// ErrNodeBox means that a point of a COPC file is outside of the box of its node, so the boxes of the
// file cannot be trusted.
var ErrNodeBox = errors.New("a point is outside of the box of its COPC node")

// Node is a node of an octree that has points.
type Node struct {
	Points int64
	NodeBox
}

// NodeBox is the closed box that should contain the points of a node.
type NodeBox struct{ Min, Max r3.Vector }

// Contains reports whether p is in the box.
func (b *NodeBox) Contains(p r3.Vector) bool {
	return p.X >= b.Min.X && p.X <= b.Max.X && p.Y >= b.Min.Y && p.Y <= b.Max.Y && p.Z >= b.Min.Z && p.Z <= b.Max.Z
}

// Octree is a Source whose rows are divided into the nodes of an octree, such as a COPC file.
type Octree interface {
	Source
	// Nodes returns the nodes in the order of the rows. It fails if the file has no octree or if the
	// octree is damaged. It is called before Fill.
	Nodes() ([]Node, error)
	// SkipNodes makes Fill skip nodes. The argument has an element for each node that Nodes returned.
	// Parse fails with ErrNodeBox if a point of another node is outside of the box of its node.
	SkipNodes(skip []bool)
}
