package browser

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestPage(t *testing.T) {
	b := start(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *tab)
		long bool
	}{
		{"Drops", testDrops, false}, {"Formats", testFormats, true}, {"Options", testOptions, true}, {"WrongFiles", testWrongFiles, true}, {"Columns", testColumns, false},
		{"Meshes", testMeshes, false}, {"Explanations", testExplanations, false}, {"ManyPoints", testManyPoints, true}, {"Looks", testLooks, true}, {"Network", testNetwork, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.long && os.Getenv("INPOLY_FULL") == "" {
				t.Skip("takes 10 to 30 seconds: set INPOLY_FULL=1")
			}
			b.t = t
			b.eval(`page.reset()`, nil)
			b.look(800, 600, false, false) // the 3D view is below the window, so Chromium does not draw it
			b.settle()
			test.run(t, b)
		})
	}
}

// testDrops drops files in every order.
func testDrops(t *testing.T, b *tab) {
	want, _ := b.stats(b.mesh, b.points)
	for name, drops := range map[string][][]string{
		"mesh, points": {{b.mesh}, {b.points}}, "points, mesh": {{b.points}, {b.mesh}}, "at once": {{b.points, b.mesh}},
	} {
		for _, paths := range drops {
			b.drop(paths...)
		}
		if got := b.counts(); got != want {
			t.Errorf("%s: counts %v, want %v", name, got, want)
		}
		if text := b.text("mesh-line"); text != "5,184 triangles, closed, no defects found" {
			t.Errorf("%s: the mesh is %q", name, text)
		}
		b.press("#clear")
		b.until(`document.documentElement.dataset.state === "empty"`)
	}
}

// testFormats saves the result in every format. The bytes or the error are those of the command.
func testFormats(t *testing.T, b *tab) {
	b.drop(b.mesh, b.points)
	var formats []string
	b.eval(`[...document.getElementById("format").options].map((o) => o.value)`, &formats)
	if len(formats) < 6 {
		t.Fatalf("formats %q", formats)
	}
	for _, points := range []string{b.points, b.file("plain.tsv", "x\ty\tz\tlevel\n9\t-27\t-5\t3\n0\t0\t0\t4\n")} {
		b.drop(points)
		base, own := strings.TrimSuffix(filepath.Base(points), filepath.Ext(points)), filepath.Ext(points)
		for _, format := range formats {
			args, name := []string{b.mesh, points}, base+"-inside"+own
			if format != "" {
				args, name = append(args, "--format", format), base+"-inside."+format
			}
			b.choose("format", format)
			_, want, err := b.run(args...)
			if err != nil {
				b.press("#download")
				b.until(`!document.getElementById("failure").hidden`)
				if got := b.text("failure-text"); got != b.message(err) {
					t.Errorf("%s: the page says %q, want %q", name, got, b.message(err))
				}
				continue
			}
			got := b.saved("#download", name)
			if format == "parquet" { // the assembly code of package snappy packs differently
				got, want = b.content(got, name), b.content(want, name)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: the saved file has %d bytes and differs from the %d bytes of the command", name, len(got), len(want))
			}
		}
	}
	b.choose("format", "jsonl")
	b.press("#gzip")
	z, err := gzip.NewReader(bytes.NewReader(b.saved("#download", "plain-inside.jsonl.gz")))
	b.must(err)
	got, err := io.ReadAll(z)
	b.must(err)
	if _, want := b.stats(b.mesh, filepath.Join(b.dir, "plain.tsv"), "--format", "jsonl"); !bytes.Equal(got, want) {
		t.Error("the packed file differs from the output of the command")
	}
}

// testOptions changes the options and compares the results with the command.
func testOptions(t *testing.T, b *tab) {
	b.drop(b.mesh, b.points)
	b.choose("rule", "negative")
	if got, want := b.counts(), [4]int{0, 4001, 95, 0}; got != want {
		t.Errorf("rule negative: counts %v, want %v", got, want)
	}
	b.eval(`for (const e of document.querySelectorAll("[data-flag]")) e.checked = true;
		for (const [id, value] of Object.entries({ tolerance: "0.5", weld: "1e-9", method: "raycross", orient: "always", more: "--keep on --epsilon 1e-3" })) document.getElementById(id).value = value;`, nil)
	b.choose("rule", "evenodd")
	args := []string{b.mesh, b.points, "--rule", "evenodd", "--tolerance", "0.5", "--weld", "1e-9", "--method", "raycross", "--orient=always", "--keep", "on",
		"--epsilon", "1e-3", "--state", "--winding", "--distance", "--nearest"}
	want, out := b.stats(args...)
	if got := b.counts(); got != want {
		t.Errorf("counts %v, want %v", got, want)
	}
	if got := b.saved("#download", "points-inside.csv"); !bytes.Equal(got, out) {
		t.Errorf("the saved file differs from the output of the command:\n%.300s\n%.300s", got, out)
	}
	shell := exec.Command("sh", "-c", strings.Replace(b.text("command"), "inpoly knot.stl points.csv", b.command+" "+b.mesh+" "+b.points, 1))
	shell.Dir = t.TempDir()
	if text, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("the command of the page fails: %v: %s", err, text)
	}
	if got, err := os.ReadFile(filepath.Join(shell.Dir, "points-inside.csv")); err != nil || !bytes.Equal(got, out) {
		t.Errorf("the command of the page gives another result (%v)", err)
	}
	report := string(b.saved("#report", "points-report.txt"))
	for _, part := range []string{"$ inpoly check knot.stl", "no defects found", "--rule=evenodd", fmt.Sprintf("%d on the surface", want[2])} {
		if !strings.Contains(report, part) {
			t.Errorf("the report lacks %q:\n%s", part, report)
		}
	}
	b.choose("tolerance", "-1")
	if got := b.text("failure-text"); !strings.HasPrefix(got, "--tolerance -1: ") {
		t.Errorf("the message is %q", got)
	}
}

// testWrongFiles drops files that are not what they should be. The page shows the message of the
// command, and works again with the right files.
func testWrongFiles(t *testing.T, b *tab) {
	stl, err := os.ReadFile(b.mesh)
	b.must(err)
	photo := b.file("photo.jpg", "\xff\xd8\xff\xe0\x00\x10JFIF\x00"+strings.Repeat("\x00", 3000))
	broken := b.file("broken.stl", string(stl[:500]))
	words := b.file("words.csv", "hello\nworld\n")
	empty := b.file("empty.npy", "")
	for _, files := range [][]string{{photo, b.points}, {broken, b.points}, {b.mesh, words}, {b.mesh, empty}, {b.mesh, photo}} {
		b.eval(`page.reset()`, nil)
		b.drop(files...)
		_, _, err := b.run(files...)
		if err == nil {
			t.Fatalf("%v: no error", files)
		}
		if got := b.text("failure-text"); got != b.message(err) {
			t.Errorf("%v: the page says %q, want %q", files, got, b.message(err))
		}
		if text := b.text("answer"); text != "" {
			t.Errorf("%v: the page has an answer: %s", files, text)
		}
	}
	b.shot("wrong")

	changed := b.file("changed.csv", "x,y,z\n0,0,0\n")
	b.drop(b.mesh, changed)
	if got := b.text("failure"); got != "" {
		t.Errorf("the page still says %q", got)
	}
	time.Sleep(10 * time.Millisecond) // so that the modification time differs
	b.file("changed.csv", "x,y,z\n0,0,0\n1,1,1\n")
	b.choose("rule", "positive")
	if got := b.text("failure-text"); !strings.Contains(got, "changed.csv") {
		t.Errorf("after a change of the file, the page says %q", got)
	}
	b.drop(changed)
	if got, want := b.counts(), [4]int{0, 2, 0, 0}; got != want {
		t.Errorf("after the file was dropped again, the counts are %v, want %v", got, want)
	}
}

// testColumns drops points whose columns the user must choose.
func testColumns(t *testing.T, b *tab) {
	path := b.file("unclear.csv", "a,b,c,d\n9,-27,-5,1\n9,-27,-5,20\n")
	b.drop(b.mesh, path)
	if got := b.text("preview"); !strings.Contains(got, "a,b,c,d\n9,-27,-5,1") {
		t.Errorf("the preview is %q", got)
	}
	b.shot("columns")
	b.eval(`document.activeElement.value = "b,c,d"`, nil)
	b.press("#columns-form button")
	b.until(`document.getElementById("failure").hidden`)
	b.settle()
	want, out := b.stats(b.mesh, path, "--columns", "b,c,d")
	if got := b.counts(); got != want {
		t.Errorf("counts %v, want %v", got, want)
	}
	if got := b.saved("#download", "unclear-inside.csv"); !bytes.Equal(got, out) {
		t.Errorf("the saved file is %q, want %q", got, out)
	}
	counted := b.file("counted.txt", "1 .1 .2 .3\n2 .2 .3 .4\n3 .1 .1 .1\n")
	b.eval(`page.reset()`, nil)
	b.drop(b.mesh, counted)
	b.press("#columns-form button") // the page has filled in the columns that the command proposes
	b.until(`document.getElementById("failure").hidden`)
	b.settle()
	if got, want := b.counts(), [4]int{0, 3, 0, 0}; got != want {
		t.Errorf("counts %v, want %v", got, want)
	}
}

// methodLine is the line of an explanation that has estimated times, which depend on the platform.
var methodLine = regexp.MustCompile(`(?m)^method .*\n`)

// testExplanations enters a point, and picks a place in the picture.
func testExplanations(t *testing.T, b *tab) {
	b.look(1360, 850, false, false)
	b.drop(b.mesh, b.points)
	check := func(place string) {
		t.Helper()
		b.until(`document.getElementById("explanation").textContent.length > 100`)
		out, err := exec.Command(b.command, "explain", b.mesh, place).Output()
		b.must(err)
		var got string
		b.eval(`document.getElementById("explanation").textContent`, &got)
		if want := string(out); methodLine.ReplaceAllString(got, "") != methodLine.ReplaceAllString(want, "") {
			t.Errorf("%s: the explanation is\n%s\nwant\n%s", place, got, want)
		}
	}
	b.choose("place", "-28.5,0,1")
	b.press("#explain-form button")
	check("-28.5,0,1")

	// The controls of the 3D view take the right 350 pixels of its frame. A click in a row of places
	// meets the knot.
	var frame []float64
	b.eval(`(() => { const r = document.getElementById("frame").getBoundingClientRect(); return [r.x, r.y, r.width - 350, r.height]; })()`, &frame)
	b.eval(`document.getElementById("place").value = ""`, nil)
	picked := ""
	for end := time.Now().Add(patience); picked == "" && time.Now().Before(end); {
		for step := 1; step < 20 && picked == ""; step++ {
			b.click(frame[0]+frame[2]*float64(step)/20, frame[1]+frame[3]/2)
			b.eval(`document.getElementById("place").value`, &picked)
		}
	}
	if picked == "" {
		b.shot("unpicked")
		t.Fatal("no place was picked")
	}
	b.eval(`document.getElementById("place").value`, &picked)
	check(picked)
	b.shot("picked")
}

// testManyPoints drops a million points. It reports how long the answer takes.
func testManyPoints(t *testing.T, b *tab) {
	const n = 1_000_000
	rng := rand.New(rand.NewPCG(1, 2))
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 3), }", n)
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	data := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	data = append(data, head...)
	for range n {
		for _, half := range []float64{32, 35, 14} {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(half*(2*rng.Float64()-1)))
		}
	}
	path := b.file("many.npy", string(data))
	b.eval(`delete document.documentElement.dataset.seconds`, nil)
	begin := time.Now()
	b.dropOnly(b.mesh, path)
	b.until(`document.documentElement.dataset.seconds`)
	took := time.Since(begin)
	var seconds string
	b.eval(`document.documentElement.dataset.seconds`, &seconds)
	t.Logf("%d points: the run took %s s, and the answer was on the page %v after the drop", n, seconds, took.Round(time.Millisecond))
	want, out := b.stats(b.mesh, path)
	if got := b.counts(); got != want {
		t.Errorf("counts %v, want %v", got, want)
	}
	b.settle()
	b.shot("many")
	if got := b.saved("#download", "many-inside.npy"); !bytes.Equal(got, out) {
		t.Error("the saved file differs from the output of the command")
	}

	// A run that is canceled leaves no result, and the next run works.
	b.eval(`(() => { const e = document.getElementById("method"); e.value = "direct"; e.dispatchEvent(new Event("change", { bubbles: true })); })()`, nil)
	b.until(`!document.getElementById("busy").hidden`)
	b.press("#cancel")
	if text := b.text("answer"); text != "" {
		t.Errorf("after Cancel, the page has an answer: %s", text)
	}
	// A browser can end a worker that needs too much memory. The page says so, and the next run works.
	b.eval(`(() => { const e = document.getElementById("rule"); e.value = "evenodd"; e.dispatchEvent(new Event("change", { bubbles: true })); })()`, nil)
	b.until(`!document.getElementById("busy").hidden && page.answers.worker`)
	b.eval(`page.answers.worker.dispatchEvent(new ErrorEvent("error", { message: "the worker has ended" }))`, nil)
	b.until(`!document.getElementById("failure").hidden`)
	if got := b.text("failure-text"); got != "the worker has ended" {
		t.Errorf("after the end of the worker, the page says %q", got)
	}
	b.choose("method", "auto")
	if got := b.counts(); got != want {
		t.Errorf("after Cancel, the counts are %v, want %v", got, want)
	}
}

// testNetwork checks that the page requests nothing and cannot request anything. It is the last test.
func testNetwork(t *testing.T, b *tab) {
	b.press("#example")
	b.until(`document.documentElement.dataset.state === "files"`)
	b.settle()
	requests, console := b.events()
	for _, address := range requests {
		if !strings.HasPrefix(address, "file://"+b.page) && !strings.HasPrefix(address, "blob:") && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page requests %s", address)
		}
	}
	if len(console) > 0 {
		t.Errorf("the console has messages: %q", console)
	}
	var refused string
	b.eval(`new Promise((resolve) => {
		addEventListener("securitypolicyviolation", (e) => resolve(e.effectiveDirective));
		fetch("file://" + location.pathname).catch(() => {});
	})`, &refused)
	if refused != "connect-src" {
		t.Errorf("a request is refused by %q", refused)
	}
}

// testMeshes drops two meshes: a closed one with defects, and an open one.
func testMeshes(t *testing.T, b *tab) {
	list := []string{
		b.file("double.obj", "v 5 5 5\nv 6 5 5\nv 5 6 5\nv 5 5 6\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\nf 1 3 2\nf 1 2 3\n"),
		b.file("open.off", "OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n"),
		b.file("p.csv", "x,y,z\n0.1,0.1,0.1\n5.1,5.1,5.1\n9,9,9\n"),
	}
	b.drop(list...)
	want, out := b.stats(list...)
	if got := b.counts(); got != want {
		t.Errorf("counts %v, want %v", got, want)
	}
	if got := b.saved("#download", "p-inside.csv"); !bytes.Equal(got, out) {
		t.Errorf("the saved file is %q, want %q", got, out)
	}
	for _, part := range []string{"2 meshes, 9 triangles, not closed, with defects", "open edges\t3", "duplicate faces\t"} {
		if got := b.text("mesh"); !strings.Contains(got, part) {
			t.Errorf("the meshes are described by %q, want %q", got, part)
		}
	}
	b.shot("defects")
}

// testLooks takes screenshots in light and dark colors, and as on a phone, where nothing is wider than
// the screen.
func testLooks(t *testing.T, b *tab) {
	for _, look := range []struct {
		name          string
		width, height int64
		dark, phone   bool
	}{{"light", 1360, 850, false, false}, {"dark", 1360, 850, true, false}, {"phone", 390, 844, false, true}, {"phone-dark", 390, 844, true, true}} {
		b.eval(`page.reset()`, nil)
		b.look(look.width, look.height, look.dark, look.phone)
		b.until(`innerWidth === ` + fmt.Sprint(look.width))
		b.shot(look.name + "-empty")
		b.eval(`document.getElementById("example").click()`, nil)
		b.until(`document.documentElement.dataset.state === "files"`)
		b.settle()
		var wide float64
		b.eval(`document.documentElement.scrollWidth`, &wide)
		if wide > float64(look.width) {
			t.Errorf("%s: the page is %g pixels wide", look.name, wide)
		}
		var paper string
		b.eval(`getComputedStyle(document.body).backgroundColor`, &paper)
		if isDark := paper == "rgb(16, 20, 26)"; isDark != look.dark {
			t.Errorf("%s: the background is %s", look.name, paper)
		}
		b.shot(look.name)
		for _, part := range []string{"options", "view"} {
			b.eval(`document.getElementById("`+part+`").scrollIntoView()`, nil)
			b.shot(look.name + "-" + part)
		}
	}
}
