package view

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// browser returns a Chromium on this machine, or skips.
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

// open opens a page with the flags given and returns standard output. A browser that
// does not start at all within a minute, as on a machine with too much to do, fails.
func open(t *testing.T, page string, flags ...string) string {
	t.Helper()
	path := browser(t)
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	args := append([]string{"--headless=new", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=1", "--disable-extensions",
		"--user-data-dir=" + t.TempDir(), "--virtual-time-budget=10000"}, flags...)
	cmd := exec.CommandContext(ctx, path, append(args, "file://"+file)...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, log.String())
	}
	return out.String()
}

// software draws without a graphics card.
var software = []string{"--use-angle=swiftshader", "--enable-unsafe-swiftshader"}

// dump returns the page's root element after its program has run.
func dump(t *testing.T, page string, flags ...string) map[string]string {
	t.Helper()
	root := regexp.MustCompile(`<html[^>]*>`).FindString(open(t, page, append([]string{"--dump-dom"}, flags...)...))
	data := map[string]string{}
	for _, m := range regexp.MustCompile(`data-([a-z]+)="([^"]*)"`).FindAllStringSubmatch(root, -1) {
		data[m[1]] = m[2]
	}
	return data
}

// shoot returns a picture of a page. With INPOLY_SHOTS set to a folder it is kept there.
func shoot(t *testing.T, page string, width, height int, flags ...string) image.Image {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shot.png")
	if dir := os.Getenv("INPOLY_SHOTS"); dir != "" {
		file = filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "-")+fmt.Sprintf("-%d%s.png", width, strings.Join(flags, "")))
	}
	open(t, page, append(append([]string{"--screenshot=" + file, fmt.Sprintf("--window-size=%d,%d", width, height)}, software...), flags...)...)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// pixels counts the pixels in r whose colour has nearly the hue of c, as seen through
// glass or lit: the largest and the smallest channel are those of c, they differ by a
// third of the range at least, and the third lies between them as in c, to a seventh.
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

// stage is where the picture in space is on a page of 1280×860.
var stage = image.Rect(0, 0, 870, 830)

// brokenScene is a broken sphere with points.
func brokenScene(t *testing.T) (*Scene, *Cloud) {
	solid := newSolid(t, brokenSoup(), inpoly.Options{})
	cloud := newCloud(t, solid, vec(-1.3, -1.3, -1.3), vec(1.3, 1.3, 1.3), 1500, 5000)
	return newScene(t, solid, cloud, Options{Name: "broken.stl", PointsName: "cloud.csv", Pixels: 256}), cloud
}

// TestChromium opens a broken mesh with points: the program says that it has drawn what
// the tables say, and the picture has the colours of points and defects.
func TestChromium(t *testing.T) {
	s, cloud := brokenScene(t)
	page := htmlPage(t, s)
	data := dump(t, page, software...)
	counts := cloud.Counts()
	want := map[string]string{"ready": "yes", "triangles": fmt.Sprint(len(s.surface.faces))}
	for side, name := range sideNames {
		want[name] = fmt.Sprint(counts[side])
	}
	for key, v := range want {
		if data[key] != v {
			t.Errorf("the page says %s=%q, want %q (error %q)", key, data[key], v, data["error"])
		}
	}
	if data["error"] != "" {
		t.Errorf("the page reports %q", data["error"])
	}
	// In the dark the browser's own force-dark flag sets prefers-color-scheme.
	for scheme, flags := range map[string][]string{"light": nil, "dark": {"--blink-settings=preferredColorScheme=0"}} {
		img := shoot(t, page, 1280, 860, flags...)
		r, g, b, _ := img.At(20, 20).RGBA()
		if (scheme == "dark") != (r+g+b < 3*0x4000) {
			t.Errorf("%s: the background is %x %x %x", scheme, r>>8, g>>8, b>>8)
		}
		for name, c := range map[string]rgb{"inside": sideColours[inpoly.Inside], "outside": sideColours[inpoly.Outside],
			"open edges": openColour, "flipped faces": flippedColour, "non-manifold edges": nonManifoldColour} {
			if n := pixels(img, stage, c); n < 40 {
				t.Errorf("%s: %d pixels in the colour of %s", scheme, n, name)
			}
		}
	}
}

// TestChromiumClosed opens a closed mesh without points: none of the colours of defects
// and points are there, but that of the slice.
func TestChromiumClosed(t *testing.T) {
	m := mesh.Sphere(4)
	solid := newSolid(t, mesh.Soup{Vertices: m.Vertices, Faces: m.Faces}, inpoly.Options{})
	img := shoot(t, htmlPage(t, newScene(t, solid, nil, Options{Name: "sphere"})), 1280, 860)
	for name, c := range map[string]rgb{"outside": sideColours[inpoly.Outside], "open edges": openColour, "flipped faces": flippedColour} {
		if n := pixels(img, stage.Inset(0).Intersect(image.Rect(100, 0, 870, 830)), c); n > 0 {
			t.Errorf("%d pixels in the colour of %s", n, name)
		}
	}
	if n := pixels(img, image.Rect(960, 300, 1250, 860), windingRGB(1)); n < 1000 {
		t.Errorf("%d pixels of the slice in the colour of W = 1", n)
	}
}

func windingRGB(w float64) rgb {
	c := windingColour(w)
	return rgb{c.R, c.G, c.B}
}

// TestChromiumControls plays a user: a script appended to the page clicks, types and
// turns, and says what came of it.
func TestChromiumControls(t *testing.T) {
	s, _ := brokenScene(t)
	page := htmlPage(t, s)
	before := shoot(t, page, 1280, 860)
	acted := strings.Replace(page, "</body>", `<script>
addEventListener("load", () => setTimeout(() => {
  const canvas = document.getElementById("canvas");
  const key = (key, shiftKey) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true }));
  for (let i = 0; i < 5; i++) key("ArrowRight");
  key("ArrowUp"); key("+"); key("-"); key("ArrowLeft", true);
  const point = (type, id, x, y) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: id, clientX: x, clientY: y, pointerType: "touch", isPrimary: id === 1 }));
  canvas.setPointerCapture = () => {};
  point("pointerdown", 1, 300, 300); point("pointermove", 1, 340, 310);
  point("pointerdown", 2, 500, 500); point("pointermove", 2, 520, 520); point("pointerup", 2, 520, 520); point("pointerup", 1, 340, 310);
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: 40, cancelable: true }));
  for (const e of document.querySelectorAll('[data-side="1"], [data-layer="open"]')) e.click();
  document.getElementById("zoom-in").click(); document.getElementById("zoom-out").click(); document.getElementById("up").click();
  document.documentElement.dataset.acted = "yes";
}, 100));
</script></body>`, 1)
	data := dump(t, acted, software...)
	if data["acted"] != "yes" || data["error"] != "" {
		t.Errorf("the controls failed: %v", data)
	}
	after := shoot(t, acted, 1280, 860)
	view := image.Rect(100, 0, 870, 830) // without the cross of axes
	for name, c := range map[string]rgb{"points outside": sideColours[inpoly.Outside], "open edges": openColour} {
		if a, b := pixels(before, view, c), pixels(after, view, c); a < 40 || b > a/20 {
			t.Errorf("%s: %d pixels before and %d after they were switched off", name, a, b)
		}
	}
	if n := pixels(after, view, sideColours[inpoly.Inside]); n < 40 {
		t.Errorf("points inside: %d pixels after the others were switched off", n)
	}
}

// TestChromiumPhone opens the page on a narrow screen: nothing is wider than that.
func TestChromiumPhone(t *testing.T) {
	s, _ := brokenScene(t)
	page := strings.Replace(htmlPage(t, s), "</body>", `<script>
addEventListener("load", () => setTimeout(() => {
  document.documentElement.dataset.width = document.documentElement.scrollWidth - innerWidth;
}, 100));
</script></body>`, 1)
	if data := dump(t, page, append([]string{"--window-size=390,844"}, software...)...); data["width"] != "0" || data["ready"] != "yes" {
		t.Errorf("the page sticks out by %s pixels of 390, ready: %s", data["width"], data["ready"])
	}
	if img := shoot(t, page, 390, 844); pixels(img, image.Rect(0, 0, 330, 500), sideColours[inpoly.Inside]) < 40 {
		t.Error("the points inside are not to be seen on a narrow screen")
	}
}

// TestChromiumWithoutWebGL asks for the message and the tables where there is no WebGL.
func TestChromiumWithoutWebGL(t *testing.T) {
	s, cloud := brokenScene(t)
	text := open(t, htmlPage(t, s), "--dump-dom", "--disable-3d-apis")
	if !strings.Contains(text, `data-ready="tables"`) || !strings.Contains(visible(text), "This browser has no WebGL 2") {
		t.Error("there is no message in place of the picture")
	}
	if want := fmt.Sprintf("inside %d ", cloud.Counts()[inpoly.Inside]); !strings.Contains(visible(text), want) {
		t.Errorf("the table does not say %q", want)
	}
}

// TestChromiumEmpty opens pages with next to nothing on them.
func TestChromiumEmpty(t *testing.T) {
	empty := newSolid(t, mesh.Soup{}, inpoly.Options{})
	flat := newSolid(t, mesh.Soup{Vertices: []r3.Vector{vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0)}, Faces: [][3]int32{{0, 1, 2}}}, inpoly.Options{})
	for name, s := range map[string]*Scene{
		"nothing":  newScene(t, empty, nil, Options{}),
		"points":   newScene(t, empty, newCloud(t, empty, vec(0, 0, 0), vec(1, 1, 1), 5, 5), Options{}),
		"triangle": newScene(t, flat, nil, Options{}),
		"huge":     newScene(t, newSolid(t, testmesh.Scale(testmesh.Cube(vec(0, 0, 0), vec(1, 1, 1)), 0x1p800), inpoly.Options{}), nil, Options{}),
	} {
		if data := dump(t, htmlPage(t, s), software...); data["ready"] != "yes" || data["error"] != "" {
			t.Errorf("%s: %v", name, data)
		}
	}
}
