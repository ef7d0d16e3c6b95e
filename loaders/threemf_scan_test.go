package loaders

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// slowModel returns the model with an additional element that changes the default namespace.
// Because of this element, the reader uses the decoder instead of the scanner.
func slowModel(model string) string {
	return strings.Replace(model, "<resources", `<metadata xmlns="urn:other"/><resources`, 1)
}

// quickAndSlow reads the model with the scanner and with the decoder. It fails the test if the
// results differ.
func quickAndSlow(tb failer, model string) {
	tb.Helper()
	quick, quickInfo, quickErr := readString("a.3mf", package3MF(model))
	slow, slowInfo, slowErr := readString("a.3mf", package3MF(slowModel(model)))
	if (quickErr == nil) != (slowErr == nil) {
		tb.Fatalf("scanner: %v, decoder: %v; model %q", quickErr, slowErr, model)
	}
	if quickErr != nil {
		return
	}
	if describe(quick) != describe(slow) || fmt.Sprint(quickInfo.Notes) != fmt.Sprint(slowInfo.Notes) {
		tb.Fatalf("scanner:\n%s%q\ndecoder:\n%s%q\nmodel %q", describe(quick), quickInfo.Notes, describe(slow), slowInfo.Notes, model)
	}
}

// TestThreeMFScanner compares the scanner with the decoder on random models, both valid and
// invalid. The results, the errors and the lines of the errors must be equal.
func TestThreeMFScanner(t *testing.T) {
	blank := rapid.SampledFrom([]string{" ", "\n", "\t ", "\r\n", "  "})
	gaps := []string{"", "", "", "\n", " ", "<!-- <vertex x='9' y='9' z='9'/> -->", "text", "<?pi?>", "<q:vertex x='1' y='1' z='1'/>", "<b:vertex/>"}
	quote := rapid.SampledFrom([]string{`"`, `'`})
	other := rapid.SampledFrom([]string{"", "", "", `pid="1"`, `m:p="1"`, `note="a &amp; b"`, `xmlns="http://example.org/"`, `xmlns=""`, `x="1"`, "x=1"})
	end := rapid.SampledFrom([]string{"/>", "/>", "/>", " />", "></%s>", "> </%s>", "><a/></%s>", ">", "/ >"})
	rapid.Check(t, func(t *rapid.T) {
		sound := rapid.Bool().Draw(t, "sound")
		gap := rapid.SampledFrom(gaps)
		if !sound {
			gap = rapid.SampledFrom(append(gaps[:len(gaps):len(gaps)], "<other/>", "<vertexes/>"))
		}
		element := func(name string, attributes [3]string, values func() string) string {
			s := gap.Draw(t, "gap") + "<" + name
			for _, a := range attributes {
				q := quote.Draw(t, "quote")
				s += blank.Draw(t, "blank") + a + "=" + q + values() + q
			}
			if o := other.Draw(t, "other"); o != "" && !(sound && (o == "x=1")) {
				s += blank.Draw(t, "blank") + o
			}
			e := end.Draw(t, "end")
			if sound && (e == ">" || e == "/ >") {
				e = "/>"
			}
			if strings.Contains(e, "%s") {
				e = fmt.Sprintf(e, name)
			}
			return s + e
		}
		number := rapid.SampledFrom([]string{"0", "1", "-2.5", "1e3", " 7 ", "+4", ".5"})
		index := rapid.SampledFrom([]string{"0", "1", "2", " 1", "0", "2"})
		if !sound {
			number = rapid.SampledFrom([]string{"0", "1", "2", "3", "NaN", "1e999", "", "x", "1,5"})
			index = rapid.SampledFrom([]string{"0", "1", "2", "9", "-1", "", "1.0", "99999999999"})
		}
		var v, f string
		for range 3 + rapid.IntRange(0, 4).Draw(t, "vertices") {
			v += element("vertex", [3]string{"x", "y", "z"}, func() string { return number.Draw(t, "number") })
		}
		for range 1 + rapid.IntRange(0, 3).Draw(t, "triangles") {
			f += element("triangle", [3]string{"v3", "v1", "v2"}, func() string { return index.Draw(t, "index") })
		}
		// Besides the random elements, the model has three valid vertices and a valid triangle.
		plain := strings.Repeat(`<vertex x="0" y="0" z="0"/>`, 3)
		model := model3("<object id=\"1\"><mesh><vertices>"+plain+v+"</vertices><triangles>"+f+`<triangle v1="0" v2="1" v3="2"/></triangles></mesh></object>`, `<item objectid="1"/>`)
		quickAndSlow(t, model)
		_, _, quickErr := readString("a.3mf", package3MF(model))
		_, _, slowErr := readString("a.3mf", package3MF(slowModel(model)))
		if fmt.Sprint(quickErr) != fmt.Sprint(slowErr) {
			t.Fatalf("scanner: %v, decoder: %v; model %q", quickErr, slowErr, model)
		}
	})
}

// TestThreeMFScannerWindow puts elements at all positions relative to the end of the scanner's
// window. Some of these elements are longer than the window.
func TestThreeMFScannerWindow(t *testing.T) {
	const scanWindow = 4 << 10 // value of scanWindow in package threemf
	for _, lead := range []int{0, 1, scanWindow - 60, scanWindow, 16*scanWindow - 300, 16*scanWindow - 250, 16*scanWindow - 200, 16*scanWindow - 150} {
		for shift := range 50 {
			filler := strings.Repeat(" ", lead+shift)
			for _, model := range []string{
				model3(filler+tetObject(1, ""), `<item objectid="1"/>`),
				strings.Replace(model3(tetObject(1, ""), `<item objectid="1"/>`), `<vertex x="1"`, `<vertex`+filler+` x="1"`, 1),
			} {
				soup, _, err := readString("a.3mf", package3MF(model))
				if err != nil {
					t.Fatalf("%d blanks: %v", lead+shift, err)
				}
				if got, want := describe(soup), describe(unitTetrahedron()); !strings.HasPrefix(got, want) {
					t.Fatalf("%d blanks: got\n%s", lead+shift, got)
				}
			}
		}
	}
}

// TestThreeMFEmptyList reads a vertex after an empty list of vertices, <vertices/>. The vertex is
// in no list, so Read must refuse the model.
func TestThreeMFEmptyList(t *testing.T) {
	model := model3(strings.Replace(tetObject(1, ""), "<vertices>", `<vertices/><vertex x="8" y="8" z="8"/><vertices>`, 1), `<item objectid="1"/>`)
	refusal{"vertex outside of its list", "a.3mf", package3MF(model), ErrSyntax, `element "vertex" in mesh`}.run(t)
}
