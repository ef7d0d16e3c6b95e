package loaders

import (
	"bytes"

	"github.com/golang/geo/r3"
)

// readASCIISTL reads ASCII STL in pieces of about size bytes, cut after lines that
// say "endfacet": there nothing but the next facet or the end of the solid can
// follow, so that each piece reads as it would in one go.
//
// Keywords may be in any case, names in any encoding or missing, solids many.
// Between "facet" and "outer" anything but keywords may stand: normals are not used. A loop has
// exactly three corners; "endsolid" may be missing at the end of the file.
func readASCIISTL(s *source, b *builder) error {
	text := s.data
	ends := cutFacets(text, s.chunkSize)
	pieces, err := inOrder(len(ends), func(i int) (*stlPiece, error) {
		from := 0
		if i > 0 {
			from = ends[i-1]
		}
		p := &stlPiece{mem: b.mem, text: text[:ends[i]]}
		if err := p.parse(from); err != nil {
			return nil, err
		}
		return p, s.step(int64(ends[i] - from))
	})
	if err != nil {
		return err
	}
	return joinSTL(b, pieces)
}

// cutFacets cuts text after lines that hold only "endfacet".
func cutFacets(text []byte, size int) []int {
	var ends []int
	for at := 0; at < len(text); {
		end := at + size
		for end < len(text) {
			line := lineEnd(text, end)
			found := isWord(bytes.TrimSpace(text[end:line]), "endfacet") &&
				(end == 0 || text[end-1] == '\n')
			end = min(line+1, len(text))
			if found {
				break
			}
		}
		end = min(end, len(text))
		ends = append(ends, end)
		at = end
	}
	return ends
}

// isWord reports whether b is word, which is in lower case, in any case.
func isWord(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i := range len(word) {
		if b[i]|0x20 != word[i] {
			return false
		}
	}
	return true
}

// stlPiece is what one piece of an ASCII file holds.
type stlPiece struct {
	mem    *budget
	text   []byte // up to the end of the piece; offsets are those of the file
	verts  []r3.Vector
	solids []stlSolid
	words  bool // holds a statement
	open   bool // no endsolid since the last solid or facet
}

// stlSolid is the beginning of a solid inside a piece.
type stlSolid struct {
	name  []byte
	first int // vertices of the piece before it
}

// parse reads the facets and solids of the piece, which begins at i.
func (p *stlPiece) parse(i int) error {
	for {
		i = skipSpace(p.text, i)
		if i == len(p.text) {
			return nil
		}
		p.words = true
		end := wordEnd(p.text, i)
		word := p.text[i:end]
		var err error
		switch {
		case isWord(word, "facet"):
			p.open = true
			i, err = p.facet(end)
		case isWord(word, "solid"):
			var name []byte
			name, i = p.name(end, "facet", "endsolid")
			p.solids = append(p.solids, stlSolid{name, len(p.verts)})
			p.open = true
		case isWord(word, "endsolid"):
			_, i = p.name(end, "solid", "facet")
			p.open = false
		case len(bytes.Trim(word, "\x1a")) == 0: // Ctrl-Z, the end of a DOS text
			i = end
		default:
			return p.fail(i, "%q instead of facet, endsolid or solid", excerpt(word))
		}
		if err != nil {
			return err
		}
	}
}

// name returns the rest of the line at i, without white space, and the place after
// it. Files that stand on one line put a statement behind the name: the name then
// ends before the first of the words stop that the rest of the file could begin with.
func (p *stlPiece) name(i int, stop ...string) ([]byte, int) {
	end := lineEnd(p.text, i)
	for w := skipSpace(p.text[:end], i); w < end; {
		e := wordEnd(p.text[:end], w)
		for _, s := range stop {
			if isWord(p.text[w:e], s) && p.statement(s, e, end) {
				return bytes.TrimSpace(p.text[i:w]), w
			}
		}
		w = skipSpace(p.text[:end], e)
	}
	return bytes.TrimSpace(p.text[i:end]), end
}

// statement reports whether the words after the keyword on its line are those of
// a statement, not the rest of a name: "facet normal", "solid … facet normal".
func (p *stlPiece) statement(word string, i, end int) bool {
	i = skipSpace(p.text[:end], i)
	e := wordEnd(p.text[:end], i)
	switch word {
	case "facet":
		return isWord(p.text[i:e], "normal") && e < end
	case "solid":
		return hasWord(p.text[i:end], "facet")
	}
	return true
}

// hasWord reports whether one of the words of line is word.
func hasWord(line []byte, word string) bool {
	for _, f := range bytes.Fields(line) {
		if isWord(f, word) {
			return true
		}
	}
	return false
}

// facet reads what follows the word "facet" and returns the place after "endfacet".
func (p *stlPiece) facet(i int) (int, error) {
	for { // normal
		i = skipSpace(p.text, i)
		end := wordEnd(p.text, i)
		if isWord(p.text[i:end], "outer") {
			break
		}
		if i == end || stlKeyword(p.text[i:end]) {
			return i, p.expected(i, "outer loop")
		}
		i = end
	}
	i, err := p.keyword(i, "outer")
	if err != nil {
		return i, err
	}
	if i, err = p.keyword(i, "loop"); err != nil {
		return i, err
	}
	if cap(p.verts)-len(p.verts) < 3 {
		if p.verts, err = extend(p.mem, p.verts, 3, vertexBytes); err != nil {
			return i, err
		}
	}
	for range 3 {
		var v r3.Vector
		if v, i, err = p.vertex(i); err != nil {
			return i, err
		}
		p.verts = append(p.verts, v)
	}
	i = skipSpace(p.text, i)
	if isWord(p.text[i:wordEnd(p.text, i)], "vertex") {
		return i, p.fail(i, "a loop with more than three corners")
	}
	if i, err = p.keyword(i, "endloop"); err != nil {
		return i, err
	}
	return p.keyword(i, "endfacet")
}

// stlKeyword reports whether word belongs to the structure of a file, so that it
// cannot stand in a normal.
func stlKeyword(word []byte) bool {
	for _, k := range [...]string{"solid", "facet", "loop", "vertex", "endloop", "endfacet", "endsolid"} {
		if isWord(word, k) {
			return true
		}
	}
	return false
}

// vertex reads the word "vertex" and three numbers.
func (p *stlPiece) vertex(i int) (v r3.Vector, next int, err error) {
	i = skipSpace(p.text, i)
	if isWord(p.text[i:wordEnd(p.text, i)], "endloop") {
		return v, i, p.fail(i, "a loop with fewer than three corners")
	}
	if i, err = p.keyword(i, "vertex"); err != nil {
		return v, i, err
	}
	for _, x := range [3]*float64{&v.X, &v.Y, &v.Z} {
		var ok bool
		i = skipSpace(p.text, i)
		if *x, next, ok = number(p.text, i); !ok {
			return v, i, p.expected(i, "a coordinate")
		}
		if err := checkCoordinate(*x); err != nil {
			return v, i, atLine(lineAt(p.text, i), err, "%q", excerpt(p.text[i:next]))
		}
		i = next
	}
	return v, i, nil
}

// keyword reads one word.
func (p *stlPiece) keyword(i int, word string) (int, error) {
	i = skipSpace(p.text, i)
	end := i + len(word)
	if end > len(p.text) || !isWord(p.text[i:end], word) || end < len(p.text) && !isSpace(p.text[end]) {
		return i, p.expected(i, word)
	}
	return end, nil
}

// expected returns the error that what stands at i is not what was expected.
func (p *stlPiece) expected(i int, what string) error {
	word := p.text[i:wordEnd(p.text, i)]
	if len(word) == 0 {
		return atLine(lineAt(p.text, i), ErrTruncated, "the file ends where %s should follow", what)
	}
	return p.fail(i, "%q instead of %s", excerpt(word), what)
}

func (p *stlPiece) fail(i int, format string, args ...any) error {
	return atLine(lineAt(p.text, i), ErrSyntax, format, args...)
}

// joinSTL gives the pieces' triangles and solids to the builder, in order.
func joinSTL(b *builder, pieces []*stlPiece) error {
	n := 0
	for _, p := range pieces {
		n += len(p.verts)
	}
	b.mem.triangles.Add(int64(n / 3))
	if err := b.growVertices(n); err != nil {
		return err
	}
	if err := b.growFaces(n / 3); err != nil {
		return err
	}
	open := false
	for _, p := range pieces {
		if err := b.ctxDone(); err != nil {
			return err
		}
		from := 0
		for _, s := range p.solids {
			b.appendLoose(p.verts[from:s.first])
			from = s.first
			if err := b.body(string(s.name)); err != nil {
				return err
			}
		}
		b.appendLoose(p.verts[from:])
		b.mem.release(vertexBytes * int64(cap(p.verts)))
		p.verts = nil
		if p.words {
			open = p.open
		}
	}
	if open {
		b.note("endsolid is missing at the end")
	}
	return nil
}

// appendLoose appends unshared corners, three a triangle; room was made before.
func (b *builder) appendLoose(verts []r3.Vector) {
	n := int32(len(b.verts))
	b.verts = append(b.verts, verts...)
	for range len(verts) / 3 {
		b.faces = append(b.faces, [3]int32{n, n + 1, n + 2})
		n += 3
	}
}
