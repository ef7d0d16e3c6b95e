package vtk

import (
	"bytes"
	"strings"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// These constants bound the memory and the time for a tag. The elements of VTK nest 7 deep and have at
// most 12 attributes (tuning).
const (
	maxDepth      = 256
	maxAttributes = 64
)

// xmlText reads the tags of XML in order. It does not copy the text. It does not read ahead, because raw
// bytes can follow a start tag. It decodes no references such as &lt;, because the names and the numbers
// of VTK have no such characters.
type xmlText struct {
	src        *soup.Source
	text       soup.Text
	at         int         // end of the last tag
	open       [][]byte    // names of the open elements
	attributes []attribute // attributes of the last start tag
	seen       int         // number of tags
}

type attribute struct{ name, value []byte }

// tag is a tag, or other markup that has no name, such as a comment.
type tag struct {
	at    int // position of the first character
	name  []byte
	end   bool // the tag is an end tag
	empty bool // the tag is the whole element
}

// next returns the next start or end tag. It skips text and other markup.
func (x *xmlText) next() (tag, error) {
	for {
		i := bytes.IndexByte(x.text[x.at:], '<')
		if i < 0 {
			return tag{}, x.cut()
		}
		x.at += i
		t, err := x.markup()
		if err != nil || t.name != nil {
			return t, err
		}
	}
}

// cut returns the error for text that ends before the root element ends.
func (x *xmlText) cut() error {
	if len(x.open) == 0 {
		return x.text.Fail(len(x.text), soup.ErrTruncated, "the file ends before its first element")
	}
	return x.text.Fail(len(x.text), soup.ErrTruncated, "the file ends in the element %s", quote.Word(x.open[len(x.open)-1]))
}

// otherMarkup lists the starts and ends of markup without a name.
var otherMarkup = []struct{ start, end string }{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}}

// markup reads the markup at position at, which is the position of '<'.
func (x *xmlText) markup() (tag, error) {
	from := x.at
	rest := x.text[from:]
	x.seen++
	if err := x.src.Check(x.seen); err != nil {
		return tag{}, err
	}
	for _, m := range otherMarkup {
		if bytes.HasPrefix(rest, []byte(m.start)) {
			n := bytes.Index(rest[len(m.start):], []byte(m.end))
			if n < 0 {
				return tag{}, x.text.Fail(from, soup.ErrTruncated, "%s is not followed by %s", m.start, m.end)
			}
			x.at = from + len(m.start) + n + len(m.end)
			return tag{at: from}, nil
		}
	}
	switch {
	case bytes.HasPrefix(rest, []byte("<!")):
		return tag{}, x.text.Fail(from, soup.ErrUnsupported, "a document type declaration")
	case bytes.HasPrefix(rest, []byte("</")):
		return x.endTag()
	}
	return x.startTag()
}

func (x *xmlText) endTag() (tag, error) {
	from := x.at
	name, i := x.nameAt(from + 2)
	i = scan.SkipSpace(x.text, i)
	switch {
	case i == len(x.text):
		return tag{}, x.cut()
	case x.text[i] != '>' || len(x.open) == 0 || !bytes.Equal(name, x.open[len(x.open)-1]):
		return tag{}, x.text.Fail(from, soup.ErrSyntax, "the end tag of %s does not belong to the open element", quote.Word(name))
	}
	x.at = i + 1
	x.open = x.open[:len(x.open)-1]
	return tag{at: from, name: name, end: true}, nil
}

// startTag reads a start tag and its attributes.
func (x *xmlText) startTag() (tag, error) {
	t := tag{at: x.at}
	var i int
	t.name, i = x.nameAt(x.at + 1)
	if len(t.name) == 0 {
		return t, x.text.Fail(x.at, soup.ErrSyntax, "< is not followed by a name")
	}
	x.attributes = x.attributes[:0]
	for {
		start := i
		i = scan.SkipSpace(x.text, i)
		switch {
		case i == len(x.text):
			return t, x.text.Fail(t.at, soup.ErrTruncated, "the file ends in a tag of %s", quote.Word(t.name))
		case x.text[i] == '>':
			if len(x.open) == maxDepth {
				return t, x.text.Fail(i, soup.ErrSyntax, "elements nest more than %d deep", maxDepth)
			}
			x.open = append(x.open, t.name)
			x.at = i + 1
			return t, nil
		case x.text[i] == '/' && i+1 < len(x.text) && x.text[i+1] == '>':
			t.empty = true
			x.at = i + 2
			return t, nil
		case i == start:
			return t, x.text.Fail(i, soup.ErrSyntax, "a blank must separate the attributes of %s", quote.Word(t.name))
		}
		var err error
		if i, err = x.attribute(t, i); err != nil {
			return t, err
		}
	}
}

// attribute reads the attribute at i and returns its end.
func (x *xmlText) attribute(t tag, i int) (int, error) {
	from := i
	name, i := x.nameAt(i)
	i = scan.SkipSpace(x.text, i)
	if len(name) == 0 || i == len(x.text) || x.text[i] != '=' {
		return 0, x.text.Fail(from, soup.ErrSyntax, "a tag of %s has an attribute without a value", quote.Word(t.name))
	}
	i = scan.SkipSpace(x.text, i+1)
	if i == len(x.text) || x.text[i] != '"' && x.text[i] != '\'' {
		return 0, x.text.Fail(from, soup.ErrSyntax, "the value of the attribute %s has no quotes", quote.Word(name))
	}
	n := bytes.IndexByte(x.text[i+1:], x.text[i])
	if n < 0 {
		return 0, x.text.Fail(from, soup.ErrTruncated, "the file ends in the attribute %s", quote.Word(name))
	}
	for _, a := range x.attributes {
		if bytes.Equal(a.name, name) {
			return 0, x.text.Fail(from, soup.ErrSyntax, "a tag of %s has the attribute %s twice", quote.Word(t.name), quote.Word(name))
		}
	}
	if len(x.attributes) == maxAttributes {
		return 0, x.text.Fail(from, soup.ErrSyntax, "a tag of %s has more than %d attributes", quote.Word(t.name), maxAttributes)
	}
	x.attributes = append(x.attributes, attribute{name, x.text[i+1 : i+1+n]})
	return i + n + 2, nil
}

// nameAt returns the name at i and its end.
func (x *xmlText) nameAt(i int) ([]byte, int) {
	from := i
	for i < len(x.text) && !scan.IsSpace(x.text[i]) && strings.IndexByte("</>='\"", x.text[i]) < 0 {
		i++
	}
	return x.text[from:i], i
}

// attr returns the value of an attribute of the last start tag without surrounding white space, or "" if
// there is none.
func (x *xmlText) attr(name string) string {
	for _, a := range x.attributes {
		if string(a.name) == name {
			return string(bytes.TrimSpace(a.value))
		}
	}
	return ""
}

// children calls a function for each child of the element whose start tag was read last. The function
// must read the child to its end.
func (x *xmlText) children(parent tag, do func(tag) error) error {
	if parent.empty {
		return nil
	}
	for {
		t, err := x.next()
		if err != nil || t.end {
			return err
		}
		if err := do(t); err != nil {
			return err
		}
	}
}

// skip reads an element to its end.
func (x *xmlText) skip(t tag) error {
	return x.children(t, x.skip)
}

// content returns the text of an element without blanks at its start, as the span from ≤ i < to. It reads
// the element to its end and skips its children. If the text before a child or a comment is not blank,
// the text after it must be blank.
func (x *xmlText) content(t tag) (from, to int, err error) {
	from, to = x.at, x.at
	for !t.empty {
		start := scan.SkipSpace(x.text, x.at)
		n := bytes.IndexByte(x.text[x.at:], '<')
		if n < 0 {
			return 0, 0, x.cut()
		}
		x.at += n
		if start < x.at {
			if from < to {
				return 0, 0, x.text.Fail(start, soup.ErrSyntax, "the text of the element %s is interrupted", quote.Word(t.name))
			}
			from, to = start, x.at
		}
		if bytes.HasPrefix(x.text[x.at:], []byte("<![CDATA[")) {
			return 0, 0, x.text.Fail(x.at, soup.ErrUnsupported, "a section CDATA")
		}
		child, err := x.markup()
		if err != nil {
			return 0, 0, err
		}
		if child.end {
			break
		}
		if child.name != nil {
			if err := x.skip(child); err != nil {
				return 0, 0, err
			}
		}
	}
	return from, to, nil
}

// finish checks that only blanks and comments follow the root element.
func (x *xmlText) finish() error {
	for {
		i := scan.SkipSpace(x.text, x.at)
		switch {
		case i == len(x.text):
			return nil
		case x.text[i] == '<':
			x.at = i
			t, err := x.markup()
			if err != nil {
				return err
			}
			if t.name == nil {
				continue
			}
		}
		return x.text.Fail(i, soup.ErrSyntax, "found more text after the root element")
	}
}
