package jsonl

import (
	"errors"
	"fmt"

	"github.com/inpoly/inpoly/internal/jsontext"
)

// member is a member of an object: a key and a value.
type member struct {
	jsontext.Quoted     // the key
	start, end      int // range of the value
	kind            jsontext.Kind
}

// scanObject calls the given function for each member of the object at b[i:]. It returns the index
// after the object, and the index after the last member, or after the brace of an empty object.
// b must have no line ends.
func scanObject(b []byte, i, depth int, visit func(m *member) error) (end, last int, err error) {
	c := jsontext.Cursor{Text: b, At: i, Depth: depth - 1}
	var m member
	last, err = c.Object(func(key jsontext.Quoted) (err error) {
		m.Quoted, m.start = key, c.At
		if m.kind, err = c.Skip(); err != nil {
			return err
		}
		m.end = c.At
		return visit(&m)
	})
	return c.At, last, lineError(err)
}

// scanValue returns the index after the value at b[i:], and its kind.
func scanValue(b []byte, i, depth int) (end int, kind jsontext.Kind, err error) {
	c := jsontext.Cursor{Text: b, At: i, Depth: depth}
	kind, err = c.Skip()
	return c.At, kind, lineError(err)
}

// lineError adds the place in the line to a syntax error. It returns other errors unchanged.
func lineError(err error) error {
	var syntax *jsontext.Error
	switch {
	case !errors.As(err, &syntax):
		return err
	case errors.Is(err, jsontext.ErrCut):
		return errors.New("the object does not end in this line: JSON Lines have one object in each line")
	case errors.Is(err, jsontext.ErrDepth):
		return syntax.Err
	}
	return fmt.Errorf("byte %d of the line: %w", syntax.At+1, syntax.Err)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func skipBlanks(b []byte, i int) int {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return i
}

func unexpected(b []byte, i int, want string) error {
	c := jsontext.Cursor{Text: b, At: i}
	return lineError(c.Unexpected(want))
}
