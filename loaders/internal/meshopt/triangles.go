package meshopt

import "github.com/inpoly/inpoly/loaders/internal/soup"

// triangleTail is the size of the table at the end of a stream (appendix A, "Mode 1: triangles").
const triangleTail = 16

// queueLen is the number of edges and of vertices that a decoder remembers.
const queueLen = 16

// queue holds the last 16 pushed values.
type queue[T any] struct {
	items [queueLen]T
	n     uint // number of pushed values; it can wrap around after 2³² values, which is a multiple of 16
	full  bool // at least 16 values were pushed
}

func (q *queue[T]) push(v T) {
	q.items[q.n%queueLen] = v
	q.n++
	q.full = q.full || q.n == queueLen
}

// get returns the i-th value before the present one, from 0. ok is false if it does not exist.
func (q *queue[T]) get(i uint) (v T, ok bool) {
	return q.items[(q.n-1-i)%queueLen], q.full || i < q.n
}

// edge is a directed edge of an earlier triangle.
type edge struct{ a, b uint32 }

// triangleDecoder is the state between two triangles.
type triangleDecoder struct {
	reader
	edges    queue[edge]
	vertices queue[uint32]
	fresh    uint32 // the lowest unused index; the specification calls it next
	last     uint32 // the last index that was stored as a difference
	triangle int    // number of the present triangle, from 0
}

// decodeTriangles decodes a stream of the mode Triangles. The stream has a code byte for each
// triangle, then further bytes for some of the triangles, then a table of codes.
func decodeTriangles(dst, stream []byte, v View, done func() error) error {
	n := v.Count / 3
	codes, table := stream[1:1+n], stream[len(stream)-triangleTail:]
	if err := checkTable(table); err != nil {
		return err
	}
	d := &triangleDecoder{reader: reader{data: stream[:len(stream)-triangleTail], at: 1 + n}}
	for i, code := range codes {
		if i%checkEvery == 0 {
			if err := done(); err != nil {
				return err
			}
		}
		d.triangle = i
		var t [3]uint32
		var err error
		switch {
		case code < 0xf0:
			t, err = d.onEdge(code)
		case code < 0xfe:
			pair := table[code&15]
			t, err = d.free(pair>>4, pair&15, false)
		default:
			t, err = d.explicit(code == 0xff)
		}
		if err != nil {
			return err
		}
		for k, index := range t {
			putIndex(dst, 3*i+k, v.Stride, index)
		}
	}
	return d.end()
}

// checkTable checks the table of pairs of codes. The last two bytes must be zero. The code 15 is not
// allowed, because it means further bytes.
func checkTable(table []byte) error {
	for i, pair := range table {
		if pair>>4 == 15 || pair&15 == 15 || i >= triangleTail-2 && pair != 0 {
			return soup.Reason(soup.ErrSyntax, "byte %d of the table at the end of the compressed stream is %#02x, which is not allowed", i, pair)
		}
	}
	return nil
}

// onEdge decodes a triangle with an edge of an earlier triangle. The high bits of the code choose the
// edge, and the low bits choose the third vertex.
func (d *triangleDecoder) onEdge(code byte) (t [3]uint32, err error) {
	e, ok := d.edges.get(uint(code >> 4))
	if !ok {
		return t, soup.Reason(soup.ErrSyntax, "triangle %d of the compressed stream refers to an edge before the first edge", d.triangle)
	}
	var c uint32
	pushed := true
	switch kind := code & 15; kind {
	case 0:
		c = d.unused()
	case 13:
		d.last--
		c = d.last
	case 14:
		d.last++
		c = d.last
	case 15:
		c, err = d.difference()
	default:
		pushed = false
		c, err = d.earlier(uint(kind))
	}
	if err != nil {
		return t, err
	}
	d.edges.push(edge{c, e.b})
	d.edges.push(edge{e.a, c})
	if pushed {
		d.vertices.push(c)
	}
	return [3]uint32{e.a, e.b, c}, nil
}

// explicit decodes a triangle whose kinds of vertices are in a further byte.
func (d *triangleDecoder) explicit(stored bool) (t [3]uint32, err error) {
	pair := d.next(1)
	if pair == nil {
		return t, d.truncated()
	}
	if pair[0] == 0 {
		d.fresh = 0
	}
	return d.free(pair[0]>>4, pair[0]&15, stored)
}

// free decodes a triangle without an earlier edge. The first vertex is stored as a difference, or is
// the lowest unused index. kindB and kindC are the kinds of the other vertices: 0 is the lowest unused
// index, 15 is a difference, and other kinds are earlier vertices.
func (d *triangleDecoder) free(kindB, kindC byte, stored bool) (t [3]uint32, err error) {
	a := d.fresh
	if stored {
		a, err = d.difference()
	} else {
		d.fresh++
	}
	if err != nil {
		return t, err
	}
	b, err := d.vertex(kindB)
	if err != nil {
		return t, err
	}
	c, err := d.vertex(kindC)
	if err != nil {
		return t, err
	}
	d.edges.push(edge{b, a})
	d.edges.push(edge{c, b})
	d.edges.push(edge{a, c})
	d.vertices.push(a)
	if kindB == 0 || kindB == 15 {
		d.vertices.push(b)
	}
	if kindC == 0 || kindC == 15 {
		d.vertices.push(c)
	}
	return [3]uint32{a, b, c}, nil
}

// vertex returns a vertex of the given kind; see free.
func (d *triangleDecoder) vertex(kind byte) (uint32, error) {
	switch kind {
	case 0:
		return d.unused(), nil
	case 15:
		return d.difference()
	}
	return d.earlier(uint(kind) - 1)
}

// unused returns the lowest unused index and marks it as used.
func (d *triangleDecoder) unused() uint32 {
	d.fresh++
	return d.fresh - 1
}

// earlier returns the i-th vertex before the present one, from 0.
func (d *triangleDecoder) earlier(i uint) (uint32, error) {
	v, ok := d.vertices.get(i)
	if !ok {
		return 0, soup.Reason(soup.ErrSyntax, "triangle %d of the compressed stream refers to a vertex before the first vertex", d.triangle)
	}
	return v, nil
}

// difference reads a vertex that is stored as a difference from the last such vertex.
func (d *triangleDecoder) difference() (uint32, error) {
	v, err := d.varint()
	d.last += zigzag(v)
	return d.last, err
}
