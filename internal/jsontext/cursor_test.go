package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// readAll reads all of a text with Object and List.
func readAll(c *Cursor) error {
	b, err := c.Peek()
	if err != nil {
		return err
	}
	switch b {
	case '{':
		_, err := c.Object(func(key Quoted) error {
			key.Text()
			return readAll(c)
		})
		return err
	case '[':
		return c.List(func(int) error { return readAll(c) })
	}
	_, err = c.Skip()
	return err
}

// FuzzCursor compares Skip, and reading with Object and List, with encoding/json.
func FuzzCursor(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-2.5e3,"x\u00e4\"\n",null,true,{}],"b":{"c":[]}}`, `[ 1 , 23 ,4]`, `[01]`, `[1,]`, `{"a" 1}`, `{,}`, `[1 2]`, `"\ud834\udd1e\ud834"`,
		`-`, `1.e2`, `"` + "\x01" + `"`, `"\x"`, `"\u12g4"`, ``, ` `, `[-0,0.0,1E+9]`, `{"a":1,}`, `nul`, `[[[[`, "\xef\xbb\xbf{}", `[1e]`, `{"":""}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Infinity")) {
			return
		}
		skip, read := Cursor{Text: text}, Cursor{Text: text}
		kind, err := skip.Skip()
		readErr := readAll(&read)
		if errors.Is(err, ErrDepth) != errors.Is(readErr, ErrDepth) {
			t.Fatalf("%q: Skip %v, Object and List %v", text, err, readErr)
		}
		if errors.Is(err, ErrDepth) {
			return
		}
		var syntax *Error
		if err != nil && (!errors.As(err, &syntax) || syntax.At < 0 || syntax.At > len(text)) {
			t.Fatalf("%q: %v", text, err)
		}
		if (err == nil) != (readErr == nil) || err == nil && skip.At != read.At {
			t.Fatalf("%q: Skip ends at %d, %v; Object and List at %d, %v", text, skip.At, err, read.At, readErr)
		}
		valid := json.Valid(text)
		if err != nil {
			if valid {
				t.Fatalf("%q: %v, want no error", text, err)
			}
			return
		}
		if got := json.Valid(text[:skip.At]); !got {
			t.Fatalf("%q: the first %d bytes are no JSON text", text, skip.At)
		}
		if rest := bytes.TrimLeft(text[skip.At:], " \t\r\n"); len(rest) == 0 != valid {
			t.Fatalf("%q: got the end %d, valid %v", text, skip.At, valid)
		}
		if kind == String {
			var want string
			c := Cursor{Text: text}
			if _, err := c.Peek(); err != nil {
				t.Fatal(err)
			}
			q, err := c.Quoted()
			if err != nil || json.Unmarshal(text[:c.At], &want) != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if got := strings.ToValidUTF8(string(q.Text()), "\ufffd"); got != strings.ToValidUTF8(want, "\ufffd") && !bytes.ContainsRune(text, '\ufffd') {
				t.Fatalf("%q: got %q, want %q", text, got, want)
			}
		}
	})
}

func TestWords(t *testing.T) {
	for text, want := range map[string]Kind{
		"NaN": Number, " -Infinity": Number, "Infinity": Number, "null": Null, "true": Bool, "false": Bool, "[NaN,1]": List, "{}": Object, `""`: String,
	} {
		c := Cursor{Text: []byte(text)}
		if got, err := c.Skip(); got != want || err != nil || c.At != len(text) {
			t.Errorf("%s: got %v, %v, end %d", text, got, err, c.At)
		}
	}
}

// TestErrors checks the places and the texts of errors.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1 "b"}`:              `byte 7: expected a comma or a brace, found "\"b\"}"`,
		`[1 2]`:                    `byte 3: expected a comma or a bracket, found "2]"`,
		`{a:1}`:                    `byte 1: expected a key in quotes, found "a:1}"`,
		`{"a"=1}`:                  `byte 4: expected a colon, found "=1}"`,
		`[1,`:                      `byte 3: the JSON text is cut off`,
		`{"a":`:                    `byte 5: the JSON text is cut off`,
		`"\q"`:                     `byte 1: expected an escape of JSON, found "\\q\""`,
		`"` + "\n" + `"`:           `byte 1: a control character in a string must be escaped`,
		strings.Repeat("[", 200):   `byte 100: lists and objects are nested more than 100 levels deep`,
		`[-01]`:                    `byte 1: expected a value, found "-01]"`,
		`{"a":` + "\x00" + `"b":1`: `byte 5: expected a value, found "\x00\"b\":1"`,
	} {
		c := Cursor{Text: []byte(text)}
		if _, err := c.Skip(); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
