package gltf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// fileJSON and the types below are the objects of a document (glTF 2.0 §5). See decodeObject for
// the tags. Members without a use are decoded only to check their types.
type fileJSON struct {
	ExtensionsRequired []string       `gltf:"extensionsRequired"`
	Extensions         extensions     `gltf:"extensions"`
	Buffers            []bufferJSON   `gltf:"buffers"`
	BufferViews        []viewJSON     `gltf:"bufferViews"`
	Accessors          []accessorJSON `gltf:"accessors"`
	Meshes             []meshJSON     `gltf:"meshes"`
	Nodes              []nodeJSON     `gltf:"nodes"`
	Scenes             []sceneJSON    `gltf:"scenes"`
	Scene              *int           `gltf:"scene"`
}

type extensions map[string]json.RawMessage

// integer is an int in a map.
type integer int

type assetJSON struct {
	Version    json.RawMessage `gltf:"version"`
	MinVersion json.RawMessage `gltf:"minVersion"`
}

type bufferJSON struct {
	Name       string     `gltf:"name"`
	URI        string     `gltf:"uri"`
	ByteLength int        `gltf:"byteLength"`
	Extensions extensions `gltf:"extensions"`
}

type viewJSON struct {
	Name       string     `gltf:"name"`
	Buffer     int        `gltf:"buffer,required"`
	ByteOffset int        `gltf:"byteOffset"`
	ByteLength int        `gltf:"byteLength,required"`
	ByteStride int        `gltf:"byteStride"`
	Target     int        `gltf:"target"`
	Extensions extensions `gltf:"extensions"`
}

type accessorJSON struct {
	Name          string      `gltf:"name"`
	BufferView    *int        `gltf:"bufferView"`
	ByteOffset    int         `gltf:"byteOffset"`
	ComponentType int         `gltf:"componentType,required"`
	Normalized    bool        `gltf:"normalized"`
	Count         int         `gltf:"count,required"`
	Type          string      `gltf:"type,required"`
	Max           []float64   `gltf:"max"`
	Min           []float64   `gltf:"min"`
	Sparse        *sparseJSON `gltf:"sparse"`
	Extensions    extensions  `gltf:"extensions"`
}

type sparseJSON struct {
	Count   int `gltf:"count,required"`
	Indices struct {
		BufferView    int `gltf:"bufferView,required"`
		ByteOffset    int `gltf:"byteOffset"`
		ComponentType int `gltf:"componentType,required"`
	} `gltf:"indices,required"`
	Values struct {
		BufferView int `gltf:"bufferView,required"`
		ByteOffset int `gltf:"byteOffset"`
	} `gltf:"values,required"`
}

type meshJSON struct {
	Name       string          `gltf:"name"`
	Primitives []primitiveJSON `gltf:"primitives"`
	Weights    []float64       `gltf:"weights"`
	Extensions extensions      `gltf:"extensions"`
}

type primitiveJSON struct {
	Attributes map[string]integer   `gltf:"attributes"`
	Indices    *int                 `gltf:"indices"`
	Material   *int                 `gltf:"material"`
	Mode       *int                 `gltf:"mode"`
	Targets    []map[string]integer `gltf:"targets"`
	Extensions extensions           `gltf:"extensions"`
}

type nodeJSON struct {
	Name        string       `gltf:"name"`
	Camera      *int         `gltf:"camera"`
	Skin        *int         `gltf:"skin"`
	Mesh        *int         `gltf:"mesh"`
	Children    []int        `gltf:"children"`
	Matrix      *[16]float64 `gltf:"matrix"`
	Rotation    *[4]float64  `gltf:"rotation"`
	Scale       *[3]float64  `gltf:"scale"`
	Translation *[3]float64  `gltf:"translation"`
	Weights     []float64    `gltf:"weights"`
	Extensions  extensions   `gltf:"extensions"`
}

type sceneJSON struct {
	Name  string `gltf:"name"`
	Nodes []int  `gltf:"nodes"`
}

// Modes of primitives (glTF 2.0 §5.24.4).
const (
	modePoints = iota
	modeLines
	modeLineLoop
	modeLineStrip
	modeTriangles
	modeStrip
	modeFan
	numModes
)

// Component types (glTF 2.0 §3.6.2.2).
const (
	typeByte   = 5120
	typeUbyte  = 5121
	typeShort  = 5122
	typeUshort = 5123
	typeUint   = 5125
	typeFloat  = 5126
)

// components holds the names of the component types, and their sizes in bytes.
var components = map[int]struct {
	name string
	size int
}{
	typeByte: {"BYTE", 1}, typeUbyte: {"UNSIGNED_BYTE", 1}, typeShort: {"SHORT", 2},
	typeUshort: {"UNSIGNED_SHORT", 2}, typeUint: {"UNSIGNED_INT", 4}, typeFloat: {"FLOAT", 4},
}

// Bounds of the memory of decoded JSON, in bytes:
//
//   - An object is at most a node, the largest structure.
//   - A list has a header (24), the interface that holds the list (16), and the first element (16).
//   - A member has a name and a value (48). Elements of lists are smaller.
const (
	jsonObjectBytes = 400
	jsonListBytes   = 64
	jsonMemberBytes = 48
)

// jsonCost estimates the memory of the decoded text from its objects, lists, members and strings.
func jsonCost(text []byte) int64 {
	var objects, lists, members, inString int64
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			end := stringEnd(text, i)
			inString += int64(end - i)
			i = end
		case '{':
			objects++
		case '[':
			lists++
		case ',':
			members++
		}
	}
	return jsonObjectBytes*objects + jsonListBytes*lists + jsonMemberBytes*members + inString
}

// stringEnd returns the position of the quote that ends the string at start, or len(text).
func stringEnd(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(text)
}

// decodeFile decodes and checks the JSON text of a document, which begins at byte textAt of the
// file.
func decodeFile(text []byte, textAt int64) (*fileJSON, error) {
	if err := json.Unmarshal(text, new(struct{})); err != nil {
		return nil, jsonError(err, text, textAt)
	}
	text = bytes.Trim(text, " \t\r\n")
	var head struct {
		Asset assetJSON `gltf:"asset"`
	}
	if err := decode(text, reflect.ValueOf(&head).Elem()); err != nil {
		return nil, err
	}
	if err := checkVersion(&head.Asset); err != nil {
		return nil, err
	}
	f := new(fileJSON)
	if err := decode(text, reflect.ValueOf(f).Elem()); err != nil {
		return nil, err
	}
	return f, f.check()
}

// jsonError adds the place to an error of package json.
func jsonError(err error, text []byte, textAt int64) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset, reason := int64(0), soup.ErrSyntax
	switch {
	case errors.As(err, &syntax):
		offset = max(syntax.Offset-1, 0)
		if syntax.Error() == "unexpected end of JSON input" {
			reason = soup.ErrTruncated
		}
	case errors.As(err, &kind):
		err = fmt.Errorf("the document must be an object, found %s", kind.Value)
	}
	return soup.AtByte(textAt+offset, reason, "JSON: %w", err).
		OnLine(1 + bytes.Count(text[:offset], []byte("\n")))
}

// member is a member of an object, with its quoted name, or an element of a list.
type member struct{ name, value []byte }

// split returns the members of an object or the elements of a list. raw is valid JSON without white
// space around it.
func split(raw []byte) (members []member) {
	for i := scan.SkipSpace(raw, 1); i < len(raw)-1; {
		var m member
		end := valueEnd(raw, i)
		if raw[0] == '{' {
			m.name = raw[i:end]
			i = scan.SkipSpace(raw, scan.SkipSpace(raw, end)+1) // after the colon
			end = valueEnd(raw, i)
		}
		m.value = raw[i:end]
		members = append(members, m)
		i = scan.SkipSpace(raw, scan.SkipSpace(raw, end)+1) // after the comma
	}
	return members
}

// valueEnd returns the end of the JSON value that begins at i.
func valueEnd(raw []byte, i int) int {
	for depth := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i)
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':', ' ', '\t', '\r', '\n':
			continue
		default: // a literal
			for i+1 < len(raw) && bytes.IndexByte([]byte(",]} \t\r\n"), raw[i+1]) < 0 {
				i++
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return i
}

// is reports whether the name of m is name.
func (m *member) is(name string) bool {
	if bytes.IndexByte(m.name, '\\') >= 0 {
		var plain string
		return json.Unmarshal(m.name, &plain) == nil && plain == name
	}
	return len(m.name) == len(name)+2 && string(m.name[1:len(m.name)-1]) == name
}

// decode decodes raw, a valid JSON value, without white space around it.
//
//   - The tag of a field of a struct is the name of the member, with ",required" if the member must
//     not be missing. Unlike in encoding/json, letter case matters. null is a missing member.
//   - Integers can have a fraction of zero or an exponent (glTF 2.0 §2.7).
//   - A list must have exactly as many elements as an array of Go.
//
// Errors have a JSON pointer relative to raw.
func decode(raw []byte, into reflect.Value) error {
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return decode(raw, into.Elem())
	case reflect.Int:
		i, ok := parseInteger(string(raw))
		into.SetInt(int64(i))
		return mustBe(ok, "an integer", raw)
	case reflect.Struct:
		if !bytes.HasPrefix(raw, []byte("{")) {
			return mustBe(false, "an object", raw)
		}
		return decodeFields(split(raw), into)
	case reflect.Array:
		var list []float64
		if err := unmarshal(raw, &list, "a list of numbers"); err != nil {
			return err
		}
		if len(list) != into.Len() {
			return soup.AtPath("", soup.ErrSyntax, "%d numbers, must be %d", len(list), into.Len())
		}
		reflect.Copy(into, reflect.ValueOf(list))
		return nil
	case reflect.Slice:
		if into.Type() == reflect.TypeFor[json.RawMessage]() {
			into.SetBytes(raw)
			return nil
		}
		if elem := into.Type().Elem().Kind(); elem == reflect.Float64 || elem == reflect.String {
			return unmarshal(raw, into.Addr().Interface(), "a list of values of type "+elem.String())
		}
		if !bytes.HasPrefix(raw, []byte("[")) {
			return mustBe(false, "a list", raw)
		}
		list := split(raw)
		into.Set(reflect.MakeSlice(into.Type(), len(list), len(list)))
		for i, m := range list {
			if err := decode(m.value, into.Index(i)); err != nil {
				return within(strconv.Itoa(i), err)
			}
		}
		return nil
	}
	return unmarshal(raw, into.Addr().Interface(), "a value of type "+into.Kind().String())
}

// decodeFields decodes the members of an object into the fields of a struct.
func decodeFields(members []member, into reflect.Value) error {
	for i := range into.NumField() {
		name, required, _ := strings.Cut(into.Type().Field(i).Tag.Get("gltf"), ",")
		k := len(members) - 1 // the last member with this name, like encoding/json
		for k >= 0 && !members[k].is(name) {
			k--
		}
		if k < 0 || string(members[k].value) == "null" {
			if required != "" {
				return soup.AtPath("", soup.ErrSyntax, "%s is missing", name)
			}
			continue
		}
		if err := decode(members[k].value, into.Field(i)); err != nil {
			return within(name, err)
		}
	}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler for the forms of integers that decode allows.
func (x *integer) UnmarshalJSON(raw []byte) error {
	i, ok := parseInteger(string(raw))
	*x = integer(i)
	return mustBe(ok, "an integer", raw)
}

// parseInteger parses a JSON number with the value of an integer up to 2⁵³. Plain digits can have
// the value of any int.
func parseInteger(number string) (int, bool) {
	if i, err := strconv.Atoi(number); err == nil {
		return i, true
	}
	x, err := strconv.ParseFloat(number, 64)
	return int(x), err == nil && x == math.Trunc(x) && math.Abs(x) <= 1<<53
}

// unmarshal is json.Unmarshal with the error of mustBe.
func unmarshal(raw []byte, into any, what string) error {
	return mustBe(json.Unmarshal(raw, into) == nil, what, raw)
}

// mustBe returns an error unless ok is true. what was expected in place of raw.
func mustBe(ok bool, what string, raw []byte) error {
	if ok {
		return nil
	}
	return soup.AtPath("", soup.ErrSyntax, "expected %s, found %s", what, scan.Excerpt(raw))
}

// within adds a name to the front of the JSON pointer of err.
func within(name string, err error) error {
	var e *soup.Error
	if errors.As(err, &e) {
		e.Path = "/" + name + e.Path
	}
	return err
}

// check refuses values that do not exist, and contradictory members of nodes.
func (f *fileJSON) check() error {
	for i, a := range f.Accessors {
		at := fmt.Sprintf("/accessors/%d", i)
		if _, ok := components[a.ComponentType]; !ok {
			return soup.AtPath(at, soup.ErrSyntax, "component type %d does not exist", a.ComponentType)
		}
		if a.Sparse == nil {
			continue
		}
		if c := a.Sparse.Indices.ComponentType; components[c].size == 0 {
			return soup.AtPath(at+"/sparse/indices", soup.ErrSyntax, "component type %d does not exist", c)
		}
	}
	for i, m := range f.Meshes {
		for k, p := range m.Primitives {
			if p.Mode != nil && (*p.Mode < 0 || *p.Mode >= numModes) {
				return soup.AtPath(fmt.Sprintf("/meshes/%d/primitives/%d", i, k), soup.ErrSyntax, "mode %d does not exist", *p.Mode)
			}
		}
	}
	for i, n := range f.Nodes {
		if n.Matrix != nil && (n.Translation != nil || n.Rotation != nil || n.Scale != nil) {
			return soup.AtPath(fmt.Sprintf("/nodes/%d", i), soup.ErrSyntax, "a matrix beside translation, rotation or scale")
		}
	}
	return nil
}

// version2 matches the JSON of the versions that this package reads. A reader of glTF 2.0 can read
// a 2.x file unless asset.minVersion is larger (§3.2).
var version2 = regexp.MustCompile(`^"2\.[0-9]+"$`)

// checkVersion refuses all versions except 2.x. The layout of glTF 1.0 would cause misleading
// errors.
func checkVersion(asset *assetJSON) error {
	if asset.Version == nil {
		return soup.AtPath("/asset/version", soup.ErrSyntax, "missing").WithHint("a glTF 1.0 file may lack it: " + hintGLTF1)
	}
	if !version2.Match(asset.Version) {
		return soup.AtPath("/asset/version", soup.ErrUnsupported, "glTF version %s, must be 2.0", scan.Excerpt(asset.Version)).WithHint(hintGLTF1)
	}
	if m := asset.MinVersion; m != nil && string(m) != `"2.0"` {
		return soup.AtPath("/asset/minVersion", soup.ErrUnsupported, "the file needs a reader of glTF %s, this one knows 2.0", scan.Excerpt(m))
	}
	return nil
}
