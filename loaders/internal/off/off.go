// Package off reads OFF, the object file format of Geomview, and its variants.
package off

import (
	"bytes"
	"math"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Format describes OFF.
func Format() soup.Format {
	signature := func(data []byte) bool {
		_, _, ok := parseKeyword([]byte(scan.FirstWord(data)))
		return ok
	}
	return soup.Format{Name: "off", Signature: signature, Read: read}
}

// vertexKind is the kind of the vertices that the keyword of an OFF file declares.
type vertexKind struct {
	texture, color, normal bool
	four                   bool // a vertex has four homogeneous coordinates
	any                    bool // the file states the dimension after the keyword
}

// parseKeyword reads the keyword [ST][C][N][4][n]OFF at the front of b and returns the number of
// bytes of the keyword (Geomview manual, "OFF Files"). The parts before OFF can have any order, as in the files
// of MeshLab. White space, a digit or the end of b must follow the keyword. A digit is allowed because careless
// writers omit the white space.
func parseKeyword(b []byte) (k vertexKind, n int, ok bool) {
	part := func(name string, set *bool) bool {
		if *set || !bytes.HasPrefix(b[n:], []byte(name)) {
			return false
		}
		*set = true
		n += len(name)
		return true
	}
	for part("ST", &k.texture) || part("C", &k.color) || part("N", &k.normal) || part("4", &k.four) || part("n", &k.any) {
	}
	if !bytes.HasPrefix(b[n:], []byte("OFF")) {
		return vertexKind{}, 0, false
	}
	n += len("OFF")
	return k, n, n == len(b) || scan.IsSpace(b[n]) || b[n]-'0' <= 9
}

// numbers returns how many numbers describe a vertex. A color has four numbers (RGBA).
func (k vertexKind) numbers() int {
	n := 3
	if k.normal {
		n += 3
	}
	if k.color {
		n += 4
	}
	if k.texture {
		n += 2
	}
	return n
}

// read reads a file in ASCII or binary OFF. The file contains the keyword, three counts (vertices,
// faces, edges), the vertices, and the faces. The keyword and the count of edges can be missing.
// read skips normals, colors and texture coordinates. read also skips faces of one or two corners,
// which OFF allows as points and edges, and adds a note with their number.
//
// In ASCII, any white space separates numbers. If every face begins a line, the rest of the line is
// the color of the face. If every vertex also has a line of its own, a color can have three
// numbers, and a vertex can have more numbers than the keyword declares. A note counts the
// additional numbers.
func read(s *soup.Source, b *soup.Builder) error {
	if k, at, ok := parseKeyword(s.Data); ok {
		if i := scan.SkipBlank(s.Data, at); bytes.HasPrefix(s.Data[i:], []byte("BINARY")) {
			return readBinary(s, b, k, i+len("BINARY"))
		}
	}
	if err := s.PlainText(); err != nil {
		return err
	}
	p := &textReader{s: s, b: b, text: s.Data}
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
	if !p.lines && p.lineEnds(p.at) {
		if p.lines, err = p.faceRows(p.at, faces); err != nil {
			return err
		}
	}
	if err := p.faces(faces); err != nil {
		return err
	}
	if rest := p.skip(p.at, false); rest < len(p.text) {
		word := quote.Word(p.text[rest:scan.WordEnd(p.text, rest)])
		if !p.lines {
			return p.text.Fail(rest, soup.ErrSyntax, "%s follows the last face", word)
		}
		b.Note("text after the last face was ignored: %s", word)
	}
	b.NoteCount(smallFaces, p.small)
	b.NoteCount("ignored the words after the corners of %d faces, which are not a color", p.odd)
	return s.Step(int64(len(s.Data)))
}

// smallFaces is the format of the note that counts points and edges.
const smallFaces = "faces of one or two corners (points, edges) ignored: %d"

// textReader reads the words of an ASCII file.
type textReader struct {
	s     *soup.Source
	b     *soup.Builder
	text  soup.Text
	at    int
	kind  vertexKind
	lines bool // in the current part of the file, every vertex or face begins a line
	small int  // number of faces of one or two corners
	odd   int  // number of faces followed by words that are not a color
}

// skip returns the position of the next word at or after i. If inLine is set, it stops at a
// newline.
func (p *textReader) skip(i int, inLine bool) int {
	for i < len(p.text) {
		switch c := p.text[i]; {
		case c == '#':
			i = scan.LineEnd(p.text, i)
		case c == '\n' && inLine, !scan.IsSpace(c):
			return i
		default:
			i++
		}
	}
	return i
}

// header reads the keyword and the numbers of vertices and faces.
func (p *textReader) header() (vertices, faces int64, err error) {
	p.at = p.skip(0, false)
	if k, n, ok := parseKeyword(p.text[p.at:]); ok {
		p.kind = k
		p.at += n
	}
	if p.kind.four {
		return 0, 0, p.text.Fail(p.at, soup.ErrUnsupported, "vertices have four coordinates, must have three")
	}
	if p.kind.any {
		dim, err := p.count("the dimension")
		if err != nil {
			return 0, 0, err
		}
		if dim != 3 {
			return 0, 0, p.text.Fail(p.at, soup.ErrUnsupported, "vertices have %d coordinates, must have 3", dim)
		}
	}
	if vertices, err = p.count("the number of vertices"); err != nil {
		return 0, 0, err
	}
	if faces, err = p.count("the number of faces"); err != nil {
		return 0, 0, err
	}
	p.edges()
	// A vertex needs at least 6 bytes ("0 0 0\n"). A face needs at least 2 bytes ("3" and a
	// separator).
	left := int64(len(p.text)-p.at) + 1
	if vertices > left/6 || faces > (left-6*vertices)/2 {
		return 0, 0, p.text.Fail(p.at, soup.ErrTruncated, "%d vertices and %d faces do not fit in the %d bytes that follow", vertices, faces, left-1)
	}
	return vertices, faces, nil
}

// edges skips the number of edges, which is not used and can be missing. It is in the line of the
// numbers of vertices and faces, or it is the only word of the next line.
func (p *textReader) edges() {
	sameLine := !p.lineEnds(p.at)
	i := p.skip(p.at, false)
	end := scan.WordEnd(p.text, i)
	if sameLine || end > i && p.lineEnds(end) {
		p.at = end
	}
}

// wordEnds reports whether i is the end of the text, or the position of white space or a comment.
func (p *textReader) wordEnds(i int) bool {
	return i == len(p.text) || scan.IsSpace(p.text[i]) || p.text[i] == '#'
}

// lineEnds reports whether the rest of the line from i on contains no word.
func (p *textReader) lineEnds(i int) bool {
	i = p.skip(i, true)
	return i == len(p.text) || p.text[i] == '\n'
}

// count reads an int32 that is not negative.
func (p *textReader) count(what string) (int64, error) {
	i := p.skip(p.at, false)
	v, n, ok := decimal.ParseInt(p.text[i:])
	end := i + n
	if !ok || v < 0 || v > math.MaxInt32 || !p.wordEnds(end) {
		return 0, p.text.Expected(i, what)
	}
	p.at = end
	return v, nil
}

// number reads a number. If p.lines is set, the number must be on the current line.
func (p *textReader) number(what string) (float64, error) {
	i := p.skip(p.at, p.lines)
	v, n, ok := decimal.Parse(p.text[i:])
	end := i + n
	if !ok || !p.wordEnds(end) {
		return 0, p.text.Expected(i, what)
	}
	p.at = end
	return v, nil
}
