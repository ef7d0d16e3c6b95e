package main

import (
	"fmt"
	"math"
	"math/big"
	"runtime"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/mesh"
)

// rule is a definition of the inside that the documentation of a function states. docs/comparison.md
// names the sources.
type rule struct {
	name string
	side func(*ruleJudge, r3.Vector) byte // of a point off the surface: 0, 1 or undecided
	slop float64                          // points within this distance of the surface count as on it, or inside
	ray  r3.Vector                        // the direction of the rule's only ray
}

// key distinguishes rules.
func (r rule) key() string { return fmt.Sprint(r.name, r.ray) }

// insideOrOn is the truth of a point for which a rule allows two answers: inside and on the surface.
const insideOrOn = 4

// The directions of rays. Embree gets float32 values, and three-mesh-bvh the unit vector of the same
// numbers. warpDirection is the direction of the only ray of Warp's mesh_query_point_sign_parity with
// default parameters; every call uses this direction. Warp draws three numbers in the arguments of a call,
// and g++ draws the last one first; other compilers can have another order, and so another direction.
var (
	embreeDirection = r3.Vector{X: float64(float32(0.40824)), Y: float64(float32(0.31415)), Z: float64(float32(0.85713))}
	threeDirection  = r3.Vector{X: 0.40824, Y: 0.31415, Z: 0.85713}.Normalize()
	warpDirection   = r3.Vector{X: float64(float32(1.03469491)), Y: float64(float32(1.08647227)), Z: float64(float32(1.02970099))}
	axes            = [3]r3.Vector{{X: 1}, {Y: 1}, {Z: 1}}
)

var (
	byWinding  = rule{name: "\\|W\\| > ½", side: (*ruleJudge).byWinding}
	byPositive = rule{name: "W > ½", side: (*ruleJudge).byPositive}
	byParity   = rule{name: "odd number of crossings", side: (*ruleJudge).byParity}
	byNormal   = rule{name: "normal at the nearest point", side: (*ruleJudge).byNormal}
	byPlane    = rule{name: "plane of the nearest face, or odd number of crossings", side: (*ruleJudge).byPlane, slop: 1e-8}
	byFirsts   = rule{name: "first faces of three rays vote", side: (*ruleJudge).byFirsts}
	bySixRays  = rule{name: "signed crossings of six rays vote", side: (*ruleJudge).bySixRays}
	bySignedZ  = rule{name: "signed crossings along +z", side: (*ruleJudge).bySignedZ}
)

// oddAlong is the rule of an odd number of crossings of a ray in the direction d.
func oddAlong(d r3.Vector) rule {
	return rule{name: "odd number of crossings of one ray", ray: d, side: func(j *ruleJudge, p r3.Vector) byte { return j.odd(p, d) }}
}

// firstAlong is the rule of the first face that a ray in the direction d meets: the point is inside if
// the ray leaves through the back of this face.
func firstAlong(d r3.Vector) rule {
	return rule{name: "first face of one ray", ray: d, side: func(j *ruleJudge, p r3.Vector) byte { return j.first(p, d) }}
}

// truthsBy returns the true side of each point by a rule: 0, 1, 2 on the surface, undecided, or
// insideOrOn. The truth of the case says which points are on the surface.
func (c *brokenCase) truthsBy(r rule) []byte {
	if r.side == nil { // the rule of inpoly
		return c.truth
	}
	key := r.key()
	if c.ruled[key] == nil {
		if c.ruled == nil {
			c.ruled = map[string][]byte{}
		}
		c.ruled[key] = c.decide(r)
	}
	return c.ruled[key]
}

func (c *brokenCase) decide(r rule) []byte {
	if c.judge == nil {
		c.judge = newRuleJudge(c.mesh, c.solid)
	}
	j := c.judge
	out := make([]byte, len(c.pts))
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for first := range workers {
		wait.Go(func() {
			for i := first; i < len(c.pts); i += workers {
				switch {
				case r.slop > 0 && (c.truth[i] == 2 || j.nearer(c.pts[i], r.slop)):
					out[i] = insideOrOn
				case c.truth[i] == 2:
					out[i] = 2
				default:
					out[i] = r.side(j, c.pts[i])
				}
			}
		})
	}
	wait.Wait()
	return out
}

// ruleJudge decides rules for a mesh. Signs are exact, with two exceptions: sums of normals at edges
// and vertices, and winding numbers of open meshes. These are undecided within rounding.
type ruleJudge struct {
	mesh     *mesh.Mesh
	solid    bool // a closed surface with outward normals and without self-intersections
	size     float64
	features []feature
	judged   *sync.Map // results of the referee for points about which several rules ask
}

// feature is a vertex, the inside of an edge or the inside of a face, with the faces that meet there.
// The unit normals are weighted by the angles at a vertex, and equally at an edge.
type feature struct {
	corners []int32
	faces   []int32
	weights []float64
}

// judge returns the sum of the signs of the crossings of a ray from p, and their number.
func (j *ruleJudge) judge(p r3.Vector) (winding, crossings int) {
	if known, ok := j.judged.Load(p); ok {
		counts := known.([2]int)
		return counts[0], counts[1]
	}
	winding, crossings, _ = referee.Judge(j.mesh.Vertices, j.mesh.Faces, p)
	j.judged.Store(p, [2]int{winding, crossings})
	return winding, crossings
}

// byWinding and byPositive are the rules of winding numbers of the faces as they are.
func (j *ruleJudge) byWinding(p r3.Vector) byte { return j.above(p, math.Abs) }
func (j *ruleJudge) byPositive(p r3.Vector) byte {
	return j.above(p, func(w float64) float64 { return w })
}

// above compares a function of the winding number with ½. As in truthAt, sums of solid angles within
// 1e-9 of ½ are undecided.
func (j *ruleJudge) above(p r3.Vector, of func(float64) float64) byte {
	if j.mesh.Closed() {
		w, _ := j.judge(p)
		return code(of(float64(w)) > 0.5)
	}
	w := 0.0
	for f := range int32(j.mesh.NumFaces()) {
		t := j.mesh.Triangle(f)
		w += solidAngle(t[0].Sub(p), t[1].Sub(p), t[2].Sub(p)) / (4 * math.Pi)
	}
	if math.Abs(of(w)-0.5) < 1e-9 {
		return undecided
	}
	return code(of(w) > 0.5)
}

func code(inside bool) byte {
	if inside {
		return 1
	}
	return 0
}

// byParity is undecided on a mesh with an edge of an odd number of faces: from each point, the parity
// of the crossings changes with the direction of the ray.
func (j *ruleJudge) byParity(p r3.Vector) byte {
	if !j.mesh.EvenEdges() {
		return undecided
	}
	_, crossings := j.judge(p)
	return code(crossings%2 == 1)
}

// odd returns byParity if the parity does not depend on the direction of the ray. Otherwise it
// follows the ray.
func (j *ruleJudge) odd(p, d r3.Vector) byte {
	if j.mesh.EvenEdges() {
		return j.byParity(p)
	}
	hits, clean := j.hits(p, d)
	if !clean {
		return undecided
	}
	return code(len(hits)%2 == 1)
}

// first follows a ray to the first face. On a solid, the answer does not depend on the ray.
func (j *ruleJudge) first(p, d r3.Vector) byte {
	if j.solid {
		return j.byWinding(p)
	}
	hits, _ := j.hits(p, d)
	var depth *big.Rat
	signs := map[int]bool{}
	for _, h := range hits {
		t := h.depth()
		switch {
		case depth == nil || t.Cmp(depth) < 0:
			depth, signs = t, map[int]bool{h.sign: true}
		case t.Cmp(depth) == 0:
			signs[h.sign] = true
		}
	}
	for _, h := range hits {
		if h.sign == 0 { // the ray runs along a face, which may be the first one
			return undecided
		}
	}
	if len(signs) > 1 {
		return undecided
	}
	return code(signs[1])
}

// byFirsts returns the majority of the answers of three rays, along +x, +y and +z, each decided by
// the first face.
func (j *ruleJudge) byFirsts(p r3.Vector) byte {
	var votes [4]int
	for _, d := range axes {
		votes[j.first(p, d)]++
	}
	switch {
	case votes[1] >= 2:
		return 1
	case votes[0] >= 2:
		return 0
	}
	return undecided
}

// bySixRays is true if the signed crossings of the six rays along the axes sum to more than 3.
func (j *ruleJudge) bySixRays(p r3.Vector) byte {
	sum := 0
	for _, d := range axes {
		for _, e := range [2]r3.Vector{d, d.Mul(-1)} {
			w, ok := j.signed(p, e)
			if !ok {
				return undecided
			}
			sum += w
		}
	}
	return code(sum > 3)
}

func (j *ruleJudge) bySignedZ(p r3.Vector) byte {
	w, ok := j.signed(p, axes[2])
	if !ok {
		return undecided
	}
	return code(w != 0)
}

// signed returns the number of faces through which a ray leaves, minus the number of faces through
// which it enters. On a closed mesh, this is the winding number, whatever the ray is. ok is false if
// the ray meets an edge of another mesh.
func (j *ruleJudge) signed(p, d r3.Vector) (w int, ok bool) {
	if j.mesh.Closed() {
		w, _ = j.judge(p)
		return w, true
	}
	hits, clean := j.hits(p, d)
	for _, h := range hits {
		w += h.sign
	}
	return w, clean
}

// hit is a face that a ray meets. sign is 1 if the ray leaves through the back of the face, −1 if it
// enters through the front, and 0 if it runs along the face.
type hit struct {
	sign    int
	p, d    r3.Vector
	corners mesh.Triangle
}

// depth returns the exact length of the ray to the face, in units of the length of d.
func (h hit) depth() *big.Rat {
	if h.sign == 0 {
		return new(big.Rat)
	}
	a, b, c := exactSub(h.corners[0], h.p), exactSub(h.corners[1], h.p), exactSub(h.corners[2], h.p)
	d := exactSub(h.d, r3.Vector{})
	s := exactDet(d, a, b)
	s.Add(s, exactDet(d, b, c)).Add(s, exactDet(d, c, a))
	return s.Quo(exactDet(a, b, c), s)
}

// hits returns the faces that the ray from p in the direction d meets. clean is false if the ray meets
// an edge or runs along a face.
func (j *ruleJudge) hits(p, d r3.Vector) (hits []hit, clean bool) {
	clean = true
	for f := range int32(j.mesh.NumFaces()) {
		t := j.mesh.Triangle(f)
		s := [3]int{detSign(p, d, t[0], t[1]), detSign(p, d, t[1], t[2]), detSign(p, d, t[2], t[0])}
		lo, hi := min(s[0], s[1], s[2]), max(s[0], s[1], s[2])
		if lo < 0 && hi > 0 {
			continue // the line misses the face
		}
		h := hit{sign: hi, p: p, d: d, corners: t}
		if lo < 0 {
			h.sign = lo
		}
		// If p lies on the side where the ray starts, the ray meets the face; otherwise its
		// opposite does.
		if h.sign != 0 && referee.Orient3D(t[0], t[1], t[2], p) != h.sign {
			continue
		}
		clean = clean && lo == hi && h.sign != 0
		hits = append(hits, h)
	}
	return hits, clean
}

// detSign returns the exact sign of d·((a−p)×(b−p)).
func detSign(p, d, a, b r3.Vector) int {
	u, v := a.Sub(p), b.Sub(p)
	det := d.Dot(u.Cross(v))
	// Each of the six products has at most seven roundings, also of the differences.
	abs := func(x, y r3.Vector) r3.Vector { return x.Abs().Add(y.Abs()) }
	m, n, e := abs(a, p), abs(b, p), d.Abs()
	bound := 0x1p-49 * (e.X*(m.Y*n.Z+m.Z*n.Y) + e.Y*(m.Z*n.X+m.X*n.Z) + e.Z*(m.X*n.Y+m.Y*n.X))
	if det > bound {
		return 1
	}
	if det < -bound {
		return -1
	}
	return exactDet(exactSub(d, r3.Vector{}), exactSub(a, p), exactSub(b, p)).Sign()
}

func exactSub(a, b r3.Vector) (d [3]*big.Rat) {
	x, y := [3]float64{a.X, a.Y, a.Z}, [3]float64{b.X, b.Y, b.Z}
	for k := range d {
		d[k] = new(big.Rat).SetFloat64(x[k])
		d[k].Sub(d[k], new(big.Rat).SetFloat64(y[k]))
	}
	return d
}

// exactDet returns u·(v×w).
func exactDet(u, v, w [3]*big.Rat) *big.Rat {
	sum, t := new(big.Rat), new(big.Rat)
	for k := range u {
		a, b := (k+1)%3, (k+2)%3
		minor := new(big.Rat).Mul(v[a], w[b])
		minor.Sub(minor, t.Mul(v[b], w[a]))
		sum.Add(sum, minor.Mul(minor, u[k]))
	}
	return sum
}

// newRuleJudge collects the features of the mesh.
func newRuleJudge(m *mesh.Mesh, solid bool) *ruleJudge {
	j := &ruleJudge{mesh: m, solid: solid, size: m.Box().Size().Norm(), judged: &sync.Map{}}
	type edge [2]int32
	vertices, edges := map[int32]*feature{}, map[edge]*feature{}
	for f, corners := range j.mesh.Faces {
		t := j.mesh.Triangle(int32(f))
		for k := range 3 {
			v, w := corners[k], corners[(k+1)%3]
			if vertices[v] == nil {
				vertices[v] = &feature{corners: []int32{v}}
			}
			angle := t[(k+1)%3].Sub(t[k]).Angle(t[(k+2)%3].Sub(t[k])).Radians()
			vertices[v].faces, vertices[v].weights = append(vertices[v].faces, int32(f)), append(vertices[v].weights, angle)
			e := edge{min(v, w), max(v, w)}
			if edges[e] == nil {
				edges[e] = &feature{corners: []int32{e[0], e[1]}}
			}
			edges[e].faces, edges[e].weights = append(edges[e].faces, int32(f)), append(edges[e].weights, 1)
		}
		j.features = append(j.features, feature{corners: corners[:], faces: []int32{int32(f)}, weights: []float64{1}})
	}
	for _, v := range vertices {
		j.features = append(j.features, *v)
	}
	for _, e := range edges {
		j.features = append(j.features, *e)
	}
	return j
}

// distance returns the distance of p from the inside of a feature, and +Inf if the nearest point of its
// line or plane lies outside of it.
func (j *ruleJudge) distance(p r3.Vector, f *feature) float64 {
	a := j.mesh.Vertices[f.corners[0]]
	q := p.Sub(a)
	switch len(f.corners) {
	case 1:
		return q.Norm()
	case 2:
		e := j.mesh.Vertices[f.corners[1]].Sub(a)
		if s := q.Dot(e); s < 0 || s > e.Norm2() {
			return math.Inf(1)
		}
		return q.Cross(e).Norm() / e.Norm()
	}
	b, c := j.mesh.Vertices[f.corners[1]], j.mesh.Vertices[f.corners[2]]
	n := b.Sub(a).Cross(c.Sub(a))
	for _, e := range [3][2]r3.Vector{{a, b}, {b, c}, {c, a}} {
		if e[1].Sub(e[0]).Cross(p.Sub(e[0])).Dot(n) < 0 {
			return math.Inf(1)
		}
	}
	return math.Abs(q.Dot(n)) / n.Norm()
}

// nearer reports whether p is within the given distance of the mesh.
func (j *ruleJudge) nearer(p r3.Vector, distance float64) bool {
	for i := range j.features {
		if j.distance(p, &j.features[i]) <= distance {
			return true
		}
	}
	return false
}

// byNormal is the sign of the pseudonormal at the nearest point (Bærentzen and Aanæs 2005): the normal
// of a face, the sum of the normals of the two faces at an edge, or the sum of the normals at a
// vertex, weighted by angles.
func (j *ruleJudge) byNormal(p r3.Vector) byte {
	return j.atNearest(p, func(f *feature) byte { return j.sideOf(p, f) })
}

// byPlane returns the side of the plane of the nearest face, if the nearest point lies inside this
// face. Otherwise it returns the parity of the crossings.
func (j *ruleJudge) byPlane(p r3.Vector) byte {
	return j.atNearest(p, func(f *feature) byte {
		if len(f.corners) == 3 {
			return j.sideOf(p, f)
		}
		return j.byParity(p)
	})
}

// atNearest returns the side at the nearest feature. Several features can be nearest within
// rounding. If their sides differ, the answer is undecided.
func (j *ruleJudge) atNearest(p r3.Vector, side func(*feature) byte) byte {
	distances := make([]float64, len(j.features))
	least := math.Inf(1)
	for i := range j.features {
		distances[i] = j.distance(p, &j.features[i])
		least = min(least, distances[i])
	}
	out := byte(undecided)
	for i := range j.features {
		if distances[i] > least+1e-14*(j.size+least) {
			continue
		}
		s := side(&j.features[i])
		if s == undecided || out != undecided && s != out {
			return undecided
		}
		out = s
	}
	return out
}

// sideOf returns the side of p at a feature. The sign is exact at a face.
func (j *ruleJudge) sideOf(p r3.Vector, f *feature) byte {
	if len(f.corners) == 3 {
		t := j.mesh.Triangle(f.faces[0])
		switch referee.Orient3D(t[0], t[1], t[2], p) {
		case 1:
			return 1
		case -1:
			return 0
		}
		return undecided
	}
	q := p.Sub(j.mesh.Vertices[f.corners[0]])
	sum, weights := 0.0, 0.0
	for i, face := range f.faces {
		t := j.mesh.Triangle(face)
		sum += f.weights[i] * q.Dot(t[1].Sub(t[0]).Cross(t[2].Sub(t[0])).Normalize())
		weights += f.weights[i]
	}
	if math.Abs(sum) <= 1e-14*weights*j.size {
		return undecided
	}
	return code(sum < 0)
}
