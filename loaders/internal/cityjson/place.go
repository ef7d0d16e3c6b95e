package cityjson

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// step is a step of a path from a JSON value to a value inside it: the key of a member, or the
// number of an element.
type step struct {
	key    []byte // used if number is −1
	number int
}

// enter adds a step to the path of the cursor; leave removes it. An error leaves the path unchanged,
// because the error reports the path.
func (r *reader) enter(key []byte)   { r.path = append(r.path, step{key, -1}) }
func (r *reader) enterItem(k int)    { r.path = append(r.path, step{number: k}) }
func (r *reader) leave()             { r.path = r.path[:len(r.path)-1] }
func (r *reader) setItem(number int) { r.path[len(r.path)-1].number = number }

// pointer returns the path as a JSON pointer (RFC 6901).
func (r *reader) pointer() string {
	var s strings.Builder
	for _, p := range r.path {
		s.WriteByte('/')
		if p.number >= 0 {
			s.WriteString(strconv.Itoa(p.number))
		} else {
			s.WriteString(escape.Replace(string(p.key)))
		}
	}
	return s.String()
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

// fail returns an error at byte i, with the path of the cursor. In a sequence, the error also has the
// line.
func (r *reader) fail(i int, kind error, format string, args ...any) *soup.Error {
	e := soup.AtByte(int64(i), kind, format, args...)
	e.Path = r.pointer()
	if r.texts > 0 {
		e.Line = 1 + bytes.Count(r.Text[:min(i, len(r.Text))], []byte("\n"))
	}
	return e
}

// expect fails unless the next value has the given kind. It reads nothing.
func (r *reader) expect(kind jsontext.Kind) error {
	c, err := r.Peek()
	if err != nil {
		return err
	}
	found := jsontext.Number
	switch c {
	case '"':
		found = jsontext.String
	case '{':
		found = jsontext.Object
	case '[':
		found = jsontext.List
	case 'n':
		found = jsontext.Null
	case 't', 'f':
		found = jsontext.Bool
	}
	if found != kind {
		return r.fail(r.At, soup.ErrSyntax, "found %s, must be %s", found, kind)
	}
	return nil
}

// object reads an object, and calls visit for each member with the cursor at its value. The path of the
// cursor has the key during the call.
func (r *reader) object(visit func(key []byte) error) error {
	if err := r.expect(jsontext.Object); err != nil {
		return err
	}
	_, err := r.Object(func(q jsontext.Quoted) error {
		key := q.Text()
		r.enter(key)
		if err := visit(key); err != nil {
			return err
		}
		r.leave()
		return nil
	})
	return err
}

// members does the same as object, but only for the given keys. It skips other members, and fails if one
// of the keys occurs twice.
func (r *reader) members(keys []string, visit func(key string) error) error {
	var seen [16]bool
	return r.object(func(key []byte) error {
		for i, known := range keys {
			if string(key) == known {
				if seen[i] {
					return r.twice()
				}
				seen[i] = true
				return visit(known)
			}
		}
		return r.skip()
	})
}

// twice returns the error for a repeated key, which is the last step of the path.
func (r *reader) twice() error {
	return r.fail(r.At, soup.ErrSyntax, "the key %s occurs twice", quote.Word(r.path[len(r.path)-1].key))
}

// list reads a list, and calls visit for each element with the cursor at it. The path of the cursor has
// the number of the element during the call.
func (r *reader) list(visit func(k int) error) error {
	if err := r.expect(jsontext.List); err != nil {
		return err
	}
	r.enterItem(0)
	err := r.List(func(k int) error {
		r.setItem(k)
		if err := r.src.Check(k); err != nil {
			return err
		}
		return visit(k)
	})
	if err == nil {
		r.leave()
	}
	return err
}

// more reads the comma or the bracket after an element of a list, or before the first element. It reports
// whether another element follows. It does not check the syntax, because the list has been read before.
func (r *reader) more() (bool, error) {
	c, err := r.Peek()
	if err != nil {
		return false, err
	}
	if c == ',' || c == ']' {
		r.At++
	}
	return c != ']', nil
}

// skip reads a value of any kind. It checks the context if the value is a list.
func (r *reader) skip() error {
	if c, err := r.Peek(); err != nil || c != '[' {
		if err == nil {
			_, err = r.Skip()
		}
		return err
	}
	return r.list(func(int) error {
		_, err := r.Skip()
		return err
	})
}

// text reads a string.
func (r *reader) text() (string, error) {
	if err := r.expect(jsontext.String); err != nil {
		return "", err
	}
	q, err := r.Quoted()
	return string(q.Text()), err
}

// word reads a number.
func (r *reader) word() ([]byte, error) {
	if err := r.expect(jsontext.Number); err != nil {
		return nil, err
	}
	word, _, err := r.Word()
	return word, err
}
