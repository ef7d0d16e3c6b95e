package oriented

import (
	"math"

	"github.com/golang/geo/r3"
)

// RayWalk visits the leaves whose boxes a segment meets. The zero RayWalk visits nothing. Start begins a walk and ends the
// previous walk. A RayWalk belongs to one goroutine at a time.
//
// If the exact segment meets a face, RayWalk reports its leaf once. It can also report a leaf whose box the segment
// misses by a few roundings of the coordinates, or that lies on the line beyond the target.
type RayWalk struct {
	Nodes uint64 // number of boxes compared with segments so far

	tree      *Tree
	origin, d r3.Vector
	length    float64 // |d|₁
	stack     []int32
}

// Start begins the walk along the segment from origin to target. It does not reset Nodes.
func (w *RayWalk) Start(t *Tree, origin, target r3.Vector) {
	w.tree, w.origin, w.d, w.stack = t, origin, target.Sub(origin), w.stack[:0]
	w.length = math.Abs(w.d.X) + math.Abs(w.d.Y) + math.Abs(w.d.Z)
	if len(t.Nodes) > 0 {
		w.stack = append(w.stack, 0)
	}
}

// Next returns the faces of the next leaf. After the last leaf, ok is false.
func (w *RayWalk) Next() (faces []int32, ok bool) {
	for len(w.stack) > 0 {
		n := &w.tree.Nodes[w.stack[len(w.stack)-1]]
		w.stack = w.stack[:len(w.stack)-1]
		w.Nodes++
		switch {
		case w.misses(&n.Box):
		case n.Count > 0:
			return w.tree.Faces[n.First : n.First+n.Count], true
		default:
			w.stack = append(w.stack, n.First+1, n.First)
		}
	}
	return nil, false
}

// misses reports whether the ray of w certainly misses the box.
//
// The products of the axes with p−Center map a point p to y. The image of the box is the set |y| ≤ Half, even if
// the axes are not orthogonal, and the image of the ray begins at t and has the direction f. An axis separates them, or
// the product of an axis with the direction (Gottschalk, Lin and Manocha 1996).
//
// ε is 2⁻⁵³. Let T be the sum of the magnitudes of p−Center and F that of the direction, which has been rounded. A
// component of t is wrong by at most 4εT, and one of f by at most 5εF. So a product below is wrong by at most
// 22εTF, and its limit by at most 8ε(Half[i]+Half[j])F. slack is 128ε. If a product can overflow, so does product, and
// no comparison holds.
func (w *RayWalk) misses(b *Box) bool {
	p := w.origin.Sub(b.Center)
	t := [3]float64{dot(b.Axis[0], p), dot(b.Axis[1], p), dot(b.Axis[2], p)}
	f := [3]float64{dot(b.Axis[0], w.d), dot(b.Axis[1], w.d), dot(b.Axis[2], w.d)}
	size := math.Abs(p.X) + math.Abs(p.Y) + math.Abs(p.Z) + b.Half[0] + b.Half[1] + b.Half[2]
	margin := slack*size + tiny
	product := slack*(2*size*w.length) + tiny*w.length + tiny
	for j := range t {
		i, k := (j+1)%3, (j+2)%3
		if math.Abs(t[i]*f[k]-t[k]*f[i]) > b.Half[i]*math.Abs(f[k])+b.Half[k]*math.Abs(f[i])+product {
			return true
		}
	}
	still := slack * w.length // the sign of a smaller component of f is not certain
	for j, h := range b.Half {
		if h += margin; t[j] > h && f[j] > still || t[j] < -h && f[j] < -still {
			return true
		}
	}
	return false
}
