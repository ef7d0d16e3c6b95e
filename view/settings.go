package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/quote"
)

// settings holds the parameters for the script of the page. Other script elements hold the arrays.
type settings struct {
	Name      string            `json:"name"`
	Arrays    map[string]string `json:"arrays"` // type of each array; see arrayWriter
	MeshColor string            `json:"mesh"`
	Sides     [4]string         `json:"sides"`     // colors, indexed by side
	SideNames [4]string         `json:"sideNames"` // values of the column "state", indexed by side
	Up        int               `json:"up"`        // axis that initially points up
	Size      [3]float64        `json:"size"`      // half the side lengths of the box of the mesh, in coordinates of the frame
	Fit       [3]float64        `json:"fit"`       // half the side lengths of the region that is initially in view
	Center    [3]float64        `json:"center"`    // center of the frame
	Scale     float64           `json:"scale"`     // scale of the frame
	Reduced   bool              `json:"reduced"`   // the mesh is simplified, and the vertices are coordinates of the frame
	Bodies    []string          `json:"bodies"`    // names of the bodies
	Runs      [][2]int          `json:"runs"`      // bodies of consecutive triangles: body, number of triangles
	Files     []string          `json:"files"`     // file of each body
	Layers    []layerSetting    `json:"layers"`
	Channels  []channel         `json:"channels"` // quantities that can color points
	Color     int               `json:"color"`    // initial channel
	Slice     *sliceSetting     `json:"slice"`    // null without a slice
}

type layerSetting struct {
	Key   string `json:"key"`
	Name  string `json:"name"`
	Color string `json:"color"`
	Edges bool   `json:"edges"`
	All   bool   `json:"all"` // all edges or faces of the kind are drawn
}

// channel is a quantity that can color the points. The array of the channel has one number for each
// point. For the kind text, the number is an index into Words, or one of the negative numbers of
// package view.
type channel struct {
	Key   string   `json:"key"`   // name of the array
	Name  string   `json:"name"`  // name of the quantity
	Kind  string   `json:"kind"`  // state, number, signed or text
	Words []string `json:"words"` // texts of the kind text
	value func(i int) float64
}

// sliceSetting describes the slice that is initially visible, and how slices can move.
type sliceSetting struct {
	Axis   int              `json:"axis"`
	Value  float64          `json:"value"`
	Low    [3]float64       `json:"low"` // box of the mesh
	High   [3]float64       `json:"high"`
	Margin float64          `json:"margin"` // see margin
	Near   float64          `json:"near"`   // largest distance of the points that are drawn on the slice
	Pixels int              `json:"pixels"` // number of pixels of a moved slice along the longer side
	Exact  bool             `json:"exact"`  // see Scene.exactSlices
	Bound  float64          `json:"bound"`  // largest error bound of a winding number on the initial slice
	Stacks [3]*stackSetting `json:"stacks"`
	Scale  []scaleSetting   `json:"scale"`
}

// scaleSetting is a stop of windingScale. The color has red, green, blue and opacity from 0 to 255.
type scaleSetting struct {
	W     float64  `json:"w"`
	Color [4]uint8 `json:"color"`
}

func (s *Scene) settings(arrays map[string]string) (*settings, error) {
	o := s.frame.center
	set := &settings{
		Name: quote.Line(s.opt.Name), Arrays: arrays, MeshColor: meshColor.Hex(), SideNames: sideNames, Up: s.up(),
		Center: [3]float64{o.X, o.Y, o.Z}, Scale: s.frame.scale, Reduced: s.surface.reduced, Layers: []layerSetting{}, Runs: [][2]int{},
		Channels: s.channels(), Files: s.bodyFiles(),
	}
	for i, c := range sideColors {
		set.Sides[i] = c.Hex()
	}
	set.Size, set.Fit = s.extents()
	for _, name := range s.bodies {
		set.Bodies = append(set.Bodies, quote.Line(name))
	}
	for i, l := range s.surface.label {
		if n := len(set.Runs); i > 0 && set.Runs[n-1][0] == int(l) {
			set.Runs[n-1][1]++
		} else {
			set.Runs = append(set.Runs, [2]int{int(l), 1})
		}
	}
	for _, l := range s.layers {
		set.Layers = append(set.Layers, layerSetting{l.Key, l.Name, l.Color.Hex(), l.IsEdges(), l.Shown() == l.Total})
	}
	set.Color = max(0, s.colorChannel(set.Channels))
	var err error
	set.Slice, err = s.sliceSetting()
	return set, err
}

// bodyFiles returns the file of each body for the command inpoly explain. A name with control
// characters cannot be typed, so it is replaced.
func (s *Scene) bodyFiles() []string {
	files := s.opt.Files
	if len(files) == 0 {
		files = []string{s.opt.Name}
	}
	var out []string
	for _, part := range s.owner {
		file := files[min(part, len(files)-1)]
		if file == "" || quote.Line(file) != file {
			file = "MESH"
		}
		out = append(out, file)
	}
	return out
}

// channels returns the quantities that can color the points.
func (s *Scene) channels() []channel {
	if s.cloud == nil {
		return []channel{}
	}
	list := []channel{{Key: "state", Name: "state", Kind: "state"}}
	add := func(key, name, kind string, words []string, value func(i int) float64) {
		list = append(list, channel{key, name, kind, words, value})
	}
	if x := s.extra.distance; x != nil {
		add("distance", "distance", "signed", nil, func(i int) float64 { return x[i] })
	}
	if x := s.extra.winding; x != nil {
		add("winding", "winding", "number", nil, func(i int) float64 { return x[i] })
	}
	if x := s.extra.body; x != nil {
		var names []string
		for _, p := range s.parts {
			names = append(names, quote.Line(p.name))
		}
		add("body", "body", "text", names, func(i int) float64 { return float64(x[i]) }) // -1 and -2 mean none and uncertain
	}
	for k, c := range s.cloud.columns {
		kind, texts := "number", []string(nil)
		if c.Text {
			kind = "text"
			for _, w := range s.cloud.words[k].list {
				texts = append(texts, quote.Line(w))
			}
		}
		add(fmt.Sprintf("column-%d", k), quote.Line(c.Name), kind, texts, func(i int) float64 { return s.cloud.value(s.points[i], k) })
	}
	return list
}

// colorChannel returns the index of the channel that Options.ColorBy names, or −1.
func (s *Scene) colorChannel(list []channel) int {
	if s.opt.ColorBy == "" {
		return 0
	}
	return slices.IndexFunc(list, func(c channel) bool { return c.Name == quote.Line(s.opt.ColorBy) })
}

// checkColor returns an error if the scene has no quantity with the name Options.ColorBy.
func (s *Scene) checkColor() error {
	if s.opt.ColorBy == "" {
		return nil
	}
	list := s.channels()
	if s.colorChannel(list) >= 0 {
		return nil
	}
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return fmt.Errorf("view: ColorBy is %q, but there are no points", s.opt.ColorBy)
	}
	return fmt.Errorf("view: ColorBy is %q: expected one of %s", s.opt.ColorBy, strings.Join(names, ", "))
}

func (s *Scene) sliceSetting() (*sliceSetting, error) {
	x := s.sliceInSpace()
	if x == nil {
		return nil, nil
	}
	b := s.box
	set := &sliceSetting{
		Axis: x.plane.Axis, Value: x.plane.Value, Low: [3]float64{b.Min.X, b.Min.Y, b.Min.Z}, High: [3]float64{b.Max.X, b.Max.Y, b.Max.Z},
		Margin: margin, Near: s.nearDistance(), Pixels: min(512, s.opt.Pixels), Exact: s.exactSlices(), Bound: x.bound,
	}
	if math.IsInf(set.Bound, 0) || math.IsInf(set.Near, 0) {
		return nil, nil // JSON has no infinite numbers, and such a mesh is larger than float64 can measure
	}
	for _, stop := range windingScale {
		set.Scale = append(set.Scale, scaleSetting{stop.w, [4]uint8{stop.c.R, stop.c.G, stop.c.B, stop.c.A}})
	}
	for k, st := range s.stacks {
		if st == nil {
			continue
		}
		var err error
		if set.Stacks[k], err = st.setting(); err != nil {
			return nil, err
		}
	}
	return set, nil
}
