//go:build small

package gltf

import "github.com/inpoly/inpoly/loaders/internal/soup"

// decompress returns the uncompressed fallback of buffer view i, because the small build has no
// decoder. It refuses the view if the data exists only in compressed form. Then the fallback buffer has
// no content, or is marked as a placeholder.
func (d *document) decompress(i int, name, place string) ([]byte, error) {
	v := d.doc.BufferViews[i]
	if v.Buffer >= 0 && v.Buffer < len(d.doc.Buffers) {
		buf := d.doc.Buffers[v.Buffer]
		if buf.URI == "" && (d.isFallback(v.Buffer) || !d.glb || v.Buffer != 0) {
			return nil, soup.AtPath(place, soup.ErrUnsupported, "the geometry is compressed with %s, and the small build of inpoly reads only an uncompressed fallback", name).
				WithHint(hintDecompress)
		}
	}
	d.tally.fallback(name)
	return d.section(v.Buffer, v.ByteOffset, v.ByteLength, place)
}
