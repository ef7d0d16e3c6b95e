//go:build !small

package gltf

import (
	"cmp"
	"encoding/json"

	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/meshopt"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// compressedView is the content of a meshopt extension of a buffer view.
type compressedView struct {
	Buffer     *int    `json:"buffer"`
	ByteOffset int     `json:"byteOffset"`
	ByteLength *int    `json:"byteLength"`
	ByteStride *int    `json:"byteStride"`
	Count      *int    `json:"count"`
	Mode       *string `json:"mode"`
	Filter     *string `json:"filter"`
}

// decompress returns the content of buffer view i, which the named extension compresses. It
// decompresses each view only once. It does not read the fallback.
func (d *document) decompress(i int, name, place string) ([]byte, error) {
	if data, ok := d.unpacked[i]; ok {
		return data, nil
	}
	at := place + "/extensions/" + name
	v := d.doc.BufferViews[i]
	ext, view, err := parseCompressed(v.Extensions[name], at)
	if err != nil {
		return nil, err
	}
	if err := d.checkFallback(v, *ext.Buffer, place); err != nil {
		return nil, err
	}
	stream, err := d.section(*ext.Buffer, ext.ByteOffset, *ext.ByteLength, at)
	if err != nil {
		return nil, err
	}
	fail := func(err error) error { return &soup.Error{Offset: -1, Path: at, Err: err} }
	if err := view.Check(stream); err != nil {
		return nil, fail(err)
	}
	switch size := view.Size(); {
	case size != int64(v.ByteLength):
		return nil, soup.AtPath(place, soup.ErrSyntax, "byteLength is %d, must be %d for %d elements of %d bytes", v.ByteLength, size, view.Count, view.Stride)
	case name == meshoptNames[0] && v.ByteStride != 0 && v.ByteStride != view.Stride:
		return nil, soup.AtPath(place, soup.ErrSyntax, "byteStride is %d, but the extension %s has %d", v.ByteStride, name, view.Stride)
	}
	if err := cmp.Or(d.src.Unpack(view.Size()), d.src.Budget.Reserve(resolvedBytes)); err != nil {
		return nil, err
	}
	data := make([]byte, view.Size())
	if err := view.Decode(data, stream, d.src.Err); err != nil {
		if d.src.Err() != nil {
			return nil, err
		}
		return nil, fail(err)
	}
	d.unpacked[i] = data
	return data, d.src.Step(view.Size())
}

// checkFallback checks the range of the buffer that the uncompressed content of v occupies, or
// would occupy. It also checks that the compressed content is not in a fallback buffer.
func (d *document) checkFallback(v *gltf.BufferView, compressed int, place string) error {
	if v.Buffer < 0 || v.Buffer >= len(d.doc.Buffers) {
		return soup.AtPath(place, soup.ErrIndexRange, "buffer %d does not exist: the file has %d", v.Buffer, len(d.doc.Buffers))
	}
	if compressed >= 0 && compressed < len(d.doc.Buffers) && d.isFallback(compressed) {
		return soup.AtPath(place, soup.ErrSyntax, "the compressed data is in buffer %d, which is marked as a fallback for uncompressed data", compressed)
	}
	return checkSection(v.Buffer, v.ByteOffset, v.ByteLength, d.doc.Buffers[v.Buffer].ByteLength, place)
}

// parseCompressed decodes the description of a compressed buffer view.
func parseCompressed(raw any, at string) (ext compressedView, view meshopt.View, err error) {
	text, ok := raw.(json.RawMessage)
	if !ok {
		return ext, view, soup.AtPath(at, soup.ErrSyntax, "the extension must be an object")
	}
	if err := json.Unmarshal(text, &ext); err != nil {
		return ext, view, memberError(at, err)
	}
	if ext.Buffer == nil || ext.ByteLength == nil || ext.ByteStride == nil || ext.Count == nil || ext.Mode == nil {
		return ext, view, soup.AtPath(at, soup.ErrSyntax, "buffer, byteLength, byteStride, count or mode is missing")
	}
	view.Count, view.Stride = *ext.Count, *ext.ByteStride
	if view.Mode, ok = meshopt.ParseMode(*ext.Mode); !ok {
		return ext, view, soup.AtPath(at, soup.ErrSyntax, "mode %s does not exist", quote.Word(*ext.Mode))
	}
	if ext.Filter == nil {
		return ext, view, nil
	}
	if view.Filter, ok = meshopt.ParseFilter(*ext.Filter); !ok {
		return ext, view, soup.AtPath(at, soup.ErrSyntax, "filter %s does not exist", quote.Word(*ext.Filter))
	}
	return ext, view, nil
}
