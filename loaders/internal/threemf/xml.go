package threemf

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// maxXMLDepth bounds the nesting of elements. The elements of 3MF nest 7 deep: model, resources,
// object, mesh, trianglesets, triangleset, ref. Metadata and extensions can contain other XML.
const maxXMLDepth = 256 // tuning

// namespaceBytes bounds the memory of the decoder for a namespace without its name: an entry of a
// map, and an entry on a stack of about 100 bytes.
const namespaceBytes = 256

// xmlPart reads the elements of an XML part in order.
type xmlPart struct {
	src            *soup.Source
	name           string
	in             *textScanner
	d              *xml.Decoder
	open           []int64 // memory for the name and the namespaces of each open element
	seen           int     // number of elements that were read
	undeclaredNote string  // note about the first element with an undeclared prefix
	plain          bool    // no element below the root changes the default namespace
}

// newXMLPart returns an xmlPart for text in UTF-8, or in UTF-16 with a byte order mark. The result
// is not nil, even if there is an error.
func newXMLPart(s *soup.Source, name string, r io.Reader) (*xmlPart, error) {
	buf := bufio.NewReaderSize(r, 64<<10)
	x := &xmlPart{src: s, name: name, plain: true}
	var text io.Reader = buf
	var order binary.ByteOrder // byte order of UTF-16 text
	head, err := buf.Peek(3)
	switch {
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		order = binary.BigEndian
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case string(head) == "\xef\xbb\xbf":
		_, err = buf.Discard(3)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err == nil && order != nil {
		var data []byte
		data, err = s.ReadUTF16(buf, order)
		text = bytes.NewReader(data)
	}
	x.in = newTextScanner(text)
	x.d = xml.NewDecoder(x.in)
	x.d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if order != nil {
			return in, nil // the text is UTF-8 at this point
		}
		return nil, x.fail(soup.ErrUnsupported, "the encoding of the XML is %s, must be UTF-8 or UTF-16", quote.Word(label))
	}
	return x, err
}

// token returns the next start or end of an element. It refuses a document type declaration (3MF
// core §2.3.2). It skips all other tokens.
func (x *xmlPart) token() (xml.Token, error) {
	for {
		x.in.token = 0
		t, err := x.d.Token()
		if errors.Is(err, errToken) {
			return nil, x.fail(soup.ErrTooLarge, "a tag, a comment or a text has more than %d bytes", maxToken)
		}
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if x.undeclaredNote == "" && undeclared(t.Name.Space) {
				x.undeclaredNote = fmt.Sprintf("%s line %d: prefix %s is not declared: elements with this prefix are ignored", quote.Line(x.name), x.line(), quote.Word(t.Name.Space))
			}
			x.seen++
			if err := x.src.Check(x.seen); err != nil {
				return nil, err
			}
			if len(x.open) == maxXMLDepth {
				return nil, x.fail(soup.ErrSyntax, "elements nest more than %d deep", maxXMLDepth)
			}
			bytes := int64(len(t.Name.Local))
			for _, a := range t.Attr {
				if a.Name == (xml.Name{Local: "xmlns"}) || a.Name.Space == "xmlns" {
					bytes += namespaceBytes + int64(len(a.Name.Local)+len(a.Value))
					x.plain = x.plain && (len(x.open) == 0 || a.Name.Space != "")
				}
			}
			x.open = append(x.open, bytes)
			return t, x.src.Budget.Reserve(bytes)
		case xml.EndElement:
			x.src.Budget.Release(x.open[len(x.open)-1])
			x.open = x.open[:len(x.open)-1]
			return t, nil
		case xml.Directive:
			return nil, x.fail(soup.ErrSyntax, "3MF forbids document type declarations")
		}
	}
}

// undeclared reports whether the given namespace is an undeclared prefix. The decoder returns such
// a prefix in place of the namespace. The namespaces of 3MF are URIs, which contain a colon.
func undeclared(space string) bool { return space != "" && !strings.Contains(space, ":") }

// root returns the root element.
func (x *xmlPart) root() (xml.StartElement, error) {
	t, err := x.token()
	if errors.Is(err, io.EOF) {
		return xml.StartElement{}, x.fail(soup.ErrTruncated, "the part has no element")
	}
	if err != nil {
		return xml.StartElement{}, err
	}
	return t.(xml.StartElement), nil // never an end, because the decoder rejects an end without a start
}

// children calls a function for each child of the current element. The function must read the rest
// of the child with skip or children.
func (x *xmlPart) children(do func(xml.StartElement) error) error {
	for {
		t, err := x.token()
		if err != nil {
			return err
		}
		e, ok := t.(xml.StartElement)
		if !ok {
			return nil
		}
		if err := do(e); err != nil {
			return err
		}
	}
}

// childrenNamed calls a function for each child element with the given name. It skips elements of
// extensions. It refuses other elements of the core, because they can be misspelled parts of the
// shape.
func (x *xmlPart) childrenNamed(parent, name string, do func(xml.StartElement) error) error {
	return x.children(func(e xml.StartElement) error {
		switch {
		case !ofCore(e):
		case e.Name.Local != name:
			return x.unexpected(parent, e)
		default:
			if err := do(e); err != nil {
				return err
			}
		}
		return x.skip()
	})
}

// ofCore reports whether e belongs to the core specification: its namespace is one of the core, or
// it has no namespace. The schema forbids extensions without a namespace (xs:any of namespace
// ##other).
func ofCore(e xml.StartElement) bool {
	return e.Name.Space == "" || strings.HasPrefix(e.Name.Space, nsCore) || strings.HasPrefix(e.Name.Space, nsDraft)
}

// unexpected returns the error for an element of the core in a parent that cannot contain it.
func (x *xmlPart) unexpected(parent string, e xml.StartElement) *soup.Error {
	return x.fail(soup.ErrSyntax, "3MF does not allow the element %s in %s", quote.Word(e.Name.Local), parent)
}

// emptyElements calls a function with the attributes of each child that has the given name. It
// passes the values of the wanted attributes, without surrounding white space. It skips elements of
// extensions and refuses other elements of the core. For speed, it reads simple text with
// peekElement.
func (x *xmlPart) emptyElements(parent, name string, wanted [3]string, do func([3][]byte) error) error {
	quick := x.plain && !x.in.closed()
	for {
		for quick {
			values, n, ok := x.in.peekElement(name, &wanted)
			if !ok {
				break
			}
			x.in.advance(n)
			if err := do(values); err != nil {
				return err
			}
			x.seen++
			if err := x.src.Check(x.seen); err != nil {
				return err
			}
		}
		t, err := x.token()
		if err != nil {
			return err
		}
		e, ok := t.(xml.StartElement)
		if !ok {
			return nil
		}
		if ofCore(e) {
			if e.Name.Local != name {
				return x.unexpected(parent, e)
			}
			var values [3][]byte
			for i, w := range wanted {
				values[i] = []byte(strings.TrimSpace(attr(e, w)))
			}
			if err := do(values); err != nil {
				return err
			}
		}
		if err := x.skip(); err != nil {
			return err
		}
		quick = quick && x.plain
	}
}

func (x *xmlPart) skip() error {
	for end := len(x.open) - 1; len(x.open) > end; {
		if _, err := x.token(); err != nil {
			return err
		}
	}
	return nil
}

// end checks the text after the root element. It returns an error if another element follows.
func (x *xmlPart) end() error {
	_, err := x.token()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		err = x.fail(soup.ErrSyntax, "an element follows the root element")
	}
	return err
}

// fail returns an *Error at the current line.
func (x *xmlPart) fail(kind error, format string, args ...any) *soup.Error {
	return soup.AtPath(x.name, kind, format, args...).OnLine(x.line())
}

// line returns the number of the current line, from 1.
func (x *xmlPart) line() int { return x.in.lines + 1 }

// place adds the name of the part to err. It also adds the line, except if err is an *Error.
func (x *xmlPart) place(err error) error {
	var own *soup.Error
	var syntax *xml.SyntaxError
	switch {
	case err == nil || x.src.Err() != nil:
		return err
	case errors.As(err, &own):
		if own.Path == "" {
			own.Path = x.name
		}
		return own
	case errors.As(err, &syntax):
		kind := soup.ErrSyntax
		if syntax.Msg == "unexpected EOF" {
			kind = soup.ErrTruncated
		}
		return x.fail(kind, "XML: %s", quote.Line(syntax.Msg))
	}
	return zipError(x.name, err).OnLine(x.line())
}
