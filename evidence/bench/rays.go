package main

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/rays"
)

// rayMeshes are the meshes of the table rays: a sphere, and paths in the corpus.
var rayMeshes = []string{
	"", "dodeca_chain_loop.3mf", "scallop.glb", "dragon_vrip_res3.ply", "complex_bin.stl", "Kettle.obj", "bunny.ply",
	"1002_tray_bottom.STL", "cycloidal.ply", "hello.stl", "2CylinderEngine.glb", "lego.ply", "ballA.off",
}

// rayRow is the comparison of one set of rays on one mesh.
type rayRow struct {
	question     string // first, all, any or intervals
	ours, theirs float64
	peer         string
	mesh, set    string
	differ       int
}

// raySet is a set of rays, or of segments. A line is a pair of vectors: origin and direction, or both ends.
type raySet struct {
	name     string
	segments bool
	lines    [][2]r3.Vector
}

// raysTable measures first, any and all hits of rays and segments against Embree and CGAL, and intervals of
// segments. All programs get the same vertices in float64. Times are CPU seconds without the build.
func (b *bench) raysTable() error {
	if _, err := cpuSeconds(); err != nil {
		return err
	}
	var rows []rayRow
	header("<mesh", "triangles", "<lines", "<question", "<peer", "ours build CPU s", "ours M/CPU s", "peer build CPU s", "peer M/CPU s",
		"ours / peer", "compared", "only we hit", "only the peer hits", "other place")
	for _, name := range rayMeshes {
		if b.quick && name != "" || !strings.Contains(cmp.Or(name, "sphere131072"), b.match) {
			continue
		}
		m, err := b.rayMesh(name)
		if err != nil {
			log.Printf("rays: mesh %s skipped: %v", name, err)
			continue
		}
		some, err := b.rayRows(cmp.Or(name, "sphere131072"), m)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, some...)
	}
	printRays(rows)
	return nil
}

// rayMesh returns the sphere, or the mesh of the corpus whose path ends with the name.
func (b *bench) rayMesh(name string) (*mesh.Mesh, error) {
	if name == "" {
		if b.quick {
			return testmesh.Sphere(4), nil
		}
		return testmesh.Sphere(7), nil
	}
	names, err := manifest(b.corpus)
	if err != nil {
		return nil, err
	}
	for _, path := range names {
		if filepath.Base(path) == name {
			return load(b.ctx, filepath.Join(b.corpus, path), b.threads)
		}
	}
	return nil, os.ErrNotExist
}

// raySets returns random rays from inside, rays of a camera, and random segments.
func (b *bench) raySets(m *mesh.Mesh, s *inpoly.Solid) ([]raySet, error) {
	n := min(b.most, 500_000)
	if b.quick {
		n = 1000
	}
	rng := newRand(4)
	direction := func() r3.Vector {
		for {
			d := r3.Vector{X: 2*rng.Float64() - 1, Y: 2*rng.Float64() - 1, Z: 2*rng.Float64() - 1}
			if l := d.Norm(); l < 1 && l > 0.1 {
				return d.Mul(1 / l)
			}
		}
	}
	pts := inBox(m, 4*n)
	sides := make([]inpoly.Side, len(pts))
	if err := s.SidesTo(b.ctx, sides, pts); err != nil {
		return nil, err
	}
	inside := raySet{name: "from inside"}
	for i, p := range pts {
		if sides[i] == inpoly.Inside && len(inside.lines) < n {
			inside.lines = append(inside.lines, [2]r3.Vector{p, direction()})
		}
	}
	camera := raySet{name: "camera"}
	size := m.Box().Size()
	middle := m.Box().Min.Add(size.Mul(0.5))
	eye := middle.Add(r3.Vector{X: 0.6, Y: -0.5, Z: 0.4}.Mul(1.5 * size.Norm()))
	look := middle.Sub(eye)
	right := look.Cross(r3.Vector{Z: 1}).Normalize().Mul(size.Norm())
	up := right.Cross(look).Normalize().Mul(size.Norm())
	width := int(math.Sqrt(float64(n)))
	for y := range width {
		for x := range width {
			d := look.Add(right.Mul(float64(x)/float64(width) - 0.5)).Add(up.Mul(float64(y)/float64(width) - 0.5))
			camera.lines = append(camera.lines, [2]r3.Vector{eye, d.Normalize()})
		}
	}
	segments := raySet{name: "segments", segments: true}
	for i := range n {
		segments.lines = append(segments.lines, [2]r3.Vector{pts[2*i], pts[2*i+1]})
	}
	return []raySet{inside, camera, segments}, nil
}

// rayQuestion is a question that inpoly and some peers answer. The parameters of hits are compared
// only for the question first.
type rayQuestion struct {
	name  string
	peers [][2]string // program and mode
}

var rayQuestions = map[bool][]rayQuestion{
	false: {
		{"first", [][2]string{{"embree_rays", "first"}, {"embree_rays", "first8"}, {"embree_rays", "coherent"}, {"cgal_rays", "first"}}},
		{"any", [][2]string{{"embree_rays", "any"}, {"cgal_rays", "any"}}},
		{"all", [][2]string{{"embree_rays", "all"}, {"cgal_rays", "all"}}},
	},
	true: {
		{"all", [][2]string{{"cgal_rays", "segments"}}},
		{"any", [][2]string{{"cgal_rays", "segments-any"}}},
		{"intervals", nil},
	},
}

func (b *bench) rayRows(name string, m *mesh.Mesh) (rows []rayRow, err error) {
	runtime.GC()
	var solid *inpoly.Solid
	var caster *rays.Caster
	build, err := cpu(func() (err error) {
		if solid, err = inpoly.New(b.ctx, m, inpoly.Options{Workers: b.threads}); err == nil {
			caster, err = rays.New(b.ctx, solid)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	ply := filepath.Join(b.tmp, "rays.ply")
	if err := writePLY(ply, m); err != nil {
		return nil, err
	}
	sets, err := b.raySets(m, solid)
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		if len(set.lines) == 0 {
			continue // no point of the box is inside
		}
		file := filepath.Join(b.tmp, "rays.f64")
		var flat []r3.Vector
		for _, l := range set.lines {
			flat = append(flat, l[0], l[1])
		}
		if err := writePoints(file, flat); err != nil {
			return nil, err
		}
		for _, q := range rayQuestions[set.segments] {
			some, err := b.rayQuestion(q, name, m, caster, build, set, ply, file)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", set.name, q.name, err)
			}
			rows = append(rows, some...)
		}
	}
	return rows, nil
}

// rayQuestion measures a question and prints a row for each peer. Calls of inpoly and of the peers
// alternate.
func (b *bench) rayQuestion(q rayQuestion, name string, m *mesh.Mesh, c *rays.Caster, build float64, set raySet, ply, file string) (rows []rayRow, err error) {
	ours := make([]float64, 0, 3)
	peers := make([][]float64, len(q.peers))
	answers := make([]rayPeer, len(q.peers))
	var got rayAnswers
	for range b.calls {
		t, err := cpu(func() error { return b.answerRays(q.name, c, set, &got) })
		if err != nil {
			return nil, err
		}
		ours = append(ours, t)
		for i, p := range q.peers {
			if !b.has(p[0]) {
				continue
			}
			if answers[i], err = b.askRays(p[0], p[1], ply, file); err != nil {
				return nil, err
			}
			peers[i] = append(peers[i], answers[i].Query/float64(answers[i].Points))
		}
	}
	n := len(set.lines)
	rate := perSecond(n, median(ours))
	if len(q.peers) == 0 {
		fmt.Printf("| %s | %d | %d %s | %s | – | %.3f | %.3g | – | – | – | – | – | – | – |\n", name, m.NumFaces(), n, set.name, q.name, build, rate)
		return []rayRow{{question: q.name, ours: rate, mesh: name, set: set.name}}, nil
	}
	for i, p := range q.peers {
		if peers[i] == nil {
			continue
		}
		a := &answers[i]
		theirs := perSecond(1, median(peers[i]))
		oursOnly, theirsOnly, elsewhere := got.differing(a, q.name)
		fmt.Printf("| %s | %d | %d %s | %s | %s %s | %.3f | %.3g | %.3f | %.3g | %.2f | %d | %d | %d | %d |\n", name, m.NumFaces(), n, set.name,
			q.name, p[0], p[1], build, rate, a.Build, theirs, rate/theirs, a.Points, oursOnly, theirsOnly, elsewhere)
		rows = append(rows, rayRow{question: q.name, ours: rate, theirs: theirs, peer: p[0] + " " + p[1], mesh: name, set: set.name,
			differ: oursOnly + theirsOnly + elsewhere})
	}
	return rows, nil
}

// rayAnswers are our answers. The slices that a question does not need are empty.
type rayAnswers struct {
	first     []rays.Hit
	any       []bool
	all       rays.Hits
	intervals rays.Intervals
}

// answerRays answers a question about all lines of a set.
func (b *bench) answerRays(question string, c *rays.Caster, set raySet, dst *rayAnswers) error {
	if set.segments {
		return answerLines(b, question, c, pairs(set, func(l [2]r3.Vector) rays.Segment { return rays.Segment{A: l[0], B: l[1]} }), dst)
	}
	return answerLines(b, question, c, pairs(set, func(l [2]r3.Vector) rays.Ray { return rays.Ray{Origin: l[0], Direction: l[1]} }), dst)
}

func pairs[L rays.Line](set raySet, line func([2]r3.Vector) L) (lines []L) {
	lines = make([]L, len(set.lines))
	for i, l := range set.lines {
		lines[i] = line(l)
	}
	return lines
}

func answerLines[L rays.Line](b *bench, question string, c *rays.Caster, lines []L, dst *rayAnswers) error {
	switch question {
	case "first":
		dst.first = slices.Grow(dst.first[:0], len(lines))[:len(lines)]
		return rays.FirstTo(b.ctx, c, dst.first, lines)
	case "any":
		dst.any = slices.Grow(dst.any[:0], len(lines))[:len(lines)]
		return rays.AnyTo(b.ctx, c, dst.any, lines)
	case "all":
		return rays.AllTo(b.ctx, c, &dst.all, lines)
	}
	return rays.IntervalsTo(b.ctx, c, &dst.intervals, any(lines).([]rays.Segment), 0)
}

// rayPeer are the answers of a peer.
type rayPeer struct {
	peer
	t      []float64
	number []int32 // the face, or the number of hits
}

// askRays runs the program of a peer.
func (b *bench) askRays(program, mode, ply, file string) (p rayPeer, err error) {
	answers := filepath.Join(b.tmp, "answers")
	if err := os.Remove(answers); err != nil && !os.IsNotExist(err) {
		return p, err // do not read the answers of an earlier call
	}
	out, err := execute(b.peerPath(program), ply, file, answers, strconv.Itoa(b.threads), b.limitText(), mode)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(out, &p.peer); err != nil {
		return p, fmt.Errorf("%s printed %q: %w", program, out, err)
	}
	data, err := os.ReadFile(answers)
	if err != nil {
		return p, err
	}
	if len(data) != 12*p.Points || p.Threads != b.threads {
		return p, fmt.Errorf("%s wrote %d bytes for %d lines on %d threads", program, len(data), p.Points, p.Threads)
	}
	for i := range p.Points {
		p.t = append(p.t, math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])))
		p.number = append(p.number, int32(binary.LittleEndian.Uint32(data[8*p.Points+4*i:])))
	}
	return p, nil
}

// differing compares the answers for each line. It counts the lines where only inpoly finds a hit,
// the lines where only the peer finds a hit, and the lines where the parameter of the first hit or
// the number of hits differs. Two parameters differ if their relative difference is far above single
// precision.
func (a *rayAnswers) differing(p *rayPeer, question string) (oursOnly, theirsOnly, elsewhere int) {
	for i := range p.Points {
		hit, theirs, other := false, p.number[i] >= 0, false
		switch question {
		case "first":
			hit = a.first[i].Face >= 0
			other = math.Abs(a.first[i].T-p.t[i]) > 1e-4*max(1e-3, math.Abs(a.first[i].T))
		case "any":
			hit = a.any[i]
		case "all":
			n := len(a.all.Of(i))
			hit, theirs = n > 0, p.number[i] > 0
			other = n != int(p.number[i])
		}
		switch {
		case hit && !theirs:
			oursOnly++
		case theirs && !hit:
			theirsOnly++
		case hit && other:
			elsewhere++
		}
	}
	return oursOnly, theirsOnly, elsewhere
}

// printRays prints the distribution of the ratios over the meshes.
func printRays(rows []rayRow) {
	header("<question", "<lines", "<peer", "meshes", "geometric mean", "median", "least", "<least mesh", "differ")
	type key struct{ question, set, peer string }
	var keys []key
	of := map[key][]rayRow{}
	for _, r := range rows {
		k := key{r.question, r.set, r.peer}
		if r.peer == "" {
			continue
		}
		if of[k] == nil {
			keys = append(keys, k)
		}
		of[k] = append(of[k], r)
	}
	for _, k := range keys {
		some := of[k]
		slices.SortFunc(some, func(x, y rayRow) int { return cmp.Compare(x.ours/x.theirs, y.ours/y.theirs) })
		sum, differ := 0.0, 0
		for _, r := range some {
			sum += math.Log(r.ours / r.theirs)
			differ += r.differ
		}
		middle := some[len(some)/2]
		fmt.Printf("| %s | %s | %s | %d | %.2f | %.2f | %.2f | %s | %d |\n", k.question, k.set, k.peer, len(some), math.Exp(sum/float64(len(some))),
			middle.ours/middle.theirs, some[0].ours/some[0].theirs, some[0].mesh, differ)
	}
}
