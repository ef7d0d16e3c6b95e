package obj

import (
	"bytes"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// chunk is what one piece of an OBJ file holds. Negative indices are turned
// into places relative to the piece's first vertex, which is not known while
// pieces are parsed side by side: relative lists where in corners they stand.
type chunk struct {
	counts

	budget    *soup.Budget
	file      []byte // whole text as it was, for line numbers
	text      []byte // up to the end of the piece, continued lines joined; same offsets
	vertices  []r3.Vector
	faces     *soup.FaceList
	relative  []int32
	groups    []group
	highest   int64 // largest absolute index, from 0; −1 without
	lowest    int64 // smallest relative index; 0 without negative ones
	unknownAt int   // place of the first unknown statement

	// Bounds of indices: vertices before the piece and in the file. Only locate
	// knows them.
	bounded       bool
	before, total int64
}

// group is a body that begins with the given face of the piece.
type group struct {
	name []byte
	face int
}

// free gives the memory back.
func (p *chunk) free() {
	p.faces.Free()
	p.budget.Release(soup.VertexBytes*int64(cap(p.vertices)) + 4*int64(cap(p.relative)))
	p.vertices, p.relative = nil, nil
}

// parse reads the statements of the piece, which begins at i.
func (p *chunk) parse(i int) error {
	p.highest = -1
	return p.statements(i)
}

// locate parses the piece once more, to find the face whose index is out of range
// now that the numbers of vertices are known.
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

// vertex reads x y z and what may follow.
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

// ends reports whether nothing but a comment stands between i and the end of the line.
func (p *chunk) ends(i int) bool {
	i = scan.SkipBlank(p.text, i)
	return i == len(p.text) || p.text[i] == '\n' || p.text[i] == '#'
}

// afterVertex passes over what may follow x y z: a weight, or a colour of three or
// four numbers. Colours may be NaN.
func (p *chunk) afterVertex(i int) (int, error) {
	from, n := i, 0
	for ; !p.ends(i); n++ {
		at := i
		var ok bool
		if _, i, ok = scan.Number(p.text, i); !ok {
			return i, p.badNumber(at, "weight or colour")
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

// badNumber returns the error for what stands at i in place of a number.
func (p *chunk) badNumber(i int, what string) error {
	i = scan.SkipBlank(p.text, i)
	word := p.text[i:scan.WordEnd(p.text, i)]
	if len(word) == 0 || word[0] == '#' {
		return p.fail(i, "the line ends where a %s should follow", what)
	}
	return p.fail(i, "%q is no %s", scan.Excerpt(word), what)
}

func (p *chunk) fail(i int, format string, args ...any) error {
	return soup.AtLine(scan.LineAt(p.file, i), soup.ErrSyntax, format, args...)
}

// face reads corners up to the end of the line.
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

// corner reads one corner, v, v/vt, v//vn or v/vt/vn. Only v counts.
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
		return i, soup.AtLine(scan.LineAt(p.file, i), soup.ErrUnsupported, "the statement %q, which brings in other geometry", word).
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

// groupBytes is what an group takes, with room for a growing slice.
const groupBytes = 2 * 32
