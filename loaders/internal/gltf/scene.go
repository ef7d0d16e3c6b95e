package gltf

import (
	"cmp"
	"fmt"
	"math"

	"github.com/golang/geo/r3"
	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// placement is a node that a sceneWalk must visit, with the transform of its parent.
type placement struct {
	node   int
	parent soup.Affine
}

// placementBytes is the size of a placement: 12 float64 numbers and two words.
const placementBytes = 112

// sceneWalk visits nodes depth first in the order of the file, without recursion.
type sceneWalk struct {
	d      *document
	stack  []placement
	seen   []bool // seen[i]: node i was visited
	shared int    // number of visits to nodes that were visited before
}

// appendScene appends the meshes of the scene. A node with two parents violates glTF 2.0 §3.5.2.
// appendScene reads such a node under each parent, and adds a note. appendScene refuses cycles.
// measure counts the visits in advance, because there can be exponentially many.
func (d *document) appendScene() error {
	roots, at, err := d.roots()
	if err != nil {
		return err
	}
	n := len(d.doc.Nodes)
	if n == 0 && len(roots) == 0 {
		return d.appendMeshes()
	}
	if err := d.measure(roots); err != nil {
		return err
	}
	w := sceneWalk{d: d, seen: make([]bool, n)}
	world := soup.Identity()
	if err := w.push(roots, &world, at); err != nil {
		return err
	}
	for visited := 0; len(w.stack) > 0; visited++ {
		top := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if err := d.src.Check(visited); err != nil {
			return err
		}
		if err := w.visit(top.node, &top.parent, fmt.Sprintf("/nodes/%d", top.node)); err != nil {
			return err
		}
	}
	if w.shared > 0 {
		d.b.Note("nodes with several parents were read once for each parent: %d repetitions", w.shared)
	}
	return nil
}

// push pushes the listed nodes onto the stack. Errors name the place of the list.
func (w *sceneWalk) push(list []int, parent *soup.Affine, at string) error {
	if err := soup.Grow(w.d.src.Budget, &w.stack, len(list), placementBytes); err != nil {
		return err
	}
	for k := len(list) - 1; k >= 0; k-- {
		i := list[k]
		if i < 0 || i >= len(w.seen) {
			return soup.AtPath(at, soup.ErrIndexRange, "node %d does not exist: the file has %d", i, len(w.seen))
		}
		w.stack = append(w.stack, placement{node: i, parent: *parent})
	}
	return nil
}

// visit appends the mesh of node i and pushes its children onto the stack.
func (w *sceneWalk) visit(i int, parent *soup.Affine, at string) error {
	if w.seen[i] {
		w.shared++
	}
	n := w.d.doc.Nodes[i]
	if err := w.d.refuseRequired(n.Extensions, at); err != nil {
		return err
	}
	local, err := nodeTransform(n)
	if err != nil {
		return &soup.Error{Offset: -1, Path: at, Err: err}
	}
	w.seen[i] = true
	world := parent.After(&local)
	if n.Mesh != nil {
		if err := w.d.appendNode(i, n, &world, at); err != nil {
			return err
		}
	}
	return w.push(n.Children, &world, at+"/children")
}

// roots returns the root nodes and the place of their list.
func (d *document) roots() ([]int, string, error) {
	doc := d.doc
	i := 0
	if doc.Scene != nil {
		i = *doc.Scene
	}
	if doc.Scene != nil || len(doc.Scenes) > 0 {
		if i < 0 || i >= len(doc.Scenes) {
			return nil, "", soup.AtPath("/scene", soup.ErrIndexRange, "scene %d does not exist: the file has %d", i, len(doc.Scenes))
		}
		if len(doc.Scenes) > 1 {
			d.b.Note("only scene %d of %d was read", i, len(doc.Scenes))
		}
		return doc.Scenes[i].Nodes, fmt.Sprintf("/scenes/%d/nodes", i), nil
	}
	if len(doc.Nodes) == 0 {
		return nil, "", nil
	}
	// Without scenes, the nodes without a parent are the roots.
	if err := d.src.Budget.Reserve(9 * int64(len(doc.Nodes))); err != nil {
		return nil, "", err
	}
	child := make([]bool, len(doc.Nodes))
	for k, n := range doc.Nodes {
		for _, c := range n.Children {
			if c < 0 || c >= len(child) {
				return nil, "", soup.AtPath(fmt.Sprintf("/nodes/%d/children", k), soup.ErrIndexRange, "node %d does not exist: the file has %d", c, len(child))
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
		return nil, "", soup.AtPath("/nodes", soup.ErrSyntax, "the file has no scenes, and the nodes form a cycle: each has a parent")
	}
	d.b.Note("the file has no scenes: %d root nodes were read", len(roots))
	return roots, "/nodes", nil
}

// appendNode appends the mesh of node i as a body, or as a body for each instance.
func (d *document) appendNode(i int, n *gltf.Node, world *soup.Affine, at string) error {
	m := *n.Mesh
	if m < 0 || m >= len(d.doc.Meshes) {
		return soup.AtPath(at+"/mesh", soup.ErrIndexRange, "mesh %d does not exist: the file has %d", m, len(d.doc.Meshes))
	}
	if n.Skin != nil {
		d.tally.skinned++
	}
	if len(n.Weights) > 0 || d.hasTargets(m) {
		d.tally.morphed++
	}
	name := cmp.Or(n.Name, d.doc.Meshes[m].Name, fmt.Sprintf("node %d", i))
	if instanced(n) {
		return d.appendInstances(n, name, world, at)
	}
	return d.appendMesh(m, name, world)
}

// appendMeshes appends each mesh once. It is for documents without nodes.
func (d *document) appendMeshes() error {
	if len(d.doc.Meshes) == 0 {
		return nil
	}
	d.b.Note("the file has no nodes: each mesh was read once, without a transform")
	world := soup.Identity()
	for m, mesh := range d.doc.Meshes {
		if d.hasTargets(m) {
			d.tally.morphed++
		}
		if err := d.appendMesh(m, cmp.Or(mesh.Name, fmt.Sprintf("mesh %d", m)), &world); err != nil {
			return err
		}
	}
	return nil
}

// fromMatrix returns the affine map with the 4×4 matrix m, which has finite numbers in column
// order. The last row must be exactly 0 0 0 1, as in all products of translations, rotations and
// scales (glTF 2.0 §3.5.2). There is no tolerance for rounding, because the effect of a different
// last row depends on the coordinates.
func fromMatrix(m *[16]float64) (soup.Affine, error) {
	if m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1 {
		return soup.Affine{}, soup.Reason(soup.ErrSyntax, "the last row of the matrix is (%g, %g, %g, %g), must be (0, 0, 0, 1)", m[3], m[7], m[11], m[15])
	}
	a := soup.Affine{
		X: r3.Vector{X: m[0], Y: m[4], Z: m[8]},
		Y: r3.Vector{X: m[1], Y: m[5], Z: m[9]},
		Z: r3.Vector{X: m[2], Y: m[6], Z: m[10]},
		T: r3.Vector{X: m[12], Y: m[13], Z: m[14]},
	}
	a.Mirror = soup.Mirrors(a.X, a.Y, a.Z)
	return a, nil
}

// nodeTransform returns the transform of node relative to its parent. If the node has a matrix, the
// transform is this matrix.
func nodeTransform(node *gltf.Node) (soup.Affine, error) {
	if node.Matrix != gltf.DefaultMatrix {
		return fromMatrix(&node.Matrix)
	}
	return fromProperties(node.Translation, node.Rotation, node.Scale)
}

// fromProperties returns the affine map that scales by s, rotates by the quaternion q = (x, y, z, w)
// and translates by t, in this order (glTF 2.0 §3.5.3). It divides q by its length, which is 1 except
// for rounding in the file. It refuses a quaternion of length zero.
func fromProperties(t [3]float64, q [4]float64, s [3]float64) (soup.Affine, error) {
	n := math.Hypot(math.Hypot(q[0], q[1]), math.Hypot(q[2], q[3]))
	if n == 0 {
		return soup.Affine{}, soup.Reason(soup.ErrSyntax, "the rotation is a quaternion of length zero")
	}
	if n-n != 0 { // n is infinite or NaN
		return soup.Affine{}, soup.Reason(soup.ErrNotFinite, "the length of the rotation's quaternion is %g", n)
	}
	x, y, z, w := q[0]/n, q[1]/n, q[2]/n, q[3]/n
	if q[0] == 0 && q[1] == 0 && q[2] == 0 {
		x, y, z, w = 0, 0, 0, 1
	}
	a := soup.Affine{
		X: r3.Vector{X: (1 - 2*(float64(y*y)+float64(z*z))) * s[0], Y: 2 * (float64(x*y) - float64(w*z)) * s[1], Z: 2 * (float64(x*z) + float64(w*y)) * s[2]},
		Y: r3.Vector{X: 2 * (float64(x*y) + float64(w*z)) * s[0], Y: (1 - 2*(float64(x*x)+float64(z*z))) * s[1], Z: 2 * (float64(y*z) - float64(w*x)) * s[2]},
		Z: r3.Vector{X: 2 * (float64(x*z) - float64(w*y)) * s[0], Y: 2 * (float64(y*z) + float64(w*x)) * s[1], Z: (1 - 2*(float64(x*x)+float64(y*y))) * s[2]},
		T: r3.Vector{X: t[0], Y: t[1], Z: t[2]},
	}
	a.Mirror = (s[0] < 0) != (s[1] < 0) != (s[2] < 0) && s[0] != 0 && s[1] != 0 && s[2] != 0
	if !vec.Finite(a.X) || !vec.Finite(a.Y) || !vec.Finite(a.Z) || !vec.Finite(a.T) {
		return soup.Affine{}, soup.Reason(soup.ErrNotFinite, "translation %g, rotation %g and scale %g are beyond float64", t, q, s)
	}
	return a, nil
}
