package obj

import (
	"bytes"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// chunk is the content of a part of an OBJ file. Negative indices become relative to the
// first vertex of the chunk, whose number is unknown while chunks are parsed in parallel.
// relative lists the corners with such indices.
type chunk struct {
	counts

	budget    *soup.Budget
	file      []byte // whole text, unchanged, for line numbers
	text      []byte // up to the end of the chunk, with continued lines joined; same offsets
	vertices  []r3.Vector
	faces     *soup.FaceList
	relative  []int32
	groups    []group
	highest   int64 // largest absolute index, from 0; −1 if there is none
	lowest    int64 // smallest relative index; 0 if none is negative
	unknownAt int   // place of the first unknown statement

	// Bounds of indices, which locate sets: the number of vertices before the chunk and in
	// the file.
	bounded       bool
	before, total int64
}

// group is a body that begins with a face of the chunk.
type group struct {
	name []byte
	face int
}

// free releases the memory.
func (p *chunk) free() {
	p.faces.Free()
	p.budget.Release(soup.VertexBytes*int64(cap(p.vertices)) + 4*int64(cap(p.relative)))
	p.vertices, p.relative = nil, nil
}

// parse reads the statements of the chunk, which begins at i.
func (p *chunk) parse(i int) error {
	p.highest = -1
	return p.statements(i)
}

// locate parses the chunk again to find the face with an index out of range. The numbers of
// vertices are known by now.
func (p *chunk) locate(i, before, total int) error {
	p.free()
	again := &chunk{budget: p.budget, faces: soup.NewFaceList(p.budget), file: p.file, text: p.text, bounded: true, before: int64(before), total: int64(total)}
	return again.statements(i)
}

func (p *chunk) statements(i int) error {
	for i < len(p.text) {
		i = scan.SkipBlank(p.text, i)
		if i == len(p.text) {
			break
		}
		var err error
		switch c := p.text[i]; {
		case c == '\n':
			i++
			continue
		case c == '#':
		case c == 'v' && i+1 < len(p.text) && scan.IsBlank(p.text[i+1]):
			i, err = p.vertex(i + 1)
		case c == 'f' && i+1 < len(p.text) && scan.IsBlank(p.text[i+1]):
			i, err = p.face(i + 1)
		default:
			i, err = p.other(i)
		}
		if err != nil {
			return err
		}
		i = scan.LineEnd(p.text, i)
	}
	return nil
}

// vertex reads x y z, and a weight or color.
func (p *chunk) vertex(i int) (int, error) {
	if len(p.vertices) == cap(p.vertices) {
		var err error
		if p.vertices, err = soup.Extend(p.budget, p.vertices, 1, soup.VertexBytes); err != nil {
			return i, err
		}
	}
	var v r3.Vector
	for _, x := range [3]*float64{&v.X, &v.Y, &v.Z} {
		from := i
		var ok bool
		if *x, i, ok = scan.Number(p.text, i); !ok {
			return i, p.badNumber(from, "coordinate")
		}
		if c := (r3.Vector{X: *x}); !soup.InRange(c) {
			return i, soup.AtLine(scan.LineAt(p.file, i-1), soup.RangeError(c), "%q", scan.Excerpt(bytes.TrimSpace(p.text[from:i])))
		}
	}
	p.vertices = append(p.vertices, v)
	if p.ends(i) {
		return i, nil
	}
	return p.afterVertex(i)
}

// ends reports whether the rest of the line at i is blank or a comment.
func (p *chunk) ends(i int) bool {
	i = scan.SkipBlank(p.text, i)
	return i == len(p.text) || p.text[i] == '\n' || p.text[i] == '#'
}

// afterVertex skips the weight, or the color of three or four numbers, that may follow x y z.
// Colors may be NaN.
func (p *chunk) afterVertex(i int) (int, error) {
	from, n := i, 0
	for ; !p.ends(i); n++ {
		at := i
		var ok bool
		if _, i, ok = scan.Number(p.text, i); !ok {
			return i, p.badNumber(at, "weight or color")
		}
	}
	switch n {
	case 1:
		p.weights++
	case 3, 4:
	default:
		return from, p.fail(from, "a vertex of %d numbers", 3+n)
	}
	return i, nil
}

// badNumber returns the error for a word at i, or the end of the line, in place of a number.
func (p *chunk) badNumber(i int, what string) error {
	i = scan.SkipBlank(p.text, i)
	word := p.text[i:scan.WordEnd(p.text, i)]
	if len(word) == 0 || word[0] == '#' {
		return p.fail(i, "the line ends where a %s should follow", what)
	}
	return p.fail(i, "%q is not a %s", scan.Excerpt(word), what)
}

func (p *chunk) fail(i int, format string, args ...any) error {
	return soup.AtLine(scan.LineAt(p.file, i), soup.ErrSyntax, format, args...)
}

// face reads the corners up to the end of the line.
func (p *chunk) face(i int) (int, error) {
	from, first := i, p.faces.NumCorners()
	for {
		i = scan.SkipBlank(p.text, i)
		if p.ends(i) {
			break
		}
		var err error
		if i, err = p.corner(i); err != nil {
			return i, err
		}
	}
	n := p.faces.NumCorners() - first
	if n < 3 {
		return i, p.fail(from, "a face with %d corners", n)
	}
	return i, p.faces.EndFace(n)
}

// corner reads a corner: v, v/vt, v//vn or v/vt/vn. Only v is used.
func (p *chunk) corner(i int) (int, error) {
	v, n, ok := decimal.ParseInt(p.text[i:])
	end := i + n
	if end < len(p.text) && p.text[end] == '/' {
		for end++; end < len(p.text) && (p.text[end]-'0' <= 9 || p.text[end] == '/' || p.text[end] == '-' || p.text[end] == '+'); {
			end++
		}
	}
	if !ok || end < len(p.text) && !scan.IsSpace(p.text[end]) {
		return i, p.badNumber(i, "corner")
	}
	switch {
	case v > 0:
		if p.bounded && v > p.total {
			return i, p.outOfRange(i, "vertex %d of %d", v, p.total)
		}
		p.highest = max(p.highest, v-1)
		return end, p.faces.AddCorner(int32(v - 1))
	case v == 0:
		return i, p.outOfRange(i, "vertex 0, but OBJ counts from 1")
	}
	relative := int64(len(p.vertices)) + v
	if p.bounded && relative < -p.before {
		return i, p.outOfRange(i, "vertex %d, but only %d came before", v, int64(len(p.vertices))+p.before)
	}
	p.lowest = min(p.lowest, relative)
	var err error
	if len(p.relative) == cap(p.relative) {
		if p.relative, err = soup.Extend(p.budget, p.relative, 1, 4); err != nil {
			return i, err
		}
	}
	p.relative = append(p.relative, int32(p.faces.NumCorners()))
	return end, p.faces.AddCorner(int32(relative))
}

func (p *chunk) outOfRange(i int, format string, args ...any) error {
	return soup.AtLine(scan.LineAt(p.file, i), soup.ErrIndexRange, "a face refers to "+format, args...)
}

// other reads a statement that is neither v nor f.
func (p *chunk) other(i int) (int, error) {
	end := scan.WordEnd(p.text, i)
	switch word := p.text[i:end]; string(word) {
	case "v":
		return p.vertex(end)
	case "f", "fo": // fo is an older name of f
		return p.face(end)
	case "g", "o":
		name := bytes.TrimSpace(p.text[end:scan.LineEnd(p.text, end)])
		p.groups = append(p.groups, group{name, p.faces.Len()})
		return end, p.budget.Reserve(groupBytes)
	case "l":
		p.lines++
	case "p":
		p.points++
	case "call", "csh":
		return i, soup.AtLine(scan.LineAt(p.file, i), soup.ErrUnsupported, "the statement %q, which includes other geometry", word).
			WithHint("write the mesh into one file")
	default:
		switch {
		case known(ignoredWords, word):
		case known(freeFormWords, word):
			p.freeForm++
		default:
			if p.unknown == 0 {
				p.unknownAt = i
			}
			p.unknown++
		}
	}
	return end, nil
}

// groupBytes is the size of a group in a growing slice.
const groupBytes = 2 * 32
