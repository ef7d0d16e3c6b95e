// Package obj reads the polygons of Wavefront OBJ.
package obj

import (
	"bytes"
	"strings"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Format describes the format OBJ.
func Format() soup.Format { return soup.Format{Name: "obj", Guess: guess, Read: read} }

// guess reports whether data begins with a statement of OBJ, after any number of comments.
func guess(data []byte) bool {
	if order := scan.UTF16Order(data); order != nil {
		data = scan.ASCIIUnits(data, order)
	}
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		fields := bytes.Fields(line[:min(len(line), 256)]) // guess needs only the first two words
		switch string(fields[0]) {
		case "v", "vt", "vn", "vp", "f", "o", "g", "s", "mtllib", "usemtl":
			return len(fields) > 1
		}
		return false
	}
	return false
}

// read reads the polygons of Wavefront OBJ (Wavefront, "Object Files", version 3.0). It reads the
// statements v, f, g and o. Corners have the form v, v/vt, v//vn or v/vt/vn. A positive index
// counts from 1; a negative index counts backward from the latest vertex. The statements g and o
// begin bodies. read skips weights and colors of vertices. Builder.Notes report how many line
// elements, point elements, free-form statements and unknown statements were ignored. If a line
// ends with a backslash, a statement with numbers continues on the next line. read refuses call and
// csh, the statements that include other files.
func read(s *soup.Source, b *soup.Builder) error {
	if err := s.PlainText(); err != nil {
		return err
	}
	text, err := joinContinued(s)
	if err != nil {
		return err
	}
	spans := scan.CutLines(text, s.ChunkSize)
	parse := func(i int, bounds *bounds) (*chunk, error) {
		p := &chunk{Part: soup.NewPart(b.Budget), file: s.Data, text: text[:spans[i].To], highest: -1, bounds: bounds}
		return p, p.statements(spans[i].From)
	}
	chunks, err := soup.InOrder(len(spans), func(_, i int) (*chunk, error) {
		p, err := parse(i, nil)
		if err != nil {
			return nil, err
		}
		return p, s.Step(int64(spans[i].To - spans[i].From))
	})
	if err != nil {
		return err
	}
	parts, total := make([]*soup.Part, len(chunks)), 0
	for i, p := range chunks {
		parts[i] = p.Part
		total += len(p.Vertices)
	}
	before := 0
	for i, p := range chunks {
		if p.highest >= int64(total) || p.lowest < -int64(before) {
			// An index is out of range. Parse the chunk again to find the place of the index.
			p.Free()
			_, err := parse(i, &bounds{int64(before), int64(total)})
			return err
		}
		before += len(p.Vertices)
	}
	if err := soup.Join(b, parts); err != nil {
		return err
	}
	return noteIgnored(s, b, chunks)
}

// joinContinued returns the text of the file with continued lines joined. Blanks replace the
// backslash and the newline, so offsets stay the same. A backslash in a comment has no effect. If
// the next line begins with a letter, the backslash belongs to a path or a name.
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

// noteIgnored adds notes about the statements that were skipped. It refuses a file that has an
// unknown statement and no vertices, because such a file is not OBJ.
func noteIgnored(s *soup.Source, b *soup.Builder, chunks []*chunk) error {
	var sum [numKinds]int
	first := -1 // position of the first unknown statement; −1 if there is none
	for _, p := range chunks {
		if first < 0 && p.counts[unknown] > 0 {
			first = p.unknownAt
		}
		for k, n := range p.counts {
			sum[k] += n
		}
	}
	if len(b.Vertices) == 0 && sum[unknown] > 0 {
		word := s.Data[first:scan.WordEnd(s.Data, first)]
		return soup.AtLine(scan.LineAt(s.Data, first), soup.ErrSyntax, "%s is not an OBJ statement, and the file has no vertices", quote.Word(word))
	}
	b.NoteCount("number of vertices whose weight w is ignored: %d", sum[weights])
	b.NoteCount("number of ignored line elements: %d", sum[lines])
	b.NoteCount("number of ignored point elements: %d", sum[points])
	b.NoteCount("free-form statements ignored: %d", sum[freeForm])
	if sum[unknown] > 0 {
		b.Note("number of ignored unknown statements: %d, the first on line %d", sum[unknown], scan.LineAt(s.Data, first))
	}
	return nil
}

// Kinds of ignored content that a chunk counts.
const (
	weights = iota
	lines
	points
	freeForm
	unknown
	numKinds
)

// ignoredWords lists the statements that do not change the shape of polygons. freeFormWords lists
// the statements of free-form geometry.
const (
	ignoredWords  = " vt vn vp s mg mtllib usemtl usemap maplib lod bevel c_interp d_interp shadow_obj trace_obj "
	freeFormWords = " deg bmat step cstype curv curv2 surf parm trim hole scrv sp end con ctech stech bzp bsp cdc cdp res "
)

// known reports whether word is one of the words in list. The longest word has 10 bytes.
func known(list string, word []byte) bool {
	return len(word) <= 10 && strings.Contains(list, " "+string(word)+" ")
}
