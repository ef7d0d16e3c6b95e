package meshopt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// TestExample decodes the group of the example in the specification.
func TestExample(t *testing.T) {
	group := []byte{0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5}
	want := [16]int8{-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0}
	for _, version := range []byte{0, 1} {
		// The other three bytes of each element have no deltas: header bits 0 in version 0, and
		// control mode 2 in version 1. In version 0, the header bits 2 mean deltas of 4 bits. In
		// version 1, the header bits 3 of the control mode 0 mean the same.
		stream := append([]byte{0xa0, 2}, group...)
		stream = append(stream, 0, 0, 0)
		stream = append(stream, make([]byte, 28)...)
		if version == 1 {
			stream = append([]byte{0xa1, 2<<2 | 2<<4 | 2<<6, 3}, group...)
			stream = append(stream, make([]byte, 19)...)
		}
		first := []byte{7, 8, 9, 10}
		stream = append(stream, first...)
		if version == 1 {
			stream = append(stream, 0)
		}
		for n := 1; n <= 16; n++ {
			got, err := decode(View{Count: n, Stride: 4}, stream)
			if err != nil {
				t.Fatalf("version %d, %d elements: %v", version, n, err)
			}
			sum := first[0]
			for i := range n {
				sum += byte(want[i])
				if e := got[4*i : 4*i+4]; !bytes.Equal(e, []byte{sum, 8, 9, 10}) {
					t.Fatalf("version %d: element %d is %v, want it to begin with %d", version, i, e, sum)
				}
			}
		}
	}
}

// TestRules checks the rules of the specification for the description of a view.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		name   string
		view   View
		stream []byte
		kind   error
		text   string
	}{
		{"negative count", View{Count: -1, Stride: 4}, []byte{0xa0}, soup.ErrSyntax, "count is -1"},
		{"stride 0", View{Count: 1}, []byte{0xa0}, soup.ErrSyntax, "byteStride is 0, must be a multiple of 4 from 4 to 256"},
		{"stride 6", View{Count: 1, Stride: 6}, []byte{0xa0}, soup.ErrSyntax, "byteStride is 6"},
		{"stride 260", View{Count: 1, Stride: 260}, []byte{0xa0}, soup.ErrSyntax, "byteStride is 260"},
		{"negative stride", View{Count: 1, Stride: -4}, []byte{0xa0}, soup.ErrSyntax, "byteStride is -4"},
		{"triangles of 8 bytes", View{Mode: Triangles, Count: 3, Stride: 8}, []byte{0xe1}, soup.ErrSyntax, "must be 2 or 4 for the mode TRIANGLES"},
		{"indices of 3 bytes", View{Mode: Indices, Count: 3, Stride: 3}, []byte{0xd1}, soup.ErrSyntax, "must be 2 or 4 for the mode INDICES"},
		{"four corners", View{Mode: Triangles, Count: 4, Stride: 4}, []byte{0xe1}, soup.ErrSyntax, "count is 4, must be a multiple of 3"},
		{"filter of indices", View{Mode: Indices, Filter: Exponential, Count: 4, Stride: 4}, []byte{0xd1}, soup.ErrSyntax, "the filter EXPONENTIAL, must have no filter"},
		{"quaternions of 4 bytes", View{Filter: Quaternion, Count: 4, Stride: 4}, []byte{0xa0}, soup.ErrSyntax, "must be 8 for the filter QUATERNION"},
		{"vectors of 12 bytes", View{Filter: Octahedral, Count: 4, Stride: 12}, []byte{0xa0}, soup.ErrSyntax, "must be 4 or 8 for the filter OCTAHEDRAL"},
		{"colors of 12 bytes", View{Filter: Color, Count: 4, Stride: 12}, []byte{0xa0}, soup.ErrSyntax, "must be 4 or 8 for the filter COLOR"},
		{"no bytes", View{Count: 1, Stride: 4}, nil, soup.ErrTruncated, "the compressed stream is empty"},
		{"wrong header", View{Count: 1, Stride: 4}, []byte{0xa2}, soup.ErrSyntax, "begins with the byte 0xa2, which the mode ATTRIBUTES does not define"},
		{"header of another mode", View{Mode: Indices, Count: 1, Stride: 4}, []byte{0xe1}, soup.ErrSyntax, "0xe1"},
		{"old triangles", View{Mode: Triangles, Count: 3, Stride: 4}, []byte{0xe0}, soup.ErrSyntax, "0xe0"},
		{"short attributes", View{Count: 1, Stride: 4}, append([]byte{0xa0}, make([]byte, 35)...), soup.ErrTruncated, "has 36 bytes, must have at least 37 for 1 element of 4 bytes"},
		{"short attributes of version 1", View{Count: 1, Stride: 4}, append([]byte{0xa1}, make([]byte, 24)...), soup.ErrTruncated, "must have at least 26"},
		{"many elements", View{Count: math.MaxInt32, Stride: 256}, append([]byte{0xa1}, make([]byte, 9999)...), soup.ErrTruncated, "must have at least 4294967617"},
		{"many triangles", View{Mode: Triangles, Count: 900_000_000, Stride: 4}, []byte{0xe1}, soup.ErrTruncated, ""},
		{"many indices", View{Mode: Indices, Count: math.MaxInt32, Stride: 4}, []byte{0xd1}, soup.ErrTruncated, "must have at least 2147483652"},
	} {
		if err := c.view.Check(c.stream); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %v with %q", c.name, err, c.kind, c.text)
		}
	}
}

// TestDefects decodes streams that break a rule of the bitstream.
func TestDefects(t *testing.T) {
	triangle := func(codes []byte, data ...byte) []byte {
		return append(append(append([]byte{0xe1}, codes...), data...), make([]byte, 16)...)
	}
	table := triangle([]byte{0xf0})
	table[len(table)-16] = 0xf0
	tail := triangle([]byte{0xf0})
	tail[len(tail)-1] = 1
	attributes := func(mode byte) []byte {
		return append(append([]byte{0xa1, 0xaa}, make([]byte, 23)...), mode)
	}
	filtered := func(e ...byte) []byte { // version 1, one element, no deltas
		s := append([]byte{0xa1}, bytes.Repeat([]byte{0xaa}, len(e)/4)...)
		s = append(s, make([]byte, 24-len(e)-len(e)/4)...)
		return append(append(s, e...), make([]byte, len(e)/4)...)
	}
	one, four, eight := View{Mode: Triangles, Count: 3, Stride: 4}, View{Count: 1, Stride: 4}, View{Count: 1, Stride: 8}
	withFilter := func(v View, f Filter) View { v.Filter = f; return v }
	for _, c := range []struct {
		name   string
		view   View
		stream []byte
		kind   error // nil if the stream is sound
		text   string
	}{
		{"sound triangle", one, triangle([]byte{0xf0}), nil, ""},
		{"edge before the first one", one, triangle([]byte{0x00}), soup.ErrSyntax, "triangle 0 of the compressed stream refers to an edge before the first edge"},
		{"vertex before the first one", one, triangle([]byte{0xfe}, 0x01), soup.ErrSyntax, "triangle 0 of the compressed stream refers to a vertex before the first vertex"},
		{"edge of the first triangle", View{Mode: Triangles, Count: 6, Stride: 4}, triangle([]byte{0xf0, 0x20}), nil, ""},
		{"edge that is too old", View{Mode: Triangles, Count: 6, Stride: 4}, triangle([]byte{0xf0, 0x30}), soup.ErrSyntax, "triangle 1"},
		{"vertex that is too old", View{Mode: Triangles, Count: 6, Stride: 4}, triangle([]byte{0xf0, 0x03}), soup.ErrSyntax, "triangle 1"},
		{"no byte for kinds", one, triangle([]byte{0xfe}), soup.ErrTruncated, "byte 2 of the compressed stream: the data ends before the last element"},
		{"no first vertex", one, triangle([]byte{0xff}, 0x00), soup.ErrTruncated, "byte 3"},
		{"no end of a number", one, triangle([]byte{0xff}, 0x00, 0x80), soup.ErrTruncated, "byte 4"},
		{"long number", one, triangle([]byte{0xff}, 0x00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00), soup.ErrSyntax, "a number has more than 5 bytes"},
		{"extra byte", one, triangle([]byte{0xf0}, 0x00), soup.ErrSyntax, "byte 2 of the compressed stream: the last element ends 1 byte before the tail"},
		{"code 15 in the table", one, table, soup.ErrSyntax, "byte 0 of the table at the end of the compressed stream is 0xf0"},
		{"end of the table", one, tail, soup.ErrSyntax, "byte 15 of the table"},
		{"sound channel", four, attributes(0x72), nil, ""},
		{"channel mode 3", four, attributes(0x03), soup.ErrSyntax, "the channel mode 0x03 at bytes 0 to 3"},
		{"rotated bytes", four, attributes(0x10), soup.ErrSyntax, "0x10"},
		{"rotated integers", four, attributes(0x11), soup.ErrSyntax, "0x11"},
		{"missing deltas", four, append([]byte{0xa1, 0xab}, make([]byte, 24)...), soup.ErrTruncated, "byte 2"},
		{"missing groups", four, append([]byte{0xa0, 1, 1, 1, 1}, make([]byte, 32)...), soup.ErrTruncated, "byte 2"},
		{"missing escaped delta", four, append([]byte{0xa0, 1, 0xff, 0, 0, 0}, make([]byte, 32)...), soup.ErrTruncated, ""},
		{"extra attribute", four, append([]byte{0xa0, 0, 0, 0, 0, 0}, make([]byte, 32)...), soup.ErrSyntax, "1 byte"},
		{"sound normal", withFilter(four, Octahedral), filtered(3, 3, 7, 9), nil, ""},
		{"normal without one", withFilter(four, Octahedral), filtered(3, 3, 6, 9), soup.ErrSyntax, "element 0 is not valid for the filter OCTAHEDRAL"},
		{"normal with one = 0", withFilter(four, Octahedral), filtered(0, 0, 0, 9), soup.ErrSyntax, ""},
		{"large normal", withFilter(four, Octahedral), filtered(8, 0, 7, 9), soup.ErrSyntax, ""},
		{"normal of −128", withFilter(four, Octahedral), filtered(128, 0, 127, 9), soup.ErrSyntax, ""},
		{"sound rotation", withFilter(eight, Quaternion), filtered(1, 0, 2, 0, 3, 0, 6, 0), nil, ""},
		{"rotation without one", withFilter(eight, Quaternion), filtered(1, 0, 2, 0, 3, 0, 8, 0), soup.ErrSyntax, "QUATERNION"},
		{"rotation of two bits", withFilter(eight, Quaternion), filtered(1, 0, 2, 0, 3, 0, 3, 0), soup.ErrSyntax, "QUATERNION"},
		{"large rotation", withFilter(eight, Quaternion), filtered(8, 0, 2, 0, 3, 0, 6, 0), soup.ErrSyntax, ""},
		{"sound number", withFilter(four, Exponential), filtered(1, 0, 0, 0x82), nil, ""},
		{"small number", withFilter(four, Exponential), filtered(1, 0, 0, 0x81), soup.ErrSyntax, "EXPONENTIAL"},
		{"sound color", withFilter(four, Color), filtered(1, 0, 0, 2), nil, ""},
		{"color of one bit", withFilter(four, Color), filtered(0, 0, 0, 1), soup.ErrSyntax, "COLOR"},
		{"color without alpha", withFilter(four, Color), filtered(0, 0, 0, 0), soup.ErrSyntax, "COLOR"},
		{"bright color", withFilter(four, Color), filtered(3, 1, 0, 2), soup.ErrSyntax, "COLOR"},
		{"negative color", withFilter(eight, Color), filtered(0, 0, 1, 0, 0, 0, 2, 0), soup.ErrSyntax, "COLOR"},
	} {
		_, err := decode(c.view, c.stream)
		if c.kind == nil && err != nil || c.kind != nil && (!errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%s: got %v, want %v with %q", c.name, err, c.kind, c.text)
		}
	}
}

// TestCuts cuts sound streams at each byte, and adds a byte. All of these streams must be refused.
func TestCuts(t *testing.T) {
	data := golden(t)
	cuts := 0
	for len(data) > 0 {
		var r record
		r, data = cutRecord(t, data)
		if r.state != sound || len(r.stream) > 1000 {
			continue
		}
		for n := range len(r.stream) {
			cuts++
			if _, err := decode(r.View, r.stream[:n]); !errors.Is(err, soup.ErrTruncated) && !errors.Is(err, soup.ErrSyntax) {
				t.Fatalf("%+v, %d of %d bytes: got %v", r.View, n, len(r.stream), err)
			}
		}
		if _, err := decode(r.View, append(r.stream[:len(r.stream):len(r.stream)], 0)); err == nil {
			t.Fatalf("%+v: a further byte was accepted", r.View)
		}
	}
	if cuts < 1000 {
		t.Errorf("%d cuts, want at least 1000", cuts)
	}
}

// TestCancel stops the decoder at each call of done.
func TestCancel(t *testing.T) {
	stop := errors.New("stop")
	for _, c := range []struct {
		view   View
		stream []byte
	}{
		{View{Filter: Exponential, Count: 5000, Stride: 4}, append([]byte{0xa1}, append(bytes.Repeat([]byte{0xaa}, 20), make([]byte, 24)...)...)},
		{View{Mode: Indices, Count: 9000, Stride: 2}, append([]byte{0xd1}, make([]byte, 9004)...)},
		{View{Mode: Triangles, Count: 27000, Stride: 4}, append(append([]byte{0xe1}, bytes.Repeat([]byte{0xf0}, 9000)...), make([]byte, 16)...)},
	} {
		if err := c.view.Check(c.stream); err != nil {
			t.Fatal(err)
		}
		for calls := 0; ; calls++ {
			left := calls
			err := c.view.Decode(make([]byte, c.view.Size()), c.stream, func() error {
				if left--; left < 0 {
					return stop
				}
				return nil
			})
			if err == nil && calls >= 3 {
				break
			}
			if !errors.Is(err, stop) {
				t.Fatalf("%+v, %d calls: got %v, want %v", c.view, calls, err, stop)
			}
		}
	}
}

// FuzzDecode decodes random streams. The first bytes are the description of the view.
func FuzzDecode(f *testing.F) {
	head := func(r record) []byte {
		h := []byte{byte(r.Mode)<<4 | byte(r.Filter), byte(r.Stride - 1)}
		return append(binary.LittleEndian.AppendUint16(h, uint16(r.Count)), r.stream...)
	}
	for data := golden(f); len(data) > 0; {
		var r record
		r, data = cutRecord(f, data)
		f.Add(head(r))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 4 || data[0]>>4 > 2 || data[0]&15 > 4 {
			return
		}
		v := View{Mode(data[0] >> 4), Filter(data[0] & 15), int(binary.LittleEndian.Uint16(data[2:])), int(data[1]) + 1}
		stream := data[4:]
		err := v.Check(stream)
		if err == nil {
			if v.Size() > 1024*int64(len(stream)) {
				t.Fatalf("%+v: %d bytes from a stream of %d bytes", v, v.Size(), len(stream))
			}
			err = v.Decode(make([]byte, v.Size()), stream, func() error { return nil })
		}
		if err != nil && !errors.Is(err, soup.ErrTruncated) && !errors.Is(err, soup.ErrSyntax) {
			t.Fatalf("%+v: %v", v, err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	names := map[string]record{}
	for data := golden(b); len(data) > 0; {
		var r record
		r, data = cutRecord(b, data)
		if key := modeNames[r.Mode]; r.state == sound && r.Filter == None && r.Size() > names[key].Size() {
			names[key] = r
		}
	}
	for _, name := range modeNames {
		r := names[name]
		b.Run("mode="+name, func(b *testing.B) {
			content := make([]byte, r.Size())
			b.SetBytes(r.Size())
			for b.Loop() {
				if err := r.Decode(content, r.stream, func() error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
