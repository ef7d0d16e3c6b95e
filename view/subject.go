package view

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// subject is the object that a Scene draws: one solid, or the solids of an assembly with the faces
// of all meshes in one list.
type subject struct {
	vertices []r3.Vector
	faces    [][3]int32
	box      bvh.Box
	parts    []part
	bodies   []string // names of bodies: for one solid the bodies of its file, otherwise of all files
	owner    []int    // index in parts of each body
	label    []int32  // body of each face; nil if there is one body

	report   inpoly.Report // report of the solid, or sums over several solids; see sumReports
	rule     string
	method   string
	warnings []string

	// locate writes the answers for the union of all solids.
	locate func(ctx context.Context, q assembly.Query, dst inpoly.Answers, pts []r3.Vector) error
}

// part is a solid of a subject.
type part struct {
	name   string
	solid  *inpoly.Solid
	vertex int32                  // first vertex in subject.vertices
	face   int32                  // first face in subject.faces
	file   func(face int32) int32 // converts an index of a face to its index in the file
}

func newSubject(solid *inpoly.Solid) *subject {
	m, r := solid.Mesh(), solid.Report()
	s := &subject{
		vertices: m.Vertices, faces: m.Faces, box: m.Box(), report: r, rule: r.Rule.String(), warnings: r.Warnings(),
		method: r.Method.String() + " (" + r.MethodReason + ")",
		parts:  []part{{solid: solid, file: func(face int32) int32 { return face }}},
		locate: func(ctx context.Context, _ assembly.Query, dst inpoly.Answers, pts []r3.Vector) error {
			_, err := solid.LocateTo(ctx, dst, pts)
			return err
		},
	}
	s.labelFaces()
	return s
}

func newAssemblySubject(a *assembly.Assembly) *subject {
	if a.Len() == 1 {
		s := newSubject(a.Solid(0))
		s.parts[0].name, s.parts[0].file = a.Name(0), func(face int32) int32 { return a.FileFace(0, face) }
		return s
	}
	s := &subject{box: bvh.EmptyBox(), warnings: a.Report().Warnings()}
	var rules, methods []string
	add := func(list []string, name string) []string {
		if slices.Contains(list, name) {
			return list
		}
		return append(list, name)
	}
	for i := range a.Len() {
		solid := a.Solid(i)
		m, r := solid.Mesh(), solid.Report()
		first := int32(len(s.vertices))
		s.parts = append(s.parts, part{a.Name(i), solid, first, int32(len(s.faces)), func(face int32) int32 { return a.FileFace(i, face) }})
		s.vertices = append(s.vertices, m.Vertices...)
		for _, f := range m.Faces {
			s.faces = append(s.faces, [3]int32{first + f[0], first + f[1], first + f[2]})
		}
		if b := m.Box(); !b.Empty() {
			s.box = s.box.Add(b.Min).Add(b.Max)
		}
		rules, methods = add(rules, r.Rule.String()), add(methods, r.Method.String())
	}
	s.report = sumReports(a.Report().Solids)
	s.report.Diagnosis.Box = s.box
	s.rule, s.method = joined(rules), joined(methods)
	s.locate = func(ctx context.Context, q assembly.Query, dst inpoly.Answers, pts []r3.Vector) error {
		_, err := a.LocateTo(ctx, q, dst, pts)
		return err
	}
	s.labelFaces()
	return s
}

// joined returns "a, b and c".
func joined(names []string) string {
	out := ""
	for i, name := range names {
		switch {
		case i == 0:
			out = name
		case i == len(names)-1:
			out += " and " + name
		default:
			out += ", " + name
		}
	}
	return out
}

// sumReports returns a report whose diagnosis has the sums of the counts, areas and volumes of all
// reports. A property such as Watertight holds if it holds for each mesh.
func sumReports(reports []inpoly.Report) inpoly.Report {
	var sum inpoly.Report
	d := &sum.Diagnosis
	d.Watertight, d.ZeroBoundary, d.EvenEdges, d.ConsistentOrientation = true, true, true, true
	for i, r := range reports {
		if i == 0 {
			sum.Source, sum.Orient, sum.Rule, sum.Method, sum.Tolerance = r.Source, r.Orient, r.Rule, r.Method, r.Tolerance
		}
		if r.Orientation != nil {
			sum.Orientation = r.Orientation
		}
		if w := r.Welding; w != nil {
			if sum.Welding == nil {
				sum.Welding = &mesh.Welding{Tolerance: w.Tolerance}
			}
			sum.Welding.Joined += w.Joined
			sum.Welding.Collapsed += w.Collapsed
			sum.Welding.Farthest = max(sum.Welding.Farthest, w.Farthest)
		}
		x := &r.Diagnosis
		for _, n := range [][2]*int{
			{&d.Faces, &x.Faces}, {&d.Triangles, &x.Triangles}, {&d.Vertices, &x.Vertices}, {&d.Bodies, &x.Bodies},
			{&d.Collapsed, &x.Collapsed}, {&d.ZeroArea, &x.ZeroArea}, {&d.Edges, &x.Edges}, {&d.BoundaryEdges, &x.BoundaryEdges},
			{&d.NonManifoldEdges, &x.NonManifoldEdges}, {&d.UnbalancedEdges, &x.UnbalancedEdges}, {&d.MisorientedEdges, &x.MisorientedEdges},
			{&d.ChainEdges, &x.ChainEdges}, {&d.ChainLoops, &x.ChainLoops}, {&d.DuplicateFaces, &x.DuplicateFaces},
			{&d.OppositeFaces, &x.OppositeFaces}, {&d.OpenComponents, &x.OpenComponents}, {&d.InwardComponents, &x.InwardComponents},
		} {
			*n[0] += *n[1]
		}
		d.ChainMultiplicity += x.ChainMultiplicity
		d.Components = append(d.Components, x.Components...)
		d.Area += x.Area
		d.Volume += x.Volume
		d.VolumeError += x.VolumeError
		d.Watertight = d.Watertight && x.Watertight
		d.ZeroBoundary = d.ZeroBoundary && x.ZeroBoundary
		d.EvenEdges = d.EvenEdges && x.EvenEdges
		d.ConsistentOrientation = d.ConsistentOrientation && x.ConsistentOrientation
	}
	return sum
}

// labelFaces sets the names of the bodies and the body of each face. A face of two bodies belongs
// to the first of them.
func (s *subject) labelFaces() {
	s.label = make([]int32, len(s.faces))
	for i, p := range s.parts {
		m := p.solid.Mesh()
		first, prefix := int32(len(s.bodies)), ""
		if len(s.parts) > 1 {
			prefix = p.name
		}
		if len(m.Bodies) == 0 || len(m.Bodies) == 1 && int(m.Bodies[0].Count) == m.NumFaces() {
			s.bodies, s.owner = append(s.bodies, prefix), append(s.owner, i)
			for f := range m.Faces {
				s.label[int(p.face)+f] = first
			}
			continue
		}
		if prefix != "" {
			prefix += "/"
		}
		rest := int32(len(m.Bodies)) // names has a last element for the other faces
		for f := range m.Faces {
			s.label[int(p.face)+f] = first + rest
		}
		for body, b := range slices.Backward(m.Bodies) {
			for f := b.First; f < b.First+b.Count; f++ {
				s.label[p.face+f] = first + int32(body)
			}
		}
		names := m.BodyNames()
		others := slices.Contains(s.label[p.face:int(p.face)+len(m.Faces)], first+rest)
		if !others {
			names = names[:rest]
		}
		for _, name := range names {
			s.bodies, s.owner = append(s.bodies, prefix+name), append(s.owner, i)
		}
	}
	if len(s.bodies) < 2 {
		s.label = nil
	}
}

// windings writes winding numbers and their bounds. The winding number of several solids is the sum
// of their winding numbers.
func (s *subject) windings(ctx context.Context, w, bounds []float64, pts []r3.Vector) error {
	dst := inpoly.Answers{Answers: side.Answers{Winding: w, Bound: bounds}}
	return s.locate(ctx, assembly.Query{}, dst, pts)
}

// origin returns the part with the given face, and the index of the face in the file of the part.
func (s *subject) origin(face int32) (index int, inFile int32) {
	// The search finds the first part that begins after the face.
	i := sort.Search(len(s.parts), func(i int) bool { return s.parts[i].face > face }) - 1
	return i, s.parts[i].file(face - s.parts[i].face)
}

// defects returns the kinds of defects of all solids; see findDefects.
func (s *subject) defects(ctx context.Context) (layers []*layer, flipped int, err error) {
	for _, p := range s.parts {
		found, turned, err := findDefects(ctx, p.solid)
		if err != nil {
			return nil, 0, err
		}
		flipped += turned
		for _, l := range found {
			l.shift(p.vertex, p.face)
			i := slices.IndexFunc(layers, func(o *layer) bool { return o.Key == l.Key })
			if i < 0 {
				layers = append(layers, l)
				continue
			}
			o := layers[i]
			o.Total += l.Total
			o.edges, o.faces = thin(append(o.edges, l.edges...), maxMarks), thin(append(o.faces, l.faces...), maxMarks)
		}
	}
	slices.SortStableFunc(layers, func(a, b *layer) int { return a.order - b.order })
	return layers, flipped, nil
}

// details holds further answers for the drawn points. The slices that were not requested are nil.
type details struct {
	winding, bound, distance []float64
	body                     []int32
}

// details computes further answers for pts. Bodies require several solids.
func (s *subject) details(ctx context.Context, opt *Options, pts []r3.Vector) (d details, err error) {
	var dst inpoly.Answers
	n := len(pts)
	if opt.Windings {
		d.winding, d.bound = make([]float64, n), make([]float64, n)
		dst.Winding, dst.Bound = d.winding, d.bound
	}
	if opt.Distances {
		d.distance = make([]float64, n)
		dst.Distance, dst.Face = d.distance, make([]int32, n)
	}
	if len(s.parts) > 1 {
		d.body = make([]int32, n)
		dst.Body = d.body
	}
	if dst.Winding == nil && dst.Distance == nil && dst.Body == nil {
		return d, nil
	}
	if err := s.locate(ctx, assembly.Query{Body: opt.Body}, dst, pts); err != nil {
		return d, err
	}
	for i, w := range d.winding {
		if math.IsNaN(w) {
			d.bound[i] = math.NaN()
		}
	}
	return d, nil
}
