package binding

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// appendJSON appends v as JSON. Compared with json.Marshal, the names of fields begin with a
// lower-case letter, numbers that are not finite are null, nil slices are empty, points are arrays
// [x, y, z], an empty box is null, durations are seconds, and constants have their names.
func appendJSON(dst []byte, v reflect.Value) ([]byte, error) {
	switch x := v.Interface().(type) {
	case time.Duration:
		return appendNumber(dst, x.Seconds()), nil
	case r3.Vector:
		return appendVector(dst, x), nil
	case bvh.Box:
		return appendBox(dst, x), nil
	case encoding.TextMarshaler:
		text, err := x.MarshalText()
		if err != nil {
			return dst, err
		}
		return appendText(dst, string(text))
	case fmt.Stringer:
		return appendText(dst, x.String())
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return appendJSON(dst, v.Elem())
	case reflect.String:
		return appendText(dst, v.String())
	case reflect.Float64:
		return appendNumber(dst, v.Float()), nil
	case reflect.Slice, reflect.Array:
		return appendList(dst, v)
	case reflect.Struct:
		dst, err := appendFields(append(dst, '{'), v)
		return append(dst, '}'), err
	}
	text, err := json.Marshal(v.Interface())
	return append(dst, text...), err
}

func appendText(dst []byte, s string) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // the caller decides about < and >
	err := e.Encode(s)
	return append(dst, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...), err
}

func appendNumber(dst []byte, x float64) []byte {
	if x-x != 0 {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 64)
}

func appendVector(dst []byte, p r3.Vector) []byte {
	dst = append(appendNumber(append(dst, '['), p.X), ',')
	dst = append(appendNumber(dst, p.Y), ',')
	return append(appendNumber(dst, p.Z), ']')
}

func appendBox(dst []byte, b bvh.Box) []byte {
	if b.Empty() {
		return append(dst, "null"...)
	}
	dst = appendVector(append(dst, `{"min":`...), b.Min)
	return append(appendVector(append(dst, `,"max":`...), b.Max), '}')
}

func appendList(dst []byte, v reflect.Value) (_ []byte, err error) {
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendJSON(dst, v.Index(i)); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendFields appends the exported fields of a struct. Those of embedded structs come as if they
// were fields of v.
func appendFields(dst []byte, v reflect.Value) (_ []byte, err error) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		if f.Anonymous {
			if dst, err = appendFields(dst, v.Field(i)); err != nil {
				return dst, err
			}
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		first, size := utf8.DecodeRuneInString(f.Name)
		dst = append(strconv.AppendQuote(dst, string(unicode.ToLower(first))+f.Name[size:]), ':')
		if dst, err = appendJSON(dst, v.Field(i)); err != nil {
			return dst, err
		}
	}
	return dst, nil
}
