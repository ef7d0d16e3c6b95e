package loaders

import (
	"bytes"
	"math"

	"github.com/inpoly/inpoly/internal/decimal"
)

// offFormat describes OFF.
func offFormat() format {
	signature := func(data []byte) bool {
		_, _, ok := offKeyword([]byte(firstWord(data)))
		return ok
	}
	return format{Name: "off", Suffixes: []string{"coff", "noff", "cnoff", "stoff"}, Signature: signature, Read: readOFF}
}

// offKind is what the keyword of an OFF file says about its vertices.
type offKind struct {
	texture, colour, normal bool
	four, any               bool // 4: homogeneous; n: the dimension follows
}

// offKeyword reads [ST][C][N][4][n]OFF at the front of b, the keyword that opens
// an OFF file (Geomview manual, "OFF Files"), and returns its length. White space,
// the end or, in files of careless writers, a digit follows it.
func offKeyword(b []byte) (k offKind, n int, ok bool) {
	take := func(prefix string) bool {
		if bytes.HasPrefix(b[n:], []byte(prefix)) {
			n += len(prefix)
			return true
		}
		return false
	}
	k.texture = take("ST")
	k.colour = take("C")
	k.normal = take("N")
	k.four = take("4")
	k.any = take("n")
	if !take("OFF") {
		return offKind{}, 0, false
	}
	return k, n, n == len(b) || isSpace(b[n]) || b[n]-'0' <= 9
}

// numbers returns how many numbers a vertex has, with a colour of four (RGBA).
func (k offKind) numbers() int {
	n := 3
	if k.normal {
		n += 3
	}
	if k.colour {
		n += 4
	}
	if k.texture {
		n += 2
	}
	return n
}

// readOFF reads OFF, ASCII or binary: the keyword (may be missing), the numbers of
// vertices, faces and (may be missing) edges, vertices and faces. Normals, colours
// and texture coordinates are passed over. Faces of one or two corners, which OFF
// allows as points and edges, are counted in Info.Notes.
//
// In ASCII numbers may be separated by any white space. Only where all vertices and
// faces have lines of their own may a vertex have more numbers than the keyword
// says (noted) or a colour of three. What follows a face on its line is its colour
// if every face begins a line, else the next face.
func readOFF(s *source, b *builder) error {
	if k, at, ok := offKeyword(s.data); ok {
		if i := skipBlank(s.data, at); bytes.HasPrefix(s.data[i:], []byte("BINARY")) {
			return readBinaryOFF(s, b, k, i+len("BINARY"))
		}
	}
	if err := s.plainText(); err != nil {
		return err
	}
	p := &offText{s: s, b: b, text: s.data}
	vertices, faces, err := p.header()
	if err != nil {
		return err
	}
	words, err := p.layout(vertices, faces)
	if err != nil {
		return err
	}
	if err := p.vertices(vertices, words); err != nil {
		return err
	}
	if !p.lines && p.rowEnds() {
		if p.lines, err = p.faceRows(p.at, faces); err != nil {
			return err
		}
	}
	if err := p.facesOf(faces); err != nil {
		return err
	}
	if rest := p.skip(p.at, false); rest < len(p.text) {
		word := excerpt(p.text[rest:wordEnd(p.text, rest)])
		if !p.lines {
			return p.fail(rest, ErrSyntax, "%q after the last face", word)
		}
		b.note("text after the last face ignored: %q", word)
	}
	noteOFF(b, p.small)
	if p.odd > 0 {
		b.note("faces followed by words that are no colour, ignored: %d", p.odd)
	}
	return s.step(int64(len(s.data)))
}

// noteOFF notes faces of fewer than three corners.
func noteOFF(b *builder, small int) {
	if small > 0 {
		b.note("faces of one or two corners (points, edges) ignored: %d", small)
	}
}

// offText reads the words of an ASCII file.
type offText struct {
	s     *source
	b     *builder
	text  []byte
	at    int
	kind  offKind
	lines bool // each vertex or face has a line of its own
	small int  // faces of one or two corners
	odd   int  // faces followed by words that are no colour
}

// skip returns the first place from i on that is neither white space nor comment;
// with inLine it stops at a newline.
func (p *offText) skip(i int, inLine bool) int {
	for i < len(p.text) {
		switch c := p.text[i]; {
		case c == '#':
			i = lineEnd(p.text, i)
		case c == '\n' && inLine, !isSpace(c):
			return i
		default:
			i++
		}
	}
	return i
}

// header reads the keyword and the counts.
func (p *offText) header() (vertices, faces int64, err error) {
	p.at = p.skip(0, false)
	if k, n, ok := offKeyword(p.text[p.at:]); ok {
		p.kind = k
		p.at += n
	}
	if p.kind.four {
		return 0, 0, p.fail(p.at, ErrUnsupported, "vertices with four coordinates")
	}
	if p.kind.any {
		dim, err := p.count("the dimension")
		if err != nil {
			return 0, 0, err
		}
		if dim != 3 {
			return 0, 0, p.fail(p.at, ErrUnsupported, "vertices with %d coordinates", dim)
		}
	}
	if vertices, err = p.count("the number of vertices"); err != nil {
		return 0, 0, err
	}
	if faces, err = p.count("the number of faces"); err != nil {
		return 0, 0, err
	}
	p.edges()
	// A vertex takes at least 6 bytes ("0 0 0\n"), a face 2 ("3" and one more).
	left := int64(len(p.text)-p.at) + 1
	if vertices > left/6 || faces > (left-6*vertices)/2 {
		return 0, 0, p.fail(p.at, ErrTruncated, "%d vertices and %d faces do not fit in the %d bytes that follow", vertices, faces, left-1)
	}
	return vertices, faces, nil
}

// edges passes over the number of edges, which is never used and may be missing:
// it stands on the line of the other counts, or alone on the next.
func (p *offText) edges() {
	i := p.skip(p.at, true)
	if i < len(p.text) && p.text[i] != '\n' {
		p.at = wordEnd(p.text, i)
		return
	}
	i = p.skip(i, false)
	end := wordEnd(p.text, i)
	if after := p.skip(end, true); end > i && (after == len(p.text) || p.text[after] == '\n') {
		p.at = end
	}
}

// count reads a whole number ≥ 0.
func (p *offText) count(what string) (int64, error) {
	i := p.skip(p.at, false)
	v, n, ok := decimal.ParseInt(p.text[i:])
	end := i + n
	if !ok || v < 0 || v > math.MaxInt32 || end < len(p.text) && !isSpace(p.text[end]) && p.text[end] != '#' {
		return 0, p.expected(i, what)
	}
	p.at = end
	return v, nil
}

// number reads a number; in a file of lines it does not leave the line.
func (p *offText) number(what string) (float64, error) {
	i := p.skip(p.at, p.lines)
	v, n, ok := decimal.Parse(p.text[i:])
	end := i + n
	if !ok || end < len(p.text) && !isSpace(p.text[end]) && p.text[end] != '#' {
		return 0, p.expected(i, what)
	}
	p.at = end
	return v, nil
}

func (p *offText) fail(i int, kind error, format string, args ...any) error {
	return atLine(lineAt(p.text, i), kind, format, args...)
}

// expected returns the error that what stands at i is not what was expected.
func (p *offText) expected(i int, what string) error {
	word := p.text[i:wordEnd(p.text, i)]
	switch {
	case i == len(p.text):
		return p.fail(i, ErrTruncated, "the file ends where %s should follow", what)
	case len(word) == 0:
		return p.fail(i, ErrSyntax, "the line ends where %s should follow", what)
	}
	return p.fail(i, ErrSyntax, "%q instead of %s", excerpt(word), what)
}
