package obj

import (
	"bytes"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// chunk is the content of a span of an OBJ file. Chunks are parsed in parallel, so the number of
// vertices before a chunk is unknown. Therefore a chunk stores negative indices relative to its
// first vertex.
type chunk struct {
	*soup.Part
	counts [numKinds]int

	file      soup.Text // whole unchanged text of the file, for line numbers
	text      []byte    // text from joinContinued, up to the end of the chunk
	highest   int64     // the largest index relative to the start of the file; −1 if none
	lowest    int64     // the smallest index relative to the start of the chunk, at most 0
	unknownAt int       // position of the first unknown statement
	bounds    *bounds
}

// bounds holds numbers of vertices. A chunk that has bounds refuses indices out of range.
type bounds struct {
	before, total int64 // numbers of vertices before the chunk and in the whole file
}

// statements parses the statements from position i to the end of the chunk.
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

// vertex reads the coordinates x y z, and skips a weight or a color.
func (p *chunk) vertex(i int) (int, error) {
	var v r3.Vector
	for _, x := range [3]*float64{&v.X, &v.Y, &v.Z} {
		from := i
		var ok bool
		if *x, i, ok = scan.Number(p.text, i); !ok {
			return i, p.badNumber(from, "coordinate")
		}
		if c := (r3.Vector{X: *x}); !soup.InRange(c) {
			return i, p.file.Fail(i-1, soup.RangeError(c), "%s", quote.Word(bytes.TrimSpace(p.text[from:i])))
		}
	}
	if err := p.AddVertex(v); err != nil {
		return i, err
	}
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

// afterVertex skips the numbers after the coordinates x y z of a vertex: a weight, or a color of
// three or four numbers. A color can have NaN.
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
		p.counts[weights]++
	case 3, 4:
	default:
		return from, p.file.Fail(from, soup.ErrSyntax, "a vertex has %d numbers, must have 3, 4, 6 or 7", 3+n)
	}
	return i, nil
}

// badNumber returns the error for a missing or wrong number at position i.
func (p *chunk) badNumber(i int, what string) error {
	i = scan.SkipBlank(p.text, i)
	word := p.text[i:scan.WordEnd(p.text, i)]
	if len(word) == 0 || word[0] == '#' {
		return p.file.Fail(i, soup.ErrSyntax, "the line ends where a %s should follow", what)
	}
	return p.file.Fail(i, soup.ErrSyntax, "%s is not a %s", quote.Word(word), what)
}

// face reads the corners of a face up to the end of the line.
func (p *chunk) face(i int) (int, error) {
	from, first := i, p.NumCorners()
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
	n := p.NumCorners() - first
	if n < 3 {
		return i, p.file.Fail(from, soup.ErrSyntax, "a face has %d corners, must have at least 3", n)
	}
	return i, p.EndFace(n)
}

// corner reads a corner of the form v, v/vt, v//vn or v/vt/vn. It uses only v.
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
		if p.bounds != nil && v > p.bounds.total {
			return i, p.file.Fail(i, soup.ErrIndexRange, "a face refers to vertex %d, but the file has %d", v, p.bounds.total)
		}
		p.highest = max(p.highest, v-1)
		return end, p.AddCorner(int32(v - 1))
	case v == 0:
		return i, p.file.Fail(i, soup.ErrIndexRange, "a face refers to vertex 0, but OBJ counts from 1")
	}
	relative := int64(len(p.Vertices)) + v
	if p.bounds != nil && relative < -p.bounds.before {
		return i, p.file.Fail(i, soup.ErrIndexRange, "a face refers to vertex %d, but only %d vertices precede the face", v, int64(len(p.Vertices))+p.bounds.before)
	}
	p.lowest = min(p.lowest, relative)
	return end, p.AddRelativeCorner(int32(relative))
}

// other parses a statement that does not begin with "v " or "f ".
func (p *chunk) other(i int) (int, error) {
	end := scan.WordEnd(p.text, i)
	switch word := p.text[i:end]; string(word) {
	case "v":
		return p.vertex(end)
	case "f", "fo": // fo is an older name of f
		return p.face(end)
	case "g", "o":
		name := bytes.TrimSpace(p.text[end:scan.LineEnd(p.text, end)])
		return end, p.BeginBody(name)
	case "l":
		p.counts[lines]++
	case "p":
		p.counts[points]++
	case "call", "csh":
		return i, p.file.Fail(i, soup.ErrUnsupported, "the statement %q inserts geometry from outside the file", word).
			WithHint("write the mesh into one file")
	default:
		switch {
		case known(ignoredWords, word):
		case known(freeFormWords, word):
			p.counts[freeForm]++
		default:
			if p.counts[unknown] == 0 {
				p.unknownAt = i
			}
			p.counts[unknown]++
		}
	}
	return end, nil
}
