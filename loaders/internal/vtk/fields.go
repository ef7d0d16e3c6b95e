package vtk

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// metadata skips lines up to an empty line.
func (l *legacy) metadata() {
	for l.skipLine(); l.at < len(l.text); l.skipLine() {
		if scan.SkipBlank(l.text, l.at) == scan.LineEnd(l.text, l.at) {
			return
		}
	}
}

// field skips arrays.
func (l *legacy) field() error {
	l.word()
	arrays, err := l.count("the number of arrays")
	if err != nil {
		return err
	}
	for range arrays {
		if l.peek() == "METADATA" {
			l.metadata()
		}
		from := scan.SkipSpace(l.text, l.at)
		l.word()
		parts, err := l.count("the number of components")
		if err != nil {
			return err
		}
		rows, err := l.count("the number of rows")
		if err != nil {
			return err
		}
		kind := l.word()
		if left := int64(len(l.text) - l.at); rows > 0 && parts > 8*left/rows { // a bit is the smallest value
			return l.text.Fail(from, soup.ErrTruncated, "%d × %d values do not fit in the bytes that follow", rows, parts)
		}
		if rows*parts > math.MaxInt32 {
			return l.text.Fail(from, soup.ErrTooLarge, "%d × %d values", rows, parts)
		}
		if err := l.skipValues(from, strings.ToLower(kind), int(rows*parts)); err != nil {
			return err
		}
	}
	return nil
}

// skipValues skips n values of the given type. The array begins at from.
func (l *legacy) skipValues(from int, name string, n int) error {
	kind, isNumber := legacyNumber(name)
	switch {
	case name == "variant", name == "string" && !l.binary, name == "utf8_string" && !l.binary:
		return l.skipLines(from, n)
	case name == "string", name == "utf8_string":
		return l.skipStrings(from, n)
	case name == "bit" && l.binary:
		return l.skipBytes(from, (n+7)/8)
	case isNumber && l.binary:
		if n > len(l.text)/kind.size {
			return l.cutField(from)
		}
		return l.skipBytes(from, n*kind.size)
	case isNumber, name == "bit":
		return l.skipNumbers(n)
	}
	return l.text.Fail(from, soup.ErrUnsupported, "a field before the cells has the type %s", quote.Word(name))
}

func (l *legacy) cutField(from int) error {
	return l.text.Fail(from, soup.ErrTruncated, "the file ends in a field")
}

// skipBytes skips the current line and n bytes.
func (l *legacy) skipBytes(from, n int) error {
	l.skipLine()
	if n > len(l.text)-l.at {
		return l.cutField(from)
	}
	l.at += n
	return nil
}

// skipNumbers skips n words, which must be numbers.
func (l *legacy) skipNumbers(n int) error {
	v := &textValues{text: l.text, at: l.at, end: len(l.text), previous: l.at}
	var one [1]float64
	for i := range n {
		if err := v.read(one[:]); err != nil {
			return err
		}
		if err := l.s.Check(i); err != nil {
			return err
		}
	}
	l.at = v.at
	return nil
}

// skipLines skips the current line and n lines. The writer escapes line ends in strings.
func (l *legacy) skipLines(from, n int) error {
	l.skipLine()
	for i := range n {
		if l.at == len(l.text) {
			return l.cutField(from)
		}
		l.skipLine()
		if err := l.s.Check(i); err != nil {
			return err
		}
	}
	return nil
}

// skipStrings skips the current line and n binary strings. The first two bits of a string determine the
// size of its length, which follows: 3 stands for 1 byte, 2 for 2 bytes, 1 for 4 bytes, and 0 for 8 bytes
// (vtkDataWriter).
func (l *legacy) skipStrings(from, n int) error {
	l.skipLine()
	for i := range n {
		if l.at == len(l.text) {
			return l.cutField(from)
		}
		width := 8 >> (l.text[l.at] >> 6)
		if width > len(l.text)-l.at {
			return l.cutField(from)
		}
		var b [8]byte
		copy(b[8-width:], l.text[l.at:l.at+width])
		b[8-width] &= 1<<6 - 1
		l.at += width
		length := binary.BigEndian.Uint64(b[:])
		if length > uint64(len(l.text)-l.at) {
			return l.cutField(from)
		}
		l.at += int(length)
		if err := l.s.Check(i); err != nil {
			return err
		}
	}
	return nil
}
