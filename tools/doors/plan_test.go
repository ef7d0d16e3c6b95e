package doors

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/tools/doors/job"
)

// planner writes the files of a job and collects its steps.
type planner struct {
	t       *testing.T
	dir     string
	random  *rand.Rand
	sources []source
	full    bool
	steps   []job.Step
}

// plan returns the steps of a job: a rule for each mesh that is not large, with the other options at
// random. If full is set, it is all rules and methods for all meshes.
func plan(t *testing.T, dir string, sources []source, full bool, r *rand.Rand) []job.Step {
	p := &planner{t, dir, r, sources, full, nil}
	for i := range sources {
		p.mesh(i)
	}
	p.assemblies()
	p.batches()
	return p.steps
}

func pick[T any](p *planner, choices ...T) T { return choices[p.random.IntN(len(choices))] }

var (
	rules   = []string{"nonzero", "positive", "negative", "evenodd"}
	methods = methodNames()
)

func methodNames() (names []string) {
	for _, m := range inpoly.Methods() {
		names = append(names, m.String())
	}
	return names
}

// slowLimit is the largest number of triangles for the method direct, for the option orient=always
// and for points that are very far away, which take long for large meshes.
const slowLimit = 5000

// large is the number of triangles above which a mesh is not in the sample.
const large = 5_000

func (p *planner) mesh(i int) {
	s := p.sources[i]
	if s.refused {
		p.open(i, s, job.Open{How: "file", Method: "auto", Rule: "nonzero"})
		return
	}
	base := p.write(fmt.Sprintf("mesh%d", i), s.mesh)
	allowed := methods
	if s.mesh.NumFaces() > slowLimit {
		allowed = slices.DeleteFunc(slices.Clone(methods), func(name string) bool { return name == "direct" })
	}
	some, ruled := allowed, rules
	if !p.full {
		some, ruled = []string{pick(p, allowed...)}, rules[i%4:][:1]
		if s.mesh.NumFaces() > large {
			return
		}
	}
	for _, rule := range ruled {
		for _, method := range some {
			o := job.Open{How: p.how(s), Method: method, Rule: rule}
			if p.random.IntN(2) == 0 {
				o.Tolerance = p.tolerance(s.mesh)
			}
			p.open(i, s, o)
			p.questions(base, p.full)
		}
	}
}

// how chooses how a mesh is opened.
func (p *planner) how(s source) string {
	if s.external {
		return pick(p, "file", "arrays")
	}
	return pick(p, "file", "memory", "arrays")
}

// tolerance returns a tolerance that some of the points near the surface are within.
func (p *planner) tolerance(m *mesh.Mesh) float64 {
	if m.NumFaces() == 0 {
		return 1
	}
	return m.Box().Size().Norm() * math.Pow(10, -1-6*p.random.Float64())
}

// open adds the step open for source i, with the other options at random.
func (p *planner) open(i int, s source, o job.Open) {
	o.Orient = pick(p, "auto", "never", "always")
	if o.Orient == "always" && !s.refused && s.mesh.NumFaces() > slowLimit {
		o.Orient = "auto"
	}
	o.Workers = pick(p, 1, 2, 5)
	o.Split = o.How != "arrays" && p.random.IntN(3) == 0
	if p.random.IntN(4) == 0 && (o.Method == "auto" || o.Method == "raycross") {
		o.Epsilon = 1e-6
	}
	o.Sources = []string{s.path}
	if o.How == "arrays" {
		o.Sources = p.arrays(i)
	}
	p.steps = append(p.steps, o.Step())
}

// arrays chooses files of arrays.
func (p *planner) arrays(i int) []string {
	at := func(name string) string { return filepath.Join(p.dir, fmt.Sprintf("mesh%d.%s", i, name)) }
	return pick(p, []string{at("f64"), at("u32")}, []string{at("f64"), at("i32")}, []string{at("f32"), at("u32")},
		[]string{at("corners.f64"), "-"}, []string{at("corners.f32"), "-"})
}

// write writes the arrays and the points of a mesh. It returns the path of the points without suffix.
func (p *planner) write(name string, m *mesh.Mesh) string {
	base := filepath.Join(p.dir, name)
	var corners []r3.Vector
	for f := range int32(m.NumFaces()) {
		t := m.Triangle(f)
		corners = append(corners, t[:]...)
	}
	pts := p.points(m)
	for _, err := range []error{
		job.WriteVectors(base+".f64", m.Vertices), job.WriteVectors(base+".f32", m.Vertices),
		job.WriteFaces(base+".u32", m.Faces), job.WriteFaces(base+".i32", m.Faces),
		job.WriteVectors(base+".corners.f64", corners), job.WriteVectors(base+".corners.f32", corners),
		job.WriteVectors(base+".points.f64", pts), job.WriteVectors(base+".points.f32", pts),
	} {
		if err != nil {
			p.t.Fatal(err)
		}
	}
	return base + ".points"
}

// points returns points whose sides are hard to compute, points far away, and points that are not
// finite.
func (p *planner) points(m *mesh.Mesh) []r3.Vector {
	random, faces := 30, 8
	if p.full {
		random, faces = 200, 40
	}
	var pts []r3.Vector
	center, size := r3.Vector{}, 1.0
	if m.NumFaces() > 0 {
		pts = testcorpus.Probes(m, random, faces, p.random)
		center, size = m.Box().Min.Add(m.Box().Max).Mul(0.5), m.Box().Size().Norm()
	}
	distances := []float64{1, 10}
	if m.NumFaces() <= slowLimit {
		distances = append(distances, 1e6, 1e300/max(size, 1))
	}
	for _, far := range distances {
		pts = append(pts, center.Add(r3.Vector{X: far * size, Y: -far * size, Z: 0.3 * far * size}))
	}
	zero := math.Copysign(0, -1)
	pts = append(pts, r3.Vector{X: zero, Y: zero, Z: zero}, r3.Vector{X: 0, Y: zero, Z: center.Z}, center)
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		pts = append(pts, r3.Vector{X: bad, Y: center.Y, Z: center.Z}, r3.Vector{X: center.X, Y: center.Y, Z: bad})
	}
	p.random.Shuffle(len(pts), func(i, j int) { pts[i], pts[j] = pts[j], pts[i] })
	return pts
}

// questions adds the steps points and those after it, in random order.
func (p *planner) questions(base string, all bool) {
	file := base + pick(p, ".f64", ".f64", ".f32")
	pts, err := job.ReadVectors(file)
	if err != nil {
		p.t.Fatal(err)
	}
	p.steps = append(p.steps, job.Step{Name: "points", Args: []string{file, fmt.Sprint(len(pts))}})
	asked := []job.Step{
		{Name: "sides"}, {Name: "single", Args: []string{"20"}}, {Name: "windings"}, {Name: "distances"}, {Name: "nearest"}, {Name: "hits"},
		{Name: "locate", Args: []string{pick(p, "first", "innermost", "count")}},
	}
	asked[1].Args[0] = fmt.Sprint(min(20, len(pts)))
	p.random.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
	if !all {
		asked = asked[:4]
	}
	p.steps = append(p.steps, asked...)
}

// assemblies adds opens of several meshes.
func (p *planner) assemblies() {
	var small []int
	for i, s := range p.sources {
		if !s.refused && s.mesh.NumFaces() <= large && s.mesh.NumFaces() > 0 {
			small = append(small, i)
		}
	}
	times := 4
	if p.full {
		times = 40
	}
	for range times {
		o := job.Open{How: pick(p, "file", "arrays"), Method: "auto", Rule: pick(p, rules...), Orient: "auto", Workers: pick(p, 1, 2, 5)}
		var last int
		for range 2 + p.random.IntN(3) {
			last = pick(p, small...)
			if o.How == "file" {
				o.Sources = append(o.Sources, p.sources[last].path)
			} else {
				o.Sources = append(o.Sources, p.arrays(last)...)
			}
		}
		p.steps = append(p.steps, o.Step())
		p.questions(filepath.Join(p.dir, fmt.Sprintf("mesh%d.points", last)), true)
	}
}

// batches adds large batches for a closed and an open mesh.
func (p *planner) batches() {
	n := 5_000
	if p.full {
		n = 200_000
	}
	for i, s := range p.sources {
		if name := filepath.Base(s.path); name != "knot.stl" && name != "hole.stl" {
			continue
		}
		file := filepath.Join(p.dir, fmt.Sprintf("batch%d.f64", i))
		var pts []r3.Vector
		box := s.mesh.Box()
		for range n {
			u := r3.Vector{X: p.random.Float64(), Y: p.random.Float64(), Z: p.random.Float64()}
			size := box.Size().Mul(1.2)
			pts = append(pts, box.Min.Add(r3.Vector{X: (u.X - 0.1) * size.X, Y: (u.Y - 0.1) * size.Y, Z: (u.Z - 0.1) * size.Z}))
		}
		if err := job.WriteVectors(file, pts); err != nil {
			p.t.Fatal(err)
		}
		p.open(i, s, job.Open{How: "memory", Method: "auto", Rule: "nonzero"})
		p.steps = append(p.steps, job.Step{Name: "points", Args: []string{file, fmt.Sprint(n)}},
			job.Step{Name: "sides"}, job.Step{Name: "windings"})
		if p.full {
			p.steps = append(p.steps, job.Step{Name: "locate", Args: []string{"first"}})
		}
	}
}

// opened describes the step open for a message.
func opened(s job.Step) string {
	o, err := s.Open()
	if err != nil {
		return err.Error()
	}
	var names []string
	for _, path := range o.Sources {
		names = append(names, filepath.Base(path))
	}
	return fmt.Sprintf("%s (from %s; method %s, rule %s, orient %s, tolerance %v, epsilon %v, workers %d, split %t)",
		strings.Join(names, " "), o.How, o.Method, o.Rule, o.Orient, o.Tolerance, o.Epsilon, o.Workers, o.Split)
}
