package collide

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// strictJSON decodes one object. Each of the names may occur once, and nothing else may.
func strictJSON(data []byte, to any, names ...string) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	end := d.InputOffset()
	if rest := bytes.TrimLeft(data[end:], " \t\r\n"); len(rest) > 0 {
		return placedError{int64(len(data) - len(rest)), errors.New("more than one value")}
	}
	return checkNames(data, names)
}

// checkNames refuses two things that package json accepts: a name that occurs twice in an object,
// and a name in another case than allowed. data is a JSON value; only objects are checked.
func checkNames(data []byte, names []string) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		at := len(data) - len(bytes.TrimLeft(data[d.InputOffset():], ", \t\r\n"))
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		switch {
		case !slices.Contains(names, name):
			return placedError{int64(at), fmt.Errorf("unknown field %q", name)}
		case seen[name]:
			return placedError{int64(at), fmt.Errorf("field %q occurs twice", name)}
		}
		seen[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
	}
	return nil
}

// placedError is an error at an offset of the text.
type placedError struct {
	offset int64
	err    error
}

func (e placedError) Error() string { return e.err.Error() }

// placed adds line and column to an error of JSON that has a place.
func placed(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var own placedError
	offset := int64(-1)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset - 1 // it counts the byte itself
	case errors.As(err, &kind):
		offset = kind.Offset - 1
	case errors.As(err, &own):
		offset = own.offset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		offset, err = int64(len(data)), errors.New("the text ends too soon")
	}
	if offset < 0 || offset > int64(len(data)) {
		return plain(err)
	}
	before := data[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := int(offset) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %w", line, column, plain(err))
}

// plain returns an error of JSON in words that do not mention Go.
func plain(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		want := map[string]string{"slice": "a list", "struct": "an object", "string": "a string", "float64": "a number"}[kind.Type.Kind().String()]
		if _, bad := strconv.Atoi(kind.Field); kind.Field == "" || bad == nil { // an index, from Go 1.27 on
			return fmt.Errorf("want %s, not %s", want, article(kind.Value))
		}
		return fmt.Errorf("%q: want %s, not %s", kind.Field, want, article(kind.Value))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// article returns the name of a kind of JSON value.
func article(value string) string {
	switch {
	case value == "array":
		return "a list"
	case value == "object":
		return "an object"
	case value == "bool":
		return "true or false"
	}
	return "a " + value
}
