// Package jsontext reads JSON texts (RFC 8259) value by value. It builds no tree: a Cursor moves
// through the bytes, and its caller reads or skips each value. The words NaN, Infinity and -Infinity,
// which Python writes, are accepted as numbers.
package jsontext

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/inpoly/inpoly/internal/quote"
)

// Kind is the kind of a JSON value.
type Kind uint8

// These are the kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// String returns the name of the kind with its article.
func (k Kind) String() string {
	return [...]string{"null", "a truth value", "a number", "a string", "a list", "an object"}[k]
}

// MaxDepth is the largest depth of nested lists and objects. Each level is a call on the stack.
const MaxDepth = 100

// These errors are reasons in an Error.
var (
	// ErrCut: the text ends inside a value.
	ErrCut = errors.New("the JSON text is cut off")
	// ErrDepth: lists and objects are nested too deeply.
	ErrDepth = fmt.Errorf("lists and objects are nested more than %d levels deep", MaxDepth)
)

// Error is a syntax error.
type Error struct {
	At  int // index of the byte in Cursor.Text
	Err error
}

// Error returns the place and the reason.
func (e *Error) Error() string { return fmt.Sprintf("byte %d: %v", e.At, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Cursor is a place in a text. The zero Cursor with a Text is at its beginning.
type Cursor struct {
	Text  []byte
	At    int // index of the next byte
	Depth int // number of lists and objects around the next byte
}

func (c *Cursor) cut() error { return &Error{len(c.Text), ErrCut} }

// Unexpected returns an Error that says what was expected at the next byte, and what is there.
func (c *Cursor) Unexpected(want string) error {
	if c.At >= len(c.Text) {
		return c.cut()
	}
	return &Error{c.At, fmt.Errorf("expected %s, found %s", want, quote.Word(c.Text[c.At:min(len(c.Text), c.At+20)]))}
}

// Peek skips white space and returns the next byte without reading it. Errors: ErrCut at the end of
// the text.
func (c *Cursor) Peek() (byte, error) {
	for c.At < len(c.Text) {
		b := c.Text[c.At]
		if b > ' ' || b != ' ' && b != '\n' && b != '\r' && b != '\t' {
			return b, nil
		}
		c.At++
	}
	return 0, c.cut()
}

// take skips white space and reads the byte want. It reads nothing if another byte follows.
func (c *Cursor) take(want byte) (bool, error) {
	b, err := c.Peek()
	if err != nil || b != want {
		return false, err
	}
	c.At++
	return true, nil
}

// enter reads the bracket or brace that begins a list or an object. The value must begin with it.
func (c *Cursor) enter(open byte, want string) error {
	if ok, err := c.take(open); err != nil {
		return err
	} else if !ok {
		return c.Unexpected(want)
	}
	if c.Depth++; c.Depth > MaxDepth {
		return &Error{c.At - 1, ErrDepth}
	}
	return nil
}

// Object reads an object. It calls visit with the key of each member; visit must read or skip the
// value. It returns the index after the value of the last member, or after the opening brace if there
// is none.
func (c *Cursor) Object(visit func(key Quoted) error) (last int, err error) {
	if err := c.enter('{', "an object"); err != nil {
		return 0, err
	}
	last = c.At
	for first := true; ; first = false {
		if done, err := c.take('}'); err != nil {
			return 0, err
		} else if done {
			c.Depth--
			return last, nil
		}
		if !first {
			if ok, err := c.take(','); err != nil {
				return 0, err
			} else if !ok {
				return 0, c.Unexpected("a comma or a brace")
			}
		}
		if b, err := c.Peek(); err != nil {
			return 0, err
		} else if b != '"' {
			return 0, c.Unexpected("a key in quotes")
		}
		key, err := c.Quoted()
		if err != nil {
			return 0, err
		}
		if ok, err := c.take(':'); err != nil {
			return 0, err
		} else if !ok {
			return 0, c.Unexpected("a colon")
		}
		if _, err := c.Peek(); err != nil {
			return 0, err
		}
		if err := visit(key); err != nil {
			return 0, err
		}
		last = c.At
	}
}

// List reads a list. It calls visit with the number of each element; visit must read or skip the
// element.
func (c *Cursor) List(visit func(k int) error) error {
	if err := c.enter('[', "a list"); err != nil {
		return err
	}
	if done, err := c.take(']'); err != nil || done {
		c.Depth--
		return err
	}
	for k := 0; ; k++ {
		if _, err := c.Peek(); err != nil {
			return err
		}
		if err := visit(k); err != nil {
			return err
		}
		if done, err := c.endElement(); err != nil || done {
			return err
		}
	}
}

// endElement reads the comma or the bracket after an element of a list. done reports whether the list ends.
func (c *Cursor) endElement() (done bool, err error) {
	b, err := c.Peek()
	switch {
	case err != nil:
		return false, err
	case b == ',':
		c.At++
		return false, nil
	case b == ']':
		c.At++
		c.Depth--
		return true, nil
	}
	return false, c.Unexpected("a comma or a bracket")
}

// Skip reads a value of any kind and returns its kind.
func (c *Cursor) Skip() (Kind, error) {
	b, err := c.Peek()
	if err != nil {
		return Null, err
	}
	switch b {
	case '"':
		_, err := c.Quoted()
		return String, err
	case '{':
		_, err := c.Object(func(Quoted) error {
			_, err := c.Skip()
			return err
		})
		return Object, err
	case '[':
		return List, c.skipList()
	}
	_, kind, err := c.Word()
	return kind, err
}

// skipList does the same as List with Skip for each element, in less time.
func (c *Cursor) skipList() error {
	if err := c.enter('[', "a list"); err != nil {
		return err
	}
	if done, err := c.take(']'); err != nil || done {
		c.Depth--
		return err
	}
	for {
		if !c.skipInteger() {
			if _, err := c.Skip(); err != nil {
				return err
			}
		}
		if done, err := c.endElement(); err != nil || done {
			return err
		}
	}
}

// skipInteger skips an integer without a leading zero, if a comma or a bracket follows it. It reads
// nothing if there is none.
func (c *Cursor) skipInteger() bool {
	i := c.At
	for i < len(c.Text) && c.Text[i] == ' ' {
		i++
	}
	if i < len(c.Text) && c.Text[i] == '-' {
		i++
	}
	if i == len(c.Text) || c.Text[i]-'1' > 8 {
		return false
	}
	for i < len(c.Text) && c.Text[i]-'0' <= 9 {
		i++
	}
	if i == len(c.Text) || c.Text[i] != ',' && c.Text[i] != ']' {
		return false
	}
	c.At = i
	return true
}

// Word reads a number, null, true or false.
func (c *Cursor) Word() (word []byte, kind Kind, err error) {
	if _, err := c.Peek(); err != nil {
		return nil, Null, err
	}
	end := c.At
	for end < len(c.Text) && isWord(c.Text[end]) {
		end++
	}
	word = c.Text[c.At:end]
	switch {
	case IsNumber(word), string(word) == "NaN", string(word) == "Infinity", string(word) == "-Infinity":
		kind = Number
	case string(word) == "true", string(word) == "false":
		kind = Bool
	case string(word) != "null":
		return nil, Null, c.Unexpected("a value")
	}
	c.At = end
	return word, kind, nil
}

// isWord reports whether b can be part of a number or of a word such as null.
func isWord(b byte) bool {
	return b-'0' <= 9 || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '-' || b == '+' || b == '.'
}

// Quoted reads a string. The next byte must be its quote.
func (c *Cursor) Quoted() (Quoted, error) {
	q := Quoted{}
	start := c.At + 1
	for i := start; i < len(c.Text); i++ {
		switch b := c.Text[i]; {
		case b == '"':
			c.At = i + 1
			q.Raw = c.Text[start:i]
			return q, nil
		case b < ' ':
			return q, &Error{i, errors.New("a control character in a string must be escaped")}
		case b == '\\':
			q.Escaped = true
			if i++; i == len(c.Text) {
				return q, c.cut()
			}
			if c.Text[i] == 'u' {
				if _, ok := hexRune(c.Text, i+1); !ok {
					c.At = i - 1
					return q, c.Unexpected(`an escape such as \u00e4`)
				}
				i += 4
			} else if bytes.IndexByte([]byte(`"\/bfnrt`), c.Text[i]) < 0 {
				c.At = i - 1
				return q, c.Unexpected("an escape of JSON")
			}
		}
	}
	return q, c.cut()
}
