package gltf

import (
	"bytes"
	"encoding/binary"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// These constants are sizes and chunk types of the GLB container (glTF 2.0 §4.4). All numbers are
// little-endian. The header consists of a magic number, the version and the length of the file.
// Each chunk consists of its length, its type and its data.
const (
	containerHeaderBytes = 12
	chunkHeaderBytes     = 8
	chunkJSON            = 0x4e4f534a // "JSON"
	chunkBIN             = 0x004e4942 // "BIN\0"
)

// readBinary reads a GLB file. It skips chunks of unknown type (glTF 2.0 §4.4.3) and bytes after
// the end of the container. Notes report the chunks and bytes that were skipped.
func readBinary(s *soup.Source, b *soup.Builder) error {
	text, textAt, bin, err := splitContainer(s.Data, b)
	if err != nil {
		return err
	}
	return readDocument(s, b, text, textAt, bin, true)
}

// splitContainer returns the JSON chunk, its offset in the file, and the BIN chunk. bin is nil if
// the file has no BIN chunk. splitContainer compares all lengths with the size of data.
func splitContainer(data []byte, b *soup.Builder) (text []byte, textAt int64, bin []byte, err error) {
	if !bytes.HasPrefix(data, []byte("glTF")) {
		return nil, 0, nil, soup.AtByte(0, soup.ErrSyntax, "a GLB file must begin with the bytes \"glTF\"")
	}
	if len(data) < containerHeaderBytes {
		return nil, 0, nil, soup.AtByte(int64(len(data)), soup.ErrTruncated, "the file is shorter than the GLB header of %d bytes", containerHeaderBytes)
	}
	if v := binary.LittleEndian.Uint32(data[4:]); v != 2 {
		return nil, 0, nil, soup.AtByte(4, soup.ErrUnsupported, "the GLB container has version %d, must have version 2", v).WithHint(hintGLTF1)
	}
	length := uint64(binary.LittleEndian.Uint32(data[8:]))
	if length > uint64(len(data)) {
		return nil, 0, nil, soup.AtByte(8, soup.ErrTruncated, "the header declares %d bytes, but the file has %d", length, len(data))
	}
	if length < containerHeaderBytes+chunkHeaderBytes {
		return nil, 0, nil, soup.AtByte(8, soup.ErrSyntax, "the header declares %d bytes, which leaves no room for a chunk", length)
	}
	if extra := uint64(len(data)) - length; extra > 0 {
		b.Note("ignored %d bytes after the end of the GLB container", extra)
	}
	rest, at := data[containerHeaderBytes:length], int64(containerHeaderBytes)
	for n := 0; len(rest) > 0; n++ {
		if len(rest) < chunkHeaderBytes {
			return nil, 0, nil, soup.AtByte(at, soup.ErrTruncated, "only %d bytes are left for the header of a chunk", len(rest))
		}
		size, kind := uint64(binary.LittleEndian.Uint32(rest)), binary.LittleEndian.Uint32(rest[4:])
		rest, at = rest[chunkHeaderBytes:], at+chunkHeaderBytes
		if size > uint64(len(rest)) {
			return nil, 0, nil, soup.AtByte(at-chunkHeaderBytes, soup.ErrTruncated, "a chunk declares %d bytes, but only %d are left", size, len(rest))
		}
		chunk := rest[:size:size]
		switch {
		case n == 0 && kind != chunkJSON:
			return nil, 0, nil, soup.AtByte(at-4, soup.ErrSyntax, "the first chunk has type %#x, must have type JSON", kind)
		case n == 0:
			text, textAt = chunk, at
		case n == 1 && kind == chunkBIN:
			bin = chunk
		case kind == chunkJSON || kind == chunkBIN:
			return nil, 0, nil, soup.AtByte(at-4, soup.ErrSyntax, "chunk %d, counted from 0, is a JSON or BIN chunk in the wrong place", n)
		default:
			b.Note("ignored a chunk of type %#x", kind)
		}
		// The length in a chunk includes the padding of the data to a multiple of 4 bytes.
		rest, at = rest[size:], at+int64(size)
	}
	return text, textAt, bin, nil
}
