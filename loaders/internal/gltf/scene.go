package gltf

import (
	"fmt"

	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// placement is a node still to be shown, with the transform of its parent; or the
// end of the node's subtree, if leave is set.
type placement struct {
	node   int
	leave  bool
	parent soup.Affine
}

// placementBytes is the size of a placement: 13 float64, two words.
const placementBytes = 120

// sceneWalk visits nodes depth first in the order of the file, without recursion.
type sceneWalk struct {
	d      *document
	stack  []placement
	seen   []bool // reached before
	inside []bool // in whose subtree the walk is now
	shared int    // nodes reached again
}

// scene emits what the document shows. glTF 2.0 §3.5.2 asks for strict trees; a
// node with two parents is read as an instance under each all the same (such files
// exist), and noted. A cycle is refused. Each repeated visit costs budget, so that
// a chain of doubled children cannot explode.
func (d *document) scene() error {
	roots, at, err := d.roots()
	if err != nil {
		return err
	}
	n := len(d.doc.Nodes)
	if n == 0 && len(roots) == 0 {
		return d.looseMeshes()
	}
	if err := d.src.Budget.Reserve(2 * int64(n)); err != nil {
		return err
	}
	w := sceneWalk{d: d, seen: make([]bool, n), inside: make([]bool, n)}
	world := soup.Identity()
	if err := w.push(roots, &world, at); err != nil {
		return err
	}
	for visited := 0; len(w.stack) > 0; visited++ {
		top := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if top.leave {
			w.inside[top.node] = false
			continue
		}
		if err := d.checkContext(visited); err != nil {
			return err
		}
		if err := w.visit(top.node, &top.parent, fmt.Sprintf("/nodes/%d", top.node)); err != nil {
			return err
		}
	}
	if w.shared > 0 {
		d.b.Note("nodes with more than one parent: read under each, %d times more", w.shared)
	}
	return nil
}

// push puts the nodes of list, which stands at the place at, on the stack.
func (w *sceneWalk) push(list []int, parent *soup.Affine, at string) (err error) {
	if w.stack, err = soup.Extend(w.d.src.Budget, w.stack, len(list)+1, placementBytes); err != nil {
		return err
	}
	for k := len(list) - 1; k >= 0; k-- {
		i := list[k]
		if i < 0 || i >= len(w.seen) {
			return soup.AtPath(at, soup.ErrIndexRange, "node %d of %d", i, len(w.seen))
		}
		w.stack = append(w.stack, placement{node: i, parent: *parent})
	}
	return nil
}

// visit emits node i and puts its children on the stack.
func (w *sceneWalk) visit(i int, parent *soup.Affine, at string) error {
	if w.inside[i] {
		return soup.AtPath(at, soup.ErrSyntax, "the node is its own descendant")
	}
	if w.seen[i] {
		if err := w.d.src.Budget.Reserve(placementBytes); err != nil {
			return err
		}
		w.shared++
	}
	n := w.d.doc.Nodes[i]
	local, err := nodeTransform(n)
	if err != nil {
		return &soup.Error{Offset: -1, Path: at, Err: err}
	}
	w.seen[i], w.inside[i] = true, true
	world := parent.After(&local)
	if n.Mesh != nil {
		if err := w.d.node(i, n, &world, at); err != nil {
			return err
		}
	}
	if err := w.push(nil, parent, at); err != nil { // room for the mark
		return err
	}
	w.stack = append(w.stack, placement{node: i, leave: true})
	return w.push(n.Children, &world, at+"/children")
}

// roots returns the nodes at which the document begins, and where they are listed.
func (d *document) roots() ([]int, string, error) {
	doc := d.doc
	i := 0
	if doc.Scene != nil {
		i = *doc.Scene
	}
	if doc.Scene != nil || len(doc.Scenes) > 0 {
		if i < 0 || i >= len(doc.Scenes) {
			return nil, "", soup.AtPath("/scene", soup.ErrIndexRange, "scene %d of %d", i, len(doc.Scenes))
		}
		if len(doc.Scenes) > 1 {
			d.b.Note("scene %d of %d read", i, len(doc.Scenes))
		}
		return doc.Scenes[i].Nodes, fmt.Sprintf("/scenes/%d/nodes", i), nil
	}
	if len(doc.Nodes) == 0 {
		return nil, "", nil
	}
	// No scenes: the nodes without a parent. One that is only in a cycle has none to show.
	if err := d.src.Budget.Reserve(9 * int64(len(doc.Nodes))); err != nil {
		return nil, "", err
	}
	child := make([]bool, len(doc.Nodes))
	for k, n := range doc.Nodes {
		for _, c := range n.Children {
			if c < 0 || c >= len(child) {
				return nil, "", soup.AtPath(fmt.Sprintf("/nodes/%d/children", k), soup.ErrIndexRange, "node %d of %d", c, len(child))
			}
			child[c] = true
		}
	}
	roots := make([]int, 0, len(doc.Nodes))
	for k := range doc.Nodes {
		if !child[k] {
			roots = append(roots, k)
		}
	}
	if len(roots) == 0 {
		return nil, "", soup.AtPath("/nodes", soup.ErrSyntax, "no scene, and each node is the child of another: a cycle")
	}
	d.b.Note("no scenes: %d nodes without a parent read", len(roots))
	return roots, "/nodes", nil
}

// nodeTransform returns the transform of n relative to its parent.
func nodeTransform(n *gltf.Node) (soup.Affine, error) {
	if n.Matrix != gltf.DefaultMatrix {
		return fromMatrix(&n.Matrix)
	}
	return fromTRS(n.Translation, n.Rotation, n.Scale)
}

// node emits the mesh of node i as a body of its own.
func (d *document) node(i int, n *gltf.Node, world *soup.Affine, at string) error {
	m := *n.Mesh
	if m < 0 || m >= len(d.doc.Meshes) {
		return soup.AtPath(at+"/mesh", soup.ErrIndexRange, "mesh %d of %d", m, len(d.doc.Meshes))
	}
	if _, ok := n.Extensions[extInstances]; ok {
		if d.required[extInstances] {
			return soup.AtPath(at, soup.ErrUnsupported, "required extension %q", extInstances)
		}
		d.tally.instances++
	}
	if n.Skin != nil {
		d.tally.skinned++
	}
	name := n.Name
	if name == "" {
		name = d.doc.Meshes[m].Name
	}
	if name == "" {
		name = fmt.Sprintf("node %d", i)
	}
	return d.mesh(m, name, world, len(n.Weights) > 0)
}

// looseMeshes emits each mesh of a document without nodes once.
func (d *document) looseMeshes() error {
	if len(d.doc.Meshes) == 0 {
		return nil
	}
	d.b.Note("no nodes: each mesh read once, untransformed")
	world := soup.Identity()
	for m, mesh := range d.doc.Meshes {
		name := mesh.Name
		if name == "" {
			name = fmt.Sprintf("mesh %d", m)
		}
		if err := d.mesh(m, name, &world, false); err != nil {
			return err
		}
	}
	return nil
}
