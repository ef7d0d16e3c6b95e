package view

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/golang/geo/r3"
)

// arrayWriter writes arrays as script elements: little-endian numbers in base64. Each array has the
// smallest type that holds all its numbers exactly.
type arrayWriter struct {
	w     io.Writer         // a writer that stores its first error
	types map[string]string // type of each array: uint8, uint16, uint32, float32 or float64
}

// numbers writes n numbers. The numbers include no −0.
func (a *arrayWriter) numbers(id string, n int, value func(i int) float64) {
	integers, single, top := true, true, 0.0
	for i := range n {
		x := value(i)
		if x != x {
			integers = false
			continue
		}
		integers = integers && x >= 0 && x == math.Trunc(x) && x <= math.MaxUint32
		single = single && float64(float32(x)) == x
		top = max(top, x)
	}
	kind := "float64"
	switch {
	case integers && top <= math.MaxUint8:
		kind = "uint8"
	case integers && top <= math.MaxUint16:
		kind = "uint16"
	case single:
		kind = "float32"
	case integers:
		kind = "uint32"
	}
	a.types[id] = kind
	fmt.Fprintf(a.w, "<script type=\"application/octet-stream\" id=\"%s\">", id)
	e := base64.NewEncoder(base64.StdEncoding, a.w)
	b := bufio.NewWriterSize(e, 3<<12)
	for i := range n {
		x, room := value(i), b.AvailableBuffer()
		switch kind {
		case "uint8":
			room = append(room, uint8(x))
		case "uint16":
			room = binary.LittleEndian.AppendUint16(room, uint16(x))
		case "uint32":
			room = binary.LittleEndian.AppendUint32(room, uint32(x))
		case "float32":
			room = binary.LittleEndian.AppendUint32(room, math.Float32bits(float32(x)))
		default:
			room = binary.LittleEndian.AppendUint64(room, math.Float64bits(x))
		}
		b.Write(room)
	}
	b.Flush()
	e.Close()
	io.WriteString(a.w, "</script>\n")
}

// vectors writes three arrays: one for each coordinate.
func (a *arrayWriter) vectors(id string, n int, value func(i int) r3.Vector) {
	for k := range 3 {
		a.numbers(fmt.Sprintf("%s-%d", id, k), n, func(i int) float64 { return axis(value(i), k) })
	}
}

// writeArrays writes the arrays of the scene:
//
//   - vertex-0, -1, -2: exact coordinates of the vertices; of a simplified mesh, coordinates of the
//     frame
//   - faces: three vertices for each triangle
//   - numbers: index of each triangle in its file; absent if it is the index of the triangle
//   - point-0, -1, -2, sides, rows: the points; rows is absent if all rows are drawn
//   - bound and the keys of the channels: see channel
//   - layer-KEY: corners of a layer of defects, in coordinates of the frame
//   - marks-KEY: triangles of the layer, or pairs of vertices; absent for a simplified mesh
func (s *Scene) writeArrays(a *arrayWriter) {
	if s.surface.reduced {
		a.vectors("vertex", len(s.surface.vertices), func(i int) r3.Vector {
			v := s.surface.vertices[i]
			return r3.Vector{X: float64(v[0]), Y: float64(v[1]), Z: float64(v[2])}
		})
	} else {
		a.vectors("vertex", len(s.vertices), func(i int) r3.Vector { return s.vertices[i] })
	}
	a.numbers("faces", 3*len(s.surface.faces), func(i int) float64 { return float64(s.surface.faces[i/3][i%3]) })
	drawn := s.writeFaceNumbers(a)
	a.vectors("point", len(s.points), func(i int) r3.Vector { return s.points[i].p })
	a.numbers("sides", len(s.points), func(i int) float64 { return float64(s.points[i].side & 3) })
	if n := len(s.points); n > 0 && s.points[n-1].row != int64(n-1) {
		a.numbers("rows", n, func(i int) float64 { return float64(s.points[i].row) })
	}
	for _, c := range s.channels() {
		if c.value != nil {
			a.numbers(c.Key, len(s.points), c.value)
		}
	}
	if x := s.extra.bound; x != nil {
		a.numbers("bound", len(x), func(i int) float64 { return x[i] })
	}
	for _, l := range s.layers {
		corners := s.corners(l)
		a.numbers("layer-"+l.Key, 3*len(corners), func(i int) float64 { return float64(s.frame.local(corners[i/3])[i%3]) })
		switch {
		case s.surface.reduced:
		case l.IsEdges():
			a.numbers("marks-"+l.Key, 2*len(l.edges), func(i int) float64 { return float64(l.edges[i/2][i%2]) })
		default:
			var marks []int32
			for _, f := range l.faces {
				if drawn[f] >= 0 {
					marks = append(marks, drawn[f])
				}
			}
			a.numbers("marks-"+l.Key, len(marks), func(i int) float64 { return float64(marks[i]) })
		}
	}
}

// writeFaceNumbers writes the array numbers. It returns the triangle of each face of the subject,
// or −1 if the face is not drawn. For a simplified mesh it writes and returns nothing.
func (s *Scene) writeFaceNumbers(a *arrayWriter) (drawn []int32) {
	if s.surface.reduced {
		return nil
	}
	drawn = make([]int32, len(s.faces))
	for i := range drawn {
		drawn[i] = -1
	}
	numbers, same := make([]int32, len(s.surface.origin)), true
	for i, f := range s.surface.origin {
		drawn[f] = int32(i)
		_, numbers[i] = s.subject.origin(f)
		same = same && numbers[i] == int32(i)
	}
	if !same {
		a.numbers("numbers", len(numbers), func(i int) float64 { return float64(numbers[i]) })
	}
	return drawn
}
