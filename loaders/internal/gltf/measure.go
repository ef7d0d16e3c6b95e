package gltf

import (
	"fmt"
	"math"

	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// nodeMeasure is the progress of measure at a node.
type nodeMeasure struct {
	extent  soup.Extent
	started bool
	done    bool
}

// measureBytes is the memory for each node during measure: a nodeMeasure, and an entry of a stack
// that doubles when it grows.
const measureBytes = 72

// measure computes the extent of the scene with the given roots and makes room for it. It visits each
// node once, without recursion. It refuses a node that is its own descendant. It ignores references
// that are not valid, because appendScene refuses them. Errors: ErrSyntax, ErrTooLarge.
func (d *document) measure(roots []int) error {
	doc := d.doc
	if err := d.src.Budget.Reserve(measureBytes * int64(len(doc.Nodes))); err != nil {
		return err
	}
	defer d.src.Budget.Release(measureBytes * int64(len(doc.Nodes)))
	stored := int64(len(roots)) // number of references between roots, nodes, meshes and primitives
	meshes := make([]soup.Extent, len(doc.Meshes))
	for i, m := range doc.Meshes {
		meshes[i] = d.meshExtent(m)
		stored += int64(len(m.Primitives))
	}
	nodes := make([]nodeMeasure, len(doc.Nodes))
	var all soup.Extent
	var path []struct{ node, next int } // the nodes from a root to the present node
	enter := func(i int) {
		n := doc.Nodes[i]
		nodes[i] = nodeMeasure{extent: soup.Extent{Visits: 1}, started: true}
		if n.Mesh != nil && *n.Mesh >= 0 && *n.Mesh < len(meshes) {
			nodes[i].extent.Add(d.placedExtent(n, meshes[*n.Mesh]))
			stored++
		}
		stored += int64(len(n.Children))
		path = append(path, struct{ node, next int }{node: i})
	}
	for _, root := range roots {
		if root < 0 || root >= len(nodes) {
			continue
		}
		if !nodes[root].started {
			enter(root)
		}
		for len(path) > 0 {
			top := &path[len(path)-1]
			children := doc.Nodes[top.node].Children
			if top.next == len(children) {
				nodes[top.node].done = true
				path = path[:len(path)-1]
				continue
			}
			child := children[top.next]
			switch {
			case child < 0 || child >= len(nodes):
				top.next++
			case nodes[child].done:
				nodes[top.node].extent.Add(nodes[child].extent)
				top.next++
			case nodes[child].started:
				return soup.AtPath(fmt.Sprintf("/nodes/%d", child), soup.ErrSyntax, "the node is its own descendant")
			default:
				enter(child)
			}
		}
		all.Add(nodes[root].extent)
	}
	return d.b.Expect(all, stored)
}

// placedExtent returns the extent of the mesh of node n, with all its instances.
func (d *document) placedExtent(n *gltf.Node, mesh soup.Extent) soup.Extent {
	mesh.Bodies++
	if instanced(n) {
		mesh.Visits++
		mesh.Multiply(d.instanceCount(n))
	}
	return mesh
}

// meshExtent returns an upper bound of the elements that appendMesh adds for m. If the mesh is
// valid, the numbers of triangles and of visits are exact.
func (d *document) meshExtent(m *gltf.Mesh) soup.Extent {
	count := func(i int) int64 {
		if i < 0 || i >= len(d.doc.Accessors) {
			return 0
		}
		return int64(min(max(0, d.doc.Accessors[i].Count), math.MaxInt32)) // appendScene refuses larger counts
	}
	extent := soup.Extent{Visits: int64(len(m.Primitives))}
	whole := map[int]bool{} // POSITION accessors whose elements are all vertices
	for _, p := range m.Primitives {
		position, ok := p.Attributes[gltf.POSITION]
		if !ok || p.Mode == gltf.PrimitivePoints || p.Mode == gltf.PrimitiveLines || p.Mode == gltf.PrimitiveLineLoop || p.Mode == gltf.PrimitiveLineStrip {
			continue
		}
		vertices := count(position)
		corners := vertices
		if p.Indices != nil {
			corners = count(*p.Indices)
		}
		add := soup.Extent{Triangles: max(0, corners-2)}
		if p.Mode == gltf.PrimitiveTriangles {
			add.Triangles = corners / 3
		}
		switch {
		case whole[position]:
		case vertices/3 <= corners:
			add.Vertices, whole[position] = vertices, true
		default:
			add.Vertices = corners
		}
		extent.Add(add)
	}
	return extent
}
