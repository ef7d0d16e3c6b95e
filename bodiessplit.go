package inpoly

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// Split makes a part of each body of m, in their order, and one more, the last, of
// the faces that are in none, if there are any. name stands for m, as a file's does;
// the parts are called name/body, name/body_2 for the second body if that has no
// name, and name/rest for the last part; bodies stand alone where name is empty. A
// mesh that is one body, or has none, is one part called name, or after its body
// where that is empty. Names are unique and not empty. Part.Faces tells the numbers
// that faces have in m.
//
// A body without faces is a part with an empty mesh. Faces that are in two bodies are
// in both parts. Split returns the error of ctx if that ends first.
func Split(ctx context.Context, name string, m *mesh.Mesh) ([]Part, error) {
	rest := outsideBodies(m)
	if len(m.Bodies) == 0 || len(m.Bodies) == 1 && len(rest) == 0 {
		if name == "" && len(m.Bodies) == 1 {
			name = m.Bodies[0].Name
		}
		parts := []Part{{Name: name, Mesh: m}}
		parts[0].Name = uniqueNames(parts)[0]
		return parts, ctx.Err()
	}
	prefix := ""
	if name != "" {
		prefix = name + "/"
	}
	var parts []Part
	for i, b := range m.Bodies {
		p := Part{Name: prefix + b.Name, Faces: make([]int32, b.Count)}
		if b.Name == "" {
			p.Name = prefix + bodyName(i)
		}
		for f := range b.Count {
			p.Faces[f] = b.First + f
		}
		parts = append(parts, p)
	}
	if len(rest) > 0 {
		parts = append(parts, Part{Name: prefix + "rest", Faces: rest})
	}
	for i, unique := range uniqueNames(parts) {
		parts[i].Name = unique
	}
	errs := make([]error, len(parts))
	err := par.Blocks(ctx, len(parts), 1, 0, func(_, i, _ int) {
		parts[i].Mesh, errs[i] = m.ExtractContext(ctx, parts[i].Faces)
	})
	for _, e := range errs {
		if err == nil {
			err = e
		}
	}
	if err != nil {
		return nil, err
	}
	return parts, nil
}

// outsideBodies returns the faces of m that are in no body, ascending.
func outsideBodies(m *mesh.Mesh) []int32 {
	in := make([]bool, m.NumFaces())
	for _, b := range m.Bodies {
		for f := range b.Count {
			in[b.First+f] = true
		}
	}
	var out []int32
	for f, held := range in {
		if !held {
			out = append(out, int32(f))
		}
	}
	return out
}

// uniqueNames returns a name for each part. The first part of a name keeps it.
func uniqueNames(parts []Part) []string {
	names := make([]string, len(parts))
	taken := map[string]bool{}
	var again []int
	for i, p := range parts {
		if names[i] = p.Name; p.Name == "" || taken[p.Name] {
			again = append(again, i)
		} else {
			taken[p.Name] = true
		}
	}
	next := map[string]int{} // the number to try for a name
	for _, i := range again {
		base := names[i]
		if base == "" {
			base = bodyName(i)
			names[i] = base
		}
		for taken[names[i]] {
			next[base] = max(2, next[base]+1)
			names[i] = fmt.Sprintf("%s_%d", base, next[base])
		}
		taken[names[i]] = true
	}
	return names
}

// bodyName is the name of body i if it has none.
func bodyName(i int) string { return fmt.Sprintf("body_%d", i+1) }

// stem returns the name of the file at path without its folder and suffixes:
// part for models/part.stl.gz.
func stem(path string) string {
	base := filepath.Base(path)
	name := base
	for _, packed := range [...]string{".gz", ".zst"} {
		if len(name) > len(packed) && strings.EqualFold(name[len(name)-len(packed):], packed) {
			name = name[:len(name)-len(packed)]
			break
		}
	}
	if name = strings.TrimSuffix(name, filepath.Ext(name)); name == "" {
		return base
	}
	return name
}
