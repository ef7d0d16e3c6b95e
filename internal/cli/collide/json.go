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

// strictJSON decodes an object. Only the given names can occur, each at most once. Nothing can
// follow the object.
func strictJSON(data []byte, to any, names ...string) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	end := d.InputOffset()
	if rest := bytes.TrimLeft(data[end:], " \t\r\n"); len(rest) > 0 {
		return placedError{int64(len(data) - len(rest)), errors.New("expected the end of the file after the scene")}
	}
	return checkNames(data, names)
}

// checkNames returns an error for two mistakes that package json accepts: a name that occurs twice
// in an object, and a name in the wrong case. It accepts data that is not an object.
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

// placedError is an error at a byte offset of the text.
type placedError struct {
	offset int64
	err    error
}

func (e placedError) Error() string { return e.err.Error() }

// placed adds the line and the column to a JSON error, if the error has an offset.
func placed(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var own placedError
	offset := int64(-1)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset - 1 // Offset is after the bad byte
	case errors.As(err, &kind):
		offset = kind.Offset - 1
	case errors.As(err, &own):
		offset = own.offset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		offset, err = int64(len(data)), errors.New("the JSON text ends too early")
	}
	if offset < 0 || offset > int64(len(data)) {
		return plain(err)
	}
	before := data[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := int(offset) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %w", line, column, plain(err))
}

// plain rewrites a JSON error without Go terms.
func plain(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		want := map[string]string{"slice": "a list", "struct": "an object", "string": "a string", "float64": "a number"}[kind.Type.Kind().String()]
		if _, bad := strconv.Atoi(kind.Field); kind.Field == "" || bad == nil { // Go 1.27 and later report an index
			return fmt.Errorf("expected %s, found %s", want, article(kind.Value))
		}
		return fmt.Errorf("%q: expected %s, found %s", kind.Field, want, article(kind.Value))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// article returns the name of a JSON type with its article.
func article(value string) string {
	switch value {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a " + value
}
