package view

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// browser returns the path of Chromium. If Chromium is not installed, browser skips the test.
func browser(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: no browser is started")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("neither chromium, chromium-browser nor google-chrome is on the PATH: the page was not opened")
	return ""
}

// visit is the result of opening a page: the data attributes of its root element, its text and a
// screenshot.
type visit struct {
	data map[string]string
	text string
	img  image.Image
}

// software makes Chromium render without a graphics card.
var software = []string{"--use-angle=swiftshader", "--enable-unsafe-swiftshader"}

// open opens a page in a window of the given size. The test fails if the browser does not end
// within three minutes. The environment variable INPOLY_SHOTS can name a folder for the screenshot.
func open(t *testing.T, page string, width, height int, flags ...string) (v visit) {
	t.Helper()
	path := browser(t)
	dir := t.TempDir()
	file, shot := filepath.Join(dir, "page.html"), filepath.Join(dir, "shot.png")
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	args := append([]string{"--headless=new", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=1", "--disable-extensions",
		"--user-data-dir=" + filepath.Join(dir, "profile"), "--virtual-time-budget=2000",
		"--dump-dom", "--screenshot=" + shot, fmt.Sprintf("--window-size=%d,%d", width, height)}, flags...)
	cmd := exec.CommandContext(ctx, path, append(args, "file://"+file)...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, log.String())
	}
	v.text, v.data = out.String(), map[string]string{}
	root := regexp.MustCompile(`<html[^>]*>`).FindString(v.text)
	for _, m := range regexp.MustCompile(`data-([a-z]+)="([^"]*)"`).FindAllStringSubmatch(root, -1) {
		v.data[m[1]] = m[2]
	}
	b, err := os.ReadFile(shot)
	if err != nil {
		t.Fatal(err)
	}
	if keep := os.Getenv("INPOLY_SHOTS"); keep != "" {
		if err := os.WriteFile(filepath.Join(keep, strings.ReplaceAll(t.Name(), "/", "-")+".png"), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if v.img, err = png.Decode(bytes.NewReader(b)); err != nil {
		t.Fatal(err)
	}
	return v
}

// pixels counts the pixels in r whose hue is close to the hue of c. It ignores the brightness,
// which transparency and lighting can change.
func pixels(img image.Image, r image.Rectangle, c rgb) (n int) {
	most, least := 0, 0
	for k := range 3 {
		if c[k] > c[most] {
			most = k
		}
		if c[k] < c[least] {
			least = k
		}
	}
	middle := 3 - most - least
	share := func(v [3]float64) float64 { return (v[middle] - v[least]) / (v[most] - v[least]) }
	want := share([3]float64{float64(c[0]), float64(c[1]), float64(c[2])})
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			v := [3]float64{float64(p.R), float64(p.G), float64(p.B)}
			if v[most]-v[least] > 85 && v[middle] >= v[least] && v[middle] <= v[most] && share(v) > want-1.0/7 && share(v) < want+1.0/7 {
				n++
			}
		}
	}
	return n
}

// stage is the rectangle of the 3D picture on a page of 1280×860 pixels. It excludes the axes.
var stage = image.Rect(100, 0, 870, 830)

// brokenScene returns a sphere with defects and points.
func brokenScene(t *testing.T) (*Scene, *Cloud) {
	solid := newSolid(t, brokenSoup(), inpoly.Options{})
	cloud := newCloud(t, solid, vector(-1.3, -1.3, -1.3), vector(1.3, 1.3, 1.3), 1500, 5000)
	return newScene(t, solid, cloud, Options{Name: "broken.stl", PointsName: "cloud.csv", Pixels: 256}), cloud
}

// TestChromium opens pages in one browser and uses them.
func TestChromium(t *testing.T) {
	t.Parallel()
	d := startChromium(t)
	t.Run("broken", func(t *testing.T) { viewBroken(t, d) })
	t.Run("closed", func(t *testing.T) { viewClosed(t, d) })
	t.Run("empty", func(t *testing.T) { viewEmpty(t, d) })
	t.Run("corpus", func(t *testing.T) { needFull(t); viewCorpus(t, d) })
	s := twoBoxes(t, Options{})
	page := htmlPage(t, s)
	t.Run("desktop", func(t *testing.T) { useDesktop(t, s, d.open(t, page, "", 1000, 660, false)) })
	t.Run("phone", func(t *testing.T) { needFull(t); usePhone(t, s, d.open(t, page, "", 390, 844, true)) })
	t.Run("slices", func(t *testing.T) { compareSlices(t, d) })
	t.Run("stacks", func(t *testing.T) { needFull(t); useStacks(t, d) })
	t.Run("logic", func(t *testing.T) { checkLogic(t, d.open(t, page, "", 600, 400, false)) })
}

// needFull skips a test of several seconds unless INPOLY_FULL is set.
func needFull(t *testing.T) {
	if os.Getenv("INPOLY_FULL") == "" {
		t.Skip("takes several seconds: set INPOLY_FULL=1")
	}
}

// viewBroken opens a page with points and a mesh that has defects. The script of the page must report
// the correct numbers of triangles and points. The screenshot must have the colors of points and
// defects. The test then finds a defect and changes what is visible.
func viewBroken(t *testing.T, d *devtools) {
	s, cloud := brokenScene(t)
	page := htmlPage(t, s)
	counts := cloud.Counts()
	want := map[string]string{"ready": "yes", "triangles": fmt.Sprint(len(s.surface.faces)), "error": ""}
	for side, name := range sideNames {
		want[name] = fmt.Sprint(counts[side])
	}
	b := d.open(t, page, "", 1280, 860, false)
	var light visit
	for _, scheme := range []string{"dark", "light"} {
		b.send("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}})
		b.until(`document.documentElement.dataset.theme === "` + scheme + `"`)
		v := b.visit()
		light = v
		for key, value := range want {
			if v.data[key] != value {
				t.Errorf("%s: the page says %s=%q, want %q (error %q)", scheme, key, v.data[key], value, v.data["error"])
			}
		}
		r, g, b, _ := v.img.At(20, 20).RGBA()
		if (scheme == "dark") != (r+g+b < 3*0x4000) {
			t.Errorf("%s: the background is %x %x %x", scheme, r>>8, g>>8, b>>8)
		}
		for name, c := range map[string]rgb{"inside": sideColors[inpoly.Inside],
			"open edges": openColor, "flipped faces": flippedColor, "non-manifold edges": nonManifoldColor} {
			if n := pixels(v.img, stage, c); n < 40 {
				t.Errorf("%s: %d pixels in the color of %s", scheme, n, name)
			}
		}
		if n := pixels(v.img, stage, sideColors[inpoly.Outside]); n > 200 { // most points are outside; intersecting faces have a similar hue
			t.Errorf("%s: %d pixels in the color of outside, which is hidden at first", scheme, n)
		}
	}
	b.click(`[data-find="flipped"]`)
	b.until(`document.getElementById("place").innerText !== ""`)
	v := b.visit()
	if a, b := pixels(light.img, stage, flippedColor), pixels(v.img, stage, flippedColor); b < 4*a {
		t.Errorf("flipped faces: %d pixels at first and %d when they were sought", a, b)
	}
	middle := s.parts[0].solid.Mesh().Triangle(200)
	p := middle[0].Add(middle[1]).Add(middle[2]).Mul(1.0 / 3)
	m := regexp.MustCompile(`flipped faces: number 1, near x ([-\d.e]+), y ([-\d.e]+), z ([-\d.e]+)`).FindStringSubmatch(b.text("place"))
	if m == nil {
		t.Fatal("the page does not say where the first flipped face is")
	}
	for k := range 3 {
		if x, err := strconv.ParseFloat(m[k+1], 64); err != nil || math.Abs(x-axis(p, k)) > 1e-4 {
			t.Errorf("the first flipped face is near %v, the page says %v", p, m[1:])
		}
	}
	b.click("#reset")
	b.click(`[data-side="1"]`)
	b.click(`[data-layer="open"]`)
	b.press(400, 400) // sets the focus
	for _, key := range []string{"ArrowRight", "ArrowUp", "+", "-", "Escape"} {
		b.key(key)
	}
	b.wheel(400, 400, 40)
	b.click("#zoom-in")
	b.click("#zoom-out")
	v = b.visit()
	if v.data["error"] != "" {
		t.Errorf("the controls failed: %v", v.data)
	}
	if a, b := pixels(light.img, stage, openColor), pixels(v.img, stage, openColor); a < 40 || b > a/20 {
		t.Errorf("open edges: %d pixels before and %d after they were switched off", a, b)
	}
	for name, c := range map[string]rgb{"points inside": sideColors[inpoly.Inside], "points outside": sideColors[inpoly.Outside]} {
		if n := pixels(v.img, stage, c); n < 1000 {
			t.Errorf("%s: %d pixels after they were switched on", name, n)
		}
	}

	const evil = `<script>document.documentElement.dataset.acted = "yes"</script><img src="data:," onerror="document.documentElement.dataset.acted = 'yes'">`
	if v := d.open(t, strings.Replace(page, "</body>", evil+"</body>", 1), "", 600, 400, false).visit(); v.data["acted"] != "" || v.data["ready"] != "yes" {
		t.Errorf("the policy does not stop a script: %v", v.data)
	}
}

// viewClosed opens a closed mesh without points. The screenshot must have the color of the
// slice and no colors of defects or points. A sphere must look round.
func viewClosed(t *testing.T, d *devtools) {
	m := testmesh.Sphere(4)
	solid := newSolid(t, mesh.Soup{Vertices: m.Vertices, Faces: m.Faces}, inpoly.Options{})
	v := d.open(t, htmlPage(t, newScene(t, solid, nil, Options{Name: "sphere", Pixels: 256})), "", 1280, 860, false).visit()
	for name, c := range map[string]rgb{"outside": sideColors[inpoly.Outside], "open edges": openColor, "flipped faces": flippedColor} {
		if n := pixels(v.img, stage, c); n > 0 {
			t.Errorf("%d pixels in the color of %s", n, name)
		}
	}
	in := windingColor(1)
	if n := pixels(v.img, image.Rect(960, 300, 1250, 860), rgb{in.R, in.G, in.B}); n < 1000 {
		t.Errorf("%d pixels of the slice in the color of W = 1", n)
	}
	// Count the rows and columns with many pixels that are darker than the background. Only the
	// sphere has many, because the slice is faint beyond the sphere and the box is thin.
	dark := func(x, y int) bool { r, g, b, _ := v.img.At(x, y).RGBA(); return (r+g+b)>>8 < 3*205 }
	var rows, cols int
	for y := range 860 {
		n := 0
		for x := range 870 {
			if dark(x, y) {
				n++
			}
		}
		if n > 60 {
			rows++
		}
	}
	for x := range 870 {
		n := 0
		for y := range 860 {
			if dark(x, y) {
				n++
			}
		}
		if n > 60 {
			cols++
		}
	}
	if ratio := float64(cols) / float64(rows); rows < 200 || ratio < 0.93 || ratio > 1.07 {
		t.Errorf("the sphere is %d pixels wide and %d high", cols, rows)
	}
}

// TestChromiumWithoutWebGL checks that a page without WebGL shows a message and the tables.
func TestChromiumWithoutWebGL(t *testing.T) {
	t.Parallel()
	s, cloud := brokenScene(t)
	v := open(t, htmlPage(t, s), 1280, 860, "--disable-3d-apis")
	if v.data["ready"] != "tables" || !strings.Contains(visible(v.text), "This browser does not support WebGL 2") {
		t.Errorf("there is no message in place of the picture: %v", v.data)
	}
	if want := fmt.Sprintf("inside %d ", cloud.Counts()[inpoly.Inside]); !strings.Contains(visible(v.text), want) {
		t.Errorf("the table does not say %q", want)
	}
}

// viewEmpty opens one nearly empty page, or several such pages if INPOLY_FULL is set.
func viewEmpty(t *testing.T, d *devtools) {
	empty := newSolid(t, mesh.Soup{}, inpoly.Options{})
	flat := newSolid(t, mesh.Soup{Vertices: []r3.Vector{vector(0, 0, 0), vector(1, 0, 0), vector(0, 1, 0)}, Faces: [][3]int32{{0, 1, 2}}}, inpoly.Options{})
	scenes := map[string]*Scene{"points": newScene(t, empty, newCloud(t, empty, vector(0, 0, 0), vector(1, 1, 1), 5, 5), Options{})}
	if os.Getenv("INPOLY_FULL") != "" {
		scenes["nothing"] = newScene(t, empty, nil, Options{})
		scenes["triangle"] = newScene(t, flat, nil, Options{})
		scenes["huge"] = newScene(t, newSolid(t, testmesh.Scale(testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), 0x1p800), inpoly.Options{}), nil, Options{})
	}
	for name, s := range scenes {
		if v := d.open(t, htmlPage(t, s), "", 800, 500, false).visit(); v.data["ready"] != "yes" || v.data["error"] != "" {
			t.Errorf("%s: %v", name, v.data)
		}
	}
}
