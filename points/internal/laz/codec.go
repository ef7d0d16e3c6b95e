package laz

import "fmt"

// A Decoder decodes chunks. It reuses its memory for the next chunk. Use a Decoder in one goroutine at
// a time.
//
// A Decoder needs up to 10 MB, 4 bytes for each point of a layered chunk, and the bytes that
// VLR.ExtraMemory returns.
type Decoder struct {
	size      int
	set       Layers
	pointwise *pointwise
	layered   *layered
}

// NewDecoder returns a Decoder for the chunks of a file. Errors wrap ErrDamaged or ErrUnsupported.
func NewDecoder(v *VLR) (*Decoder, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	d := &Decoder{size: v.RecordLength(), set: AllLayers}
	switch v.Compressor {
	case Uncompressed:
		return nil, unsupported("compressor 0: the points are not compressed")
	case LayeredChunked:
		d.layered = newLayered(v.Items)
	default:
		d.pointwise = newPointwise(v.Items)
	}
	return d, nil
}

// Select sets the layers to decode. All other attributes get the values of the first point of the
// chunk. Chunks without layers, of the point formats 0 to 5, are always decoded as a whole. A new
// Decoder decodes all layers.
func (d *Decoder) Select(set Layers) { d.set = set }

// Decode decodes the chunk src with n points to dst, which must have n records. src must be the whole
// chunk. If src is damaged, the error wraps ErrDamaged, and the content of dst is undefined. Damage can
// remain undetected, because LAZ has no checksums. Decode panics if the length of dst is not n records.
func (d *Decoder) Decode(dst, src []byte, n int) error {
	if n < 0 || len(dst) != n*d.size {
		panic(fmt.Sprintf("laz: Decode: dst has %d bytes: expected %d records of %d bytes", len(dst), n, d.size))
	}
	if n == 0 {
		if len(src) > 0 {
			return damaged("the chunk has %d bytes, but no points", len(src))
		}
		return nil
	}
	if d.layered != nil {
		return d.layered.decode(dst, src, n, d.set)
	}
	if len(src) < d.size {
		return damaged("the chunk has %d bytes: expected at least %d", len(src), d.size)
	}
	copy(dst, src[:d.size])
	d.pointwise.reset(dst)
	var a arithmeticDecoder
	a.start(src[d.size:])
	// If a chunk is cut off, decoding stops at the end of a block.
	const block = 4096
	for done := 1; done < n; done += block {
		end := min(done+block, n)
		d.pointwise.decode(&a, dst[done*d.size:end*d.size], dst[(done-1)*d.size:done*d.size])
		if a.bad || a.pos > len(a.src) {
			break
		}
	}
	return a.check("the chunk")
}

// An Encoder encodes chunks. It reuses its memory for the next chunk. Use an Encoder in one goroutine
// at a time.
type Encoder struct {
	size      int
	pointwise *pointwise
	layered   *layered
}

// NewEncoder returns an Encoder for the chunks of a file. Errors wrap ErrDamaged or ErrUnsupported.
func NewEncoder(v *VLR) (*Encoder, error) {
	d, err := NewDecoder(v)
	if err != nil {
		return nil, err
	}
	return &Encoder{d.size, d.pointwise, d.layered}, nil
}

// Append appends a chunk with the records of rows to dst. A Decoder restores each bit of the records.
// Append appends nothing if there are no records. It panics if rows does not have whole records. If the
// chunk is longer than the format can represent, the error wraps ErrUnsupported.
func (e *Encoder) Append(dst, rows []byte) ([]byte, error) {
	if len(rows)%e.size != 0 {
		panic(fmt.Sprintf("laz: Append: %d bytes: expected records of %d bytes", len(rows), e.size))
	}
	if len(rows) == 0 {
		return dst, nil
	}
	if e.layered != nil {
		return e.layered.append(dst, rows)
	}
	e.pointwise.reset(rows)
	var a arithmeticEncoder
	a.start(append(dst, rows[:e.size]...))
	e.pointwise.encode(&a, rows)
	a.finish()
	return a.out, nil
}
