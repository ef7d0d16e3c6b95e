package quote

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile has one character of each kind that must not reach a terminal: C0 and C1 control
// characters, line separators, controls of the writing direction, other invisible characters, and
// bytes that are not UTF-8.
const hostile = "\x00\a\b\t\n\v\f\r\x1b[31m\x7f\u0080\u009b\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\U000e0001\xff\xc3"

func checkPrintable(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Fatalf("%q is not UTF-8", text)
	}
	for _, r := range text {
		if !strconv.IsPrint(r) {
			t.Fatalf("%q contains %U", text, r)
		}
	}
}

func TestWord(t *testing.T) {
	for in, want := range map[string]string{
		"": `""`, "a\"b": `"a\"b"`, "Gehäuse 1": `"Gehäuse 1"`, "\x1b\n\u202e\xff": `"\x1b\n\u202e\xff"`,
		strings.Repeat("x", 40): `"` + strings.Repeat("x", 40) + `"`, strings.Repeat("x", 41): `"` + strings.Repeat("x", 40) + `"…`,
		strings.Repeat("ä", 30): `"` + strings.Repeat("ä", 20) + `"…`, "x" + strings.Repeat("ä", 30): `"x` + strings.Repeat("ä", 19) + `"…`,
		strings.Repeat("\x80", 50): `"` + strings.Repeat(`\x80`, 40) + `"…`,
	} {
		if got := Word(in); got != want || Word([]byte(in)) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"": "", `part "a".stl: C:\x: W ≤ ½ …`: `part "a".stl: C:\x: W ≤ ½ …`, "a\nb\tc\r": `a\nb\tc\r`, "\x1b]0;t\a": `\x1b]0;t\a`,
		"\u009b2J \u202e \u2028 \xff": `\u009b2J \u202e \u2028 \xff`, `\` + "\n": `\\n`,
		strings.Repeat("x", 2000): strings.Repeat("x", 2000), "a" + strings.Repeat("x", 5_000_000) + "b": "a" + strings.Repeat("x", 999) + "…" + strings.Repeat("x", 999) + "b",
	} {
		if got := Line(in); got != want {
			t.Errorf("%.60q: got %.60s, want %.60s", in, got, want)
		}
	}
	checkPrintable(t, Line(hostile))
	checkPrintable(t, Word(hostile))
}

// JSON keeps the value of a text and leaves only printable characters and line feeds.
func TestJSON(t *testing.T) {
	want := map[string]any{hostile[:len(hostile)-2]: []any{"ä\u0085", 1.5, "\u2067"}}
	var buffer bytes.Buffer
	e := json.NewEncoder(&buffer)
	e.SetIndent("", "  ")
	if err := e.Encode(want); err != nil {
		t.Fatal(err)
	}
	text := JSON(buffer.Bytes())
	checkPrintable(t, strings.ReplaceAll(string(text), "\n", ""))
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s is %q, %v", text, got, err)
	}
	if got := string(JSON([]byte("\"a\xff\ufffd\""))); got != `"a\ufffd\ufffd"` {
		t.Errorf("bytes that are not UTF-8 become %s", got)
	}
}

// FuzzQuote checks that all results are printable, that Line has a limited length and changes no
// printable text, and that JSON keeps values.
func FuzzQuote(f *testing.F) {
	f.Add(hostile)
	f.Add(strings.Repeat("ä\u202e", 500))
	f.Fuzz(func(t *testing.T, text string) {
		line := Line(text)
		checkPrintable(t, line)
		checkPrintable(t, Word(text))
		if len(line) > 4*2010 || Line(line) != line && len(line) <= 2000 {
			t.Fatalf("%q becomes %q", text, line)
		}
		data, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		out := JSON(data)
		checkPrintable(t, string(out))
		var want, got string
		if json.Unmarshal(data, &want) != nil || json.Unmarshal(out, &got) != nil || got != want {
			t.Fatalf("%s becomes %s", data, out)
		}
	})
}
