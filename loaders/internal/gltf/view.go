package gltf

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"sort"

	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// strided is a sequence of equally spaced elements in a buffer. Element i begins at data[i·stride].
// All elements lie within data. If an accessor has no buffer view, data is nil and all elements are
// zero (glTF 2.0 §3.6.2.1).
type strided struct {
	data   []byte
	stride int
	count  int
}

// unsigned returns element i as an unsigned integer of component type c.
func (s *strided) unsigned(i int, c gltf.ComponentType) uint32 {
	if s.data == nil {
		return 0
	}
	e := s.data[i*s.stride:]
	switch c {
	case gltf.ComponentUbyte:
		return uint32(e[0])
	case gltf.ComponentUshort:
		return uint32(le16(e))
	}
	return binary.LittleEndian.Uint32(e)
}

func le16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }

func leFloat32(b []byte) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

// overlay holds the sparse elements of an accessor: values[k] replaces element indices[k]. The
// indices are strictly increasing (glTF 2.0 §3.6.2.3). The zero value of overlay has no elements.
type overlay struct {
	indices, values strided
	component       gltf.ComponentType // component type of the indices
}

// find returns the index k of the value that replaces element i, or false if there is none.
func (o *overlay) find(i int) (int, bool) {
	n := o.indices.count
	if n == 0 {
		return 0, false
	}
	k := sort.Search(n, func(k int) bool { return int(o.indices.unsigned(k, o.component)) >= i })
	return k, k < n && int(o.indices.unsigned(k, o.component)) == i
}

// overlay resolves and checks the sparse elements of a, which have the given size in bytes.
func (d *document) overlay(a *gltf.Accessor, size int, at string) (overlay, error) {
	s := a.Sparse
	o := overlay{component: s.Indices.ComponentType}
	if s.Count < 0 || s.Count > a.Count {
		return o, soup.AtPath(at, soup.ErrSyntax, "the accessor has %d sparse elements, must have at most %d", s.Count, a.Count)
	}
	if !indexComponent(o.component) {
		return o, soup.AtPath(at+"/indices", soup.ErrSyntax, "indices have component type %s, must have an unsigned integer type", o.component)
	}
	var err error
	if o.indices, err = d.view(s.Indices.BufferView, s.Indices.ByteOffset, o.component.ByteSize(), s.Count, at+"/indices"); err != nil {
		return o, err
	}
	if o.values, err = d.view(s.Values.BufferView, s.Values.ByteOffset, size, s.Count, at+"/values"); err != nil {
		return o, err
	}
	last := -1
	for k := range s.Count {
		i := int(o.indices.unsigned(k, o.component))
		if i <= last || i >= a.Count {
			return o, soup.AtPath(at+"/indices", soup.ErrIndexRange, "index %d after %d: indices must increase and be below %d", i, last, a.Count)
		}
		last = i
		if err := d.src.Check(k); err != nil {
			return o, err
		}
	}
	return o, nil
}

// viewContent returns the content of buffer view i, decompressed if it is compressed.
func (d *document) viewContent(i int, place string) ([]byte, error) {
	v := d.doc.BufferViews[i]
	if err := d.refuseRequired(v.Extensions, place); err != nil {
		return nil, err
	}
	name, err := compression(v, place)
	if err != nil {
		return nil, err
	}
	if name != "" {
		return d.decompress(i, name, place)
	}
	return d.section(v.Buffer, v.ByteOffset, v.ByteLength, place)
}

// section returns a part of the content of a buffer. Errors name the place, which is the place of
// the reference.
func (d *document) section(buffer, offset, length int, place string) ([]byte, error) {
	data, err := d.buffer(buffer, place)
	if err != nil {
		return nil, err
	}
	if err := checkSection(buffer, offset, length, len(data), place); err != nil {
		return nil, err
	}
	return data[offset : offset+length], nil
}

// checkSection refuses a part that is not within a buffer of the given size.
func checkSection(buffer, offset, length, size int, place string) error {
	if offset < 0 || length < 0 {
		return soup.AtPath(place, soup.ErrSyntax, "byteLength is %d and byteOffset is %d, must not be negative", length, offset)
	}
	if offset > size || length > size-offset {
		return soup.AtPath(place, soup.ErrTruncated, "%d bytes that begin at byte %d do not fit: buffer %d has %d bytes", length, offset, buffer, size)
	}
	return nil
}

// view returns the given number of elements of buffer view i. The size of an element and the offset
// of the first element are in bytes. All elements must lie within the buffer view. Without a
// stride, the elements are packed tightly (glTF 2.0 §3.6.2.4).
func (d *document) view(i, offset, size, count int, at string) (strided, error) {
	if i < 0 || i >= len(d.doc.BufferViews) {
		return strided{}, soup.AtPath(at, soup.ErrIndexRange, "buffer view %d does not exist: the file has %d", i, len(d.doc.BufferViews))
	}
	v := d.doc.BufferViews[i]
	place := fmt.Sprintf("/bufferViews/%d", i)
	data, err := d.viewContent(i, place)
	if err != nil {
		return strided{}, err
	}
	stride := cmp.Or(v.ByteStride, size)
	if stride < size {
		return strided{}, soup.AtPath(place, soup.ErrSyntax, "the stride is %d bytes, must be at least the %d bytes of an element", stride, size)
	}
	if offset < 0 || offset > len(data) {
		return strided{}, soup.AtPath(at, soup.ErrTruncated, "the accessor begins at byte %d of buffer view %d, which has %d bytes", offset, i, len(data))
	}
	data = data[offset:]
	// Check (count−1)·stride + size ≤ len(data) without overflow.
	if count > 0 && (len(data) < size || (len(data)-size)/stride < count-1) {
		return strided{}, soup.AtPath(at, soup.ErrTruncated, "%d elements with a stride of %d bytes do not fit: buffer view %d has only %d bytes left",
			count, stride, i, len(data))
	}
	return strided{data: data, stride: stride, count: count}, nil
}
