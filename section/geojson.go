package section

import (
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/golang/geo/r3"
)

// GeoJSON writes sections as a FeatureCollection (RFC 7946) with one Feature for each section. The
// geometry is a MultiPolygon: outer rings run counterclockwise, holes run clockwise, and the last
// position of a ring equals the first. On an open mesh, it is a MultiLineString.
//
// The coordinates are coordinates in Section.Frame, in the unit of the mesh: x and y on horizontal
// planes whose normal points up, see Frame. RFC 7946 allows other coordinates than longitude and
// latitude by prior arrangement only. The properties have the plane and the frame. The point in space
// of a position (a, b) is frame_origin + a·frame_u + b·frame_v. If the normal is parallel to an axis,
// frame_origin is the origin of the plane with all other coordinates 0.
type GeoJSON struct {
	w     io.Writer
	count int
}

// NewGeoJSON returns a writer to w. The caller must call Close after the last section.
func NewGeoJSON(w io.Writer) *GeoJSON { return &GeoJSON{w: w} }

type feature struct {
	Type       string     `json:"type"`
	Properties properties `json:"properties"`
	Geometry   shape      `json:"geometry"`
}

type properties struct {
	Section          int        `json:"section"`
	Plane            string     `json:"plane"`
	Origin           [3]float64 `json:"origin"`
	Normal           [3]float64 `json:"normal"`
	FrameOrigin      [3]float64 `json:"frame_origin"`
	FrameU           [3]float64 `json:"frame_u"`
	FrameV           [3]float64 `json:"frame_v"`
	Closed           bool       `json:"closed"`
	Rule             string     `json:"rule"`
	Area             *float64   `json:"area"`
	AreaBound        *float64   `json:"area_bound"`
	WindingArea      *float64   `json:"winding_area"`
	WindingAreaBound *float64   `json:"winding_area_bound"`
	CoordinateBound  float64    `json:"coordinate_bound"`
}

type shape struct {
	Type        string `json:"type"`
	Coordinates any    `json:"coordinates"`
}

// Add writes a section. The property section is its number, from 0.
func (g *GeoJSON) Add(s *Section) error {
	o := s.Frame.Origin
	if p := newGeometry(s.Plane); p.axis {
		set(&o, p.k, at(s.Plane.Origin, p.k))
	}
	f := feature{Type: "Feature", Properties: properties{
		Section: g.count, Plane: s.Plane.Label(), Origin: array(s.Plane.Origin), Normal: array(s.Plane.Normal),
		FrameOrigin: array(o), FrameU: array(s.Frame.U), FrameV: array(s.Frame.V),
		Closed: s.Closed, Rule: s.Rule.String(), Area: finite(s.Area), AreaBound: finite(s.AreaBound),
		WindingArea: finite(s.WindingArea), WindingAreaBound: finite(s.WindingAreaBound), CoordinateBound: s.Bound,
	}}
	if s.Closed {
		polygons := [][][][2]float64{}
		for _, p := range s.Polygons {
			rings := [][][2]float64{s.positions(p.Outer.Points, true)}
			for _, h := range p.Holes {
				rings = append(rings, s.positions(h.Points, true))
			}
			polygons = append(polygons, rings)
		}
		f.Geometry = shape{"MultiPolygon", polygons}
	} else {
		lines := [][][2]float64{}
		for _, c := range s.Contours {
			lines = append(lines, s.positions(c.Points, c.Closed))
		}
		f.Geometry = shape{"MultiLineString", lines}
	}
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	before := ",\n"
	if g.count == 0 {
		before = "{\"type\":\"FeatureCollection\",\"features\":[\n"
	}
	g.count++
	_, err = g.w.Write(slices.Concat([]byte(before), text))
	return err
}

// Close writes the end of the collection. It does not close the underlying writer.
func (g *GeoJSON) Close() error {
	end := "\n]}\n"
	if g.count == 0 {
		end = "{\"type\":\"FeatureCollection\",\"features\":[]}\n"
	}
	_, err := io.WriteString(g.w, end)
	return err
}

func (s *Section) positions(points []r3.Vector, closed bool) [][2]float64 {
	out := make([][2]float64, 0, len(points)+1)
	for _, p := range points {
		out = append(out, s.Frame.At(p))
	}
	if closed {
		out = append(out, out[0])
	}
	return out
}

func array(v r3.Vector) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }

// finite returns a pointer to x, or nil if x is NaN or infinite, which JSON cannot represent.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
