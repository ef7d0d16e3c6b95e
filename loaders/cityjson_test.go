package loaders

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Members of CityJSON files.
const (
	cityUnits    = `"transform":{"scale":[1,1,1],"translate":[0,0,0]}`
	cityTet      = `[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]`
	tetShell     = `[[[0,2,1]],[[0,1,3]],[[0,3,2]],[[1,2,3]]]`
	tetSolid     = `{"type":"Solid","lod":"2","boundaries":[` + tetShell + `]}`
	tetSurface   = `{"type":"MultiSurface","lod":"2","boundaries":` + tetShell + `}`
	oneTriangle  = `{"type":"MultiSurface","lod":"0","boundaries":[[[0,1,2]]]}`
	tetTemplates = `"geometry-templates":{"vertices-templates":[[0,0,0],[0.5,0,0],[0,0.5,0],[0,0,0.5]],"templates":[` + tetSolid + `,{"type":"MultiPoint","lod":"3","boundaries":[0]}]}`
)

// cityInstance returns an instance of a template at vertex 1, with the given first rows of its matrix.
func cityInstance(template int, rows string) string {
	return fmt.Sprintf(`{"type":"GeometryInstance","template":%d,"boundaries":[1],"transformationMatrix":[%s,0,0,0,1]}`, template, rows)
}

const unitRows = "1,0,0,0,0,1,0,0,0,0,1,0"

// cityHead returns the first members of a file.
func cityHead(more ...string) string {
	return `{"type":"CityJSON","version":"2.0",` + strings.Join(append([]string{cityUnits}, more...), ",")
}

// cityText returns a file with the vertices of a tetrahedron.
func cityText(objects string, more ...string) string {
	return cityHead(more...) + `,"CityObjects":{` + objects + `},"vertices":` + cityTet + `}`
}

// cityObject returns a member of CityObjects.
func cityObject(name, kind string, geometries ...string) string {
	return fmt.Sprintf(`"%s":{"type":"%s","geometry":[%s]}`, name, kind, strings.Join(geometries, ","))
}

func TestCityJSON(t *testing.T) {
	house := cityObject("house", "Building", tetSolid)
	text := cityText(house)
	lod := func(geometry, lod string) string { return strings.Replace(geometry, `"lod":"2"`, `"lod":`+lod, 1) }
	late := `{"CityObjects":{` + house + `},"vertices":` + cityTet + `,` + cityUnits + `,"version":"1.1","type":"CityJSON"}`
	feature := `{"type":"CityJSONFeature","id":"a","CityObjects":{` + house + `},"vertices":` + cityTet + `}`
	family := func(above, below string) string {
		return `"a":{"type":"Building","children":["b","unknown"],"geometry":[` + above + `]},"b":{"type":"BuildingPart","parents":["a"],"geometry":[` + below + `]}`
	}
	const lower = "ignored 1 geometry of objects that have a higher LoD"
	for _, a := range []acceptance{
		{"solid", "a.city.json", text, 4, 4, "house", ""},
		{"without a suffix", "a", text, 4, 4, "house", ""},
		{"with another suffix", "a.gltf", text, 4, 4, "house", ""},
		{"type after the objects", "a", late, 4, 4, "house", ""},
		{"vertices before the type", "a.json", `{"vertices":` + cityTet + `,"version":"1.0.3","type":"CityJSON","CityObjects":{` + house + `},` + cityUnits + `}`, 4, 4, "house", ""},
		{"byte order mark, white space, CR", "a", "\xef\xbb\xbf" + strings.NewReplacer(",", " ,\r\n\t", ":", " : ", "[", "[ ", "]", " ]").Replace(text), 4, 4, "house", ""},
		{"gzip", "a.city.json.gz", gzipped(text), 4, 4, "house", ""},
		{"1.0 without a transform", "a", `{"type":"CityJSON","version":"1.0","CityObjects":{` + cityObject("x", "Building", lod(tetSolid, "2.1")) + `},"vertices":[[0.5,0,0],[1,0,0],[0,1e0,0],[0,0,1]]}`, 4, 4, "x", ""},
		{"integers with a fraction", "a", strings.Replace(text, "[1,0,0]", "[1.0,0e3,10E-1]", 1), 4, 4, "house", ""},
		{"indices with a fraction", "a", strings.Replace(text, "[0,2,1]", "[0.0,2,1E0]", 1), 4, 4, "house", ""},
		{"name with escapes", "a", cityText(cityObject(`a\u00e4\"/~`, "Building", tetSolid)), 4, 4, `aä"/~`, ""},
		{"NaN in attributes", "a", cityText(`"h":{"attributes":{"x":NaN,"geometry":[[-Infinity]]},"type":"Building","geometry":[` + tetSolid + `],"address":[{"location":{"type":"MultiPoint","boundaries":[0]}}]}`), 4, 4, "h", ""},
		{"surfaces", "a", cityText(cityObject("h", "TINRelief", strings.Replace(tetSurface, "MultiSurface", "CompositeSurface", 1))), 4, 4, "h", ""},
		{"several objects", "a", cityText(cityObject("h", "Building", tetSolid) + "," + cityObject("empty", "Building") + "," + cityObject("i", "Road", tetSurface)), 4, 8, "h|i", ""},
		{"multi solid", "a", cityText(cityObject("h", "Building", `{"type":"MultiSolid","lod":"1","boundaries":[[`+tetShell+`],[`+tetShell+`]]}`)), 4, 8, "h", ""},
		{"highest LoD", "a", cityText(cityObject("h", "Building", oneTriangle, tetSolid, lod(tetSolid, `"1.9"`))), 4, 4, "h", "ignored 2 geometries of objects that have a higher LoD"},
		{"higher LoD of surfaces", "a", cityText(cityObject("h", "Building", tetSolid, lod(tetSurface, `"2.1"`), lod(tetSurface, "2.1"))), 4, 8, "h", lower},
		{"solids before surfaces", "a", cityText(cityObject("h", "Building", tetSurface, tetSolid)), 4, 4, "h", "ignored 1 geometry of surfaces of objects that have solids of the same LoD"},
		{"invalid LoD", "a", cityText(cityObject("h", "Building", lod(tetSurface, `"high"`), strings.Replace(tetSolid, `"lod":"2",`, "", 1), lod(tetSurface, "0.1"))), 4, 4, "h",
			"ignored 2 geometries of objects that have a higher LoD|number of geometries without a valid LoD, which counts as the lowest one: 2"},
		{"points and lines", "a", cityText(cityObject("h", "Building", `{"type":"MultiPoint","lod":"3","boundaries":[0]}`, `{"type":"MultiLineString","lod":"3","boundaries":[[0,1]]}`, tetSolid)), 4, 4, "h",
			"ignored 1 geometry of points|ignored 1 geometry of lines"},
		{"types of extensions", "a", cityText(cityObject("h", "+House", `{"type":"+Sphere","lod":"4","radius":1}`, tetSolid)), 4, 4, "h", "ignored 1 geometry of unknown types of extensions"},
		{"empty geometries", "a", cityText(cityObject("h", "Building", `{"type":"Solid","lod":"3","boundaries":[]}`, `{"type":"MultiSurface","lod":"3","boundaries":[ [ ], [[]] ]}`, tetSolid)), 4, 4, "h", "ignored 2 empty geometries"},
		{"short rings", "a", cityText(cityObject("h", "Building", strings.Replace(tetSolid, "[[0,2,1]]", "[[],[0,2,1],[3,1]]", 1))), 4, 4, "h", "ignored 2 rings of fewer than three corners"},
		{"outline of parts", "a", cityText(family(oneTriangle, tetSolid)), 4, 4, "b", "ignored 1 object of LoD 0: objects below have a higher LoD"},
		{"outline without volume below", "a", cityText(family(oneTriangle, oneTriangle)), 4, 2, "a|b", ""},
		{"parts and whole", "a", cityText(family(tetSolid, tetSolid)), 4, 8, "a|b", "number of objects with solids whose parts also have solids, all of which were read: 1"},
		{"a group and its members", "a", cityText(`"g":{"type":"CityObjectGroup","children":["b"],"geometry":[` + oneTriangle + `]},"b":{"type":"Building","parents":["g"],"geometry":[` + tetSolid + `]}`), 4, 5, "g|b", ""},
		{"parents in a circle", "a", cityText(`"a":{"type":"Building","parents":["b"],"geometry":[` + oneTriangle + `]},"b":{"type":"Building","parents":["a","b"],"geometry":[` + tetSolid + `]}`), 4, 4, "b", "ignored 1 object of LoD 0: objects below have a higher LoD"},
		{"template", "a", cityText(cityObject("t", "SolitaryVegetationObject", cityInstance(0, unitRows), cityInstance(1, unitRows)), tetTemplates), 8, 4, "t", "ignored 1 geometry of points"},
		{"template twice", "a", cityText(cityObject("t", "SolitaryVegetationObject", cityInstance(0, unitRows))+","+cityObject("u", "SolitaryVegetationObject", cityInstance(0, unitRows)), tetTemplates), 12, 8, "t|u", ""},
		{"singular matrix", "a", cityText(cityObject("t", "SolitaryVegetationObject", cityInstance(0, "1,0,0,0,0,1,0,0,0,0,0,0"), tetSolid), tetTemplates), 4, 4, "t", "ignored 1 instance of templates with singular matrices"},
		{"sequence", "a.city.jsonl", strings.Replace(cityText(""), cityTet, "[]", 1) + "\n" + feature + "\n" + feature + "\n", 8, 8, "house|house", ""},
		{"text sequence with record marks", "a", "\x1e" + strings.Replace(cityText(""), cityTet, "[]", 1) + "\n\x1e" + feature + "\n", 4, 4, "house", ""},
		{"sequence with templates", "a", cityText("", tetTemplates) + strings.Replace(feature, tetSolid, cityInstance(0, unitRows), 1), 12, 4, "house", ""},
		{"degrees", "a", cityText(house, `"metadata":{"referenceSystem":"http://www.opengis.net/def/crs/EPSG/0/4979"}`), 4, 4, "house",
			"the coordinates are degrees and heights (http://www.opengis.net/def/crs/EPSG/0/4979): volumes and distances are not those of the objects"},
		{"meters", "a", cityText(house, `"metadata":{"title":"x","referenceSystem":"urn:ogc:def:crs:EPSG::7415"}`), 4, 4, "house", ""},
		{"no coordinate reference system", "a", cityText(house, `"metadata":{"referenceSystem":null}`), 4, 4, "house", ""},
	} {
		a.run(t)
	}
}

func TestCityJSONRefuses(t *testing.T) {
	text := cityText(cityObject("a/b", "Building", tetSolid))
	change := func(old, by string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(text, old, by, 1)
	}
	feature := `{"type":"CityJSONFeature","id":"a","CityObjects":{` + cityObject("a", "Building", tetSolid) + `},"vertices":` + cityTet + `}`
	head := strings.Replace(cityText(""), cityTet, "[]", 1) + "\n"
	templated := func(instance string) string {
		return cityText(cityObject("t", "SolitaryVegetationObject", instance), tetTemplates)
	}
	const at = "/CityObjects/a~1b/geometry/0"
	for _, r := range []refusal{
		{"cut", "a.city.json", text[:len(text)-1], ErrTruncated, "the JSON text is cut off"},
		{"cut in the objects", "a.city.json", text[:200], ErrTruncated, at},
		{"blanks", "a.city.json", "  \n", ErrTruncated, "no JSON text"},
		{"not an object", "a.city.json", `["type","CityJSON"]`, ErrSyntax, "byte 0"},
		{"no type", "a.city.json", change(`"type":"CityJSON",`, ""), ErrSyntax, "no member type"},
		{"another type", "a.city.json", change(`"type":"CityJSON",`, `"type":"CityXML",`), ErrSyntax, `the type "CityXML"`},
		{"no version", "a", change(`"version":"2.0",`, ""), ErrSyntax, "version is missing"},
		{"version 0.9", "a", change(`"2.0"`, `"0.9"`), ErrUnsupported, `version "0.9"`},
		{"version 3", "a", change(`"2.0"`, `"3"`), ErrUnsupported, `version "3"`},
		{"no transform", "a", change(cityUnits, `"x":0`), ErrSyntax, "transform is missing"},
		{"no vertices", "a", change(`"vertices"`, `"points"`), ErrSyntax, "vertices is missing"},
		{"no objects", "a", change(`"CityObjects"`, `"Objects"`), ErrSyntax, "CityObjects is missing"},
		{"objects are a list", "a", change(`"CityObjects":{`, `"CityObjects":[],"x":{`), ErrSyntax, "/CityObjects: byte"},
		{"vertices are an object", "a", change(cityTet, `{}`), ErrSyntax, "/vertices: byte"},
		{"vertices twice", "a", change(`"vertices"`, `"vertices":[],"vertices"`), ErrSyntax, `"vertices" occurs twice`},
		{"object twice", "a", cityText(cityObject("a", "Building", tetSolid) + `,"\u0061":{}`), ErrSyntax, `/CityObjects/a: byte`},
		{"geometry twice", "a", change(`"geometry"`, `"geometry":[],"geometry"`), ErrSyntax, `"geometry" occurs twice`},
		{"boundaries twice", "a", change(`"boundaries"`, `"boundaries":[],"boundaries"`), ErrSyntax, at + "/boundaries"},
		{"scale of two numbers", "a", change(`"scale":[1,1,1]`, `"scale":[1,1]`), ErrSyntax, "/transform/scale"},
		{"scale of four numbers", "a", change(`"scale":[1,1,1]`, `"scale":[1,1,1,1]`), ErrSyntax, "/transform/scale/3"},
		{"scale is a string", "a", change(`"scale":[1,1,1]`, `"scale":["1",1,1]`), ErrSyntax, "/transform/scale/0: byte"},
		{"scale is NaN", "a", change(`"scale":[1,1,1]`, `"scale":[1,NaN,1]`), ErrNotFinite, "/transform/scale/1"},
		{"huge exponent", "a", change(`"scale":[1,1,1]`, `"scale":[1,1e999999999,1]`), ErrTooLarge, "/transform/scale/1"},
		{"no translate", "a", change(`"translate"`, `"translation"`), ErrSyntax, "scale or translate is missing"},
		{"large coordinate", "a", strings.Replace(change(`"scale":[1,1,1]`, `"scale":[1e305,1,1]`), "[1,0,0]", "[100000,0,0]", 1), ErrNotFinite, "/vertices/1"},
		{"coordinate beyond the limit", "a", change(`"scale":[1,1,1]`, `"scale":[1e302,1,1]`), mesh.ErrTooLarge, "/vertices/1"},
		{"fraction", "a", change("[1,0,0]", "[1.5,0,0]"), ErrSyntax, `the coordinate is "1.5", must be an integer`},
		{"NaN", "a", change("[1,0,0]", "[1,NaN,0]"), ErrNotFinite, "/vertices/1"},
		{"two coordinates", "a", change("[1,0,0]", "[1,0]"), ErrSyntax, "has 2 coordinates, must have 3"},
		{"vertex is a number", "a", change("[1,0,0]", "7"), ErrSyntax, "/vertices/1"},
		{"coordinate is a list", "a", change("[1,0,0]", "[1,[0],0]"), ErrSyntax, "/vertices/1"},
		{"index too large", "a", change("[0,2,1]", "[0,2,4]"), ErrIndexRange, at + "/boundaries/0/0/0: byte 185: index out of range: vertex 4 of 4"},
		{"index of 2^40", "a", change("[0,2,1]", "[0,2,1099511627776]"), ErrIndexRange, at + "/boundaries/0/0/0"},
		{"negative index", "a", change("[0,2,1]", "[0,2,-1]"), ErrIndexRange, at + "/boundaries/0/0/0"},
		{"index is a fraction", "a", change("[0,2,1]", "[0,2,0.5]"), ErrSyntax, `the index is "0.5"`},
		{"index is a string", "a", change("[0,2,1]", `[0,2,"1"]`), ErrSyntax, at + "/boundaries/0/0/0"},
		{"too few levels", "a", change(`"Solid"`, `"MultiSolid"`), ErrSyntax, at + "/boundaries/0/0/0/0: byte"},
		{"too many levels", "a", change(`"Solid"`, `"MultiSurface"`), ErrSyntax, "found a list, must be a number"},
		{"level of an object", "a", change("[[0,2,1]]", "{}"), ErrSyntax, "found an object, must be a list"},
		{"boundaries are a number", "a", change(`"boundaries":`, `"boundaries":7,"x":`), ErrSyntax, "found a number, must be a list"},
		{"no boundaries", "a", change(`"boundaries"`, `"boundary"`), ErrSyntax, "boundaries is missing"},
		{"no type of a geometry", "a", change(`"type":"Solid",`, ""), ErrSyntax, at + ": byte"},
		{"unknown type of a geometry", "a", change(`"Solid"`, `"Sphere"`), ErrSyntax, `the type "Sphere" of geometries does not exist`},
		{"LoD is a list", "a", change(`"lod":"2"`, `"lod":[2]`), ErrSyntax, at + "/lod"},
		{"deep lists", "a", change(`"lod":"2"`, `"x":`+strings.Repeat("[", 200)+strings.Repeat("]", 200)), ErrSyntax, "nested more than 100 levels"},
		{"control character", "a", change(`"lod":"2"`, "\"x\":\"\x01\""), ErrSyntax, "control character"},
		{"words after the text", "a", text + "x", ErrSyntax, "line 1: byte"},
		{"zero byte after the text", "a", text + "\x00", ErrSyntax, "line 1: byte"},
		{"no triangles", "a", cityText(cityObject("a", "Building", `{"type":"MultiPoint","lod":"1","boundaries":[0]}`)), ErrNoTriangles, ""},
		{"feature first", "a.city.jsonl", feature, ErrSyntax, "begins with a CityJSONFeature"},
		{"other text after an object", "a", text + "\nabc", ErrSyntax, "a: line 2: byte"},
		{"two objects", "a", text + "\n" + text, ErrSyntax, "only the first text of a sequence can have the member transform"},
		{"feature of another type", "a", head + strings.Replace(feature, "CityJSONFeature", "Feature", 1), ErrSyntax, `line 2: byte`},
		{"feature with a transform", "a", head + strings.Replace(feature, `"id"`, cityUnits+`,"id"`, 1), ErrSyntax, "/transform: line 2"},
		{"index of another feature", "a", head + feature + "\n" + strings.Replace(feature, "[0,2,1]", "[0,2,4]", 1), ErrIndexRange, "/boundaries/0/0/0: line 3: byte"},
		{"unknown template", "a", templated(cityInstance(2, unitRows)), ErrIndexRange, "/CityObjects/t/geometry/0/template: byte"},
		{"template with a leading zero", "a", templated(strings.Replace(cityInstance(0, unitRows), `"template":0`, `"template":00`, 1)), ErrSyntax, `/CityObjects/t/geometry/0/template: byte`},
		{"no matrix", "a", templated(`{"type":"GeometryInstance","template":0,"boundaries":[1]}`), ErrSyntax, "transformationMatrix is missing"},
		{"matrix of 15 numbers", "a", templated(cityInstance(0, "1,0,0,0,0,1,0,0,0,0,1")), ErrSyntax, "/CityObjects/t/geometry/0/transformationMatrix"},
		{"perspective", "a", templated(strings.Replace(cityInstance(0, unitRows), "0,0,0,1]", "0,0,0,2]", 1)), ErrUnsupported, "0, 0, 0, 1"},
		{"two reference points", "a", templated(strings.Replace(cityInstance(0, unitRows), "[1]", "[1,2]", 1)), ErrSyntax, "must have 1"},
		{"unknown reference point", "a", templated(strings.Replace(cityInstance(0, unitRows), "[1]", "[9]", 1)), ErrIndexRange, "vertex 9 of 4"},
		{"template of an instance", "a", cityText("", `"geometry-templates":{"templates":[`+cityInstance(0, unitRows)+`]}`), ErrSyntax, "/geometry-templates/templates/0"},
		{"index in a template", "a", strings.Replace(templated(cityInstance(0, unitRows)), "[0,3,2]", "[0,3,4]", 1), ErrIndexRange, "/geometry-templates/templates/0/boundaries/0/2/0"},
		{"vertex of a template", "a", strings.Replace(templated(cityInstance(0, unitRows)), "[0.5,0,0]", "[Infinity,0,0]", 1), ErrNotFinite, "/geometry-templates/vertices-templates/1"},
	} {
		r.run(t)
	}
}

// TestCityJSONExample reads the files in testdata. Both have the same objects: a hall with a tunnel and
// a cavity, two parts of a building, and a tree.
func TestCityJSONExample(t *testing.T) {
	volumes := map[string]float64{"hall": 10*8*5 - 2*8*2 - 2*2*1, "row/1": 3 * 8 * 4, "row/2": 3 * 8 * 6, "tree": .02 * 1.3 * 2.5 * 2.5 * 3 / 3}
	for _, name := range []string{"street.city.json", "street.city.jsonl"} {
		s, info, err := Load(t.Context(), "testdata/"+name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if info.Format != CityJSON || len(s.Bodies) != len(volumes) {
			t.Errorf("%s: format %v, bodies %v", name, info.Format, s.Bodies)
		}
		notes := "ignored 1 geometry of points|ignored 1 geometry of objects that have a higher LoD|" +
			"ignored 1 geometry of surfaces of objects that have solids of the same LoD|" +
			"ignored 1 object of LoD 0: objects below have a higher LoD|triangulated 2 polygons with holes by ear clipping"
		if got := strings.Join(info.Notes, "|"); got != notes {
			t.Errorf("%s: notes %s", name, got)
		}
		origin := r3.Vector{X: 84616.468, Y: 447422.999, Z: -0.452}
		for _, b := range s.Bodies {
			v := 0.0
			for _, f := range s.Faces[b.First : b.First+b.Count] {
				v += s.Vertices[f[0]].Sub(origin).Dot(s.Vertices[f[1]].Sub(origin).Cross(s.Vertices[f[2]].Sub(origin))) / 6
			}
			if want := volumes[b.Name]; v < want-1e-6 || v > want+1e-6 { // 1e-6 allows for rounding
				t.Errorf("%s: %s has the volume %v, want %v", name, b.Name, v, want)
			}
		}
		m, err := mesh.New(t.Context(), *s, mesh.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d, err := m.Diagnose(t.Context()); err != nil || !d.ZeroBoundary || d.ZeroArea > 0 {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		if got, want := s.Vertices[0], (r3.Vector{X: 84616.468, Y: 447422.999, Z: -0.452}); got != want {
			t.Errorf("%s: the first vertex is %v, want %v", name, got, want)
		}
	}
}

// TestCityJSONRounding compares coordinates with rational numbers.
func TestCityJSONRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	scales := []string{"0.001", "0.00020859820573744", "1e-8", "3", "0.1", "-0.001", "0.0010000000474974513"}
	offsets := []string{"84616.468", "0", "-6378137.0", "447422.99900000001", "1E-7", "123456789012345678901234567890.5"}
	for range 200 {
		var scale, translate [3]string
		for i := range scale {
			scale[i], translate[i] = scales[r.IntN(len(scales))], offsets[r.IntN(len(offsets))]
		}
		var ints [4][3]int64
		var rows []string
		for i := range ints {
			for k := range ints[i] {
				ints[i][k] = r.Int64() >> r.IntN(63)
				if r.IntN(2) == 0 {
					ints[i][k] = -ints[i][k]
				}
			}
			rows = append(rows, fmt.Sprintf("[%d,%d,%d]", ints[i][0], ints[i][1], ints[i][2]))
		}
		text := strings.Replace(cityText(cityObject("a", "Building", tetSolid)), cityTet, "["+strings.Join(rows, ",")+"]", 1)
		text = strings.Replace(text, cityUnits, fmt.Sprintf(`"transform":{"scale":[%s],"translate":[%s]}`, strings.Join(scale[:], ","), strings.Join(translate[:], ",")), 1)
		s, _, err := readString("a", text)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range s.Vertices {
			for k, got := range [3]float64{v.X, v.Y, v.Z} {
				if want := nearest(t, ints[i][k], scale[k], translate[k]); got != want {
					t.Fatalf("%d·%s + %s: got %v, want %v", ints[i][k], scale[k], translate[k], got, want)
				}
			}
		}
	}
}

// nearest returns the float64 nearest to v·scale + translate.
func nearest(t *testing.T, v int64, scale, translate string) float64 {
	s, ok1 := new(big.Rat).SetString(scale)
	d, ok2 := new(big.Rat).SetString(translate)
	if !ok1 || !ok2 {
		t.Fatal(scale, translate)
	}
	x, _ := d.Add(d, s.Mul(s, new(big.Rat).SetInt64(v))).Float64()
	return x
}

// TestCityJSONInstances compares the vertices of instances with rational numbers. The triangles of a
// mirrored instance must keep their outward orientation.
func TestCityJSONInstances(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	template := [4][3]float64{{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}}
	for range 300 {
		var words []string
		var rows [12]*big.Rat
		for k := range rows {
			word := fmt.Sprintf("%d.%03d", r.IntN(7)-3, r.IntN(1000))
			words = append(words, word)
			rows[k], _ = new(big.Rat).SetString(word)
		}
		text := strings.Replace(cityText(cityObject("t", "Plant", cityInstance(0, strings.Join(words, ","))), tetTemplates), cityUnits,
			`"transform":{"scale":[0.1,0.1,0.1],"translate":[100000.3,0.7,-5]}`, 1)
		s, info, err := readString("a", text)
		if errors.Is(err, ErrNoTriangles) && len(info.Notes) == 1 {
			continue // the matrix is singular
		}
		if err != nil {
			t.Fatal(err)
		}
		reference := s.Vertices[1]
		seen := map[r3.Vector]bool{}
		for _, p := range template {
			var want [3]float64
			for i, x := range [3]float64{reference.X, reference.Y, reference.Z} {
				sum := new(big.Rat).SetFloat64(x)
				sum.Add(sum, rows[4*i+3])
				for j := range 3 {
					term := new(big.Rat).SetFloat64(p[j])
					sum.Add(sum, term.Mul(term, rows[4*i+j]))
				}
				want[i], _ = sum.Float64()
			}
			seen[r3.Vector{X: want[0], Y: want[1], Z: want[2]}] = true
		}
		for _, v := range s.Vertices[4:] {
			if !seen[v] {
				t.Fatalf("vertex %v, want one of %v; matrix %v", v, seen, words)
			}
		}
		volume := 0.0
		for _, f := range s.Faces {
			volume += s.Vertices[f[0]].Sub(reference).Dot(s.Vertices[f[1]].Sub(reference).Cross(s.Vertices[f[2]].Sub(reference)))
		}
		if volume < -1e-9 { // 1e-9 allows for rounding
			t.Fatalf("volume %v; matrix %v", volume, words)
		}
	}
}

// manyHouses returns a file with n objects.
func manyHouses(n int, geometry string) string {
	var s strings.Builder
	s.WriteString(cityHead() + `,"CityObjects":{`)
	for k := range n {
		if k > 0 {
			s.WriteString(",")
		}
		fmt.Fprintf(&s, `"house %d":{"type":"Building","attributes":{"height":%d.5,"name":"a house of the city"},"geometry":[%s]}`, k, k%30, geometry)
	}
	s.WriteString(`},"vertices":` + cityTet + "}")
	return s.String()
}

// TestCityJSONMemory reads files within the default memory limit and with a small limit.
func TestCityJSONMemory(t *testing.T) {
	var vertices strings.Builder
	for k := range 500_000 {
		fmt.Fprintf(&vertices, ",[%d,1,2]", k)
	}
	deep := strings.Repeat("[[[", 20_000)
	for name, data := range map[string]string{
		"objects": manyHouses(20_000, tetSolid), "small objects": manyHouses(100_000, oneTriangle),
		"vertices":  strings.Replace(cityText(cityObject("a", "Building", tetSolid)), "[0,0,1]]", "[0,0,1]"+vertices.String()+"]", 1),
		"instances": strings.Replace(manyHouses(20_000, cityInstance(0, unitRows)), `"CityObjects"`, tetTemplates+`,"CityObjects"`, 1),
		"no value":  cityText(cityObject("a", "Building", tetSolid) + `,"x":` + deep),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, info, err := Read(context.Background(), "a", strings.NewReader(data), Options{})
		runtime.ReadMemStats(&after)
		if err != nil && name != "no value" {
			t.Errorf("%s: %v", name, err)
		}
		// TotalAlloc also counts memory that was freed, such as the rational numbers of matrices.
		rule := 64<<20 + 16*info.Bytes
		if name == "instances" {
			rule *= 3
		}
		if got := int64(after.TotalAlloc - before.TotalAlloc); got > rule {
			t.Errorf("%s: allocated %d bytes for %d bytes, the rule allows %d", name, got, info.Bytes, rule)
		}
		_, _, err = Read(context.Background(), "a", strings.NewReader(data), Options{MaxMemory: int64(len(data)) * 5 / 4})
		if !errors.Is(err, ErrTooLarge) && name != "no value" {
			t.Errorf("%s: %v, want ErrTooLarge with a small limit", name, err)
		}
	}
	// Instances of a large template need more memory than their text.
	var corners strings.Builder
	for k := range 2000 {
		fmt.Fprintf(&corners, ",[[0,%d,%d]]", 1+k%2, 2+k%2)
	}
	large := strings.Replace(tetTemplates, "[[[0,2,1]]", "[[[0,2,1]]"+corners.String(), 1)
	_, _, err := readString("a", strings.Replace(manyHouses(20_000, cityInstance(0, unitRows)), `"CityObjects"`, large+`,"CityObjects"`, 1))
	var e *Error
	if !errors.Is(err, ErrTooLarge) || !errors.As(err, &e) || e.Hint == "" {
		t.Errorf("many instances: %v, want ErrTooLarge", err)
	}
}

// TestCityJSONCanceled cancels the context at the first report of progress. The reports must reach the
// size of the file.
func TestCityJSONCanceled(t *testing.T) {
	data := manyHouses(20_000, tetSolid)
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := Read(ctx, "a", strings.NewReader(data), Options{Progress: func(int64, int64) { cancel() }}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	cancel()
	var last int64
	if _, _, err := Read(t.Context(), "a", strings.NewReader(data), Options{Progress: func(done, _ int64) { last = done }}); err != nil || last != int64(len(data)) {
		t.Errorf("progress ends at %d of %d, %v", last, len(data), err)
	}
}

func FuzzCityJSON(f *testing.F) {
	house := cityObject("house", "Building", tetSolid, tetSurface)
	for _, name := range []string{"street.city.json", "street.city.jsonl"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range []string{
		cityText(house), cityText(cityObject("t", "Plant", cityInstance(0, unitRows)), tetTemplates),
		`{"type":"CityJSON","version":"1.0","CityObjects":{` + house + `},"vertices":[[0.5,0,0],[1,0,0],[0,1e0,0],[0,0,1]]}`,
		cityText(cityObject("h", "Building", `{"type":"MultiSurface","lod":"2","boundaries":[[[0,1,2,3],[3,2,1],[0,0,1,1]]]}`)),
		strings.Replace(cityText(house), cityUnits, `"transform":{"scale":[1e-300,0.001,3e9],"translate":[1e300,-0.5,1e-20]}`, 1),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRead(t, data, CityJSON) })
}

// TestCityJSONMutations changes single words of files at random. The result must be a valid soup or an
// *Error with a place.
func TestCityJSONMutations(t *testing.T) {
	var texts [][]byte
	for _, name := range []string{"street.city.json", "street.city.jsonl"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, data)
	}
	texts = append(texts, []byte(cityText(cityObject("t", "Plant", cityInstance(0, unitRows), tetSolid), tetTemplates)))
	count := 3000
	if os.Getenv("INPOLY_FULL") != "" {
		count = 50_000
	}
	word := regexp.MustCompile(`"[^"]*"|[-+.\w]+|[][{},:]`)
	values := []string{"0", "1", "-1", "7", "0.5", "1e400", "1e300", "99999999999999999999", "NaN", "null", "true", `""`, `"a"`, "[]", "{}", "[[]]", "[0,1,2]", "[[0,1,2]]", ",", "]", "}", "[", "{", ":", ""}
	r := rand.New(rand.NewPCG(9, 10))
	accepted := 0
	for range count {
		text := string(texts[r.IntN(len(texts))])
		places := word.FindAllStringIndex(text, -1)
		for range 1 + r.IntN(3) {
			at := places[r.IntN(len(places))]
			by := values[r.IntN(len(values))]
			switch other := places[r.IntN(len(places))]; r.IntN(3) {
			case 0:
				by = text[other[0]:other[1]]
			case 1:
				by = text[at[0]:at[1]] + by
			}
			text = text[:at[0]] + by + text[at[1]:]
			places = word.FindAllStringIndex(text, -1)
		}
		s, _, err := Read(t.Context(), "a", strings.NewReader(text), Options{Format: CityJSON, MaxMemory: fuzzLimit})
		if err == nil {
			checkSoup(t, s)
			accepted++
			continue
		}
		var e *Error
		if !errors.As(err, &e) || e.File != "a" || e.Offset < 0 && !errors.Is(err, ErrNoTriangles) {
			t.Fatalf("%v for %s", err, text)
		}
	}
	if accepted < count/50 || accepted > count*49/50 {
		t.Errorf("%d of %d files were accepted", accepted, count)
	}
}
