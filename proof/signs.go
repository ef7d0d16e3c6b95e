package proof

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// posed has the exact signs of rays at a pose. place is nil without a pose.
type posed struct {
	place    *motion.Placement
	start    motion.Point
	counter  predicates.Counter
	p, end   r3.Vector
	ready    bool
	scale    *big.Float       // the factor of the vectors below
	from, to r3.PreciseVector // p and end in the frame of the mesh
}

// ray begins a ray from p to end.
func (x *posed) ray(p, end r3.Vector) *posed {
	x.p, x.end, x.ready = p, end, false
	if x.place != nil {
		x.place.Exact(&x.start, p)
	}
	return x
}

// prepare sets the exact vectors.
func (x *posed) prepare() {
	if x.ready {
		return
	}
	x.ready = true
	x.scale, x.from, x.to = x.place.Scale(), x.place.ScaledPosition(x.p), x.place.ScaledPosition(x.end)
}

// relative returns v − p with the factor of all vectors.
func (x *posed) relative(v r3.Vector) r3.PreciseVector {
	return r3.PreciseVectorFromVector(v).Mul(x.scale).Sub(x.from)
}

// edge returns the sign of (end−p)·((a−p)×(b−p)).
func (x *posed) edge(a, b r3.Vector) int {
	if x.place == nil {
		return x.counter.Orient3D(x.end, a, b, x.p)
	}
	x.prepare()
	return x.to.Sub(x.from).Dot(x.relative(a).Cross(x.relative(b))).Sign()
}

// ahead returns the sign of the volume of a triangle and p.
func (x *posed) ahead(t *mesh.Triangle) int {
	if x.place == nil {
		return x.counter.Orient3D(t[0], t[1], t[2], x.p)
	}
	return x.start.Orient3D(&t[0], &t[1], &t[2])
}

// starts reports whether p is on a triangle.
func (x *posed) starts(t *mesh.Triangle) bool {
	if x.place == nil {
		return x.counter.OnTriangle(x.p, t[0], t[1], t[2])
	}
	return x.start.OnTriangle((*[3]r3.Vector)(t))
}

// mayMeet reports whether the ray can meet the segment from a to b, which does not contain p. This is so if the
// ray and the segment are in one plane, unless p, a and b are on a line that does not contain the ray.
func (x *posed) mayMeet(a, b r3.Vector) bool {
	if x.edge(a, b) != 0 {
		return false
	}
	if x.place == nil {
		return !predicates.ZeroArea(x.p, a, b) || predicates.ZeroArea(x.p, x.end, a)
	}
	return !collinear(x.relative(a), x.relative(b)) || collinear(x.to.Sub(x.from), x.relative(a))
}

// collinear reports whether the cross product of two vectors is zero.
func collinear(a, b r3.PreciseVector) bool {
	n := a.Cross(b)
	return n.X.Sign() == 0 && n.Y.Sign() == 0 && n.Z.Sign() == 0
}

// place sets the tree and the box of a mesh at a pose. Each box of a face contains the exactly moved face. So the
// exact boxes of the checker are inside these boxes.
func (p *prover) place(ctx context.Context, set *locate.Set) error {
	at := make([]bvh.Box, len(p.mesh.Vertices))
	for i, v := range p.mesh.Vertices {
		near, bound := set.Place.Back(v)
		if !vec.Finite(near) || !(bound < math.MaxFloat64) {
			return fmt.Errorf("%w: vertex %d exceeds the range of float64 there", pose.ErrInvalid, i)
		}
		around := func(f func(x, y float64) float64, sign float64) r3.Vector {
			return r3.Vector{X: f(near.X, sign*bound), Y: f(near.Y, sign*bound), Z: f(near.Z, sign*bound)}
		}
		at[i] = bvh.Box{
			Min: around(func(x, b float64) float64 { return math.Nextafter(x+b, math.Inf(-1)) }, -1),
			Max: around(func(x, b float64) float64 { return math.Nextafter(x+b, math.Inf(1)) }, 1),
		}
	}
	boxes := make([]bvh.Box, p.mesh.NumFaces())
	for f, v := range p.mesh.Faces {
		boxes[f] = at[v[0]].Union(at[v[1]]).Union(at[v[2]])
	}
	tree, err := bvh.Build(ctx, boxes, bvh.Options{Workers: set.Workers})
	if err != nil {
		return err
	}
	p.posed.place, p.tree, p.box = set.Place, tree, tree.Bounds()
	p.tris = make([]mesh.Triangle, len(tree.Index()))
	for i, f := range tree.Index() {
		p.tris[i] = p.mesh.Triangle(f)
	}
	return nil
}

// poseWords returns the value of the line pose: the quaternion w, x, y, z and the translation, or the word identity.
func (x *posed) poseWords() string {
	if x.place == nil {
		return "identity"
	}
	p := x.place.Pose()
	q := p.Rotation
	var text []byte
	for i, c := range []float64{q.Real, q.Imag, q.Jmag, q.Kmag, p.Translation.X, p.Translation.Y, p.Translation.Z} {
		if i > 0 {
			text = append(text, ' ')
		}
		text = appendNumber(text, c)
	}
	return string(text)
}
