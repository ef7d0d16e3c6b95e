package rays

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/joined"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// Group finds the hits of lines with the faces of several Targets, in the exact order of their
// parameters. It is immutable and safe for concurrent use. Pass it to GroupFirstTo, GroupAnyTo or
// GroupAllTo. A Group has no intervals; find those of each Target with its own Caster.
type Group struct {
	// casters has one Caster for each Target. But if all Targets have one pose, casters has a
	// single Caster for the faces of all of them, and faces maps its faces to the Targets.
	casters []*Caster
	faces   *joined.Faces
	members []*lazy.Value[member]
	workers int
}

// member is a Caster with the index of the triangle of each face.
type member struct {
	*Caster
	triangles []int32
}

// GroupHit is a hit of a line with one of several Targets.
type GroupHit struct {
	Hit          // Face is the number of the face in the mesh of the Target
	Target int32 // number of the Target, or −1 if the line meets no face or is not valid
}

// NewGroup returns a Group for Targets. If all Targets have the same pose, the Group has one tree
// over all their faces.
//
// Errors: mesh.ErrTooLarge if Targets with one pose have too many vertices or faces together; the
// errors of New.
func NewGroup(ctx context.Context, targets []inpoly.Target, workers int) (*Group, error) {
	g := &Group{workers: workers}
	if len(targets) > 1 && onePose(targets) {
		all, err := g.join(ctx, targets)
		if err != nil {
			return nil, err
		}
		targets = []inpoly.Target{all}
	}
	for _, t := range targets {
		c, err := New(ctx, t)
		if err != nil {
			return nil, err
		}
		g.casters = append(g.casters, c)
		g.members = append(g.members, lazy.New(func(context.Context) (*member, error) { return newMember(c), nil }))
	}
	return g, nil
}

// Caster returns the Caster of Target i. It returns nil if the Group has one tree over the faces of
// several Targets.
func (g *Group) Caster(i int) *Caster {
	if g.faces != nil {
		return nil
	}
	return g.casters[i]
}

// onePose reports whether all Targets have the same pose.
func onePose(targets []inpoly.Target) bool {
	first := targets[0].Pose()
	return !slices.ContainsFunc(targets, func(t inpoly.Target) bool { return t.Pose() != first })
}

// join returns one Target with the faces of all Targets. The Targets must have one pose.
func (g *Group) join(ctx context.Context, targets []inpoly.Target) (inpoly.Target, error) {
	meshes := make([]*mesh.Mesh, len(targets))
	for i, t := range targets {
		meshes[i] = t.Mesh()
	}
	faces, soup, err := joined.Meshes(ctx, meshes)
	if err != nil {
		return nil, err
	}
	g.faces = faces
	m, err := mesh.NewOwned(ctx, soup, mesh.Options{Workers: g.workers})
	if err != nil {
		return nil, err
	}
	opt := inpoly.Options{Orient: inpoly.OrientNever, Workers: g.workers}
	locate.Need(&opt, locate.Tree)
	all, err := inpoly.New(ctx, m, opt)
	if err != nil {
		return nil, err
	}
	if at := targets[0].Pose(); at != all.Pose() {
		return all.At(at)
	}
	return all, nil
}

func newMember(c *Caster) *member {
	m := &member{c, make([]int32, c.mesh.NumFaces())}
	for i := range c.faces {
		m.triangles[c.faces[i].Number] = int32(i)
	}
	return m
}

// owned returns h with the number of its Target, and with the number of the face in this Target.
func (g *Group) owned(caster int, h Hit) GroupHit {
	switch {
	case h.Face < 0:
		return GroupHit{h, -1}
	case g.faces != nil:
		target, face := g.faces.Owner(h.Face)
		h.Face = face
		return GroupHit{h, target}
	}
	return GroupHit{h, int32(caster)}
}

// GroupFirstTo writes to dst[i] the first face of a Target that lines[i] meets; see FirstTo. If faces of several
// Targets have the least parameter, dst[i] is the hit of the first of these Targets.
func GroupFirstTo[L Line](ctx context.Context, g *Group, dst []GroupHit, lines []L) error {
	mustMatch(len(dst), len(lines))
	for i := range dst {
		dst[i] = GroupHit{noHit(), -1}
	}
	found := make([]Hit, len(lines))
	for k, c := range g.casters {
		if err := FirstTo(ctx, c, found, lines); err != nil {
			return err
		}
		if err := par.Blocks(ctx, len(lines), blockSize, g.workers, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				x, y := candidateHit{GroupHit: dst[i], caster: int(dst[i].Target)}, candidateHit{GroupHit: g.owned(k, found[i]), caster: k}
				if k == 0 || y.Face >= 0 && (x.Face < 0 || compareIn(g, &lines[i], &y, &x) < 0) {
					x = y
				}
				dst[i] = x.GroupHit
			}
		}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// GroupAnyTo writes to dst[i] whether lines[i] meets a face of a Target; see AnyTo.
func GroupAnyTo[L Line](ctx context.Context, g *Group, dst []bool, lines []L) error {
	mustMatch(len(dst), len(lines))
	clear(dst)
	one := make([]bool, len(lines))
	for _, c := range g.casters {
		if err := AnyTo(ctx, c, one, lines); err != nil {
			return err
		}
		for i, met := range one {
			dst[i] = dst[i] || met
		}
	}
	return ctx.Err()
}

// GroupHits holds all hits of a batch of lines with a Group. GroupAllTo reuses the slices of earlier calls.
type GroupHits struct {
	Hits []GroupHit
	// Offsets has one more element than the batch has lines. The hits of line i are
	// Hits[Offsets[i]:Offsets[i+1]].
	Offsets []int
}

// Of returns the hits of line i.
func (h *GroupHits) Of(i int) []GroupHit { return h.Hits[h.Offsets[i]:h.Offsets[i+1]] }

// GroupAllTo writes all hits of the lines with all Targets to dst; see AllTo. Hits with equal parameters are in the
// order of the Targets and of their faces.
func GroupAllTo[L Line](ctx context.Context, g *Group, dst *GroupHits, lines []L) error {
	dst.Hits, dst.Offsets = dst.Hits[:0], append(dst.Offsets[:0], 0)
	lists := make([]Hits, len(g.casters))
	for k, c := range g.casters {
		if err := AllTo(ctx, c, &lists[k], lines); err != nil {
			return err
		}
	}
	var merged []candidateHit
	for i := range lines {
		if i%blockSize == 0 && ctx.Err() != nil {
			dst.Hits, dst.Offsets = dst.Hits[:0], dst.Offsets[:1]
			return ctx.Err()
		}
		merged = merged[:0]
		for k := range lists {
			for _, h := range lists[k].Of(i) {
				if h.Face >= 0 || k == 0 { // a line that is not valid has one hit
					merged = append(merged, candidateHit{GroupHit: g.owned(k, h), caster: k})
				}
			}
		}
		if len(lists) > 1 {
			merge(g, &lines[i], merged)
		}
		for _, x := range merged {
			dst.Hits = append(dst.Hits, x.GroupHit)
		}
		dst.Offsets = append(dst.Offsets, len(dst.Hits))
	}
	return nil
}

// candidateHit is a hit of a line during a merge of several Casters.
type candidateHit struct {
	GroupHit
	caster   int
	at       parameter
	num, den *big.Float // the exact parameter, or nil if it was not needed yet
}

// merge sorts the hits of a line with several Casters. The hits of each Caster must already be in
// order.
func merge[L Line](g *Group, l *L, hits []candidateHit) {
	// Insertion sort keeps the order of the hits of a Caster, and needs few comparisons.
	for i := 1; i < len(hits); i++ {
		for k := i; k > 0 && hits[k].caster != hits[k-1].caster && compareIn(g, l, &hits[k], &hits[k-1]) < 0; k-- {
			hits[k], hits[k-1] = hits[k-1], hits[k]
		}
	}
	// compareIn rounds some parameters of a Caster but not those beside them. Round these too, so that T ascends and equal
	// parameters have equal T.
	for k := 1; k < len(hits); k++ {
		if x, y := &hits[k-1], &hits[k]; x.num != nil && overlap(x, y) {
			resolve(g, l, y)
		}
	}
	for k := len(hits) - 1; k > 0; k-- {
		if x, y := &hits[k-1], &hits[k]; y.num != nil && overlap(x, y) {
			resolve(g, l, x)
		}
	}
}

// overlap reports whether the intervals of the parameters of two hits overlap. x is before y.
func overlap(x, y *candidateHit) bool { return !(x.T+x.Bound < y.T-y.Bound) }

// compareIn compares the exact parameters of two hits of a line. If the intervals of the parameters
// overlap, compareIn also rounds both parameters.
func compareIn[L Line](g *Group, l *L, x, y *candidateHit) int {
	switch {
	case x.T+x.Bound < y.T-y.Bound:
		return -1
	case x.T-x.Bound > y.T+y.Bound:
		return 1
	}
	resolve(g, l, x)
	resolve(g, l, y)
	if x.T != y.T {
		return cmp.Compare(x.T, y.T)
	}
	left, right := new(big.Float).Mul(x.num, y.den), new(big.Float).Mul(y.num, x.den)
	return left.Cmp(right) * x.den.Sign() * y.den.Sign()
}

// resolve computes the exact parameter of a hit, and rounds it.
func resolve[L Line](g *Group, l *L, x *candidateHit) {
	if x.num != nil {
		return
	}
	c, err := g.members[x.caster].Get(context.Background()) // it takes O(n) time once
	if err != nil {
		panic("rays: " + err.Error()) // newMember does not fail
	}
	var memory posed
	var signs predicates.Counter
	n := newLine(c.Caster, l, &memory)
	var h hit
	if !c.meet(&n, c.triangles[x.Face], 0, &signs, &h) {
		panic("rays: a line misses a face that it meets")
	}
	x.at = h.at
	x.num, x.den = c.ratio(&n, &x.at)
	x.at.round(x.num, x.den)
	x.T, x.Bound = x.at.t, x.at.bound
}
