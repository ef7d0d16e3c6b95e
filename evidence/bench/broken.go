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

// brokenRival is a function of another library that decides which points are inside.
type brokenRival struct {
	tool, call    string
	program, mode string
	hasOn         bool   // the function can answer that a point is on the surface
	panel         string // title in the pictures, or "" if the pictures leave it out
	rule          rule   // the definition of the inside in the function's documentation
}

// brokenRivals lists the functions in the order of the tables. Sources of their documented
// preconditions are in docs/comparison.md.
var brokenRivals = []brokenRival{
	{"trimesh", "contains", "python_sides", "trimesh-contains", false, "trimesh contains", byParity},
	{"trimesh", "signed_distance", "python_sides", "trimesh-distance", true, "", byPlane},
	{"Open3D", "compute_occupancy", "python_sides", "open3d-occupancy", false, "Open3D compute_occupancy", byParity},
	{"Open3D", "compute_signed_distance", "python_sides", "open3d-distance", true, "", byParity},
	{"VTK", "vtkSelectEnclosedPoints", "python_sides", "vtk-select", false, "VTK vtkSelectEnclosedPoints", byParity},
	{"VTK", "vtkSelectEnclosedPoints, tolerance 0", "python_sides", "vtk-select-0", false, "", byParity},
	{"VTK", "vtkSelectEnclosedPoints, tolerance 0.001", "python_sides", "vtk-select-0.001", false, "", byParity},
	{"VTK", "vtkImplicitPolyDataDistance", "python_sides", "vtk-distance", true, "VTK vtkImplicitPolyDataDistance", byNormal},
	{"PyVista", "select_enclosed_points", "python_sides", "pyvista-enclosed", false, "", byParity},
	{"PyVista", "select_interior_points", "python_sides", "pyvista-interior", false, "", byNormal},
	{"CGAL", "Side_of_triangle_mesh", "cgal_sides", "strict", true, "CGAL Side_of_triangle_mesh", byParity},
	{"CGAL", "Side_of_triangle_mesh after orient_polygon_soup", "cgal_sides", "repaired", true, "", byParity},
	{"Embree", "parity of hits", "embree_sides", "parity", false, "Embree parity of hits", oddAlong(embreeDirection)},
	{"Embree", "parity of hits along z", "embree_sides", "parity-z", false, "", oddAlong(axes[2])},
	{"Embree", "first hit", "embree_sides", "first", false, "", firstAlong(embreeDirection)},
	{"libigl", "winding_number", "igl_sides", "winding", false, "", byWinding},
	{"libigl", "fast_winding_number", "igl_sides", "fast", false, "libigl fast_winding_number", byWinding},
	{"libigl", "signed_distance, pseudonormal", "igl_sides", "pseudonormal", true, "", byNormal},
	{"three-mesh-bvh", "first hit", "three_mesh_bvh", "first", false, "three-mesh-bvh first hit", firstAlong(threeDirection)},
	{"three-mesh-bvh", "parity of hits", "three_mesh_bvh", "parity", false, "", oddAlong(threeDirection)},
	{"Warp", "mesh_query_point_sign_winding_number", "warp_sides", "winding", false, "Warp sign_winding_number", byPositive},
	{"Warp", "mesh_query_point_sign_normal", "warp_sides", "normal", false, "", byNormal},
	{"Warp", "mesh_query_point_sign_parity", "warp_sides", "parity", false, "", oddAlong(warpDirection)},
	{"Warp", "mesh_query_point", "warp_sides", "rays", false, "", byFirsts},
	{"cuBQL", "pointIsInsideSurface", "cubql_sides", "majority", false, "cuBQL pointIsInsideSurface", bySixRays},
	{"cuBQL", "signedCrossingCount", "cubql_sides", "ray", false, "", bySignedZ},
}

// ourMethods are all methods of inpoly. The first one is the default.
var ourMethods = inpoly.Methods()

// outcome has the results of a function for the points of a mesh.
type outcome struct {
	state     string // why there are no answers, or ""
	wrong     int    // answers that are wrong by the function's own rule
	undefined int    // points for which this rule has no answer; they are not counted as wrong
	differ    int    // answers that differ from the rule of inpoly
	bytes     []byte
}

// The states of an outcome without answers.
const (
	refuses = "refuses" // the library or its wrapper reports an error
	fails   = "fails"   // the driver crashes, or takes too long
	noState = "–"       // the function cannot say that a point is on the surface
)

// String returns the cell of the table of wrong answers.
func (o outcome) String() string {
	switch {
	case o.state != "":
		return o.state
	case o.undefined == len(o.bytes):
		return "undefined"
	}
	return strconv.Itoa(o.wrong)
}

// difference returns the cell of the table of differences.
func (o outcome) difference() string {
	if o.state != "" {
		return o.state
	}
	return strconv.Itoa(o.differ)
}

// brokenCase is a mesh with its points, their true sides and all outcomes.
type brokenCase struct {
	brokenMesh
	mesh   *mesh.Mesh
	pts    []r3.Vector
	truth  []byte
	ours   outcome // results of the method Auto
	others []outcome
	judge  *ruleJudge
	ruled  map[string][]byte // the true sides by the rules of other functions
}

// brokenTable classifies points of broken meshes by inpoly and by functions of other libraries. The first table counts
// answers that are wrong by the rule that the documentation of the function states. The second table counts answers
// that differ from the rule of inpoly. The truth comes from package internal/referee; for open meshes, it comes from a
// sum of solid angles. The last table has the speed on a clean sphere, in CPU seconds. Libraries that are not installed
// are named and left out. With -match NAME, the tables have only this mesh and no speeds. With -match speed, there are
// only the speeds.
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
	cases, err := b.brokenCases(found)
	if err != nil {
		return err
	}
	for _, c := range cases {
		if err := b.saveBroken(c, found); err != nil {
			return err
		}
	}
	if len(cases) > 0 {
		printBrokenMeshes(cases)
		printWrong(cases, found, versions)
		printDifferences(cases, found)
	}
	if len(absent) > 0 {
		fmt.Printf("\nNot measured, because not installed: %s.\n", strings.Join(absent, "; "))
	}
	if b.match != "" && b.match != "speed" {
		return nil
	}
	return b.brokenSpeed(found, versions)
}

// brokenCases asks about each chosen mesh.
func (b *bench) brokenCases(found []brokenRival) (cases []*brokenCase, err error) {
	n := brokenSize
	if b.quick {
		n = 40
	}
	for _, j := range brokenMeshes() {
		if b.match != "" && b.match != j.key {
			continue
		}
		c, err := b.brokenCase(j, n, found)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.key, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
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
		o := c.judged(answers, c.truth)
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
			if o = c.judged(answers, c.truthsBy(r.rule)); err != nil {
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

// judged counts the answers that are wrong by a rule, whose true sides are truths, and the answers
// that differ from the rule of inpoly. A point without a decided truth counts as right.
func (c *brokenCase) judged(answers, truths []byte) outcome {
	o := outcome{bytes: answers}
	for i, x := range answers {
		switch truth := truths[i]; {
		case truth == undecided:
			o.undefined++
		case truth == insideOrOn && x == 0, truth != insideOrOn && truth != x:
			o.wrong++
		}
		if x != c.truth[i] && c.truth[i] != undecided {
			o.differ++
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

// printWrong prints a row for each function, with the answers for each mesh that are wrong by the
// function's own rule.
func printWrong(cases []*brokenCase, found []brokenRival, versions []string) {
	columns := []string{"<tool", "<function", "<version", "<inside means", "wrong on solids", "of", "wrong on defects", "of", "undefined"}
	for _, c := range cases {
		columns = append(columns, c.key)
	}
	header(columns...)
	eachRow(found, func(tool, call string, i int, of func(*brokenCase) outcome) {
		version, rule := "–", "by mesh, see above"
		if i >= 0 {
			version, rule = versions[i], found[i].rule.name
		}
		var solids, defects struct{ wrong, all int }
		undefined, cells := 0, ""
		for _, c := range cases {
			sum := &defects
			if c.solid {
				sum = &solids
			}
			o := of(c)
			if o.state == "" {
				sum.wrong, sum.all = sum.wrong+o.wrong, sum.all+len(c.pts)-o.undefined
				undefined += o.undefined
			}
			cells += fmt.Sprintf(" %s |", o)
		}
		fmt.Printf("| %s | %s | %s | %s | %d | %d | %d | %d | %d |%s\n", tool, call, version, rule, solids.wrong, solids.all, defects.wrong, defects.all, undefined, cells)
	})
}

// printDifferences prints a row for each function, with the answers for each mesh with defects that
// differ from the rule of inpoly. The mesh whose normals point inward has a separate column, because
// functions follow different conventions for such a mesh.
func printDifferences(cases []*brokenCase, found []brokenRival) {
	columns := []string{"<tool", "<function", "differs on defects", "of", "<inverted mesh"}
	for _, c := range cases {
		if !c.solid && c.key != invertedKey {
			columns = append(columns, c.key)
		}
	}
	header(columns...)
	eachRow(found, func(tool, call string, _ int, of func(*brokenCase) outcome) {
		differ, all, inverted, cells := 0, 0, "–", ""
		for _, c := range cases {
			o := of(c)
			switch {
			case c.solid:
			case c.key == invertedKey:
				inverted = c.convention(o)
			default:
				if o.state == "" {
					differ, all = differ+o.differ, all+len(c.pts)
				}
				cells += fmt.Sprintf(" %s |", o.difference())
			}
		}
		fmt.Printf("| %s | %s | %d | %d | %s |%s\n", tool, call, differ, all, inverted, cells)
	})
}

// eachRow calls row for inpoly, with i = −1, and for each function.
func eachRow(found []brokenRival, row func(tool, call string, i int, of func(*brokenCase) outcome)) {
	row("inpoly", "Side, by each of six methods", -1, func(c *brokenCase) outcome { return c.ours })
	for i, r := range found {
		row(r.tool, r.call, i, func(c *brokenCase) outcome { return c.others[i] })
	}
}

// convention returns a word for what a function considers the inside of the mesh whose normals
// point inward.
func (c *brokenCase) convention(o outcome) string {
	switch inside := bytes.Count(o.bytes, []byte{1}); {
	case o.state != "":
		return o.state
	case o.differ == 0:
		return "the inside is inside"
	case o.differ == len(o.bytes):
		return "the outside is inside"
	case inside == 0:
		return "nothing is inside"
	default:
		return fmt.Sprintf("%d points are inside", inside)
	}
}

// brokenLimit is the limit of the queries of a call in seconds. Some functions build a tree in each
// call. The limit is so long that this time does not matter.
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
