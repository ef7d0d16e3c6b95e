package gltf

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// jsonText holds the original JSON of a document and its canonical form; see canonicalJSON.
type jsonText struct {
	original, canonical []byte
	at                  int64 // offset in the file at which the original text begins
}

// decode decodes the canonical text. The positions in its errors refer to the original text.
func (t *jsonText) decode(into any) error {
	err := json.Unmarshal(t.canonical, into)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var offset int64
	e := &soup.Error{}
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
		e.Err = soup.Reason(soup.ErrSyntax, "JSON: %w", err)
		if syntax.Error() == "unexpected end of JSON input" {
			e.Err = soup.Reason(soup.ErrTruncated, "JSON: %w", err)
		}
	case errors.As(err, &kind):
		offset = kind.Offset
		e.Err = soup.Reason(soup.ErrSyntax, "%s cannot be a JSON %s", fieldOf(kind), quote.Line(kind.Value))
	default:
		return soup.AtPath("", soup.ErrSyntax, "JSON: %w", err)
	}
	at := originalPlace(t.original, int(max(offset-1, 0)))
	e.Offset = t.at + int64(at)
	e.Line = 1 + bytes.Count(t.original[:min(at, len(t.original))], []byte("\n"))
	return e
}

// canonicalJSON returns the text of a glTF document in the form that encoding/json and the glTF
// library need. It returns text itself if no change is necessary. Valid JSON stays valid. Invalid
// JSON stays invalid, with its error at the same place. There are two changes:
//
//   - Integers with a fraction or an exponent, such as 4.0 and 1e2, become plain digits. glTF 2.0
//     §2.7 allows such integers, but encoding/json does not decode them into an int.
//   - Names that differ from a known name only in letter case, such as "MODE", become underscores.
//     The names of glTF are case-sensitive, but encoding/json ignores case. The names in an object
//     called attributes, such as TRANSLATION, stay, because they are keys of a map.
func canonicalJSON(text []byte, mem *soup.Budget) ([]byte, error) {
	size, same := len(text), true
	rewriteJSON(text, func(start, end int, by []byte) {
		size, same = size+len(by)-(end-start), false
	})
	if same {
		return text, nil
	}
	if err := mem.Reserve(int64(size)); err != nil {
		return nil, err
	}
	out, from := make([]byte, 0, size), 0
	rewriteJSON(text, func(start, end int, by []byte) {
		out, from = append(append(out, text[from:start]...), by...), end
	})
	return append(out, text[from:]...), nil
}

// originalPlace converts a position in the canonical form to a position in the original text.
func originalPlace(text []byte, at int) int {
	shift := 0 // extra length of the canonical form so far, in bytes
	place := -1
	rewriteJSON(text, func(start, end int, by []byte) {
		switch {
		case place >= 0:
		case at < start+shift:
			place = at - shift
		case at < start+shift+len(by):
			place = start
		}
		shift += len(by) - (end - start)
	})
	if place < 0 {
		place = at - shift
	}
	return place
}

// rewriteJSON calls edit for each part of the text that must change, in the order of the text. The
// replacement is valid only during the call.
func rewriteJSON(text []byte, edit func(start, end int, by []byte)) {
	var room []byte
	inMap := false // the names of the present object are keys of a map
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			end := stringEnd(text, i)
			after := scan.SkipSpace(text, end+1)
			if after >= len(text) || text[after] != ':' {
				i = after
				continue
			}
			name := unquote(text[i : end+1])
			if !inMap && mistaken(name) {
				room = append(room[:0], text[i+1:end]...)
				for k := range room {
					room[k] = '_'
				}
				edit(i+1, end, room)
			}
			if i = after; string(name) == "attributes" {
				if i = scan.SkipSpace(text, after+1); i < len(text) && text[i] == '{' {
					i, inMap = i+1, true
				}
			}
		case c == '{' || c == '}':
			i, inMap = i+1, false
		case c == '-' || '0' <= c && c <= '9':
			end := i + 1
			for end < len(text) && isNumberByte(text[end]) {
				end++
			}
			if plain, ok := plainInteger(room[:0], text[i:end]); ok {
				room = plain
				edit(i, end, plain)
			}
			i = end
		default:
			i++
		}
	}
}

// stringEnd returns the position of the quote that ends the string at start. It returns len(text)
// if the string has no end.
func stringEnd(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(text)
}

func isNumberByte(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

// unquote returns the name in a JSON string, or nil if the string is not valid.
func unquote(quoted []byte) []byte {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') < 0 {
		return name
	}
	var plain string
	if json.Unmarshal(quoted, &plain) != nil {
		return nil
	}
	return []byte(plain)
}

// mistaken reports whether encoding/json would confuse a name with a known name.
func mistaken(name []byte) bool {
	findNames.Do(setKnownNames)
	known, ok := knownNames[foldName(string(name))]
	return ok && !slices.Contains(known, string(name))
}

// foldName returns the same string for all names that encoding/json considers equal. Only ToUpper
// replaces the long s (ſ), and only ToLower replaces the Kelvin sign.
func foldName(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// knownNames maps folded names to the names of all decoded members; see foldName. findNames sets it at the first use.
var (
	knownNames map[string][]string
	findNames  sync.Once
)

func setKnownNames() {
	names := map[string][]string{}
	done := map[reflect.Type]bool{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		if done[t] {
			return
		}
		done[t] = true
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			add(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
				if folded := foldName(name); name != "" && name != "-" && !slices.Contains(names[folded], name) {
					names[folded] = append(names[folded], name)
				}
				add(t.Field(i).Type)
			}
		}
	}
	for _, v := range append([]any{gltf.Document{}, shape{}, versionHead{}, fallbackMark{}}, extensionTypes...) {
		add(reflect.TypeOf(v))
	}
	knownNames = names
}

// maxIntegerDigits is the largest number of digits that plainInteger writes. It suffices for all
// integers up to 2⁵³ < 10¹⁶, the range in which JSON numbers are interoperable (RFC 8259 §6).
const maxIntegerDigits = 16

// plainInteger appends a JSON number to dst as an integer in plain digits. ok is false if the
// number is not valid, is not an integer, is too long, or has plain digits already. A zero keeps
// its sign: −0.0 gives −0.
func plainInteger(dst, number []byte) (plain []byte, ok bool) {
	rest, negative := bytes.CutPrefix(number, []byte("-"))
	whole := digits(rest)
	fraction, exponent := 0, 0
	tail := rest[whole:]
	if len(tail) > 0 && tail[0] == '.' {
		if fraction = digits(tail[1:]); fraction == 0 {
			return nil, false
		}
		tail = tail[1+fraction:]
	}
	if len(tail) > 0 && tail[0]|0x20 == 'e' {
		var err error
		if exponent, err = strconv.Atoi(string(tail[1:])); err != nil {
			return nil, false
		}
		tail = nil
	}
	if whole == 0 || whole > 1 && rest[0] == '0' || len(tail) > 0 || whole == len(rest) {
		return nil, false
	}
	if negative {
		dst = append(dst, '-')
	}
	start := len(dst)
	dst = append(dst, rest[:whole]...)
	if fraction > 0 {
		dst = append(dst, rest[whole+1:whole+1+fraction]...)
	}
	d := bytes.TrimLeft(dst[start:], "0")
	significant := len(bytes.TrimRight(d, "0"))
	switch places := len(d) - fraction + exponent; { // places is the number of digits of the integer
	case significant == 0:
		return append(dst[:start], '0'), true
	case places < significant || places > maxIntegerDigits:
		return nil, false
	default:
		dst = append(dst[:start], d[:significant]...)
		for range places - significant {
			dst = append(dst, '0')
		}
		return dst, true
	}
}

// digits returns the number of digits at the front of b.
func digits(b []byte) int {
	n := 0
	for n < len(b) && '0' <= b[n] && b[n] <= '9' {
		n++
	}
	return n
}
