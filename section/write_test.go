package section_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/section"
)

// TestGeoJSON reads the output back: the rings are closed, outer rings run counterclockwise, and the
// positions are points of the plane.
func TestGeoJSON(t *testing.T) {
	s := solid(t, testmesh.Mesh(testmesh.Nested(true)), inpoly.Options{})
	planes := []section.Plane{
		section.AxisPlane(0, 0.5), section.AxisPlane(1, 0.5), section.AxisPlane(2, 0.5), section.AxisPlane(2, 9),
		{Origin: vector(0.5, 0, 0), Normal: vector(1, 2, 3)}, {Normal: vector(0, 0, -2)},
	}
	var text bytes.Buffer
	w := section.NewGeoJSON(&text)
	for _, p := range planes {
		if err := w.Add(cut(t, s, p)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var c struct {
		Type     string
		Features []struct {
			Type       string
			Properties struct {
				Section int
				Area    *float64
				Origin  [3]float64 `json:"frame_origin"`
				U       [3]float64 `json:"frame_u"`
				V       [3]float64 `json:"frame_v"`
			}
			Geometry struct {
				Type        string
				Coordinates [][][][2]float64
			}
		}
	}
	if err := json.Unmarshal(text.Bytes(), &c); err != nil || c.Type != "FeatureCollection" || len(c.Features) != len(planes) {
		t.Fatalf("%d features, error %v", len(c.Features), err)
	}
	for i, f := range c.Features {
		if f.Type != "Feature" || f.Geometry.Type != "MultiPolygon" || f.Properties.Section != i {
			t.Errorf("feature %d: %+v", i, f)
		}
		sum := 0.0
		for _, p := range f.Geometry.Coordinates {
			for k, ring := range p {
				area := 0.0
				for n := range len(ring) - 1 {
					area += (ring[n][0]*ring[n+1][1] - ring[n][1]*ring[n+1][0]) / 2
					var q [3]float64
					for x := range q {
						q[x] = f.Properties.Origin[x] + ring[n][0]*f.Properties.U[x] + ring[n][1]*f.Properties.V[x]
					}
					d := vector(q[0], q[1], q[2]).Sub(planes[i].Origin).Dot(planes[i].Normal)
					if math.Abs(d) > 1e-12 || math.Abs(max(math.Abs(q[0]), math.Abs(q[1]), math.Abs(q[2]))-[2]float64{2, 1}[k]) > 1e-12 {
						t.Errorf("feature %d: position %v is the point %v", i, ring[n], q)
					}
				}
				if ring[0] != ring[len(ring)-1] || (area > 0) != (k == 0) {
					t.Errorf("feature %d, ring %d: %v", i, k, ring)
				}
				sum += area
			}
		}
		if math.Abs(sum-*f.Properties.Area) > 1e-12 || (sum == 0) != (i == 3) {
			t.Errorf("feature %d: area %g, property %g", i, sum, *f.Properties.Area)
		}
	}
	text.Reset()
	if err := section.NewGeoJSON(&text).Close(); err != nil || !json.Valid(text.Bytes()) {
		t.Errorf("no sections: %s", text.Bytes())
	}
	open := solid(t, testmesh.Mesh(testmesh.Without(testmesh.UnitCube(), 1)), inpoly.Options{})
	text.Reset()
	w = section.NewGeoJSON(&text)
	if err := errors.Join(w.Add(cut(t, open, section.AxisPlane(2, 0.5))), w.Close()); err != nil || !json.Valid(text.Bytes()) ||
		!strings.Contains(text.String(), `"MultiLineString"`) || !strings.Contains(text.String(), `"area":null`) {
		t.Errorf("open mesh: %s, error %v", text.Bytes(), err)
	}
}

// TestSVG checks that the picture is well-formed XML, is drawn to scale, and has a layer for each
// section.
func TestSVG(t *testing.T) {
	s := solid(t, testmesh.Mesh(testmesh.Cube(vector(10, 20, 0), vector(60, 45, 5))), inpoly.Options{})
	list := []*section.Section{cut(t, s, section.AxisPlane(2, 0)), cut(t, s, section.AxisPlane(2, 4))}
	var text bytes.Buffer
	if err := section.WriteSVG(&text, list, section.SVGOptions{Unit: "mm", Title: "a<b&\x01"}); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(text.Bytes())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v: %s", err, text.Bytes())
		}
	}
	for _, want := range []string{
		`viewBox="9 -46 52 27" width="52mm" height="27mm"`, `<g id="section-2"`, `inkscape:label="z=4"`, `<title>a&lt;b&amp;` + "\ufffd" + `</title>`, `L10 -20`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in %s", want, text.String())
		}
	}
	if err := section.WriteSVG(io.Discard, list, section.SVGOptions{Unit: "mile"}); !errors.Is(err, section.ErrUnit) {
		t.Errorf("unit mile: error %v", err)
	}
}
