package loaders

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Format names a file format.
type Format uint8

// The formats. Auto, the zero value, recognises the format.
const (
	Auto Format = iota
	STL
	OBJ
	PLY
	OFF
	GLTF // JSON, with data URIs or external buffers
	GLB  // binary container of glTF
	ThreeMF
)

var formatNames = [...]string{
	Auto: "auto", STL: "stl", OBJ: "obj", PLY: "ply", OFF: "off", GLTF: "gltf", GLB: "glb", ThreeMF: "3mf",
}

// String returns the usual suffix of the format, without the dot.
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return fmt.Sprintf("format(%d)", uint8(f))
}

// ParseFormat returns the format with the given name (stl, obj, ply, off, gltf,
// glb, 3mf or auto, in any case), or an error that wraps ErrUnknownFormat.
func ParseFormat(name string) (Format, error) {
	for f, n := range formatNames {
		if strings.EqualFold(n, name) {
			return Format(f), nil
		}
	}
	return Auto, fmt.Errorf("%w %q, want one of %s", ErrUnknownFormat, name, strings.Join(formatNames[1:], ", "))
}

// suffixFormat returns the format that the suffix of name stands for, after
// removal of a suffix of compression, or Auto.
func suffixFormat(name string) Format {
	lower := strings.ToLower(name)
	for _, packed := range []string{".gz", ".zst", ".zstd"} {
		lower = strings.TrimSuffix(lower, packed)
	}
	dot := strings.LastIndexByte(lower, '.')
	if dot < 0 {
		return Auto
	}
	switch lower[dot+1:] {
	case "stl", "stla", "stlb":
		return STL
	case "obj":
		return OBJ
	case "ply":
		return PLY
	case "off", "coff", "noff", "cnoff", "stoff":
		return OFF
	case "gltf":
		return GLTF
	case "glb":
		return GLB
	case "3mf":
		return ThreeMF
	}
	return Auto
}

// detect returns the format of data: by the size of binary STL, whose header may
// hold any text and so the signature of another format, by the signatures, then by the suffix of name, then by the shape of the content; Auto if none applies.
func detect(name string, data []byte) Format {
	if len(data) > stlHeaderSize && binarySTLSize(data) {
		return STL
	}
	if f := signature(data); f != Auto {
		return f
	}
	if f := suffixFormat(name); f != Auto {
		return f
	}
	switch {
	case binarySTLSize(data):
		return STL
	case looksLikeOBJ(data):
		return OBJ
	}
	return Auto
}

// signature recognises what a format's first bytes say without doubt.
func signature(data []byte) Format {
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return ThreeMF
	case bytes.HasPrefix(data, []byte("glTF")):
		return GLB
	}
	if order := utf16Order(data); order != nil {
		data = asciiUnits(data, order)
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(text) > 0 && text[0] == '{' {
		return GLTF
	}
	word := text
	if i := bytes.IndexAny(text[:min(len(text), 16)], " \t\r\n"); i >= 0 {
		word = text[:i]
	}
	_, _, off := offKeyword(word)
	switch {
	case string(word) == "ply":
		return PLY
	case off:
		return OFF
	case len(word) == 5 && strings.EqualFold(string(word), "solid"):
		return STL
	}
	return Auto
}

// binarySTLSize reports whether data has exactly the size that the triangle
// count of a binary STL header promises.
func binarySTLSize(data []byte) bool {
	if len(data) < stlHeaderSize {
		return false
	}
	count := uint64(leUint32(data[stlHeaderSize-4:]))
	return uint64(len(data)) == stlHeaderSize+stlRecordSize*count
}

// looksLikeOBJ reports whether the first statement of data is one of OBJ's.
func looksLikeOBJ(data []byte) bool {
	const window = 4096 // a comment block longer than this hides the format
	head := data[:min(len(data), window)]
	if order := utf16Order(data); order != nil {
		head = asciiUnits(data, order)
	}
	for len(head) > 0 {
		line := head
		if i := bytes.IndexByte(head, '\n'); i >= 0 {
			line, head = head[:i], head[i+1:]
		} else {
			head = nil
		}
		fields := bytes.Fields(line)
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		switch string(fields[0]) {
		case "v", "vt", "vn", "vp", "f", "o", "g", "s", "mtllib", "usemtl":
			return len(fields) > 1
		}
		return false
	}
	return false
}

// asciiUnits returns the first code units of UTF-16 text as bytes, as far as they
// are ASCII.
func asciiUnits(data []byte, order binary.ByteOrder) []byte {
	const look = 4096 // code units
	text := make([]byte, 0, look)
	for i := 2; i+2 <= len(data) && len(text) < look; i += 2 {
		c := order.Uint16(data[i:])
		if c >= 0x80 {
			break
		}
		text = append(text, byte(c))
	}
	return text
}
