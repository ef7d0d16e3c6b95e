package proof

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// proofOf writes a proof about points of a mesh and its binary STL file.
func proofOf(t *testing.T, soup mesh.Soup, opt inpoly.Options, pts ...r3.Vector) (data string, stl []byte) {
	t.Helper()
	ctx := context.Background()
	stl = binarySTL(testmesh.Mesh(soup))
	path := filepath.Join(t.TempDir(), "part.stl")
	save(t, path, stl)
	opt.Workers = 1
	s, err := inpoly.Open(ctx, path, opt)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	src := Source{Name: "part.stl", Bytes: int64(len(stl)), SHA256: sha256.Sum256(stl)}
	if _, err := Write(ctx, &buf, s, src, claimsOf(t, s, pts, true)); err != nil {
		t.Fatal(err)
	}
	return buf.String(), stl
}

// replace replaces the only match of a pattern.
func replace(t *testing.T, text, pattern, by string) string {
	t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	if n := len(re.FindAllString(text, -1)); n != 1 {
		t.Fatalf("%d matches of %s in\n%s", n, pattern, text)
	}
	return re.ReplaceAllString(text, by)
}

// asVersion1 returns the file in version 1 of the format.
func asVersion1(t *testing.T, text string) string {
	t.Helper()
	return replace(t, replace(t, text, `^inpoly-proof 2$`, "inpoly-proof 1"), `^orient \w+\npose identity\n`, "")
}

// splitVertices gives each face three vertices of its own.
func splitVertices(text string) string {
	head, rest, _ := strings.Cut(text, "\nvertices ")
	list, rest, _ := strings.Cut(rest, "\nfaces ")
	vertices := strings.Split(list, "\n")[1:]
	list, rest, _ = strings.Cut(rest, "\nflipped ")
	var corners, faces []string
	for _, line := range strings.Split(list, "\n")[1:] {
		var a, b, c int
		_, _ = fmt.Sscan(line, &a, &b, &c)
		n := len(corners)
		corners = append(corners, vertices[a], vertices[b], vertices[c])
		faces = append(faces, fmt.Sprintf("%d %d %d", n, n+1, n+2))
	}
	return fmt.Sprintf("%s\nvertices %d\n%s\nfaces %d\n%s\nflipped %s", head, len(corners), strings.Join(corners, "\n"),
		len(faces), strings.Join(faces, "\n"), rest)
}

var center = r3.Vector{X: .5, Y: .5, Z: .5}

// Exit code 0 needs the source, a format that the checker reads, and an orientation that it can verify.
func TestTrust(t *testing.T) {
	const (
		noSource = "trusted: the SHA-256 of the source, because there is no --source\n"
		noMesh   = "trusted: the mesh is that of the source, which is not read here\n"
	)
	var trials []trial
	cube := testmesh.UnitCube()
	one := testmesh.Flip(cube, 3)
	inward := testmesh.Flip(cube)
	unknown := testmesh.Moebius(8) // nothing is turned over, because there is no consistent orientation
	for _, c := range []struct {
		name    string
		soup    mesh.Soup
		orient  inpoly.Orient
		version int
		flipped int // trusted, or −1
	}{
		{"never", cube, inpoly.OrientNever, 2, -1},
		{"never, misoriented", one, inpoly.OrientNever, 2, -1},
		{"auto", cube, inpoly.OrientAuto, 2, -1},
		{"auto, inward", inward, inpoly.OrientAuto, 2, -1},
		{"auto, misoriented", one, inpoly.OrientAuto, 2, 1},
		{"auto, one-sided", unknown, inpoly.OrientAuto, 2, 0},
		{"always", cube, inpoly.OrientAlways, 2, 0},
		{"always, inward", inward, inpoly.OrientAlways, 2, 12},
		{"version 1", cube, inpoly.OrientNever, 1, -1},
		{"version 1, one-sided", unknown, inpoly.OrientAuto, 1, -1},
		{"version 1, misoriented", one, inpoly.OrientAuto, 1, 1},
	} {
		data, stl := proofOf(t, c.soup, inpoly.Options{Orient: c.orient}, r3.Vector{X: .25, Y: .5, Z: .625}, r3.Vector{X: 3})
		if c.version == 1 {
			data = asVersion1(t, data)
		}
		want, code := "", 0
		if c.flipped >= 0 {
			want, code = fmt.Sprintf("trusted: %d faces turned over\n", c.flipped), 4
		}
		// The bytes of the file have another SHA-256 if they are no STL.
		text := append([]byte("solid\n"), stl...)
		sum := sha256.Sum256(text)
		named := replace(t, data, `^source .*$`, fmt.Sprintf("source %s %d", hex.EncodeToString(sum[:]), len(text)))
		// Points without a proof have priority.
		none := replace(t, data, `^points 2\n(1 .*\n)2 .*$`, "points 2\n${1}2 NaN 0 0 uncertain - - none")
		trials = append(trials,
			trial{name: c.name, data: data, stl: stl, code: code, trusted: want},
			trial{name: c.name + ", without the source", data: data, code: 4, trusted: noSource + noMesh + want},
			trial{name: c.name + ", with a file that is not read", data: named, stl: text, code: 4, trusted: noMesh + want},
			trial{name: c.name + ", with a point without a proof", data: none, stl: stl, code: 3, trusted: want})
	}
	try(t, trials)
}

// Faces cannot be turned over where nothing can be: half of the faces of a clean cube would put its center
// outside. In version 1, and for the modes that the checker cannot verify, this is trusted.
func TestTurnedFaces(t *testing.T) {
	cube := testmesh.UnitCube()
	turned := []int{2, 3, 6, 7, 8, 9}
	_, stl := proofOf(t, cube, inpoly.Options{Orient: inpoly.OrientNever}, center)
	sum := sha256.Sum256(stl)
	data, _ := proofOf(t, testmesh.Flip(cube, turned...), inpoly.Options{Orient: inpoly.OrientNever}, center)
	data = replace(t, data, `^source .*$`, fmt.Sprintf("source %s %d", hex.EncodeToString(sum[:]), len(stl)))
	if !strings.Contains(data, "\n1 0.5 0.5 0.5 out ") {
		t.Fatalf("the center is not outside:\n%s", data)
	}
	data = replace(t, data, `^flipped 0$`, "flipped 6\n2\n3\n6\n7\n8\n9")
	const six = "trusted: 6 faces turned over\n"
	var trials []trial
	for mode, want := range map[string]struct {
		code int
		text string
	}{
		"never":  {1, "orient never turns no face of this mesh over"},
		"auto":   {1, "orient auto turns no face of this mesh over"},
		"always": {4, ""},
		"all":    {1, "unknown orientation"},
		"":       {1, "unknown orientation"},
	} {
		trials = append(trials, trial{"orient " + mode, replace(t, data, `^orient never$`, "orient "+mode), stl, "", want.code, want.text, six})
	}
	trials = append(trials, trial{"version 1", asVersion1(t, data), stl, "", 4, "", six},
		trial{"another order", replace(t, data, `^flipped 6\n2\n3\n`, "flipped 6\n3\n2\n"), stl, "", 1, "do not ascend", ""})
	try(t, trials)
}

// Faces meet where their corners have equal coordinates, whatever the numbers of their vertices: a file with
// split vertices is not an open mesh, for which another rule of the sides would hold.
func TestSplitVertices(t *testing.T) {
	soup := testmesh.Flip(testmesh.UnitCube(), 2, 3, 6, 7, 8, 9) // each edge has two faces
	var trials []trial
	for _, welded := range []bool{true, false} {
		var rows []string
		for _, rule := range []inpoly.Rule{inpoly.EvenOdd, inpoly.NonZero} {
			data, stl := proofOf(t, soup, inpoly.Options{Orient: inpoly.OrientNever, Rule: rule}, center)
			if rows = append(rows, points([]byte(data))[0]); !welded {
				data = splitVertices(data)
			}
			name := fmt.Sprintf("welded %v, rule %v", welded, rule)
			trials = append(trials, trial{name: name, data: data, stl: stl})
			if rule == inpoly.NonZero {
				data = replace(t, data, `^rule nonzero$`, "rule evenodd")
				trials = append(trials, trial{name: name + ", a false side", data: data, stl: stl, code: 1, text: "needs an open mesh"})
			}
		}
		if !strings.Contains(rows[0], " in ") || !strings.Contains(rows[1], " out ") {
			t.Fatalf("the rows do not differ: %q", rows)
		}
	}
	// An edge whose corner is −0 in one face is the same edge.
	data, stl := proofOf(t, testmesh.UnitCube(), inpoly.Options{}, center)
	data = strings.ReplaceAll(splitVertices(data), "\n0 0 0\n", "\n-0 0 -0.0\n")
	try(t, append(trials, trial{name: "with −0", data: data, stl: stl, text: "mesh: 12 faces, closed,"}))
}

// The heads of a file are strict, and rows without a proof have no answer.
func TestStrictWords(t *testing.T) {
	data, stl := proofOf(t, testmesh.UnitCube(), inpoly.Options{}, center, r3.Vector{X: 3})
	sum := sha256.Sum256(stl)
	hash := hex.EncodeToString(sum[:])
	trials := []trial{
		{name: "capitals", data: replace(t, data, `^source \w+ `, "source "+strings.ToUpper(hash)+" "), stl: stl},
		{name: "a name", data: replace(t, data, `^name .*$`, "name %0A"), stl: stl},
		{name: "no name", data: replace(t, data, `^name .*$`, "name "), stl: stl},
		{name: "no proof", data: replace(t, data, `^2 3 0 0 .*$`, "2 +Inf NaN 7 uncertain - - none"), stl: stl, code: 3},
	}
	for _, c := range []struct{ pattern, by string }{
		{`^source \w+ `, "source " + hash[:63] + " "},
		{`^source \w+ `, "source " + hash + "0 "},
		{`^source \w+ `, "source " + hash[:63] + "g "},
		{`^source \w+ `, "source " + hash + "(checked) "},
		{`^(source \w+) .*$`, "$1 684.0"},
		{`^(source \w+) .*$`, "$1 0684"},
		{`^(source \w+) .*$`, "$1 6_84"},
		{`^(source \w+) .*$`, "$1 -1"},
		{`^(source \w+) .*$`, "$1 684 "},
		{`^mesh .*$`, "mesh 12"},
		{`^(mesh \w+)$`, "${1}0"},
		{`^name .*$`, "name a,(checked)"},
		{`^name .*$`, "name %0"},
		{`^name .*$`, "name " + strings.Repeat("a", 1<<17)},
		{`^pose identity$`, "pose 1 0 0 0"},
		{`^pose identity$`, "pose other"},
		{`^pose identity\n`, ""},
		{`^inpoly-proof 2$`, "inpoly-proof 1"},
		{`^inpoly-proof 2$`, "inpoly-proof 3"},
		{`^2 3 0 0 .*$`, "2 3 0 0 out - - none"},
		{`^2 3 0 0 .*$`, "2 3 0 0 in - - none"},
		{`^2 3 0 0 .*$`, "2 3 0 0 inside - - none"},
		{`^2 3 0 0 .*$`, "2 any word is uncertain - - none"},
		{`^2 3 0 0 .*$`, "2 3 0 0 uncertain 7 2 none"},
		{`^2 3 0 0 .*$`, "2 3 0 0 uncertain - - none 7"},
		{`^2 3 0 0 .*$`, "2 3 0 0 uncertain - - box"},
		{`^2 3 0 0 `, "2 3 0 0_0 "},
		{`^2 3 0 0 `, "2 3 0 \u0660 "},
		{`^2 3 0 0 `, "2 0x3 0 0 "},
		{`^2 3 0 0 `, "2 inf 0 0 "},
		{`^2 3 0 0 `, "2 1e+999 0 0 "},
		{`^2 3 0 0 `, "-0 3 0 0 "},
		{`^2 3 0 0 `, "02 3 0 0 "},
	} {
		trials = append(trials, trial{name: c.by[:min(len(c.by), 100)], data: replace(t, data, c.pattern, c.by), stl: stl, code: 1})
	}
	for _, end := range []string{"\n", " ", "\x00", "end\n"} {
		trials = append(trials, trial{name: fmt.Sprintf("%q after the end", end), data: data + end, stl: stl, code: 1})
	}
	try(t, trials)
}

// --seconds limits the time of the mesh, too.
func TestSeconds(t *testing.T) {
	data, stl := proofOf(t, testmesh.UnitCube(), inpoly.Options{}, center)
	trials := []trial{{name: "enough time", data: data, stl: stl, seconds: "1e6"}}
	for _, seconds := range []string{"0", "-1", "nan"} {
		trials = append(trials, trial{name: seconds, data: data, stl: stl, seconds: seconds, code: 1, text: "line 0: the time of --seconds is over"})
	}
	try(t, trials)
	dir := t.TempDir()
	save(t, filepath.Join(dir, "proof"), []byte(data))
	save(t, filepath.Join(dir, "stl"), stl)
	// The driver lets the time end at each look at the clock in turn.
	got := python(t, "seconds", filepath.Join(dir, "proof"), filepath.Join(dir, "stl"))
	if len(got) != 1 || !strings.HasPrefix(got[0], "places: check_source find_edges near next") {
		t.Errorf("got %q", got)
	}
}
