package cli

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// writeParts writes a 3MF file of PrusaSlicer with a solid cube from 0 to 4 and a part of the given type
// from 2 to 6.
func writeParts(t *testing.T, path, kind string) {
	t.Helper()
	var vertices, triangles strings.Builder
	for i, from := range []int{0, 2} {
		for k := range 8 {
			fmt.Fprintf(&vertices, `<vertex x="%d" y="%d" z="%d"/>`, from+4*(k>>2&1), from+4*(k>>1&1), from+4*(k&1))
		}
		for _, f := range [12][3]int{{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}} {
			fmt.Fprintf(&triangles, `<triangle v1="%d" v2="%d" v3="%d"/>`, 8*i+f[0], 8*i+f[1], 8*i+f[2])
		}
	}
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for name, text := range map[string]string{
		"_rels/.rels": `<Relationships><Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/3D/m.model"/></Relationships>`,
		"3D/m.model": `<model><resources><object id="1"><mesh><vertices>` + vertices.String() + `</vertices><triangles>` + triangles.String() +
			`</triangles></mesh></object></resources><build><item objectid="1"/></build></model>`,
		"Metadata/Slic3r_PE_model.config": `<config><object id="1"><volume firstid="0" lastid="11"><metadata type="volume" key="name" value="block"/></volume>` +
			`<volume firstid="12" lastid="23"><metadata type="volume" key="name" value="other"/><metadata type="volume" key="volume_type" value="` + kind + `"/></volume></object></config>`,
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// The points are in the solid only, in both, in the other part only, on the other part in the solid, on the
// solid in the other part, and on the solid outside the other part.
const partPoints = "x,y,z\n1,1,1\n3,3,3\n5,5,5\n2,3,3\n4,3,3\n0,1,1\n"

// TestParts checks the sides of each type of part, the warnings, and the refusals of all commands.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	mesh, points := filepath.Join(dir, "m.3mf"), filepath.Join(dir, "p.csv")
	if err := os.WriteFile(points, []byte(partPoints), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (out, messages string, code int) {
		var stdout, stderr bytes.Buffer
		code = Run(t.Context(), &term.Terminal{In: strings.NewReader(""), Out: &stdout, Err: &stderr}, args)
		return stdout.String(), stderr.String(), code
	}
	column := func(out string) string { // the last column
		var words []string
		for line := range strings.Lines(out) {
			words = append(words, strings.TrimSpace(line[strings.LastIndex(line, ",")+1:]))
		}
		return strings.Join(words[1:], " ")
	}
	for _, c := range []struct{ kind, sides, bodies, note string }{
		{"ModelPart", "in in in on on on", "block block|other other block|other block|other block", ""},
		{"NegativeVolume", "in out out on out on", "block   block  block", "1 negative part: to be cut out"},
		{"ParameterModifier", "in in out in on on", "block block  block block block", "left out 1 modifier part"},
		{"SupportBlocker", "in in out in on on", "block block  block block block", "left out 1 support blocker part"},
		{"SupportEnforcer", "in in out in on on", "block block  block block block", "left out 1 support enforcer part"},
	} {
		writeParts(t, mesh, c.kind)
		out, messages, code := run(mesh, points, "--state")
		if code != 0 || column(out) != c.sides || !strings.Contains(messages, c.note) {
			t.Errorf("%s: exit code %d, sides %s, want %s; messages %q, want %q", c.kind, code, column(out), c.sides, messages, c.note)
		}
		out, _, code = run(mesh, points, "--body", "all")
		if got := strings.ReplaceAll(column(out), "m/", ""); code != 0 || got != c.bodies && !(strings.HasPrefix(c.note, "left") && got == strings.ReplaceAll(c.bodies, "block", "m")) {
			t.Errorf("%s: exit code %d, bodies %q, want %q", c.kind, code, got, c.bodies)
		}
		if out, _, code = run(mesh, points, "--state", "--parts", "ALL"); code != 0 || column(out) != "in in in on on on" {
			t.Errorf("%s with --parts all: exit code %d, sides %s", c.kind, code, column(out))
		}
	}

	writeParts(t, mesh, "NegativeVolume")
	out, lines, scene := filepath.Join(dir, "out"), filepath.Join(dir, "lines.csv"), filepath.Join(dir, "scene.json")
	for path, text := range map[string]string{
		lines: "x,y,z,dx,dy,dz,x0,y0,z0,x1,y1,z1\n1,1,1,1,0,0,1,1,1,2,2,2\n",
		scene: `{"bodies": [{"mesh": "m.3mf"}, {"mesh": "m.3mf", "poses": [[0, 9, 9, 9]]}]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{mesh, points, "--winding"}, {mesh, points, "--certify"}, {mesh, points, "--distance"}, {mesh, points, "--nearest"},
		{mesh, points, "--verify", "3"}, {mesh, points, "--proof", filepath.Join(dir, "p.proof"), "--out", out},
		{"check", mesh}, {"measure", mesh}, {"explain", mesh, "1,1,1"}, {"voxels", mesh, "--spacing", "1", "--out", out + ".npy"},
		{"section", mesh, "--z", "1", "--out", out + ".svg"}, {"view", mesh, "--out", out + ".html"},
		{"blocks", mesh, "--origin", "0,0,0", "--size", "1,1,1", "--counts", "2,2,2", "--out", out + ".csv"},
		{"rays", mesh, lines}, {"segments", mesh, lines}, {"collide", scene, "--out", out + ".csv"},
	} {
		_, messages, code := run(args...)
		if code != 1 || !strings.Contains(messages, "m.3mf: ") || !strings.Contains(messages, "negative parts: ") || !strings.Contains(messages, "--parts all reads all parts as solid") {
			t.Errorf("%q: exit code %d, messages %q, want the refusal of negative parts", args, code, messages)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%q wrote a file", args)
		}
		if _, messages, _ := run(append(args, "--parts=all")...); strings.Contains(messages, "negative parts") || strings.Contains(messages, "unknown flag") {
			t.Errorf("%q --parts=all: messages %q", args, messages)
		}
		os.Remove(out)
	}
	if _, messages, code := run(mesh, points, "--parts", "al"); code != 2 || !strings.Contains(messages, "did you mean --parts all?") {
		t.Errorf("--parts al: exit code %d, messages %q", code, messages)
	}
}
