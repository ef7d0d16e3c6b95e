// Package obj reads the polygons of Wavefront OBJ.
package obj

import (
	"bytes"
	"strings"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Format describes OBJ.
func Format() soup.Format { return soup.Format{Name: "obj", Guess: guess, Read: read} }

// guess reports whether the first statement of data is one of OBJ's.
func guess(data []byte) bool {
	const window = 4096 // a comment block longer than this hides the format
	head := data[:min(len(data), window)]
	if order := scan.UTF16Order(data); order != nil {
		head = scan.ASCIIUnits(data, order)
	}
	for len(head) > 0 {
		line := head
		if i := bytes.IndexByte(head, '\n'); i >= 0 {
			line, head = head[:i], head[i+1:]
		} else {
			head = nil
		}
		fields := bytes.Fields(line)
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		switch string(fields[0]) {
		case "v", "vt", "vn", "vp", "f", "o", "g", "s", "mtllib", "usemtl":
			return len(fields) > 1
		}
		return false
	}
	return false
}

// read reads the polygons of Wavefront OBJ (Wavefront, "Object Files", version 3.0): the
// statements v, f (with corners v, v/vt, v//vn or v/vt/vn; indices from 1, or negative from
// the latest vertex), and g and o, which begin bodies. Weights and colors of vertices are
// skipped. Lines, points, free-form geometry and unknown statements are counted in Notes.
// After a backslash at the end of a line, a statement continues with numbers. Statements that
// include other geometry (call, csh) are refused.
func read(s *soup.Source, b *soup.Builder) error {
	if err := s.PlainText(); err != nil {
		return err
	}
	text, err := joinContinued(s)
	if err != nil {
		return err
	}
	ends := scan.CutLines(text, s.ChunkSize)
	start := func(i int) int {
		if i == 0 {
			return 0
		}
		return ends[i-1]
	}
	chunks, err := soup.InOrder(len(ends), func(i int) (*chunk, error) {
		p := &chunk{budget: b.Budget, faces: soup.NewFaceList(b.Budget), file: s.Data, text: text[:ends[i]]}
		if err := p.parse(start(i)); err != nil {
			return nil, err
		}
		return p, s.Step(int64(ends[i] - start(i)))
	})
	if err != nil {
		return err
	}
	total := 0
	for _, p := range chunks {
		total += len(p.vertices)
	}
	before := 0
	for i, p := range chunks {
		if p.highest >= int64(total) || p.lowest < -int64(before) {
			return p.locate(start(i), before, total)
		}
		before += len(p.vertices)
	}
	if err := join(b, chunks, total); err != nil {
		return err
	}
	return noteIgnored(s, b, chunks)
}

// joinContinued returns the text with blanks in place of every backslash and newline that
// continue a statement. Offsets remain relative to the file. A backslash at the end of a comment
// is text. A backslash before a line that begins with a letter ends a path or a name, because
// statements continue with numbers only.
func joinContinued(s *soup.Source) ([]byte, error) {
	if !bytes.Contains(s.Data, []byte("\\\n")) && !bytes.Contains(s.Data, []byte("\\\r\n")) {
		return s.Data, nil
	}
	if err := s.Budget.Reserve(int64(len(s.Data))); err != nil {
		return nil, err
	}
	text := bytes.Clone(s.Data)
	for start := 0; start < len(text); {
		end := scan.LineEnd(text, start)
		next := min(end+1, len(text))
		line := bytes.TrimRight(text[start:end], "\r")
		if bytes.HasSuffix(line, []byte{'\\'}) && bytes.IndexByte(line, '#') < 0 && !beginsWithLetter(text[next:]) {
			for i := start + len(line) - 1; i < next; i++ {
				text[i] = ' '
			}
		}
		start = next
	}
	return text, nil
}

// beginsWithLetter reports whether the first word of the line begins with a letter.
func beginsWithLetter(line []byte) bool {
	i := scan.SkipBlank(line, 0)
	return i < len(line) && line[i]|0x20 >= 'a' && line[i]|0x20 <= 'z'
}

// join appends the vertices, faces and groups of the chunks to b. read has checked the indices.
func join(b *soup.Builder, chunks []*chunk, total int) error {
	if err := b.GrowVertices(total); err != nil {
		return err
	}
	triangles := 0
	for _, p := range chunks {
		if err := b.Err(); err != nil {
			return err
		}
		b.Vertices = append(b.Vertices, p.vertices...)
		triangles += p.faces.MaxTriangles()
	}
	if err := b.ExpectTriangles(triangles); err != nil {
		return err
	}
	before := int32(0)
	for _, p := range chunks {
		p.faces.Shift(p.relative, before)
		before += int32(len(p.vertices))
		if err := p.appendTo(b); err != nil {
			return err
		}
		p.free()
	}
	return nil
}

// appendTo appends the faces of p to b. Each group begins a body.
func (p *chunk) appendTo(b *soup.Builder) error {
	groups := p.groups
	begin := func(face int) error {
		for len(groups) > 0 && groups[0].face <= face {
			if err := b.BeginBody(string(groups[0].name)); err != nil {
				return err
			}
			groups = groups[1:]
		}
		return nil
	}
	if err := p.faces.AppendTo(b, begin); err != nil {
		return err
	}
	return begin(p.faces.Len())
}

// noteIgnored notes the statements that were skipped. It refuses a file without vertices in
// which a statement is unknown: that is not OBJ.
func noteIgnored(s *soup.Source, b *soup.Builder, chunks []*chunk) error {
	var sum counts
	unknown := -1
	for _, p := range chunks {
		if unknown < 0 && p.unknown > 0 {
			unknown = p.unknownAt
		}
		sum.add(p.counts)
	}
	if len(b.Vertices) == 0 && sum.unknown > 0 {
		end := scan.WordEnd(s.Data, unknown)
		return soup.AtLine(scan.LineAt(s.Data, unknown), soup.ErrSyntax, "%q is not an OBJ statement, and the file has no vertices", scan.Excerpt(s.Data[unknown:end]))
	}
	for _, n := range []struct {
		count int
		what  string
	}{
		{sum.weights, "vertices with a weight w, not used"},
		{sum.lines, "line elements ignored"},
		{sum.points, "point elements ignored"},
		{sum.freeForm, "free-form statements ignored"},
	} {
		if n.count > 0 {
			b.Note("%s: %d", n.what, n.count)
		}
	}
	if sum.unknown > 0 {
		b.Note("unknown statements ignored: %d, the first in line %d", sum.unknown, scan.LineAt(s.Data, unknown))
	}
	return nil
}

// counts counts statements that give no triangles.
type counts struct {
	weights, lines, points, freeForm, unknown int
}

func (c *counts) add(o counts) {
	c.weights += o.weights
	c.lines += o.lines
	c.points += o.points
	c.freeForm += o.freeForm
	c.unknown += o.unknown
}

// ignoredWords are the statements that do not change the shape of polygons. freeFormWords are
// the statements of free-form geometry.
var (
	ignoredWords  = " vt vn vp s mg mtllib usemtl usemap maplib lod bevel c_interp d_interp shadow_obj trace_obj "
	freeFormWords = " deg bmat step cstype curv curv2 surf parm trim hole scrv sp end con ctech stech bzp bsp cdc cdp res "
)

// known reports whether word is in list.
func known(list string, word []byte) bool {
	const longest = 10
	return len(word) <= longest && strings.Contains(list, " "+string(word)+" ")
}
