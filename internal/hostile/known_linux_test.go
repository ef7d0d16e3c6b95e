package hostile

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/loaders"
)

// readMesh loads the mesh at path.
func readMesh(path string, c *hostileCase) error {
	soup, _, err := loaders.Load(context.Background(), path, loaders.Options{MaxMemory: c.limit})
	var e *loaders.Error
	if err != nil && !errors.As(err, &e) {
		panic(fmt.Sprintf("error of type %T: %v", err, err))
	}
	if err == nil && len(soup.Faces) == 0 {
		panic("a soup without faces")
	}
	return err
}

const (
	relsText = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="r1" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/3D/3dmodel.model"/></Relationships>`
	modelHead = `<?xml version="1.0" encoding="UTF-8"?><model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"` +
		` xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06">`
	tetMesh = `<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/></vertices>` +
		`<triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/><triangle v1="0" v2="3" v3="2"/><triangle v1="1" v2="2" v3="3"/></triangles></mesh>`
	modelTail = `<resources><object id="1">` + tetMesh + `</object></resources><build><item objectid="1"/></build></model>`
)

// text is a long text: head, then n copies of unit, then tail.
type text struct {
	head, unit string
	n          int
	tail       string
}

func (p text) size() int64 { return int64(len(p.head) + p.n*len(p.unit) + len(p.tail)) }

// writeTo writes the text in blocks, so that it is never in memory as a whole.
func (p text) writeTo(w io.Writer) {
	io.WriteString(w, p.head)
	const block = 64 << 10
	each := max(1, block/max(1, len(p.unit)))
	units := strings.Repeat(p.unit, min(each, p.n))
	for left := p.n; left > 0; left -= each {
		io.WriteString(w, units[:min(each, left)*len(p.unit)])
	}
	io.WriteString(w, p.tail)
}

// part is a part of a zip archive.
type part struct {
	name string
	text text
}

// pack3MF returns a zip archive and the number of bytes of its parts.
func pack3MF(method uint16, parts ...part) ([]byte, int64) {
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	size := int64(0)
	for _, p := range append([]part{{"_rels/.rels", text{head: relsText}}}, parts...) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: p.name, Method: method})
		if err != nil {
			panic(err)
		}
		p.text.writeTo(w)
		size += p.text.size()
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return file.Bytes(), size
}

func packGzip(p text) []byte {
	var file bytes.Buffer
	w, _ := gzip.NewWriterLevel(&file, gzip.DefaultCompression)
	p.writeTo(w)
	w.Close()
	return file.Bytes()
}

// nodePaths returns a glTF document with 2^levels paths to a node with a mesh. Each node lists the
// next node twice.
func nodePaths(levels int) string {
	var nodes strings.Builder
	for i := range levels {
		fmt.Fprintf(&nodes, `{"children":[%d,%d]},`, i+1, i+1)
	}
	return `{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[` + nodes.String() + `{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],` +
		`"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}],"bufferViews":[{"buffer":0,"byteLength":36}],` +
		`"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}`
}

// overlapping returns a zip archive with one deflated part and n directory entries for this part.
// The root model refers to all entries.
func overlapping(n, blanks int) ([]byte, int64) {
	var refs strings.Builder
	for i := range n {
		fmt.Fprintf(&refs, `<item objectid="1" p:path="/q%03d"/>`, i)
	}
	root := modelHead + `<resources/><build>` + refs.String() + `</build></model>`
	body := text{modelHead + `<metadata name="a">`, "<a/>", blanks / 4, "</metadata>" + modelTail}
	file, size := pack3MF(zip.Deflate, part{"3D/3dmodel.model", text{head: root}}, part{"q000", body})
	// The directory follows the parts. Its last entry describes q000. Copies of this entry follow.
	end := bytes.LastIndex(file, []byte("PK\x05\x06"))
	last := bytes.LastIndex(file, []byte("PK\x01\x02"))
	entry, tail := bytes.Clone(file[last:end]), bytes.Clone(file[end:])
	file = file[:end:end]
	for i := 1; i < n; i++ {
		file = append(file, bytes.Replace(entry, []byte("q000"), fmt.Appendf(nil, "q%03d", i), 1)...)
	}
	little := binary.LittleEndian
	entries := little.Uint16(tail[8:]) + uint16(n-1)
	little.PutUint16(tail[8:], entries)
	little.PutUint16(tail[10:], entries)
	little.PutUint32(tail[12:], little.Uint32(tail[12:])+uint32((n-1)*len(entry)))
	return append(file, tail...), size + int64(n-1)*body.size()
}

// share scales the sizes of known cases. Without INPOLY_FULL=1 they have a fifth of the size.
var share = func() int {
	if full() {
		return 5
	}
	return 1
}()

// knownCases are files that once took too much memory or time.
var knownCases = []func() hostileCase{
	model("blanks", text{modelHead, " ", share * 45e6, modelTail}),
	model("a long comment", text{modelHead + "<!--", "x", share * 45e6, "-->" + modelTail}),
	model("a long attribute", text{modelHead + `<metadata name="`, "x", share * 40e6, `"/>` + modelTail}),
	model("many attributes", text{modelHead + `<metadata`, ` a="1"`, share * 6e5, `/>` + modelTail}),
	func() hostileCase {
		data, size := overlapping(400, share*1e6)
		return hostileCase{"400 overlapping entries", "a.3mf", data, size, 64 << 20}
	},
	func() hostileCase {
		return members("vertices in gzip", text{unit: "v 0 0 0\n", n: 1e6})
	},
	func() hostileCase {
		return members("zeros in gzip", text{unit: "\x00", n: 8e6})
	},
	document("2^20 paths", nodePaths(20)),
	document("2^60 paths", nodePaths(60)),
}

// members returns a gzip file of many equal members.
func members(label string, p text) hostileCase {
	n := 35 * share
	return hostileCase{label, "a.obj.gz", bytes.Repeat(packGzip(p), n), int64(n) * p.size(), 0}
}

func model(label string, p text) func() hostileCase {
	return func() hostileCase {
		data, size := pack3MF(zip.Deflate, part{"3D/3dmodel.model", p})
		return hostileCase{label, "a.3mf", data, size, 64 << 20}
	}
}

func document(label, text string) func() hostileCase {
	return func() hostileCase {
		return hostileCase{label, "a.gltf", []byte(text), int64(len(text)), 0}
	}
}

// TestKnownCases measures files that once took too much memory or time.
func TestKnownCases(t *testing.T) {
	measureAll(t, len(knownCases), 5, func(i int) hostileCase { return knownCases[i]() }, func(path string, c *hostileCase) error {
		err := readMesh(path, c)
		if err == nil {
			panic(c.label + " was accepted")
		}
		return err
	})
}
