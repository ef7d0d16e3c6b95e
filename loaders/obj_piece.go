package loaders

import (
	"bytes"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/decimal"
)

// objPiece is what one piece of an OBJ file holds. Negative indices are turned
// into places relative to the piece's first vertex, which is not known while
// pieces are parsed side by side: relative lists where in corners they stand.
type objPiece struct {
	objCounts

	mem       *budget
	file      []byte // whole text as it was, for line numbers
	text      []byte // up to the end of the piece, continued lines joined; same offsets
	verts     []r3.Vector
	faces     faceList
	relative  []int32
	groups    []objGroup
	highest   int64 // largest absolute index, from 0; −1 without
	lowest    int64 // smallest relative index; 0 without negative ones
	unknownAt int   // place of the first unknown statement

	// Bounds of indices: vertices before the piece and in the file. Only locate
	// knows them.
	bounded       bool
	before, total int64
}

// objGroup is a body that begins with the given face of the piece.
type objGroup struct {
	name []byte
	face int
}

// free gives the memory back.
func (p *objPiece) free() {
	p.faces.free()
	p.mem.release(vertexBytes*int64(cap(p.verts)) + 4*int64(cap(p.relative)))
	p.verts, p.relative = nil, nil
}

// parse reads the statements of the piece, which begins at i.
func (p *objPiece) parse(i int) error {
	p.highest = -1
	p.faces.mem = p.mem
	return p.statements(i)
}

// locate parses the piece once more, to find the face whose index is out of range
// now that the numbers of vertices are known.
func (p *objPiece) locate(i, before, total int) error {
	p.free()
	again := &objPiece{mem: p.mem, file: p.file, text: p.text, bounded: true, before: int64(before), total: int64(total)}
	again.faces.mem = p.mem
	return again.statements(i)
}

func (p *objPiece) statements(i int) error {
	for i < len(p.text) {
		i = skipBlank(p.text, i)
		if i == len(p.text) {
			break
		}
		var err error
		switch c := p.text[i]; {
		case c == '\n':
			i++
			continue
		case c == '#':
		case c == 'v' && i+1 < len(p.text) && isBlank(p.text[i+1]):
			i, err = p.vertex(i + 1)
		case c == 'f' && i+1 < len(p.text) && isBlank(p.text[i+1]):
			i, err = p.face(i + 1)
		default:
			i, err = p.other(i)
		}
		if err != nil {
			return err
		}
		i = lineEnd(p.text, i)
	}
	return nil
}

// vertex reads x y z and what may follow.
func (p *objPiece) vertex(i int) (int, error) {
	if len(p.verts) == cap(p.verts) {
		var err error
		if p.verts, err = extend(p.mem, p.verts, 1, vertexBytes); err != nil {
			return i, err
		}
	}
	var v r3.Vector
	for _, x := range [3]*float64{&v.X, &v.Y, &v.Z} {
		from := i
		var ok bool
		if *x, i, ok = number(p.text, i); !ok {
			return i, p.badNumber(from, "coordinate")
		}
		if err := checkCoordinate(*x); err != nil {
			return i, atLine(lineAt(p.file, i-1), err, "%q", excerpt(bytes.TrimSpace(p.text[from:i])))
		}
	}
	p.verts = append(p.verts, v)
	if p.ends(i) {
		return i, nil
	}
	return p.afterVertex(i)
}

// ends reports whether nothing but a comment stands between i and the end of the line.
func (p *objPiece) ends(i int) bool {
	i = skipBlank(p.text, i)
	return i == len(p.text) || p.text[i] == '\n' || p.text[i] == '#'
}

// afterVertex passes over what may follow x y z: a weight, or a colour of three or
// four numbers. Colours may be NaN.
func (p *objPiece) afterVertex(i int) (int, error) {
	from, n := i, 0
	for ; !p.ends(i); n++ {
		at := i
		var ok bool
		if _, i, ok = number(p.text, i); !ok {
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
func (p *objPiece) badNumber(i int, what string) error {
	i = skipBlank(p.text, i)
	word := p.text[i:wordEnd(p.text, i)]
	if len(word) == 0 || word[0] == '#' {
		return p.fail(i, "the line ends where a %s should follow", what)
	}
	return p.fail(i, "%q is no %s", excerpt(word), what)
}

func (p *objPiece) fail(i int, format string, args ...any) error {
	return atLine(lineAt(p.file, i), ErrSyntax, format, args...)
}

// face reads corners up to the end of the line.
func (p *objPiece) face(i int) (int, error) {
	from, first := i, len(p.faces.corners)
	for {
		i = skipBlank(p.text, i)
		if p.ends(i) {
			break
		}
		var err error
		if i, err = p.corner(i); err != nil {
			return i, err
		}
	}
	n := len(p.faces.corners) - first
	if n < 3 {
		return i, p.fail(from, "a face with %d corners", n)
	}
	return i, p.faces.size(n)
}

// corner reads one corner, v, v/vt, v//vn or v/vt/vn. Only v counts.
func (p *objPiece) corner(i int) (int, error) {
	v, n, ok := decimal.ParseInt(p.text[i:])
	end := i + n
	if end < len(p.text) && p.text[end] == '/' {
		for end++; end < len(p.text) && (p.text[end]-'0' <= 9 || p.text[end] == '/' || p.text[end] == '-' || p.text[end] == '+'); {
			end++
		}
	}
	if !ok || end < len(p.text) && !isSpace(p.text[end]) {
		return i, p.badNumber(i, "corner")
	}
	switch {
	case v > 0:
		if p.bounded && v > p.total {
			return i, p.outOfRange(i, "vertex %d of %d", v, p.total)
		}
		p.highest = max(p.highest, v-1)
		return end, p.faces.corner(int32(v - 1))
	case v == 0:
		return i, p.outOfRange(i, "vertex 0, but OBJ counts from 1")
	}
	relative := int64(len(p.verts)) + v
	if p.bounded && relative < -p.before {
		return i, p.outOfRange(i, "vertex %d, but only %d came before", v, int64(len(p.verts))+p.before)
	}
	p.lowest = min(p.lowest, relative)
	var err error
	if len(p.relative) == cap(p.relative) {
		if p.relative, err = extend(p.mem, p.relative, 1, 4); err != nil {
			return i, err
		}
	}
	p.relative = append(p.relative, int32(len(p.faces.corners)))
	return end, p.faces.corner(int32(relative))
}

func (p *objPiece) outOfRange(i int, format string, args ...any) error {
	return atLine(lineAt(p.file, i), ErrIndexRange, "a face refers to "+format, args...)
}

// other reads a statement that is neither v nor f.
func (p *objPiece) other(i int) (int, error) {
	end := wordEnd(p.text, i)
	switch word := p.text[i:end]; string(word) {
	case "v":
		return p.vertex(end)
	case "f", "fo": // fo is an older name of f
		return p.face(end)
	case "g", "o":
		name := bytes.TrimSpace(p.text[end:lineEnd(p.text, end)])
		p.groups = append(p.groups, objGroup{name, p.faces.count()})
		return end, p.mem.reserve(objGroupBytes)
	case "l":
		p.lines++
	case "p":
		p.points++
	case "call", "csh":
		return i, atLine(lineAt(p.file, i), ErrUnsupported, "the statement %q, which brings in other geometry", word).
			withHint("write the mesh into one file")
	default:
		switch {
		case known(objIgnored, word):
		case known(objFree, word):
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

// objGroupBytes is what an objGroup takes, with room for a growing slice.
const objGroupBytes = 2 * 32
