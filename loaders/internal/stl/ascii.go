package stl

import (
	"bytes"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/weld"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// readASCII reads ASCII STL in chunks. Each chunk ends after a line "endfacet". Only another facet
// or the end of the solid can follow such a line, so the chunks give the same result as the whole
// text.
//
// Keywords can be in any letter case. Names can be missing, or have any encoding. A file can have
// several solids. Normals are not used, so any words except keywords are skipped between "facet"
// and "outer". A loop must have exactly three corners. The last "endsolid" can be missing.
func readASCII(s *soup.Source, b *soup.Builder) error {
	text := s.Data
	spans := scan.Cut(text, s.ChunkSize, func(i int) int { return facetEnd(text, i) })
	filters := make([]weld.Filter[r3.Vector], soup.Workers())
	bits := weld.PartitionBits(len(text) / cornerBytes)
	chunks, err := soup.InOrder(len(spans), func(worker, i int) (*chunk, error) {
		p := &chunk{budget: b.Budget, text: text[:spans[i].To]}
		if err := p.parse(spans[i].From); err != nil {
			return nil, err
		}
		p.corners = len(p.verts)
		if b.Chunked {
			if err := p.filter(&filters[worker], bits); err != nil {
				return nil, err
			}
		}
		return p, s.Step(int64(spans[i].To - spans[i].From))
	})
	if err != nil {
		return err
	}
	if b.Chunked {
		return joinChunked(b, chunks, bits)
	}
	return join(b, chunks)
}

// facetEnd returns the end of the first complete line from i on that contains only "endfacet", or
// len(text) if there is no such line.
func facetEnd(text []byte, i int) int {
	for i < len(text) {
		from := i
		end := scan.LineEnd(text, from)
		i = min(end+1, len(text))
		if text[from-1] == '\n' && isWord(bytes.TrimSpace(text[from:end]), "endfacet") {
			break
		}
	}
	return i
}

// isWord reports whether b is equal to word if letter case is ignored. The word must be in lower
// case.
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

// chunk is the content of a span of an ASCII file.
type chunk struct {
	budget   *soup.Budget
	text     soup.Text // the text of the file up to the end of the chunk
	verts    []r3.Vector
	corners  int     // length of verts after parsing
	index    []int32 // for each corner, the index of its point among the points that the filter kept
	points   weld.Chunk[r3.Vector]
	solids   []solid
	nonEmpty bool // the chunk contains a statement
	open     bool // the last solid or facet has no endsolid after it

	lineEnd   int // end of the line that name saw last
	lastFacet int // position of the last word "facet" in this line; −1 if there is none
}

// solidBytes is the size of a solid.
const solidBytes = 32

// solid marks the place in a chunk where a solid begins.
type solid struct {
	name  []byte
	first int // index of the first corner of the solid in the chunk
}

// parse parses the facets and solids from i to the end of the chunk.
func (p *chunk) parse(i int) error {
	for {
		i = scan.SkipSpace(p.text, i)
		if i == len(p.text) {
			return nil
		}
		p.nonEmpty = true
		end := scan.WordEnd(p.text, i)
		word := p.text[i:end]
		var err error
		switch {
		case isWord(word, "facet"):
			p.open = true
			i, err = p.facet(end)
		case isWord(word, "solid"):
			var name []byte
			name, i = p.name(end, "facet", "endsolid")
			err = soup.Grow(p.budget, &p.solids, 1, solidBytes)
			p.solids = append(p.solids, solid{name, len(p.verts)})
			p.open = true
		case isWord(word, "endsolid"):
			_, i = p.name(end, "solid", "facet")
			p.open = false
		case len(bytes.Trim(word, "\x1a")) == 0: // Ctrl-Z, the end-of-text character of DOS
			i = end
		default:
			return p.text.Fail(i, soup.ErrSyntax, "found %s instead of facet, endsolid or solid", quote.Word(word))
		}
		if err != nil {
			return err
		}
	}
}

// name returns the name on the rest of the line at i, and the position after the name. A file can
// be a single line, in which a statement follows the name. The name ends before the first statement
// that begins with one of stopWords.
func (p *chunk) name(i int, stopWords ...string) ([]byte, int) {
	if i >= p.lineEnd {
		p.lineEnd, p.lastFacet = scan.LineEnd(p.text, i), -1
		for w := scan.SkipSpace(p.text[:p.lineEnd], i); w < p.lineEnd; {
			e := scan.WordEnd(p.text[:p.lineEnd], w)
			if isWord(p.text[w:e], "facet") {
				p.lastFacet = w
			}
			w = scan.SkipSpace(p.text[:p.lineEnd], e)
		}
	}
	end := p.lineEnd
	for w := scan.SkipSpace(p.text[:end], i); w < end; {
		e := scan.WordEnd(p.text[:end], w)
		for _, s := range stopWords {
			if isWord(p.text[w:e], s) && p.statement(s, e, end) {
				return bytes.TrimSpace(p.text[i:w]), w
			}
		}
		w = scan.SkipSpace(p.text[:end], e)
	}
	return bytes.TrimSpace(p.text[i:end]), end
}

// statement reports whether the keyword that ends at i begins a statement. Otherwise the keyword is
// a part of a name. After "facet", the word "normal" must follow. After "solid", the rest of the
// line must contain "facet". The line ends at lineEnd.
func (p *chunk) statement(word string, i, lineEnd int) bool {
	i = scan.SkipSpace(p.text[:lineEnd], i)
	e := scan.WordEnd(p.text[:lineEnd], i)
	switch word {
	case "facet":
		return isWord(p.text[i:e], "normal") && e < lineEnd
	case "solid":
		return p.lastFacet >= i
	}
	return true
}

// facet reads the facet whose keyword ends at i. It returns the position after "endfacet".
func (p *chunk) facet(i int) (int, error) {
	for { // this loop skips the normal
		i = scan.SkipSpace(p.text, i)
		end := scan.WordEnd(p.text, i)
		if isWord(p.text[i:end], "outer") {
			break
		}
		if i == end || isKeyword(p.text[i:end]) {
			return i, p.text.Expected(i, "outer loop")
		}
		i = end
	}
	i, err := p.keywords(i, "outer", "loop")
	if err != nil {
		return i, err
	}
	if cap(p.verts)-len(p.verts) < 3 {
		if err := soup.Grow(p.budget, &p.verts, 3, soup.VertexBytes); err != nil {
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
	i = scan.SkipSpace(p.text, i)
	if isWord(p.text[i:scan.WordEnd(p.text, i)], "vertex") {
		return i, p.text.Fail(i, soup.ErrSyntax, "a loop has more than three corners")
	}
	if i, err = p.keywords(i, "endloop"); err != nil {
		return i, err
	}
	if i, err = p.keywords(p.skipWords(i), "endfacet"); err != nil {
		return i, err
	}
	return p.skipWords(i), nil
}

// skipWords returns the position of the next keyword in the line from i on, or the end of the line. Some writers put
// other words after "endloop" and "endfacet".
func (p *chunk) skipWords(i int) int {
	for {
		for i < len(p.text) && p.text[i] != '\n' && scan.IsSpace(p.text[i]) {
			i++
		}
		end := scan.WordEnd(p.text, i)
		if end == i || isKeyword(p.text[i:end]) {
			return i
		}
		i = end
	}
}

// isKeyword reports whether word is a keyword. The normal of a facet cannot contain a keyword.
func isKeyword(word []byte) bool {
	for _, k := range [...]string{"solid", "facet", "loop", "vertex", "endloop", "endfacet", "endsolid"} {
		if isWord(word, k) {
			return true
		}
	}
	return false
}

// vertex reads the word "vertex" and the three numbers after it.
func (p *chunk) vertex(i int) (v r3.Vector, next int, err error) {
	i = scan.SkipSpace(p.text, i)
	if isWord(p.text[i:scan.WordEnd(p.text, i)], "endloop") {
		return v, i, p.text.Fail(i, soup.ErrSyntax, "a loop has fewer than three corners")
	}
	if i, err = p.keywords(i, "vertex"); err != nil {
		return v, i, err
	}
	for _, x := range [3]*float64{&v.X, &v.Y, &v.Z} {
		var ok bool
		i = scan.SkipSpace(p.text, i)
		if *x, next, ok = scan.Number(p.text, i); !ok {
			return v, i, p.text.Expected(i, "a coordinate")
		}
		if c := (r3.Vector{X: *x}); !soup.InRange(c) {
			return v, i, p.text.Fail(i, soup.RangeError(c), "%s", quote.Word(p.text[i:next]))
		}
		i = next
	}
	return v, i, nil
}

// keywords reads the given words from i on. It returns the position after the last one.
func (p *chunk) keywords(i int, words ...string) (int, error) {
	for _, word := range words {
		i = scan.SkipSpace(p.text, i)
		end := i + len(word)
		if end > len(p.text) || !isWord(p.text[i:end], word) || end < len(p.text) && !scan.IsSpace(p.text[end]) {
			return i, p.text.Expected(i, word)
		}
		i = end
	}
	return i, nil
}

// cornerBytes is the approximate size of a corner in a file with seven significant digits.
const cornerBytes = 80

// filter moves the corners to p.points, without most repeated corners, and sets p.index.
func (p *chunk) filter(f *weld.Filter[r3.Vector], bits int) error {
	if err := p.budget.Reserve(4 * int64(p.corners)); err != nil {
		return err
	}
	p.index = make([]int32, p.corners)
	f.Add(p.verts, p.index)
	kept := int64(f.Kept())
	p.points = f.Take(nil, bits)
	p.budget.Release(soup.VertexBytes * int64(cap(p.verts)))
	p.verts = nil
	return p.budget.Reserve((soup.VertexBytes + 4) * kept)
}

// joinChunked stores the triangles of the filtered chunks in b.Triangles, and adds their solids.
func joinChunked(b *soup.Builder, chunks []*chunk, bits int) error {
	ends, n := make([]int, len(chunks)), 0
	for c, p := range chunks {
		n += p.corners / 3
		ends[c] = n
	}
	if err := b.ExpectChunked(n); err != nil {
		return err
	}
	triangles := weld.NewTriangles[r3.Vector](ends, bits)
	for c, p := range chunks {
		if err := b.Err(); err != nil {
			return err
		}
		faces := triangles.Faces(c)
		for f := range faces {
			faces[f] = [3]int32(p.index[3*f:])
		}
		triangles.Fill(c, p.points)
		from := 0
		for _, s := range p.solids {
			b.AddChunked((s.first - from) / 3)
			from = s.first
			if err := b.BeginBody(string(s.name)); err != nil {
				return err
			}
		}
		b.AddChunked((p.corners - from) / 3)
		b.Budget.Release(4*int64(p.corners) + solidBytes*int64(cap(p.solids)))
		p.points, p.index, p.solids = weld.Chunk[r3.Vector]{}, nil, nil
	}
	b.Triangles, b.StoredVertices = triangles, 3*n
	noteOpen(b, chunks)
	return nil
}

// noteOpen adds a note if the last solid of the file has no end.
func noteOpen(b *soup.Builder, chunks []*chunk) {
	open := false
	for _, p := range chunks {
		if p.nonEmpty {
			open = p.open
		}
	}
	if open {
		b.Note("endsolid is missing at the end")
	}
}

// join appends the triangles and solids of the chunks to b, in order.
func join(b *soup.Builder, chunks []*chunk) error {
	n := 0
	for _, p := range chunks {
		n += len(p.verts)
	}
	if err := b.GrowUnshared(n / 3); err != nil {
		return err
	}
	for _, p := range chunks {
		if err := b.Err(); err != nil {
			return err
		}
		from := 0
		for _, s := range p.solids {
			b.AppendUnshared(p.verts[from:s.first])
			from = s.first
			if err := b.BeginBody(string(s.name)); err != nil {
				return err
			}
		}
		b.AppendUnshared(p.verts[from:])
		b.Budget.Release(soup.VertexBytes*int64(cap(p.verts)) + solidBytes*int64(cap(p.solids)))
		p.verts, p.solids = nil, nil
	}
	noteOpen(b, chunks)
	return nil
}
