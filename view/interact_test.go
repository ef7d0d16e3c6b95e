package view

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// twoBoxes returns two overlapping boxes at large coordinates, with points that have columns.
func twoBoxes(t testing.TB, opt Options) *Scene {
	t.Helper()
	corner := vector(4500000.1, 5400000.2, 300.3)
	parts := []assembly.Part{
		{Name: "left", Mesh: testmesh.Mesh(testmesh.Cube(corner, corner.Add(vector(2, 2, 2))))},
		{Name: "right", Mesh: testmesh.Mesh(testmesh.Cube(corner.Add(vector(1.5, 0, 0)), corner.Add(vector(4, 2, 2))))},
	}
	a, err := assembly.New(context.Background(), parts, assembly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	const n = 400
	pts, sides := make([]r3.Vector, n), make([]inpoly.Side, n)
	grades, words := make([]float64, n), make([][]byte, n)
	for i := range pts {
		pts[i] = corner.Add(vector(-1+6*rng.Float64(), -1+4*rng.Float64(), -1+4*rng.Float64()))
		grades[i], words[i] = math.Sqrt(float64(i)), [][]byte{[]byte("ore"), []byte(`<img src=x onerror="document.title='evil'">`), nil}[i%3]
	}
	pts[0] = corner.Add(vector(1, 1, 2.5)) // above the left box
	pts[1] = corner.Add(vector(0.123456789, 1, 1))
	if err := a.SidesTo(context.Background(), sides, pts); err != nil {
		t.Fatal(err)
	}
	c := NewCloud(n)
	c.SetColumns([]Column{{Name: "grade"}, {Name: "rock <b>", Text: true}})
	c.AddRows(0, pts, sides, []Values{{Numbers: grades}, {Texts: words}})
	opt.Name, opt.PointsName, opt.Windings, opt.Distances = "left.stl, right.stl", "blocks.csv", true, true
	opt.Files = []string{"left.stl", "my right.stl"}
	if opt.Pixels == 0 {
		opt.Pixels = 128
	}
	s, err := NewAssembly(context.Background(), a, c, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// at returns the place in the window where the page draws exact coordinates.
func (b *tab) at(p r3.Vector) (x, y float64) {
	b.t.Helper()
	r := b.eval(fmt.Sprintf(`(() => {
		const p = [...localPlace(view.scene.settings, [%v, %v, %v]), 1], m = view.transform(), box = view.canvas.getBoundingClientRect();
		const row = (r) => p.reduce((sum, x, k) => sum + m[4 * k + r] * x, 0);
		return [box.x + (0.5 + 0.5 * row(0) / row(3)) * box.width, box.y + (0.5 - 0.5 * row(1) / row(3)) * box.height];
	})()`, p.X, p.Y, p.Z)).([]any)
	return r[0].(float64), r[1].(float64)
}

func (b *tab) wants(what, text string, parts ...string) {
	b.t.Helper()
	text = ungrouped(text)
	for _, part := range parts {
		if !strings.Contains(text, part) {
			b.t.Errorf("%s: %q is not in %q", what, part, text)
		}
	}
}

// setRange sets a slider as the arrow keys of a user do.
func (b *tab) setRange(id string, value any) {
	b.t.Helper()
	b.eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %v; e.dispatchEvent(new Event("input", { bubbles: true })); })()`, id, value))
}

// choose selects an option.
func (b *tab) choose(id, text string) {
	b.t.Helper()
	if b.eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q), o = [...e.options].find((o) => o.text === %q); if (!o) return false; e.value = o.value; e.dispatchEvent(new Event("input", { bubbles: true })); return true; })()`, id, text)) != true {
		b.t.Fatalf("%s has no option %q", id, text)
	}
}

// useDesktop uses the page of two solids as a user does with a mouse and a keyboard.
func useDesktop(t *testing.T, s *Scene, b *tab) {
	// A point: all digits, its answers and columns, and a command to copy. Texts are no markup.
	p := s.points[0].p
	b.press(b.at(p))
	if b.eval(`document.getElementById("info").hidden`) != true {
		t.Errorf("a hidden point was picked: %s", b.text("info"))
	}
	b.click(`[data-keep="out"]`)
	b.press(b.at(p))
	b.until(`!document.getElementById("info").hidden`)
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	b.wants("the card of a point", b.text("info"), "Point in row 1", number(p.X), number(p.Y), number(p.Z), "state\tout", "distance\t0.5", "winding\t0", "body\tnone",
		"grade\t0", "rock <b>\tore", "inpoly explain left.stl "+number(p.X)+","+number(p.Y)+","+number(p.Z))
	if b.eval("document.title") != "left.stl, right.stl · inpoly" || b.eval(`document.querySelector("img[src=x]")`) != nil {
		t.Error("a text of the points became markup")
	}
	b.key("Escape")
	b.until(`document.getElementById("info").hidden`)

	// A face: only the front of the right box is where the point is pressed.
	top := p.Add(vector(1.9, 0.3, -0.5))
	b.click(`[data-keep="in"]`)
	b.click(`[data-keep="out"]`)
	b.press(b.at(top))
	b.until(`document.getElementById("info-title").innerText.startsWith("Face")`)
	b.wants("the card of a face", b.text("info"), "body\tright", "corner a\t", number(p.Z-0.5), "normal\t0\n0\n1", "area\t2.5", "defects\tnone", "inpoly explain 'my right.stl' ")
	for _, place := range []string{"1,2,3", "this"} { // an answer about another place, and the answer about this place
		b.eval(`view.info.explained({ type: "inpoly-explained", place: "` + place + `" === "this" ? view.info.place : "` + place + `", text: "because of <b>" })`)
		if got, want := b.text("info-text"), map[string]string{"this": "because of <b>"}[place]; got != want {
			t.Errorf("after an answer about %q, the card explains %q, want %q", place, got, want)
		}
	}
	b.click("#info-copy")
	b.until(`document.getElementById("info-copied").innerText !== ""`)
	b.click("#info-close")
	b.click(`[data-keep="in"]`)
	b.click(`[data-keep="out"]`)

	// Measuring between a point and a place on the surface directly below it.
	b.click("#measure")
	b.press(b.at(p))
	b.click(`[data-keep="out"]`)
	b.press(b.at(top))
	b.until(`document.getElementById("info-body").innerText.includes("distance")`)
	want := math.Sqrt(1.9*1.9 + 0.3*0.3 + 0.25)
	text := b.text("info-body")
	var got float64
	if _, rest, ok := strings.Cut(text, "distance\t"); ok {
		got, _ = strconv.ParseFloat(strings.Fields(rest)[0], 64)
	}
	if math.Abs(got-want) > 0.03 {
		t.Errorf("the distance is about %g, the page says %q", want, text)
	}
	b.until(`document.querySelectorAll("#marks circle").length === 4 && document.querySelectorAll("#marks line").length === 2`)
	b.click("#measure")

	// A hidden body is neither drawn nor picked.
	before := b.shot("")
	b.click(`[data-body="1"]`)
	b.settle()
	b.press(b.at(top))
	if b.eval(`document.getElementById("info").hidden`) != true {
		t.Errorf("a hidden body was picked: %s", b.text("info"))
	}
	if changed(before, b.shot("")) < 2000 {
		t.Error("a hidden body is drawn")
	}

	// Slices, colors and sizes. Then the fragment restores the page.
	b.click(`[name="slice-axis"][value="0"]`)
	b.setRange("slice-at", 250)
	b.until(`document.getElementById("slice-name").innerText === "Winding number W on x=4500001.1"`)
	b.wants("the note of the slice", b.text("slice-note"), "exact integers", "visible point")
	b.click(`[data-keep="out"]`)
	b.choose("color", "grade")
	if n := b.eval(`document.querySelectorAll("#legend canvas").length`); n != 1.0 {
		t.Error("the numbers of a column have no color bar")
	}
	b.choose("color", "rock <b>")
	b.wants("the legend of a text", b.text("legend"), "ore\n134", `<img src=x onerror="document.title='evil'">`+"\n133", "missing\n133")
	b.setRange("point-size", 10)
	b.click(`#cut`)
	b.drag(500, 400, 560, 430)
	b.settle()
	state := `JSON.stringify([location.hash, view.camera.text(), view.slices.axis, view.slices.value, [...document.querySelectorAll("[data-keep]")].map((e) => [e.dataset.keep, e.checked, e.value]), [...view.bodies.hidden]])`
	b.until(`location.hash.includes("cam=") && location.hash.includes("slice=x=") && location.hash.includes("hide=1") && location.hash.includes("cut=1")`)
	saved := b.eval(state).(string)
	hash := b.eval("location.hash").(string)
	shown := b.shot("")
	b.load("")
	if again := b.eval(state); again == saved {
		t.Error("without a fragment, the page has the same state")
	}
	b.load(hash)
	b.settle()
	if again := b.eval(state); again != saved {
		t.Errorf("the fragment restores\n%v, want\n%v", again, saved)
	}
	if n := changed(shown, b.shot("")); n > 3000 {
		t.Errorf("%d pixels differ after the fragment was restored", n)
	}

	// Saving.
	b.click("#save")
	file := filepath.Join(filepath.Dir(b.file), "left.stl-right-view.png")
	var img image.Image
	for end := time.Now().Add(20 * time.Second); img == nil; time.Sleep(50 * time.Millisecond) {
		if f, err := os.Open(file); err == nil {
			img, _ = png.Decode(f)
			f.Close()
		}
		if time.Now().After(end) {
			t.Fatal("no picture was saved")
		}
	}
	if keep := os.Getenv("INPOLY_SHOTS"); keep != "" {
		data, err := os.ReadFile(file)
		b.must(err)
		b.must(os.WriteFile(filepath.Join(keep, "saved.png"), data, 0o666))
	}
	if img.Bounds().Dx() != 650 || img.Bounds().Dy() != 660 || pixels(img, img.Bounds(), rgb{0x1f, 0x77, 0xe0}) < 300 {
		t.Errorf("the saved picture has %v and %d blue pixels", img.Bounds(), pixels(img, img.Bounds(), rgb{0x1f, 0x77, 0xe0}))
	}
}

// changed counts the pixels of the 3D picture that differ, on a page of 1000×660 pixels.
func changed(a, b image.Image) (n int) {
	for y := range 630 {
		for x := range 640 {
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			if d := math.Abs(float64(ar)-float64(br)) + math.Abs(float64(ag)-float64(bg)) + math.Abs(float64(ab)-float64(bb)); d > 0x1800 {
				n++
			}
		}
	}
	return n
}

// usePhone uses the page with touches on a phone.
func usePhone(t *testing.T, s *Scene, b *tab) {
	if w := b.eval("document.documentElement.scrollWidth - innerWidth"); w != 0.0 {
		t.Errorf("the page is %v pixels wider than the screen", w)
	}
	if pixels(b.visit().img, image.Rect(0, 0, 330, 500), sideColors[inpoly.Inside]) < 40 {
		t.Error("the points inside are not visible on a narrow screen")
	}
	b.click(`[data-keep="out"]`)
	b.eval("scrollTo(0, 0)")
	b.press(b.at(s.points[0].p))
	b.until(`!document.getElementById("info").hidden`)
	b.wants("the card of a point", b.text("info"), "Point in row 1")
	b.click("#info-close")
	b.eval("scrollTo(0, 0)")
	camera := b.eval("view.camera.text()")
	b.drag(150, 200, 210, 230)
	b.settle()
	if b.eval("view.camera.text()") == camera {
		t.Error("a finger does not rotate the mesh")
	}
	zoom := b.eval("view.camera.zoom").(float64)
	b.touches("touchStart", 150, 200, 200, 250)
	b.touches("touchMove", 140, 190, 210, 260)
	b.touches("touchMove", 110, 160, 240, 290)
	b.touches("touchEnd")
	b.settle()
	if now := b.eval("view.camera.zoom").(float64); now < 1.5*zoom {
		t.Errorf("spreading two fingers changed the zoom from %g to %g", zoom, now)
	}
	// Every control can be reached by scrolling, and a tap works on it.
	for _, selector := range []string{"#zoom-in", "#reset", "#up", "#measure", "#save"} {
		b.eval("scrollTo(0, 0)")
		b.click(selector)
	}
	for _, selector := range []string{`[data-keep="out"]`, `[data-body="0"]`, "#show-box", "#cut", `[name="slice-axis"][value="1"]`} {
		on := b.eval(`document.querySelector('` + selector + `').checked`)
		b.click(selector)
		b.until(fmt.Sprintf(`document.querySelector('%s').checked !== %v`, selector, on))
	}
	b.until(`document.getElementById("slice-name").innerText.includes("on y=")`)
	b.settle()
	b.eval("scrollTo(0, 0)")
}

// compareSlices moves slices of a closed mesh with cavities and overlaps. The winding numbers that
// the page computes must equal the winding numbers of package inpoly.
func compareSlices(t *testing.T, d *devtools) {
	soup := testmesh.Move(testmesh.Nested(true), func(p r3.Vector) r3.Vector {
		return vector(p.X+0.3*p.Y, p.Y-0.2*p.Z, p.Z+0.1*p.X).Add(vector(100, -7, 3))
	})
	n := int32(len(soup.Vertices))
	for _, v := range testmesh.Sphere(3).Vertices {
		soup.Vertices = append(soup.Vertices, v.Add(vector(100.4, -7, 3)))
	}
	for _, f := range testmesh.Sphere(3).Faces {
		soup.Faces = append(soup.Faces, [3]int32{f[0] + n, f[1] + n, f[2] + n})
	}
	soup.Bodies = nil
	solid := newSolid(t, soup, inpoly.Options{Orient: inpoly.OrientNever})
	for _, up := range []string{"z", "y"} {
		s := newScene(t, solid, nil, Options{Name: "nested.stl", Pixels: 90, Up: up})
		b := d.open(t, htmlPage(t, s), "", 600, 400, false)
		many := map[float64]bool{}
		for k := range 3 {
			for _, f := range []float64{0.07, 0.31, 0.5, 0.76} {
				lo, hi := axis(s.box.Min, k), axis(s.box.Max, k)
				want, err := newSlice(t.Context(), s.subject, Plane{k, lo + f*(hi-lo)}, 90, s.up())
				if err != nil {
					t.Fatal(err)
				}
				got := b.eval(fmt.Sprintf(`(() => {
					const grid = sliceGrid(view.slices.set, %d, view.scene.settings.up, 90), lines = section(view.scene, %d, %v, grid.axes);
					return { cols: grid.cols, rows: grid.rows, w: Array.from(fill(lines, %d, grid)) };
				})()`, k, k, want.plane.Value, k)).(map[string]any)
				if int(got["cols"].(float64)) != want.cols || int(got["rows"].(float64)) != want.rows {
					t.Fatalf("%v: %v × %v pixels, want %d × %d", want.plane, got["cols"], got["rows"], want.cols, want.rows)
				}
				for i, w := range got["w"].([]any) {
					many[want.w[i]] = true
					if w.(float64) != want.w[i] {
						t.Fatalf("%v, up %s: W is %v at %v, want %v", want.plane, up, w, want.point(i%want.cols, i/want.cols), want.w[i])
					}
				}
			}
		}
		if len(many) < 3 {
			t.Errorf("the slices have the winding numbers %v only", many)
		}
	}
}

// useStacks moves the slice of an open mesh and shows a face with a defect.
func useStacks(t *testing.T, d *devtools) {
	s, _ := brokenScene(t)
	b := d.open(t, htmlPage(t, s), "", 1000, 660, false)
	b.click(`[name="slice-axis"][value="2"]`)
	b.setRange("slice-at", 3)
	b.until(`document.getElementById("slice-note").innerText.includes("slice 4 of 24 across z")`)
	st := s.stacks[2]
	b.wants("the name of the slice", b.text("slice-name"), fmt.Sprintf("z=%.4g", st.slices[3].plane.Value)[:6])
	// The colors are the colors of the slice that was computed for this position.
	one := st.slices[3]
	got := b.eval(`(() => { const p = view.slices.current().picture, zoom = p.width / ` + fmt.Sprint(one.cols) + `, at = (i, j) => [...p.getContext("2d").getImageData(Math.floor((i + 0.5) * zoom), Math.floor((j + 0.5) * zoom), 1, 1).data];
		return Array.from({ length: ` + fmt.Sprint(one.rows) + ` }, (_, j) => at(` + fmt.Sprint(one.cols/2) + `, j)); })()`).([]any)
	same := 0
	for j, c := range got {
		want, rgba := windingColor(one.w[j*one.cols+one.cols/2]), c.([]any)
		if math.Abs(rgba[0].(float64)-float64(want.R)) < 12 && math.Abs(rgba[3].(float64)-float64(want.A)) < 3 {
			same++
		}
	}
	if same < one.rows*8/10 { // the section covers a few pixels
		t.Errorf("%d of %d pixels of the slice have the color of their winding number", same, one.rows)
	}
	// A face next to the hole has open edges.
	m := s.parts[0].solid.Mesh()
	face := -1
	open := map[[2]int32]bool{}
	for _, l := range s.layers {
		if l.Key == "open" {
			for _, e := range l.edges {
				open[e], open[[2]int32{e[1], e[0]}] = true, true
			}
		}
	}
	for f, v := range m.Faces {
		if f < 1000 && open[[2]int32{v[0], v[1]}] {
			face = f
		}
	}
	text := b.eval(fmt.Sprintf(`(() => { view.info.face({ face: %d, u: 0.25, v: 0.25, t: 1 }); return document.getElementById("info").innerText; })()`, face)).(string)
	b.wants("the card of a face", text, fmt.Sprintf("Face %d", face), "open edges")
	b.choose("edges", "all (wireframe)")
	b.click("#show-mesh")
	b.settle()
	if e := b.eval("document.documentElement.dataset.error"); e != nil {
		t.Errorf("error %v", e)
	}
}

// checkLogic checks functions of the script that need no picture.
func checkLogic(t *testing.T, b *tab) {
	for _, c := range []struct{ expression, want string }{
		{`ticks(0, 1).list.map((x) => Number(x.toFixed(3)))`, `[0,0.2,0.4,0.6,0.8,1]`},
		{`tickTexts(ticks(-3, 3))`, `["-2","0","2"]`},
		{`tickTexts(ticks(4500000.1, 4500000.5)).length >= 3`, `true`},
		{`new Set(tickTexts(ticks(4500000.1, 4500000.5))).size >= 3`, `true`},
		{`range([1, 2, NaN, 3, Infinity], false)`, `{"lo":1,"hi":3,"below":false,"above":false}`},
		{`range([NaN], false)`, `null`},
		{`range([...Array(1000).keys(), 1e9], false).above`, `true`},
		{`range([-1, 3], true).lo`, `-3`},
		{`runs([0, 1, 2, 3, 7, 9, 10])`, `"0-3,7,9-10"`},
		{`numbersOf("0-3,7,x,9-99999999999", 11)`, `[0,1,2,3,7,9,10]`},
		{`placeText(4500000.123456789, 2)`, `"4500000.123457"`},
		{`command("a b'c.stl", [1, -2, 3])`, `"inpoly explain 'a b'\\''c.stl' 1,-2,3"`},
		{`command("-x.stl", [0, 0, 0])`, `"inpoly explain ./-x.stl 0,0,0"`},
		{`(() => { const p = new Pace(30); return [10, 60, 200, 900].map((x) => { p.level = 0; p.measured(x, false); return p.level; }); })()`, `[0,1,2,3]`},
		{`(() => { const p = new Pace(30); p.measured(100, false); p.measured(60, true); p.measured(60, true); const slow = p.level; for (let i = 0; i < 30; i++) p.measured(8, true); return [slow, p.level, p.rate() > 50]; })()`, `[3,0,true]`},
		{`(() => { const p = new Pace(30); p.measured(100, false); for (let i = 0; i < 9; i++) p.measured(99, true); return [p.level, p.now().coarse]; })()`, `[4,16]`},
		{`(() => { const p = new Pace(30); p.measured(100, false); p.measured(12, false); return [p.level, p.rest()]; })()`, `[0,180]`},
		{`(() => { const c = new Camera([1, 1, 1], 2); return ["1,2,3", "a,0,1,0,0,0,z", "1,0,1,0,0,0,q", "1,0.5,2,0,0,0,y"].map((s) => c.restore(s)); })()`, `[false,false,false,true]`},
		{`(() => { const f = [0, 1, 2, 0, 2, 3, 0, 3, 1], v = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]); const e = findEdges(f, v); return [e.all.length / 2, e.sharp.length / 2]; })()`, `[6,6]`},
		{`(() => { const f = [0, 1, 2, 0, 2, 3], v = new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]); const e = findEdges(f, v); return [e.all.length / 2, e.sharp.length / 2]; })()`, `[5,4]`},
	} {
		if got := b.eval("JSON.stringify(" + c.expression + ")"); got != c.want {
			t.Errorf("%s = %v, want %s", c.expression, got, c.want)
		}
	}
}

// TestChromiumThinned draws a large mesh and many points while the mesh moves. Either each picture
// takes at most a thirtieth of a second, or the page says which parts it omits.
func TestChromiumThinned(t *testing.T) {
	if os.Getenv("INPOLY_FULL") == "" {
		t.Skip("a page with a million points and a million triangles takes long: set INPOLY_FULL")
	}
	m := testmesh.Sphere(9) // 2,097,152 triangles
	m = mustMesh(t, mesh.Soup{Vertices: m.Vertices, Faces: m.Faces[:1_000_000]})
	solid, err := inpoly.New(t.Context(), m, inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := newScene(t, solid, newCloud(t, solid, vector(-1.1, -1.1, -1.1), vector(1.1, 1.1, 1.1), 1_000_000, 1_000_000), Options{Name: "large.stl"})
	b := startChromium(t).open(t, htmlPage(t, s), "", 1280, 860, false)
	for range 8 {
		b.drag(400, 400, 460, 420)
	}
	rate, _ := strconv.ParseFloat(fmt.Sprint(b.eval("document.documentElement.dataset.rate")), 64)
	thinned := fmt.Sprint(b.eval("document.documentElement.dataset.thinned"))
	t.Logf("%.1f pictures per second; %s; %s", rate, thinned, b.text("rate"))
	if rate < 30 && !strings.Contains(thinned, "While moving: ") {
		t.Errorf("%.1f pictures per second, and the page says %q", rate, thinned)
	}
	b.settle()
	if note := b.text("thinned"); strings.Contains(note, "moving") {
		t.Errorf("the page stands still and says %q", note)
	}
}

func mustMesh(t *testing.T, s mesh.Soup) *mesh.Mesh {
	t.Helper()
	m, err := mesh.New(t.Context(), s, mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
