package records

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

// FuzzLines reads a text with FillLines, at most a given number of lines at a time. The parts must be the
// text, each with whole lines, and FindLines must find the lines that bytes.Split finds.
func FuzzLines(f *testing.F) {
	f.Add([]byte("1 2 3\n4 5 6\r\n\n7 8"), uint16(16), uint8(2), byte('\n'))
	f.Add([]byte("a\rb\r"), uint16(16), uint8(1), byte('\r'))
	f.Add(append(bytes.Repeat([]byte("x"), 100), "\n1\n2\n3\n"...), uint16(20), uint8(9), byte('\n'))
	f.Add([]byte(" \t\n \n"), uint16(17), uint8(3), byte('\n'))
	f.Fuzz(func(t *testing.T, text []byte, buffer uint16, most uint8, term byte) {
		br := bufio.NewReaderSize(bytes.NewReader(text), int(buffer))
		var b table.Block
		var all []byte
		for {
			b.Start()
			n, err := FillLines(br, &b, int64(most), term)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if lines := int64(bytes.Count(b.Raw, []byte{term})); most > 0 && (n < 1 || n > int64(most) || n != lines && !(n == 1 && lines == 0)) {
				t.Fatalf("%d lines of at most %d: %q", n, most, b.Raw)
			}
			if most == 0 {
				return
			}
			start, end := FindLines(b.Raw, term, nil, nil)
			checkLines(t, b.Raw, term, start, end)
			all = append(all, b.Raw...)
		}
		// Blanks after the last line end are not a line.
		if !bytes.HasPrefix(text, all) || len(bytes.TrimSpace(text[len(all):])) > 0 {
			t.Fatalf("%q was read as %q", text, all)
		}
	})
}

// checkLines compares the lines that FindLines has found with those of bytes.Split.
func checkLines(t *testing.T, raw []byte, term byte, start, end []int32) {
	t.Helper()
	want := bytes.Split(raw, []byte{term})
	if n := len(want); len(want[n-1]) == 0 {
		want = want[:n-1]
	}
	if len(start) != len(want) || len(end) != len(want) {
		t.Fatalf("%d lines in %q, want %d", len(start), raw, len(want))
	}
	at := 0
	for i, line := range want {
		if got, text := string(raw[start[i]:end[i]]), strings.TrimRight(string(line), " \t\r\v\f"); int(start[i]) != at || got != text {
			t.Fatalf("line %d of %q: %q at %d, want %q at %d", i, raw, got, start[i], text, at)
		}
		at += len(line) + 1
	}
}

// TestLongLine reads a line that is longer than the limit.
func TestLongLine(t *testing.T) {
	long := io.MultiReader(strings.NewReader("1\n"), io.LimitReader(endless{}, maxLine+1), strings.NewReader("\n"))
	br := bufio.NewReaderSize(long, 1<<16)
	var b table.Block
	if n, err := FillLines(br, &b, 1, '\n'); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	b.Start()
	if _, err := FillLines(br, &b, 1, '\n'); err == nil || !strings.Contains(err.Error(), "the row has more than 16777216 bytes") {
		t.Errorf("error %v", err)
	}
}

// FuzzWords divides a line into words, and parses them as numbers.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"1 2.5 -3e4", "nan inf -Infinity", "-nan(ind) nan(12", " \t0x1p3\v7,5 ", "1e400 .5 5. . +-1", "nan()x inf(1)"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var words []string
		for i := SkipBlanks(line, 0); i < len(line); {
			end := WordEnd(line, i)
			x, after, ok := ParseNumber(line, i)
			if ok && after != end {
				t.Fatalf("%q: a number at %d ends at %d, and its word at %d", line, i, after, end)
			}
			word := string(line[i:end])
			words = append(words, word)
			want, wantOK := referenceNumber(word)
			if ok != wantOK || ok && !testcloud.EqualOrNaN(x, want) {
				t.Fatalf("%q: %v, %v, want %v, %v", word, x, ok, want, wantOK)
			}
			i = SkipBlanks(line, end)
		}
		same := strings.FieldsFunc(string(line), func(r rune) bool { return strings.ContainsRune(" \t\r\v\f", r) })
		if strings.Join(words, "|") != strings.Join(same, "|") {
			t.Fatalf("%q: words %q, want %q", line, words, same)
		}
	})
}

// referenceNumber parses a word with the package strconv.
func referenceNumber(word string) (float64, bool) {
	lower := strings.ToLower(word)
	if strings.HasSuffix(lower, ")") {
		if front, _, ok := strings.Cut(lower, "("); ok && strings.TrimLeft(front, "+-") == "nan" && len(front) <= 4 {
			return math.NaN(), true
		}
	}
	if sign := strings.TrimLeft(lower, "+-"); sign == "nan" && len(lower) <= 4 {
		return math.NaN(), true
	}
	if strings.ContainsAny(lower, "_px") { // forms of Go that a file does not have
		return 0, false
	}
	x, err := strconv.ParseFloat(word, 64)
	return x, err == nil || errors.Is(err, strconv.ErrRange)
}
