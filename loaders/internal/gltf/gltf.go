// Package gltf reads glTF 2.0 and GLB, its binary container, and writes GLB.
package gltf

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Format describes glTF.
func Format() soup.Format { return soup.Format{Name: "gltf", Signature: isGLTF, Read: read} }

// isGLTF reports whether data is a JSON object with a member that only glTF has.
func isGLTF(data []byte) (found bool) {
	const most = 1 << 20 // number of bytes in which the member must begin (tuning)
	scan.JSONMembers(data[:min(len(data), most)], func(key, _ []byte) bool {
		found = slices.Contains([]string{"asset", "accessors", "bufferViews", "buffers", "extensionsUsed"}, string(key))
		return !found
	})
	return found
}

// BinaryFormat describes GLB, the binary container of glTF.
func BinaryFormat() soup.Format {
	return soup.Format{Name: "glb", Signature: func(data []byte) bool { return bytes.HasPrefix(data, []byte("glTF")) }, Read: readBinary}
}

// document is a decoded glTF document. It holds the buffers and accessors that were resolved so
// far.
type document struct {
	src      *soup.Source
	b        *soup.Builder
	doc      *gltf.Document
	required map[string]bool // required extensions that are not neutral
	bin      []byte          // BIN chunk of a GLB file, or nil
	glb      bool
	loaded   map[int][]byte    // content of each buffer that was read
	files    map[string][]byte // content of each external file that was read
	unpacked map[int][]byte    // content of each compressed buffer view that was read
	resolved map[int]*accessor // POSITION accessors that were resolved
	fallback map[int]bool      // buffers for which isFallback was called, with its result
	sets     map[*gltf.Node]*instanceSet
	tally    tally
}

const hintGLTF1 = "convert the file to glTF 2.0"

// read reads a glTF 2.0 file: a JSON document, with buffers in data URIs or in external files.
//
//   - It reads the default scene. If there is none, it reads the first scene. If there are no
//     scenes, it reads all nodes without a parent. If there are no nodes, it reads each mesh once,
//     without a transform.
//   - Each node with a mesh becomes a body in world space. If the transform mirrors, read reverses
//     the triangles, so that their normals still point outward (§3.7.4).
//   - It reads triangles, strips and fans. A note counts the points and lines.
//   - It uses the weight 0 for all morph targets, and it ignores skins.
//   - Each instance of EXT_mesh_gpu_instancing becomes a body.
//   - It decompresses the buffer views of EXT_meshopt_compression and KHR_meshopt_compression. The
//     small build reads their uncompressed fallback, or returns ErrUnsupported if there is none.
//   - For Draco it reads the uncompressed fallback, or returns ErrUnsupported if there is none.
func read(s *soup.Source, b *soup.Builder) error {
	return readDocument(s, b, s.Data, 0, nil, false)
}

// readDocument reads the JSON text, which begins at byte textAt of the file. bin is the BIN chunk
// of a GLB file.
func readDocument(s *soup.Source, b *soup.Builder, text []byte, textAt int64, bin []byte, glb bool) error {
	d := &document{
		src: s, b: b, bin: bin, glb: glb,
		loaded: map[int][]byte{}, files: map[string][]byte{}, unpacked: map[int][]byte{}, resolved: map[int]*accessor{},
		fallback: map[int]bool{}, sets: map[*gltf.Node]*instanceSet{},
	}
	// Some writers pad the chunk with zeros. RFC 8259 §8.1 allows readers to ignore a byte
	// order mark.
	text = bytes.TrimRight(text, "\x00 \t\r\n")
	if mark := []byte("\xef\xbb\xbf"); bytes.HasPrefix(text, mark) {
		text, textAt = text[len(mark):], textAt+int64(len(mark))
	}
	if err := d.decode(text, textAt); err != nil {
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

// decode decodes the parts of d.doc that affect the geometry. Before that, it checks the version
// and looks for errors that the library does not report.
func (d *document) decode(text []byte, textAt int64) error {
	if err := d.src.Budget.Reserve(jsonCost(text)); err != nil {
		return err
	}
	canonical, err := canonicalJSON(text, d.src.Budget)
	if err != nil {
		return err
	}
	t := &jsonText{text, canonical, textAt}
	var members map[string]json.RawMessage
	if err := checkVersion(t); err != nil {
		return err
	}
	if err := checkObjects(t); err != nil {
		return err
	}
	if err := cmp.Or(checkShape(t), t.decode(&members)); err != nil {
		return err
	}
	d.doc = new(gltf.Document)
	for _, m := range []struct {
		name string
		into any
	}{
		{"extensionsRequired", &d.doc.ExtensionsRequired},
		{"extensions", &d.doc.Extensions},
		{"buffers", &d.doc.Buffers},
		{"bufferViews", &d.doc.BufferViews},
		{"accessors", &d.doc.Accessors},
		{"meshes", &d.doc.Meshes},
		{"nodes", &d.doc.Nodes},
		{"scenes", &d.doc.Scenes},
		{"scene", &d.doc.Scene},
	} {
		if raw, ok := members[m.name]; ok {
			if err := unmarshalGuarded(raw, m.into); err != nil {
				return memberError("/"+m.name, err)
			}
		}
	}
	return d.checkNull()
}

// memberError adds a path to an error of json.Unmarshal. It drops the offset, which is relative to
// the part that the library decoded.
func memberError(at string, err error) error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return soup.AtPath(at, soup.ErrSyntax, "%w", err)
	}
	field := fieldOf(kind)
	if field == "" {
		return soup.AtPath(at, soup.ErrSyntax, "a JSON %s is not allowed here", quote.Line(kind.Value))
	}
	return soup.AtPath(at, soup.ErrSyntax, "%s cannot be a JSON %s", field, quote.Line(kind.Value))
}

// fieldOf returns the path of the member that cannot be decoded. It removes the list indices that
// encoding/json adds to the path since Go 1.27.
func fieldOf(err *json.UnmarshalTypeError) string {
	names := slices.DeleteFunc(strings.Split(err.Field, "."), func(name string) bool {
		_, bad := strconv.Atoi(name)
		return bad == nil
	})
	return strings.Join(names, ".")
}

// unmarshalGuarded calls json.Unmarshal. It converts a panic of the library into an error.
func unmarshalGuarded(text []byte, into any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be decoded: %v", r)
		}
	}()
	return json.Unmarshal(text, into)
}

// version2 reports whether this package reads a version: 2., followed by digits. A reader of glTF 2.0 can
// read every 2.x file whose asset.minVersion is not larger than 2.0 (§3.2).
func version2(version string) bool {
	minor, ok := strings.CutPrefix(version, "2.")
	return ok && minor != "" && strings.Trim(minor, "0123456789") == ""
}

// versionHead is the part of a document that holds its version.
type versionHead struct {
	Asset *struct {
		Version    any `json:"version"`
		MinVersion any `json:"minVersion"`
	} `json:"asset"`
}

// checkVersion refuses all versions except 2.x. Without this check, the different layout of glTF
// 1.0 would cause misleading errors.
func checkVersion(text *jsonText) error {
	var head versionHead
	if err := text.decode(&head); err != nil {
		return err
	}
	if head.Asset == nil || head.Asset.Version == nil {
		return soup.AtPath("/asset/version", soup.ErrSyntax, "the version is missing").WithHint("a glTF 1.0 file may lack it: " + hintGLTF1)
	}
	if v, ok := head.Asset.Version.(string); !ok || !version2(v) {
		return soup.AtPath("/asset/version", soup.ErrUnsupported, "glTF version %s, must be 2.0", versionText(head.Asset.Version)).WithHint(hintGLTF1)
	}
	if m := head.Asset.MinVersion; m != nil && m != "2.0" {
		return soup.AtPath("/asset/minVersion", soup.ErrUnsupported, "the file needs a reader of glTF %s, this one knows 2.0", versionText(m))
	}
	return nil
}

// versionText returns a version, which should be a string, for a message.
func versionText(v any) string {
	if text, ok := v.(string); ok {
		return quote.Word(text)
	}
	return quote.Line(fmt.Sprint(v))
}
