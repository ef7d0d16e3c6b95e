package cells_test

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

type decoder struct {
	data []byte
	mode byte
}

func (d *decoder) next() byte {
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return b
}

// number reads one coordinate. The mode decides whether the coordinate is a small multiple of a
// power of two, a small multiple of 0.1, or a float64 of eight bytes.
func (d *decoder) number() float64 {
	switch d.mode & 3 {
	case 0:
		return float64(int8(d.next())) / 16
	case 1:
		return float64(int8(d.next())) * .1
	case 2:
		return math.Ldexp(float64(int8(d.next())), int(int8(d.next()))/2)
	}
	var raw [8]byte
	for i := range raw {
		raw[i] = d.next()
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(raw[:]))
	if !(math.Abs(x) <= 0x1p1000) {
		return float64(raw[0])
	}
	return x
}

func (d *decoder) point() r3.Vector { return at(d.number(), d.number(), d.number()) }

// soup reads a soup of boxes, tetrahedra or single faces. Some of the solids and faces are
// inverted.
func (d *decoder) soup() mesh.Soup {
	var s mesh.Soup
	for range 1 + d.next()%5 {
		var one mesh.Soup
		kind := d.next()
		switch kind & 3 {
		case 0:
			one = testmesh.Cube(d.point(), d.point())
		case 1:
			a := d.point()
			one = testmesh.Simplex(a, d.point(), d.point(), d.point())
		case 2:
			one = mesh.Soup{Vertices: []r3.Vector{d.point(), d.point(), d.point()}, Faces: [][3]int32{{0, 1, 2}}}
		default:
			one = prism(mesh.Triangle{d.point(), d.point(), d.point()}, d.point())
		}
		if kind&4 != 0 {
			one = testmesh.Flip(one)
		}
		if kind&8 != 0 {
			one = testmesh.Double(one, int(kind>>4)%len(one.Faces))
		}
		s = testmesh.Union(s, one)
	}
	return s
}

// FuzzCells decodes meshes and points from arbitrary bytes. It compares cells with rays.
func FuzzCells(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 16, 16, 16, 8, 8, 8, 0, 8, 8, 16, 16, 4}, byte(0), uint64(1))
	f.Add([]byte{2, 1, 0, 0, 0, 16, 0, 0, 0, 16, 0, 0, 0, 16, 5, 0, 0, 0, 16, 0, 0, 0, 16, 0, 0, 0, 16, 2, 2, 2}, byte(4), uint64(2))
	f.Add([]byte{4, 2, 0, 0, 0, 16, 0, 0, 0, 16, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 16, 8, 0, 0, 0, 9, 9, 9}, byte(9), uint64(3))
	// This input has a point very near an edge of zero-area faces. A quotient in float64 cannot
	// decide on which side of the edge the point lies.
	f.Add([]byte("\x04\x02\xf9\x00\x00\x10\x00\x00\x00\x10\x00\x03\x01\x02\xe8\x04\x05\x06\a\b\t\x00\x00\x10\b\x00\x00\x00\t\t"), byte(162), uint64(52))
	f.Add([]byte("any bytes at all make a mesh and its points, these as well: long ones for numbers of eight"), byte(3), uint64(4))
	f.Fuzz(func(t *testing.T, data []byte, mode byte, seed uint64) {
		d := &decoder{data: data, mode: mode}
		m, err := mesh.New(context.Background(), d.soup(), mesh.Options{})
		if err != nil {
			return // a coordinate of a prism can exceed the range of float64
		}
		rule := rules[mode>>2&3]
		w := newTwin(context.Background(), t, "fuzz", m, cells.Options{Workers: 1, ExpectedPoints: int64(mode>>4) * 1000}, rule)
		spots := w.spots(50, seed)
		for len(d.data) > 0 && len(spots) < 200 {
			spots = append(spots, spot{d.point(), "given"})
		}
		w.check(context.Background(), t, spots, 1)
		w.judge(t, spots, 5)
	})
}
