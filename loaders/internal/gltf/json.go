package gltf

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// These constants are upper bounds of the memory for decoded JSON, in bytes:
//
//   - The largest struct of the library is a node. It has 320 bytes, or 345 with its lists.
//   - A list has a header (24), an interface that holds the list (16), and its first element (16).
//     Later elements are smaller than the bound for a member.
//   - A member of a map has a name and an interface (32). The table of a map is at least 7/16 full
//     after it has grown.
//   - A string in a list has 16 bytes. The list grows while the old list is still in memory.
//   - Each string is stored twice: in a member of the document, and in a copy without quotes.
const (
	jsonObjectBytes = 368
	jsonListBytes   = 64
	jsonMemberBytes = 44
	jsonStringBytes = 32
	jsonTextFactor  = 2
)

// jsonCost estimates the memory for decoded text from its number of objects, lists and members, and
// from the length of its strings.
func jsonCost(text []byte) int64 {
	var objects, lists, members, inString int64
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			end := stringEnd(text, i)
			inString += int64(end - i)
			if i = end; i+1 < len(text) && text[i+1] != ':' {
				inString += jsonStringBytes / jsonTextFactor
			}
		case '{':
			objects++
		case '[':
			lists++
		case ',':
			members++
		}
	}
	return jsonObjectBytes*objects + jsonListBytes*lists + jsonMemberBytes*members + jsonTextFactor*inString
}

// objectLists are the members of a document that are lists of objects.
var objectLists = []string{"accessors", "bufferViews", "buffers", "meshes", "nodes", "scenes"}

// checkObjects refuses a value other than an object or null in the lists of a document, and in the
// primitives of a mesh. The decoder would allocate an object for each such value, which can have as
// few as two bytes. jsonCost does not count these objects. The text must be valid JSON.
func checkObjects(t *jsonText) error {
	text := t.canonical
	var objects []bool // for each open object and list, whether it is a list of objects
	var key, member string
	for i := 0; i < len(text); i++ {
		c, depth := text[i], len(objects)
		if depth > 0 && objects[depth-1] && (c == '[' || c == '"' || c == '-' || '0' <= c && c <= '9' || c == 't' || c == 'f') {
			at := originalPlace(t.original, i)
			e := soup.AtPath("/"+member, soup.ErrSyntax, "the list has a value that is not an object")
			e.Offset, e.Line = t.at+int64(at), 1+bytes.Count(t.original[:at], []byte("\n"))
			return e
		}
		switch c {
		case '"':
			end := stringEnd(text, i)
			if depth == 1 || depth == 3 {
				key = string(text[i+1 : min(end, i+1+len("bufferViews!"))])
			}
			i = end
		case '{', '[':
			if depth == 1 {
				member = key
			}
			list := depth == 1 && slices.Contains(objectLists, member) || depth == 3 && member == "meshes" && key == "primitives"
			objects = append(objects, list && c == '[')
		case '}', ']':
			objects = objects[:depth-1]
		}
	}
	return nil
}

// shape holds the parts of a document in which the library silently replaces wrong values. The
// library reads unknown component types as FLOAT, unknown modes as TRIANGLES and a missing type as
// SCALAR. It pads or cuts arrays of a wrong length.
type shape struct {
	Accessors []struct {
		ComponentType *int    `json:"componentType"`
		Type          *string `json:"type"`
		Count         *int    `json:"count"`
		Sparse        *struct {
			Count   *int `json:"count"`
			Indices struct {
				BufferView    *int `json:"bufferView"`
				ComponentType *int `json:"componentType"`
			} `json:"indices"`
			Values struct {
				BufferView *int `json:"bufferView"`
			} `json:"values"`
		} `json:"sparse"`
	} `json:"accessors"`
	BufferViews []struct {
		Buffer     *int `json:"buffer"`
		ByteLength *int `json:"byteLength"`
	} `json:"bufferViews"`
	Meshes []struct {
		Primitives []struct {
			Mode *int `json:"mode"`
		} `json:"primitives"`
	} `json:"meshes"`
	Nodes []struct {
		Matrix      []float64 `json:"matrix"`
		Translation []float64 `json:"translation"`
		Rotation    []float64 `json:"rotation"`
		Scale       []float64 `json:"scale"`
	} `json:"nodes"`
}

// checkShape refuses missing and unknown values that the library would replace silently; see shape.
func checkShape(text *jsonText) error {
	var s shape
	if err := text.decode(&s); err != nil {
		return err
	}
	for i, a := range s.Accessors {
		at := fmt.Sprintf("/accessors/%d", i)
		if a.ComponentType == nil || a.Type == nil || a.Count == nil {
			return soup.AtPath(at, soup.ErrSyntax, "componentType, type or count is missing")
		}
		if !knownComponent(*a.ComponentType) {
			return soup.AtPath(at, soup.ErrSyntax, "component type %d does not exist", *a.ComponentType)
		}
		if p := a.Sparse; p != nil {
			if p.Count == nil || p.Indices.BufferView == nil || p.Indices.ComponentType == nil || p.Values.BufferView == nil {
				return soup.AtPath(at+"/sparse", soup.ErrSyntax, "count, bufferView or componentType is missing")
			}
			if c := *p.Indices.ComponentType; !knownComponent(c) {
				return soup.AtPath(at+"/sparse/indices", soup.ErrSyntax, "component type %d does not exist", c)
			}
		}
	}
	for i, v := range s.BufferViews {
		if v.Buffer == nil || v.ByteLength == nil {
			return soup.AtPath(fmt.Sprintf("/bufferViews/%d", i), soup.ErrSyntax, "buffer or byteLength is missing")
		}
	}
	for i, m := range s.Meshes {
		for k, p := range m.Primitives {
			if p.Mode != nil && (*p.Mode < 0 || *p.Mode > 6) { // the modes range from POINTS to TRIANGLE_FAN
				return soup.AtPath(fmt.Sprintf("/meshes/%d/primitives/%d", i, k), soup.ErrSyntax, "mode %d does not exist", *p.Mode)
			}
		}
	}
	for i, n := range s.Nodes {
		for _, f := range []struct {
			name   string
			values []float64
			want   int
		}{{"matrix", n.Matrix, 16}, {"translation", n.Translation, 3}, {"rotation", n.Rotation, 4}, {"scale", n.Scale, 3}} {
			if f.values != nil && len(f.values) != f.want {
				return soup.AtPath(fmt.Sprintf("/nodes/%d/%s", i, f.name), soup.ErrSyntax, "the array has %d numbers, must have %d", len(f.values), f.want)
			}
		}
		if n.Matrix != nil && (n.Translation != nil || n.Rotation != nil || n.Scale != nil) {
			return soup.AtPath(fmt.Sprintf("/nodes/%d", i), soup.ErrSyntax, "the node has both a matrix and a translation, rotation or scale")
		}
	}
	return nil
}

// knownComponent reports whether c is a component type (glTF 2.0 §3.6.2.2). The component types are
// BYTE to UNSIGNED_SHORT, UNSIGNED_INT and FLOAT.
func knownComponent(c int) bool {
	return 5120 <= c && c <= 5123 || c == 5125 || c == 5126
}

// checkNull refuses a document that has null in a list of objects.
func (d *document) checkNull() error {
	doc := d.doc
	err := cmp.Or(notNull("accessors", doc.Accessors), notNull("buffers", doc.Buffers), notNull("bufferViews", doc.BufferViews),
		notNull("nodes", doc.Nodes), notNull("scenes", doc.Scenes), notNull("meshes", doc.Meshes))
	if err != nil {
		return err
	}
	for i, m := range doc.Meshes {
		if err := notNull(fmt.Sprintf("meshes/%d/primitives", i), m.Primitives); err != nil {
			return err
		}
	}
	return nil
}

// notNull refuses a list with nil elements.
func notNull[T any](name string, list []*T) error {
	for i, e := range list {
		if e == nil {
			return soup.AtPath(fmt.Sprintf("/%s/%d", name, i), soup.ErrSyntax, "the element is null, must be an object")
		}
	}
	return nil
}
