package loaders

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

const (
	relModel = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
	rootRels = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="r0" Type="http://example.org/thumbnail" Target="/a.png"/>` +
		`<Relationship Id="r1" Type="` + relModel + `" Target="/3D/3dmodel.model"/></Relationships>`
	modelHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"` +
		` xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06"` +
		` xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02">` + "\n"
	tetXML = `<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/></vertices>` +
		`<triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/><triangle v1="0" v2="3" v3="2"/><triangle v1="1" v2="2" v3="3"/></triangles></mesh>`
)

// zipOf returns a zip archive. Its arguments are the name and the content of each part in turn.
func zipOf(parts ...string) string {
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err == nil {
			_, err = w.Write([]byte(parts[i+1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return file.String()
}

// package3MF returns a 3MF package with one model part.
func package3MF(model string) string {
	return zipOf("_rels/.rels", rootRels, "3D/3dmodel.model", model)
}

func model3(resources, build string) string {
	return modelHead + "<resources>\n" + resources + "</resources>\n<build>" + build + "</build>\n</model>"
}

// tetObject returns an object with the tetrahedron as its mesh and with additional attributes.
func tetObject(id int, attributes string) string {
	return fmt.Sprintf("<object id=\"%d\" %s>%s</object>\n", id, attributes, tetXML)
}

func TestThreeMFRead(t *testing.T) {
	item := `<item objectid="1"/>`
	tet := tetObject(1, `name="tet"`)
	utf16Model := func(order binary.AppendByteOrder) string {
		var b []byte
		for _, c := range utf16.Encode([]rune("\ufeff" + strings.Replace(model3(tetObject(1, `name="Würfel 😀"`), item), "UTF-8", "UTF-16", 1))) {
			b = order.AppendUint16(b, c)
		}
		return string(b)
	}
	for _, a := range []acceptance{
		{name: "one item", file: "a.3mf", data: package3MF(model3(tet, item)), vertices: 4, triangles: 4, bodies: "tet"},
		{name: "content before suffix", file: "a.stl", data: package3MF(model3(tet, item)), vertices: 4, triangles: 4, bodies: "tet"},
		{name: "names of bodies", file: "a.3mf", data: package3MF(model3(tetObject(1, ``)+tetObject(2, `name="b"`), `<item objectid="1"/><item objectid="1" partnumber="P"/><item objectid="2" partnumber="P"/>`)),
			vertices: 12, triangles: 12, bodies: "object 1|P|b"},
		{name: "object without item", file: "a.3mf", data: package3MF(model3(tet+tetObject(2, ``), item)), vertices: 4, triangles: 4, bodies: "tet"},
		{name: "unit", file: "a.3mf", data: package3MF(strings.Replace(model3(tet, item), "millimeter", "inch", 1)), vertices: 4, triangles: 4, bodies: "tet",
			notes: "unit is inch: coordinates are not converted"},
		{name: "types", file: "a.3mf", data: package3MF(model3(tetObject(1, `type="support"`)+tetObject(2, `type="model"`), item+`<item objectid="2"/>`)),
			vertices: 8, triangles: 8, bodies: "object 1|object 2", notes: `1 used object is of type "support": read like type "model"`},
		{name: "types of components", file: "a.3mf", data: package3MF(model3(tetObject(1, `type="support"`)+`<object id="5"><components><component objectid="1"/><component objectid="1"/></components></object>`, `<item objectid="5"/>`)),
			vertices: 8, triangles: 8, bodies: "object 5", notes: `1 used object is of type "support": read like type "model"`},
		{name: "mesh in place of slices", file: "a.3mf", data: package3MF(model3(tetObject(1, `name="tet" xmlns:s="http://schemas.microsoft.com/3dmanufacturing/slice/2015/07" s:meshresolution="lowres"`), item)),
			vertices: 4, triangles: 4, bodies: "tet", notes: "1 used object has slices and a mesh of low resolution: the mesh was read"},
		{name: "components", file: "a.3mf", data: package3MF(model3(tet+`<object id="5" name="pair"><components><component objectid="1"/><component objectid="1" transform="1 0 0 0 1 0 0 0 1 9 9 9"/></components></object>`, `<item objectid="5"/>`)),
			vertices: 8, triangles: 8, bodies: "pair"},
		{name: "component before its object", file: "a.3mf", data: package3MF(model3(`<object id="5"><components><component objectid="1"/></components></object>`+tet, `<item objectid="5"/>`)),
			vertices: 4, triangles: 4, bodies: "object 5"},
		{name: "other model parts", file: "a.3mf", data: zipOf("_rels/.rels", rootRels,
			"3D/3dmodel.model", model3(`<object id="1" name="here"><components><component objectid="1" p:path="/3D/Objects/O.model"/></components></object>`, item+`<item objectid="1" p:path="/3d/objects/o.MODEL"/>`),
			"3D/Objects/o.model", model3(tetObject(1, `name="there"`), "")), vertices: 8, triangles: 8, bodies: "here|there"},
		{name: "names in other case, backslashes", file: "a.3mf", data: zipOf(`_RELS\.RELS`, strings.Replace(rootRels, "/3D/3dmodel.model", "3d/3DMODEL.model", 1), "3D/3dmodel.model", model3(tet, item)),
			vertices: 4, triangles: 4, bodies: "tet"},
		{name: "percent-encoded target", file: "a.3mf", data: zipOf("_rels/.rels", strings.Replace(rootRels, "3dmodel.model", "my%20model.model", 1), "3D/my model.model", model3(tet, item)),
			vertices: 4, triangles: 4, bodies: "tet"},
		{name: "beams", file: "a.3mf", data: package3MF(strings.Replace(model3(tet, item), "</mesh>", `<b:beamlattice radius="1"><b:beams><b:beam v1="0" v2="1"/></b:beams></b:beamlattice></mesh>`, 1)),
			vertices: 4, triangles: 4, bodies: "tet", notes: "ignored 1 beam lattice"},
		{name: "other elements, comments, metadata", file: "a.3mf", data: package3MF(strings.Replace(model3("<basematerials id=\"9\"><base/></basematerials><!-- x -->"+tet, item+`<b:other/>`), "<resources>", "<other/><metadata name=\"a\"><b><c/></b></metadata><resources>", 1)),
			vertices: 4, triangles: 4, bodies: "tet"},
		{name: "undeclared prefix", file: "a.3mf", data: package3MF(model3("<q:thing/>"+tet, item)), vertices: 4, triangles: 4, bodies: "tet",
			notes: `/3d/3dmodel.model line 4: prefix "q" is not declared: elements with this prefix are ignored`},
		{name: "no namespace", file: "a.3mf", data: package3MF("<model><resources>" + tet + "</resources><build>" + item + "</build></model>"), vertices: 4, triangles: 4, bodies: "tet"},
		{name: "byte order mark", file: "a.3mf", data: package3MF("\xef\xbb\xbf" + model3(tet, item)), vertices: 4, triangles: 4, bodies: "tet"},
		{name: "UTF-16, big endian", file: "a.3mf", data: package3MF(utf16Model(binary.BigEndian)), vertices: 4, triangles: 4, bodies: "Würfel 😀"},
		{name: "UTF-16, little endian", file: "a.3mf", data: package3MF(utf16Model(binary.LittleEndian)), vertices: 4, triangles: 4, bodies: "Würfel 😀"},
		{name: "required production extension", file: "a.3mf", data: package3MF(strings.Replace(model3(tet, item), "<model ", `<model requiredextensions="p" `, 1)), vertices: 4, triangles: 4, bodies: "tet"},
		{name: "white space in numbers", file: "a.3mf", data: package3MF(strings.Replace(model3(tet, item), `x="1"`, "x=\" +1.0e0\n\"", 1)), vertices: 4, triangles: 4, bodies: "tet"},
		{name: "empty item beside a full one", file: "a.3mf", data: package3MF(model3(tet+`<object id="2"><mesh><vertices/><triangles/></mesh></object>`, `<item objectid="2"/>`+item)),
			vertices: 4, triangles: 4, bodies: "tet"},
	} {
		a.run(t)
	}
}

// TestThreeMFTransforms checks the position, order and orientation of transformed objects. In 3MF,
// a row vector is multiplied by a matrix. The transform of a component comes before the transform
// of the item.
func TestThreeMFTransforms(t *testing.T) {
	for _, c := range []struct {
		name, component, item string
		corner                r3.Vector // expected image of (1, 0, 0)
		volume                float64
	}{
		{"none", ``, ``, r3.Vector{X: 1}, 1.0 / 6},
		{"rows", `0 2 0  0 0 3  4 0 0  10 20 30`, ``, r3.Vector{X: 10, Y: 22, Z: 30}, 4},
		{"component, then item", `1 0 0 0 1 0 0 0 1 5 0 0`, `2 0 0 0 2 0 0 0 2 0 0 1`, r3.Vector{X: 12, Z: 1}, 8.0 / 6},
		{"mirror", `-1 0 0 0 1 0 0 0 1 0 0 0`, ``, r3.Vector{X: -1}, 1.0 / 6},
		{"two mirrors", `-1 0 0 0 1 0 0 0 1 0 0 0`, `1 0 0 0 -1 0 0 0 1 0 0 0`, r3.Vector{X: -1}, 1.0 / 6},
		{"flat", `1 0 0 0 1 0 0 0 0 0 0 0`, ``, r3.Vector{X: 1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := model3(tetObject(1, "")+`<object id="2"><components><component objectid="1" transform="`+c.component+`"/></components></object>`,
				`<item objectid="2" transform="`+c.item+`"/>`)
			soup, _, err := readString("a.3mf", package3MF(model))
			if err != nil {
				t.Fatal(err)
			}
			if got := soup.Vertices[1]; got != c.corner {
				t.Errorf("(1, 0, 0) became %v, want %v", got, c.corner)
			}
			if got := volume(soup); math.Abs(got-c.volume) > 0x1p-45 {
				t.Errorf("volume %v, want %v", got, c.volume)
			}
		})
	}
}

// TestThreeMFUnits reads a part whose unit differs from the unit of the root model. The reader must
// convert vertices and translations in the part. It must not convert translations in the root
// model.
func TestThreeMFUnits(t *testing.T) {
	for _, c := range []struct {
		root, part string
		corner     r3.Vector // expected vertex 1: (0.1, 0, 0) + (1, 0, 0) in the part, then + (0, 10, 0) in the root
		notes      string
	}{
		{"millimeter", "millimeter", r3.Vector{X: 1.1, Y: 10}, ""},
		{"millimeter", "inch", r3.Vector{X: 27.94, Y: 10}, "/3d/o.model is in unit inch: converted to millimeter"},
		{"inch", "", r3.Vector{X: 1.1 / 25.4, Y: 10}, "unit is inch: coordinates are not converted|/3d/o.model is in unit millimeter: converted to inch"},
		{"meter", "foot", r3.Vector{X: 1.1 * 0.3048, Y: 10}, "unit is meter: coordinates are not converted|/3d/o.model is in unit foot: converted to meter"},
		{"micron", "centimeter", r3.Vector{X: 11000, Y: 10}, "unit is micron: coordinates are not converted|/3d/o.model is in unit centimeter: converted to micron"},
	} {
		in := func(unit, model string) string {
			if unit == "" {
				return strings.Replace(model, `unit="millimeter"`, "", 1)
			}
			return strings.Replace(model, "millimeter", unit, 1)
		}
		part := strings.Replace(tetObject(1, ""), `x="1"`, `x="0.1"`, 1) +
			`<object id="2"><components><component objectid="1" transform="1 0 0 0 1 0 0 0 1 1 0 0"/></components></object>`
		soup, info, err := readString("a.3mf", zipOf("_rels/.rels", rootRels,
			"3D/3dmodel.model", in(c.root, model3("", `<item objectid="2" p:path="/3D/o.model" transform="1 0 0 0 1 0 0 0 1 0 10 0"/>`)),
			"3D/o.model", in(c.part, model3(part, ""))))
		if err != nil {
			t.Fatalf("%s in %s: %v", c.part, c.root, err)
		}
		// The reader and the test round three times each. The tolerance is larger than the
		// sum of these errors.
		if got := soup.Vertices[1]; got.Sub(c.corner).Norm() > 0x1p-50*c.corner.Norm() {
			t.Errorf("%s in %s: got %v, want %v", c.part, c.root, got, c.corner)
		}
		if got := strings.Join(info.Notes, "|"); got != c.notes {
			t.Errorf("%s in %s: notes %q, want %q", c.part, c.root, got, c.notes)
		}
	}
}

func TestThreeMFRefuse(t *testing.T) {
	item := `<item objectid="1"/>`
	with := func(from, to string) string {
		model := model3(tetObject(1, ""), item)
		if !strings.Contains(model, from) {
			t.Fatalf("%q is not in the model", from)
		}
		return package3MF(strings.Replace(model, from, to, 1))
	}
	whole := package3MF(model3(tetObject(1, ""), item))
	encrypted := []byte(whole)
	for at := 0; at < len(encrypted)-10; at++ { // set the flag in the local header and in the central header
		if string(encrypted[at:at+4]) == "PK\x01\x02" {
			encrypted[at+8] |= 1 // flag of an encrypted file: bit 0 (APPNOTE.TXT §4.4.4)
		}
	}
	for _, r := range []refusal{
		{"no archive", "a.3mf", "PK\x03\x04 and no more", ErrSyntax, "zip"},
		{"truncated archive", "a.3mf", whole[:len(whole)-30], ErrSyntax, "zip"},
		{"some zip", "a.zip", zipOf("a.txt", "x"), ErrUnknownFormat, "a.zip: unknown format: the zip archive has no /_rels/.rels"},
		{"no model", "a.3mf", zipOf("_rels/.rels", strings.ReplaceAll(rootRels, relModel, "x")), ErrUnknownFormat, "no relationship to a 3D model"},
		{"model part is missing", "a.3mf", zipOf("_rels/.rels", rootRels), ErrSyntax, "/3d/3dmodel.model: syntax error: the part is missing from the package"},
		{"encrypted", "a.3mf", string(encrypted), ErrUnsupported, "encrypted"},
		{"empty part", "a.3mf", package3MF(""), ErrTruncated, "/3d/3dmodel.model"},
		{"no XML", "a.3mf", package3MF("x < y"), ErrSyntax, "/3d/3dmodel.model: line 1: "},
		{"XML cut short", "a.3mf", package3MF(modelHead + "<resources>\n"), ErrTruncated, "/3d/3dmodel.model: line 4: truncated"},
		{"elements crossed", "a.3mf", with("</resources>", "</object>"), ErrSyntax, "line 5: syntax error: XML: element <resources> closed by </object>"},
		{"other root", "a.3mf", package3MF("<html/>"), ErrSyntax, "the root element is html"},
		{"other namespace", "a.3mf", package3MF(`<model xmlns="http://example.org/"/>`), ErrSyntax, "must be a 3MF model"},
		{"second root", "a.3mf", package3MF(model3(tetObject(1, ""), item) + "<a/>"), ErrSyntax, "an element follows the root element"},
		{"document type", "a.3mf", package3MF(`<!DOCTYPE a [<!ENTITY b "c">]>` + model3("", "")), ErrSyntax, "document type"},
		{"Latin-1", "a.3mf", package3MF(strings.Replace(model3("", ""), "UTF-8", "ISO-8859-1", 1)), ErrUnsupported, `the encoding of the XML is "ISO-8859-1", must be UTF-8 or UTF-16`},
		{"deep", "a.3mf", package3MF(strings.Repeat("<model>", 256+1)), ErrSyntax, "nest more than"},
		{"no items", "a.3mf", package3MF(model3(tetObject(1, ""), "")), ErrNoTriangles, "no triangles"},
		{"no build", "a.3mf", package3MF(modelHead + "</model>"), ErrNoTriangles, "no triangles"},
		{"item of nothing", "a.3mf", with(item, `<item objectid="7"/>`), ErrIndexRange, "line 6: index out of range: there is no object 7"},
		{"component of nothing", "a.3mf", with(tetXML, "\n\n<components><component objectid=\"7\"/></components>"), ErrIndexRange, "line 6: index out of range: there is no object 7"},
		{"path to nothing", "a.3mf", with(item, `<item objectid="1" p:path="/x.model"/>`), ErrSyntax, "/x.model"},
		{"path in another part", "a.3mf", zipOf("_rels/.rels", rootRels, "3D/3dmodel.model", model3("", `<item objectid="2" p:path="/3D/o.model"/>`),
			"3D/o.model", model3(tetObject(1, "")+`<object id="2"><components><component objectid="1" p:path="/3D/x.model"/></components></object>`, "")),
			ErrSyntax, "/3d/o.model: line 5: syntax error: component has a path, which is allowed only in the root model"},
		{"unknown unit", "a.3mf", with(`"millimeter"`, `"yard"`), ErrSyntax, `line 2: syntax error: unit "yard" does not exist`},
		{"path without its prefix", "a.3mf", with(item, `<item objectid="1" q:path="/x.model"/>`), ErrSyntax, `prefix "q"`},
		{"component of itself", "a.3mf", with(tetXML, `<components><component objectid="1"/></components>`), ErrSyntax, "line 4: syntax error: object 1 is a component of itself"},
		{"cycle", "a.3mf", with(tetXML+"</object>", `<components><component objectid="2"/></components></object><object id="2"><components><component objectid="1"/></components></object>`), ErrSyntax, "object 1 is a component of itself"},
		{"same id twice", "a.3mf", with("</resources>", tetObject(1, "")+"</resources>"), ErrSyntax, "the object id 1 occurs twice"},
		{"id is a word", "a.3mf", with(`id="1"`, `id="one"`), ErrSyntax, `object id "one"`},
		{"no objectid", "a.3mf", with(item, "<item/>"), ErrSyntax, `objectid of item is ""`},
		{"two meshes", "a.3mf", with("</object>", tetXML+"</object>"), ErrSyntax, "several shapes"},
		{"list of components twice", "a.3mf", with(tetXML, `<components/><components/>`), ErrSyntax, "expected one mesh or one list of components"},
		{"misspelled triangle", "a.3mf", with(`<triangle v1="0" v2="2"`, `<Triangle v1="0" v2="2"`), ErrSyntax, `line 4: syntax error: 3MF does not allow the element "Triangle" in triangles`},
		{"misspelled vertex", "a.3mf", with(`<vertex x="1"`, `<Vertex x="1"`), ErrSyntax, `element "Vertex" in vertices`},
		{"vertex of no namespace", "a.3mf", with(`<vertex x="1"`, `<vert xmlns="" x="1"`), ErrSyntax, `element "vert" in vertices`},
		{"misspelled triangles", "a.3mf", with("</triangles>", `</triangles><Triangles/>`), ErrSyntax, `element "Triangles" in mesh`},
		{"misspelled component", "a.3mf", with(tetXML, `<components><Component objectid="1"/></components>`), ErrSyntax, `element "Component" in components`},
		{"misspelled item", "a.3mf", with(item, item+`<Item objectid="1"/>`), ErrSyntax, `element "Item" in build`},
		{"two lists of triangles", "a.3mf", with("</triangles>", `</triangles><triangles><triangle v1="0" v2="1" v3="2"/></triangles>`), ErrSyntax, "object 1 has two lists of triangles"},
		{"two lists of vertices", "a.3mf", with("<triangles>", `<vertices/><triangles>`), ErrSyntax, "two lists of vertices"},
		{"shape of an extension", "a.3mf", package3MF(model3(tetObject(1, "")+`<object id="2"><b:booleanshape objectid="1"/></object>`, item+`<item objectid="2"/>`)),
			ErrUnsupported, `line 6: not supported: object 2 has neither mesh nor components, but it has an element "booleanshape"`},
		{"component of no shape", "a.3mf", package3MF(model3(`<object id="2"/><object id="1"><components><component objectid="2"/></components></object>`, item)),
			ErrUnsupported, "object 2 has neither mesh nor components"},
		{"no x", "a.3mf", with(`<vertex x="1"`, `<vertex`), ErrSyntax, `line 4: syntax error: x of vertex 1 is ""`},
		{"x is a word", "a.3mf", with(`<vertex x="1"`, `<vertex x="1mm"`), ErrSyntax, `x of vertex 1 is "1mm"`},
		{"NaN", "a.3mf", with(`<vertex x="1"`, `<vertex x="NaN"`), ErrNotFinite, "vertex 1 is (NaN, 0, 0)"},
		{"beyond float64", "a.3mf", with(`<vertex x="1"`, `<vertex x="1e999"`), ErrNotFinite, "vertex 1 is (+Inf, 0, 0)"},
		{"index out of range", "a.3mf", with(`v3="1"`, `v3="4"`), ErrIndexRange, "v3 of triangle 0 refers to vertex 4, but there are 4 vertices"},
		{"negative index", "a.3mf", with(`v3="1"`, `v3="-1"`), ErrIndexRange, "v3 of triangle 0 refers to vertex -1, but there are 4 vertices"},
		{"index is no integer", "a.3mf", with(`v3="1"`, `v3="1.0"`), ErrSyntax, `v3 of triangle 0 is "1.0"`},
		{"transform of 11", "a.3mf", with(item, `<item objectid="1" transform="1 0 0 0 1 0 0 0 1 0 0"/>`), ErrSyntax, "not 12 finite numbers"},
		{"transform with infinity", "a.3mf", with(item, `<item objectid="1" transform="1 0 0 0 1 0 0 0 1 0 0 inf"/>`), ErrSyntax, "not 12 finite numbers"},
		{"overflow under transforms", "a.3mf", with(item, `<item objectid="1" transform="1e308 1e308 0 1e308 1e308 0 0 0 1 1e308 0 0"/>`), mesh.ErrTooLarge, "a coordinate is beyond 2^1000: the transforms move vertex 0 of object 1 out of range"},
		{"required extension", "a.3mf", with("<model ", `<model requiredextensions="b" `), ErrUnsupported, "beamlattice"},
		{"required extension without namespace", "a.3mf", with("<model ", `<model requiredextensions="x" `), ErrUnsupported, `"x"`},
	} {
		r.run(t)
	}
}

// TestThreeMFMemory checks that Read refuses small packages that declare a very large content.
func TestThreeMFMemory(t *testing.T) {
	// Object i+1 lists object i twice as a component, so there are 2^60 instances.
	chain := func(first string) string {
		objects := first
		for i := 1; i <= 60; i++ {
			objects += fmt.Sprintf(`<object id="%d"><components><component objectid="%d"/><component objectid="%d"/></components></object>`, i+1, i, i)
		}
		return package3MF(model3(objects, `<item objectid="61"/>`))
	}
	blanks := package3MF(model3(strings.Repeat(" ", 8<<20), ""))
	lie := []byte(zipOf("_rels/.rels", rootRels))
	// The headers declare a size of 4 GB. The reader must not trust this size.
	for at := 0; at < len(lie)-46; at++ {
		if string(lie[at:at+4]) == "PK\x01\x02" {
			binary.LittleEndian.PutUint32(lie[at+24:], math.MaxUint32-1)
		}
	}
	for _, c := range []struct {
		name, data string
		limit      int64
		kind       error
	}{
		{"doubled components", chain(tetObject(1, "")), 0, ErrTooLarge},
		{"doubled components of nothing", chain(`<object id="1"><mesh><vertices/><triangles/></mesh></object>`), 0, ErrNoTriangles},
		{"instances beyond a limit", package3MF(model3(tetObject(1, ""), strings.Repeat(`<item objectid="1"/>`, 20_000))), 4 << 20, ErrTooLarge},
		{"vertices beyond a limit", package3MF(model3(`<object id="1"><mesh><vertices>`+strings.Repeat(`<vertex x="0" y="0" z="0"/>`, 50_000)+`</vertices></mesh></object>`, "")), 1 << 20, ErrTooLarge},
		{"a part of blanks", blanks, 0, ErrTooLarge},
		{"sizes that lie", string(lie), 0, ErrTruncated},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := Read(t.Context(), "a.3mf", strings.NewReader(c.data), Options{MaxMemory: c.limit})
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, c.kind) {
				t.Errorf("got %v, want %v", err, c.kind)
			}
		})
	}
}

// TestThreeMFOverlap refers to the same part of a zip archive twice, under two names.
func TestThreeMFOverlap(t *testing.T) {
	file := zipOf("_rels/.rels", rootRels, "3D/3dmodel.model", model3(tetObject(1, ""), `<item objectid="1"/>`), "a", "b", "c", "d")
	directory := strings.Index(file, "PK\x01\x02")
	entry := strings.LastIndex(file, "PK\x01\x02")
	end := strings.Index(file, "PK\x05\x06")
	before := strings.LastIndex(file[:entry], "PK\x01\x02")
	if directory < 0 || before <= directory || file[before+46] != 'a' || file[entry+46] != 'c' {
		t.Fatal("the zip archive has another layout")
	}
	acceptance{name: "separate", file: "a.3mf", data: file, vertices: 4, triangles: 4, bodies: "object 1"}.run(t)
	// The entry of c now has the offset of a.
	const offset = 42 // position of the offset of the local header in an entry of the directory
	file = file[:entry+offset] + file[before+offset:before+offset+4] + file[entry+offset+4:end] + file[end:]
	refusal{"overlapping", "a.3mf", file, ErrSyntax, "overlaps the part"}.run(t)
}

// TestThreeMFChecksum changes a byte of a stored part. The reader must detect the wrong checksum.
func TestThreeMFChecksum(t *testing.T) {
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for _, p := range [][2]string{{"_rels/.rels", rootRels}, {"3D/3dmodel.model", model3(tetObject(1, ""), `<item objectid="1"/>`)}} {
		w, err := z.CreateRaw(&zip.FileHeader{Name: p[0], Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(p[1])),
			CompressedSize64: uint64(len(p[1])), UncompressedSize64: uint64(len(p[1]))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(p[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	acceptance{name: "stored", file: "a.3mf", data: file.String(), vertices: 4, triangles: 4, bodies: "object 1"}.run(t)
	broken := strings.Replace(file.String(), `<vertex x="1"`, `<vertex x="2"`, 1)
	refusal{"changed", "a.3mf", broken, ErrSyntax, "checksum"}.run(t)
}
