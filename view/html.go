package view

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"math"
	"strings"

	"github.com/inpoly/inpoly/loaders"
)

// assets holds the parts of the page.
//
//go:embed assets/page.html assets/page.css assets/camera.js assets/data.js assets/shaders.js assets/draw.js assets/page.js
var assets embed.FS

// page has the templates "head" and "tail". The data is written between head and tail.
var page = template.Must(template.ParseFS(assets, "assets/page.html"))

func asset(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic("view: " + err.Error()) // the files are embedded
	}
	return string(text)
}

// script is the program of the page.
var script = strings.Join([]string{asset("camera.js"), asset("data.js"), asset("shaders.js"), asset("draw.js"), asset("page.js")}, "\n")

// settings holds the parameters of the program of the page. The arrays are separate elements.
type settings struct {
	MeshColor string         `json:"mesh"`
	Sides     [4]string      `json:"sides"`  // colors, indexed by side
	Up        int            `json:"up"`     // axis that initially points up
	Size      [3]float64     `json:"size"`   // half sides of the box of the mesh in the frame
	Fit       [3]float64     `json:"fit"`    // half sides of the region that is initially in view
	Center    [3]float64     `json:"center"` // center of the frame
	Scale     float64        `json:"scale"`  // scale of the frame
	Layers    []layerSetting `json:"layers"`

	// The corners of the slice: bottom left, bottom right, top left, top right.
	Slice map[string][4][3]float32 `json:"slice"`
}

type layerSetting struct {
	Key   string `json:"key"`
	Name  string `json:"name"`
	Color string `json:"color"`
	Edges bool   `json:"edges"`
}

// WriteHTML writes the scene as a self-contained page with its program and data. Arrays are base64
// of little-endian numbers. Positions are float32, relative to the middle of the box, in the unit
// of the frame.
//
// Errors: the error of w.
func (s *Scene) WriteHTML(w io.Writer) error {
	buf := bufio.NewWriterSize(w, 1<<16) // Flush returns the first error
	p, err := s.newPage()
	if err != nil {
		return err
	}
	if err := page.ExecuteTemplate(buf, "head", p); err != nil {
		return err
	}
	o := s.frame.center
	set := settings{MeshColor: meshColor.Hex(), Up: s.up(), Center: [3]float64{o.X, o.Y, o.Z}, Scale: s.frame.scale, Layers: []layerSetting{}}
	for i, c := range sideColors {
		set.Sides[i] = c.Hex()
	}
	set.Size, set.Fit = s.extents()
	for _, l := range s.layers {
		set.Layers = append(set.Layers, layerSetting{l.Key, l.Name, l.Color.Hex(), l.IsEdges()})
	}
	if x := s.sliceInSpace(); x != nil {
		set.Slice = map[string][4][3]float32{"corners": {
			s.frame.local(x.corner(0, 0)), s.frame.local(x.corner(1, 0)), s.frame.local(x.corner(0, 1)), s.frame.local(x.corner(1, 1)),
		}}
	}
	text, err := json.Marshal(set) // escapes <, > and &
	if err != nil {
		return err
	}
	fmt.Fprintf(buf, "<script type=\"application/json\" id=\"settings\">%s</script>\n", text)
	s.writeArrays(buf)
	if err := page.ExecuteTemplate(buf, "tail", p); err != nil {
		return err
	}
	return buf.Flush()
}

// up returns the axis that initially points up. It is y for glTF, by its specification, and for
// OBJ, by convention. It is z for other formats.
func (s *Scene) up() int {
	switch s.report.Source.Format {
	case loaders.GLTF, loaders.GLB, loaders.OBJ:
		return 1
	}
	return 2
}

// extents returns half the sides of the box of the mesh, and half the sides of the region that is
// initially in view. The region contains the box, and the points up to a distance of 1.5 from the
// middle in coordinates of the frame (tuning).
func (s *Scene) extents() (size, fit [3]float64) {
	if box := s.solid.Mesh().Box(); !box.Empty() {
		for k, x := range s.frame.local(box.Max) {
			size[k] = float64(x)
		}
	}
	fit = size
	const most = 1.5
	for _, p := range s.points {
		for k, x := range s.frame.local(p.p) {
			fit[k] = max(fit[k], min(most, math.Abs(float64(x))))
		}
	}
	return size, fit
}

// writeArrays writes each array of the page as a script element.
func (s *Scene) writeArrays(w io.Writer) {
	s.writeArray(w, "vertices", func(b *packer) {
		for _, v := range s.surface.vertices {
			b.floats(v)
		}
	})
	s.writeArray(w, "faces", func(b *packer) {
		for _, f := range s.surface.faces {
			for _, i := range f {
				b.uint32(i)
			}
		}
	})
	s.writeArray(w, "points", func(b *packer) {
		for _, p := range s.points {
			b.floats(s.frame.local(p.p))
		}
	})
	s.writeArray(w, "sides", func(b *packer) {
		for _, p := range s.points {
			b.write([]byte{byte(p.side & 3)})
		}
	})
	for _, l := range s.layers {
		s.writeArray(w, "layer-"+l.Key, func(b *packer) {
			for _, v := range s.corners(l) {
				b.floats(s.frame.local(v))
			}
		})
	}
}

// writeArray writes a script element with the numbers that fill packs.
func (s *Scene) writeArray(w io.Writer, id string, fill func(*packer)) {
	fmt.Fprintf(w, "<script type=\"application/octet-stream\" id=\"%s\">", id)
	e := base64.NewEncoder(base64.StdEncoding, w)
	b := &packer{w: bufio.NewWriterSize(e, 3<<12)}
	fill(b)
	b.w.Flush() // w stores its first error
	e.Close()
	io.WriteString(w, "</script>\n")
}

// packer writes little-endian numbers.
type packer struct {
	w *bufio.Writer
	b [4]byte
}

func (p *packer) write(b []byte) { p.w.Write(b) }

func (p *packer) uint32(v uint32) {
	binary.LittleEndian.PutUint32(p.b[:], v)
	p.write(p.b[:])
}

func (p *packer) floats(v [3]float32) {
	for _, x := range v {
		p.uint32(math.Float32bits(x))
	}
}

// dataURI returns the picture of the slice as a data URI.
func (x *slice) dataURI() (template.URL, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, x.image()); err != nil {
		return "", err
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())), nil
}
