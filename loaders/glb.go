package loaders

import (
	"bytes"
	"encoding/binary"
)

// Sizes and chunk types of the GLB container (glTF 2.0 §4.4), all little endian:
// a header of magic, version and length, then chunks of length, type and data.
const (
	glbHeaderBytes = 12
	glbChunkBytes  = 8
	glbJSON        = 0x4e4f534a // "JSON"
	glbBIN         = 0x004e4942 // "BIN\0"
)

// readGLB reads a GLB file. Its lengths are checked against the content before
// anything is decoded. Chunks of unknown type are skipped, as §4.4.3 demands, and
// bytes after the length in the header are left out; both are noted.
func readGLB(s *source, b *builder) error {
	text, textAt, bin, err := splitGLB(s.data, b)
	if err != nil {
		return err
	}
	return readDocument(s, b, text, textAt, bin, true)
}

// splitGLB returns the JSON chunk, its offset, and the BIN chunk; bin is nil if
// there is none.
func splitGLB(data []byte, b *builder) (text []byte, textAt int64, bin []byte, err error) {
	if !bytes.HasPrefix(data, []byte("glTF")) {
		return nil, 0, nil, atByte(0, ErrSyntax, "a GLB file begins with the bytes glTF")
	}
	if len(data) < glbHeaderBytes {
		return nil, 0, nil, atByte(int64(len(data)), ErrTruncated, "the header has %d bytes", glbHeaderBytes)
	}
	if v := binary.LittleEndian.Uint32(data[4:]); v != 2 {
		return nil, 0, nil, atByte(4, ErrUnsupported, "version %d of the GLB container, want 2", v).withHint(hintGLTF1)
	}
	length := uint64(binary.LittleEndian.Uint32(data[8:]))
	if length > uint64(len(data)) {
		return nil, 0, nil, atByte(8, ErrTruncated, "the header promises %d bytes, the file has %d", length, len(data))
	}
	if length < glbHeaderBytes+glbChunkBytes {
		return nil, 0, nil, atByte(8, ErrSyntax, "a length of %d bytes leaves no room for a chunk", length)
	}
	if extra := uint64(len(data)) - length; extra > 0 {
		b.note("%d bytes after the end of the GLB container left out", extra)
	}
	rest, at := data[glbHeaderBytes:length], int64(glbHeaderBytes)
	for n := 0; len(rest) > 0; n++ {
		if len(rest) < glbChunkBytes {
			return nil, 0, nil, atByte(at, ErrTruncated, "%d bytes left for the header of a chunk", len(rest))
		}
		size, kind := uint64(binary.LittleEndian.Uint32(rest)), binary.LittleEndian.Uint32(rest[4:])
		rest, at = rest[glbChunkBytes:], at+glbChunkBytes
		if size > uint64(len(rest)) {
			return nil, 0, nil, atByte(at-glbChunkBytes, ErrTruncated, "a chunk of %d bytes, but %d are left", size, len(rest))
		}
		chunk := rest[:size:size]
		switch {
		case n == 0 && kind != glbJSON:
			return nil, 0, nil, atByte(at-4, ErrSyntax, "the first chunk is of type %#x, want JSON", kind)
		case n == 0:
			text, textAt = chunk, at
		case n == 1 && kind == glbBIN:
			bin = chunk
		case kind == glbJSON || kind == glbBIN:
			return nil, 0, nil, atByte(at-4, ErrSyntax, "chunk %d is a JSON or BIN chunk out of place", n)
		default:
			b.note("chunk of type %#x left out", kind)
		}
		// Chunks are padded to 4 bytes; a writer that forgot it shows by the file's end.
		rest, at = rest[size:], at+int64(size)
	}
	return text, textAt, bin, nil
}
