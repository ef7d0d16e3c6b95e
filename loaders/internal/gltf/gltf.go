// Package gltf reads glTF 2.0 and GLB, its binary container, and writes GLB.
package gltf

import (
	"bytes"
	"strings"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Format describes glTF.
func Format() soup.Format {
	return soup.Format{Name: "gltf", Signature: func(data []byte) bool { return strings.HasPrefix(scan.FirstWord(data), "{") }, Read: read}
}

// BinaryFormat describes GLB, the binary container of glTF.
func BinaryFormat() soup.Format {
	return soup.Format{Name: "glb", Signature: func(data []byte) bool { return bytes.HasPrefix(data, []byte("glTF")) }, Read: readBinary}
}

// document is a decoded glTF document with the buffers and accessors that were resolved so far.
type document struct {
	src      *soup.Source
	b        *soup.Builder
	doc      *fileJSON
	required map[string]bool // required extensions that are not neutral
	bin      []byte          // BIN chunk of a GLB file, or nil
	glb      bool
	loaded   map[int][]byte    // content of each buffer
	files    map[string][]byte // content of each external file
	resolved map[int]*accessor // POSITION accessors
	tally    tally
}

const hintGLTF1 = "convert the file to glTF 2.0"

// read reads a glTF 2.0 file: JSON, with buffers in data URIs or in external files.
//
//   - It reads the default scene, or else the first scene, or else all nodes without a parent. In a
//     document without nodes, it reads each mesh once, without a transform.
//   - Each node with a mesh becomes a body in world space. A transform that mirrors reverses the
//     triangles, so that normals still point outward (§3.7.4).
//   - It reads triangles, strips and fans, and notes points and lines.
//   - Morph targets have the weight 0. Skins have no effect.
//   - For Draco and meshopt it reads the uncompressed fallback. Errors: ErrUnsupported if there is
//     none.
func read(s *soup.Source, b *soup.Builder) error {
	return readDocument(s, b, s.Data, 0, nil, false)
}

// readDocument reads the JSON text that begins at byte textAt of the file. bin is the BIN chunk of
// a GLB file.
func readDocument(s *soup.Source, b *soup.Builder, text []byte, textAt int64, bin []byte, glb bool) error {
	d := &document{
		src: s, b: b, bin: bin, glb: glb,
		loaded: map[int][]byte{}, files: map[string][]byte{}, resolved: map[int]*accessor{},
	}
	// Some writers pad the chunk with zeros. RFC 8259 §8.1 allows readers to ignore a byte
	// order mark.
	text = bytes.TrimRight(text, "\x00 \t\r\n")
	if mark := []byte("\xef\xbb\xbf"); bytes.HasPrefix(text, mark) {
		text, textAt = text[len(mark):], textAt+int64(len(mark))
	}
	if err := s.Budget.Reserve(jsonCost(text)); err != nil {
		return err
	}
	var err error
	if d.doc, err = decodeFile(text, textAt); err != nil {
		return err
	}
	if err := s.Step(int64(len(text))); err != nil {
		return err
	}
	d.readRequired()
	if err := d.appendScene(); err != nil {
		return err
	}
	d.tally.note(b)
	return nil
}
