package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// brokenRival is a function of another library that says which points are inside.
type brokenRival struct {
	tool, call    string
	program, mode string
	hasOn         bool   // the function can answer that a point is on the surface
	panel         string // title in the pictures, or "" if the pictures leave it out
}

// brokenRivals lists the functions in the order of the tables. Sources of their documented
// preconditions are in docs/comparison.md.
var brokenRivals = []brokenRival{
	{"trimesh", "contains", "python_sides", "trimesh-contains", false, "trimesh contains"},
	{"trimesh", "signed_distance", "python_sides", "trimesh-distance", true, ""},
	{"Open3D", "compute_occupancy", "python_sides", "open3d-occupancy", false, "Open3D compute_occupancy"},
	{"Open3D", "compute_signed_distance", "python_sides", "open3d-distance", true, ""},
	{"VTK", "vtkSelectEnclosedPoints", "python_sides", "vtk-select", false, "VTK vtkSelectEnclosedPoints"},
	{"VTK", "vtkSelectEnclosedPoints, tolerance 0", "python_sides", "vtk-select-0", false, ""},
	{"VTK", "vtkSelectEnclosedPoints, tolerance 0.001", "python_sides", "vtk-select-0.001", false, ""},
	{"VTK", "vtkImplicitPolyDataDistance", "python_sides", "vtk-distance", true, "VTK vtkImplicitPolyDataDistance"},
	{"PyVista", "select_enclosed_points", "python_sides", "pyvista-enclosed", false, ""},
	{"PyVista", "select_interior_points", "python_sides", "pyvista-interior", false, ""},
	{"CGAL", "Side_of_triangle_mesh", "cgal_sides", "strict", true, "CGAL Side_of_triangle_mesh"},
	{"CGAL", "Side_of_triangle_mesh after orient_polygon_soup", "cgal_sides", "repaired", true, ""},
	{"Embree", "parity of hits", "embree_sides", "parity", false, "Embree parity of hits"},
	{"Embree", "parity of hits along z", "embree_sides", "parity-z", false, ""},
	{"Embree", "first hit", "embree_sides", "first", false, ""},
	{"libigl", "winding_number", "igl_sides", "winding", false, ""},
	{"libigl", "fast_winding_number", "igl_sides", "fast", false, "libigl fast_winding_number"},
	{"libigl", "signed_distance, pseudonormal", "igl_sides", "pseudonormal", true, ""},
	{"three-mesh-bvh", "first hit", "three_mesh_bvh", "first", false, "three-mesh-bvh first hit"},
	{"three-mesh-bvh", "parity of hits", "three_mesh_bvh", "parity", false, ""},
}

// ourMethods are all methods of inpoly. The first one is the default.
var ourMethods = []inpoly.Method{inpoly.Auto, inpoly.RayCrossing, inpoly.Columns, inpoly.Cells, inpoly.FMM, inpoly.Direct}

// outcome is what a function says about the points of a mesh.
type outcome struct {
	state string // why there are no answers, or ""
	wrong int
	bytes []byte
}

// The states of an outcome without answers.
const (
	refuses = "refuses" // the library or its wrapper reports an error
	fails   = "fails"   // the driver crashes, or takes too long
	noState = "–"       // the function cannot say that a point is on the surface
)

func (o outcome) String() string {
	if o.state != "" {
		return o.state
	}
	return strconv.Itoa(o.wrong)
}

// brokenCase is a mesh with its points, their true sides and all outcomes.
type brokenCase struct {
	brokenMesh
	mesh   *mesh.Mesh
	pts    []r3.Vector
	truth  []byte
	ours   outcome // by Auto
	others []outcome
}

// brokenTable classifies points of broken meshes by inpoly and by functions of other libraries, and
// counts wrong answers. The truth comes from package internal/referee, or for open meshes from a sum
// of solid angles. The second table has the speed on a clean sphere, in CPU seconds. A library that
// is not installed is named, and left out. With -match, the tables have one mesh
// only and no speeds, or with -match speed only the speeds.
func (b *bench) brokenTable() error {
	if _, err := cpuSeconds(); err != nil {
		return err
	}
	var found []brokenRival
	var versions []string
	var absent []string
	for _, r := range brokenRivals {
		out, err := exec.Command(b.peerPath(r.program), "--version", r.mode).Output()
		if err != nil {
			log.Printf("broken: %s %s is missing", r.tool, r.call)
			absent = append(absent, r.tool+" "+r.call)
			continue
		}
		found, versions = append(found, r), append(versions, strings.TrimSpace(string(out)))
	}
	n := brokenSize
	if b.quick {
		n = 40
	}
	var cases []*brokenCase
	for _, j := range brokenMeshes() {
		if b.match != "" && b.match != j.key {
			continue
		}
		c, err := b.brokenCase(j, n, found)
		if err != nil {
			return fmt.Errorf("%s: %w", j.key, err)
		}
		cases = append(cases, c)
		if err := b.saveBroken(c, found); err != nil {
			return err
		}
	}
	if len(cases) > 0 {
		printBrokenMeshes(cases)
		printBroken(cases, found, versions)
	}
	if len(absent) > 0 {
		fmt.Printf("\nNot measured, because not installed: %s.\n", strings.Join(absent, "; "))
	}
	if b.match != "" && b.match != "speed" {
		return nil
	}
	return b.brokenSpeed(found, versions)
}

// brokenCase asks inpoly by all methods, and the given functions.
func (b *bench) brokenCase(j brokenMesh, n int, found []brokenRival) (*brokenCase, error) {
	m, err := mesh.New(b.ctx, j.soup, mesh.Options{})
	if err != nil {
		return nil, err
	}
	pts, err := j.points(m, n)
	if err != nil {
		return nil, err
	}
	c := &brokenCase{brokenMesh: j, mesh: m, pts: pts, truth: j.truths(m, pts)}
	for _, method := range ourMethods {
		s, err := inpoly.New(b.ctx, m, inpoly.Options{Method: method, Workers: b.threads})
		if err != nil {
			return nil, err
		}
		sides := make([]side.Side, len(pts))
		if err := s.SidesTo(b.ctx, sides, pts); err != nil {
			return nil, err
		}
		answers := make([]byte, len(sides))
		for i, x := range sides {
			answers[i] = codes[x]
		}
		o := c.judged(answers)
		if method == inpoly.Auto {
			c.ours = o
		} else if !bytes.Equal(answers, c.ours.bytes) {
			return nil, fmt.Errorf("%s and %s differ at %d points", method, inpoly.Auto, differences(answers, c.ours.bytes))
		}
	}
	ply, f64 := filepath.Join(b.tmp, "broken.ply"), filepath.Join(b.tmp, "broken.f64")
	if err := writePLY(ply, m); err != nil {
		return nil, err
	}
	if err := writePoints(f64, pts); err != nil {
		return nil, err
	}
	for _, r := range found {
		o := outcome{state: noState}
		if r.hasOn || !slices.Contains(c.truth, 2) {
			_, answers, err := b.askBroken(r, ply, f64, len(pts), 100)
			if o = c.judged(answers); err != nil {
				log.Printf("broken: %s: %s %s: %v", j.key, r.tool, r.call, err)
				o.state = fails
				if errors.Is(err, errRefuses) {
					o.state = refuses
				}
			}
		}
		c.others = append(c.others, o)
	}
	return c, nil
}

// judged counts the wrong answers. A point without a decided truth counts as right.
func (c *brokenCase) judged(answers []byte) outcome {
	o := outcome{bytes: answers}
	for i, x := range answers {
		if x != c.truth[i] && c.truth[i] != undecided {
			o.wrong++
		}
	}
	return o
}

func differences(a, b []byte) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// errRefuses is the error of a library that refuses a mesh.
var errRefuses = errors.New("the library refuses the mesh")

// askBroken runs a driver. The driver can answer fewer than n points if limit seconds do not suffice.
func (b *bench) askBroken(r brokenRival, ply, f64 string, n int, limit float64) (peer, []byte, error) {
	file := filepath.Join(b.tmp, "broken.answers")
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return peer{}, nil, err
	}
	const patience = 9 * time.Minute // tuning
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, b.peerPath(r.program), ply, f64, file, strconv.Itoa(b.threads), strconv.FormatFloat(limit, 'g', -1, 64), r.mode)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 3 {
		return peer{}, nil, fmt.Errorf("%w: %s", errRefuses, strings.TrimSpace(stderr.String()))
	}
	if err != nil {
		text := strings.TrimSpace(stderr.String())
		return peer{}, nil, fmt.Errorf("%w: %s", err, text[strings.LastIndexByte(text, '\n')+1:])
	}
	var p peer
	if err := json.Unmarshal(out.Bytes(), &p); err != nil {
		return peer{}, nil, fmt.Errorf("%s printed %q: %w", r.program, out.Bytes(), err)
	}
	answers, err := os.ReadFile(file)
	if err != nil {
		return peer{}, nil, err
	}
	if p.Points < 1 || p.Points > n || len(answers) != p.Points || bytes.Count(answers, []byte{1}) != p.Inside || slices.Max(answers) > 2 {
		return peer{}, nil, fmt.Errorf("%s printed %d points with %d inside, and wrote %d answers for %d points", r.program, p.Points, p.Inside, len(answers), n)
	}
	return p, answers, nil
}

// printBrokenMeshes prints a row for each mesh.
func printBrokenMeshes(cases []*brokenCase) {
	header("<mesh", "<trouble", "triangles", "<inside means", "points", "inside", "on the surface", "undecided")
	for _, c := range cases {
		count := func(x byte) int { return bytes.Count(c.truth, []byte{x}) }
		fmt.Printf("| %s | %s | %d | %s | %d | %d | %d | %d |\n", c.key, c.trouble, c.mesh.NumFaces(), c.brokenMesh.truth, len(c.pts), count(1), count(2), count(undecided))
	}
}

// printBroken prints a row for each function, with the number of wrong answers for each mesh.
func printBroken(cases []*brokenCase, found []brokenRival, versions []string) {
	columns := []string{"<tool", "<function", "<version", "wrong on solids", "of", "wrong on defects", "of"}
	for _, c := range cases {
		columns = append(columns, c.key)
	}
	header(columns...)
	row := func(tool, call, version string, of func(*brokenCase) outcome) {
		var solids, defects struct{ wrong, all int }
		cells := ""
		for _, c := range cases {
			sum := &defects
			if c.solid {
				sum = &solids
			}
			o := of(c)
			if o.state == "" {
				sum.wrong, sum.all = sum.wrong+o.wrong, sum.all+len(c.pts)
			}
			cells += fmt.Sprintf(" %s |", o)
		}
		fmt.Printf("| %s | %s | %s | %d | %d | %d | %d |%s\n", tool, call, version, solids.wrong, solids.all, defects.wrong, defects.all, cells)
	}
	row("inpoly", "Side, by each of six methods", "–", func(c *brokenCase) outcome { return c.ours })
	for i, r := range found {
		row(r.tool, r.call, versions[i], func(c *brokenCase) outcome { return c.others[i] })
	}
}

// brokenLimit is the limit of the queries of a call in seconds. It is so long that the time that some
// functions need to build a tree in each call does not matter.
const brokenLimit = 4 // tuning

// brokenSpeed prints the speed of the functions on a clean sphere.
func (b *bench) brokenSpeed(found []brokenRival, versions []string) error {
	levels, n := 7, 1_000_000
	if b.quick {
		levels, n = 2, 1000
	}
	n = min(n, b.most)
	m, err := mesh.New(b.ctx, single32(testmesh.Soup(testmesh.Sphere(levels))), mesh.Options{})
	if err != nil {
		return err
	}
	pts := inBox(m, n)
	ply, f64 := filepath.Join(b.tmp, "broken.ply"), filepath.Join(b.tmp, "broken.f64")
	if err := writePLY(ply, m); err != nil {
		return err
	}
	if err := writePoints(f64, pts); err != nil {
		return err
	}
	header("<tool", "<function", "<version", "build CPU s", "points answered", "M points / CPU s", "inpoly / tool", "with build", "differ")
	var ours []cost
	first, sides, method, err := b.ourSides(m, pts)
	if err != nil {
		return err
	}
	ours = append(ours, first)
	all, answered := make([][]cost, len(found)), make([][]byte, len(found))
	for range b.calls { // calls of all programs alternate
		for i, r := range found {
			p, answers, err := b.askBroken(r, ply, f64, n, brokenLimit)
			if err != nil {
				log.Printf("broken: speed: %s %s: %v", r.tool, r.call, err)
				continue
			}
			all[i] = append(all[i], cost{p.Build, p.Query * float64(n) / float64(p.Points)})
			if answered[i] == nil || len(answers) < len(answered[i]) {
				answered[i] = answers
			}
		}
		again, _, _, err := b.ourSides(m, pts)
		if err != nil {
			return err
		}
		ours = append(ours, again)
	}
	o := medianCost(ours)
	fmt.Printf("| inpoly | Side, %s | – | %.3g | %d | %.3g | 1 | 1 | 0 |\n", method, o.build, n, perSecond(n, o.query))
	for i, r := range found {
		if len(all[i]) < b.calls {
			fmt.Printf("| %s | %s | %s | fails | 0 | – | – | – | – |\n", r.tool, r.call, versions[i])
			continue
		}
		t := medianCost(all[i])
		fmt.Printf("| %s | %s | %s | %.3g | %d | %s | %s | %s | %d |\n", r.tool, r.call, versions[i], t.build, len(answered[i]), short(perSecond(n, t.query)),
			short(t.query/o.query), short(t.sum()/o.sum()), len(differing(answered[i], sides[:len(answered[i])])))
	}
	return nil
}

// writePLY writes m as binary PLY with vertices in double precision.
func writePLY(name string, m *mesh.Mesh) error {
	buf := fmt.Appendf(nil, "ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty double x\nproperty double y\nproperty double z\n"+
		"element face %d\nproperty list uchar int vertex_indices\nend_header\n", len(m.Vertices), m.NumFaces())
	for _, v := range m.Vertices {
		for _, c := range [3]float64{v.X, v.Y, v.Z} {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(c))
		}
	}
	for _, f := range m.Faces {
		buf = append(buf, 3)
		for _, v := range f {
			buf = binary.LittleEndian.AppendUint32(buf, uint32(v))
		}
	}
	return os.WriteFile(name, buf, 0o644)
}

// saveBroken writes the mesh and the points to b.meshes, and the pictures to b.plots.
func (b *bench) saveBroken(c *brokenCase, found []brokenRival) error {
	if b.meshes != "" {
		if err := writePLY(filepath.Join(b.meshes, c.key+".ply"), c.mesh); err != nil {
			return err
		}
		text := []byte("x,y,z,truth\n")
		for i, p := range c.pts {
			truth := [...]string{"out", "in", "on", "uncertain"}[c.truth[i]]
			text = fmt.Appendf(text, "%v,%v,%v,%s\n", p.X, p.Y, p.Z, truth)
		}
		if err := os.WriteFile(filepath.Join(b.meshes, c.key+".csv"), text, 0o644); err != nil {
			return err
		}
	}
	if b.plots == "" {
		return nil
	}
	solid, err := c.solidPicture(b.ctx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.plots, c.key+".png"), solid, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.plots, c.key+".svg"), c.picture(found), 0o644)
}
