package term

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/quote"
)

// Object is a JSON object whose fields keep their order. Its elements are alternating names and
// values. A field with the value nil is omitted.
type Object []any

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	for field := range slices.Chunk(o, 2) {
		if field[1] == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:", field[0])
		if err := e.Encode(field[1]); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// List is a JSON list that PrintJSON writes element by element, so that a long list takes no memory.
// It can be a field of an Object that is not in a list itself.
type List iter.Seq[any]

// ListOf returns the elements of a slice as a List, or nil if there are none.
func ListOf[T any](items []T) any {
	if len(items) == 0 {
		return nil
	}
	return List(func(yield func(any) bool) {
		for _, x := range items {
			if !yield(x) {
				return
			}
		}
	})
}

// OmitZero returns x, or nil if x is the zero value.
func OmitZero[T comparable](x T) any {
	var zero T
	if x == zero {
		return nil
	}
	return x
}

// Number is a float64 that becomes null in JSON if it is not finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if d := float64(n) - float64(n); d != d {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Numbers returns the coordinates of v.
func Numbers(v r3.Vector) [3]Number { return [3]Number{Number(v.X), Number(v.Y), Number(v.Z)} }

// PrintJSON writes x as JSON that is safe to print on a terminal. indent is the string for one level
// of indentation. If indent is "", the JSON is one line.
func PrintJSON(w io.Writer, x any, indent string) error {
	p := &jsonPrinter{w: bufio.NewWriterSize(w, 1<<16), indent: indent}
	if err := p.print(x, "\n"); err != nil {
		return err
	}
	p.write("\n")
	return p.w.Flush()
}

// jsonPrinter writes a value as json.Encoder does, but never has the whole text in memory.
type jsonPrinter struct {
	w      *bufio.Writer
	indent string
	text   bytes.Buffer // temporary
}

// write writes a part of the text. The last call of Flush returns its error.
func (p *jsonPrinter) write(text string) { _, _ = p.w.WriteString(text) }

// print writes a value. line is the line end and the indentation around the value.
func (p *jsonPrinter) print(x any, line string) error {
	switch x := x.(type) {
	case Object:
		return p.printAll("{", "}", line, func(yield func(string, any) bool) {
			for field := range slices.Chunk(x, 2) {
				if field[1] != nil && !yield(fmt.Sprintf("%q:", field[0]), field[1]) {
					return
				}
			}
		})
	case List:
		return p.printAll("[", "]", line, func(yield func(string, any) bool) {
			x(func(item any) bool { return yield("", item) })
		})
	}
	p.text.Reset()
	e := json.NewEncoder(&p.text)
	e.SetEscapeHTML(false)
	e.SetIndent(line[1:], p.indent)
	if err := e.Encode(x); err != nil {
		return err
	}
	_, _ = p.w.Write(quote.JSON(bytes.TrimSuffix(p.text.Bytes(), []byte("\n"))))
	return nil
}

// printAll writes the keys and values of an object, or the values of a list, whose keys are empty.
func (p *jsonPrinter) printAll(open, end, line string, all iter.Seq2[string, any]) (err error) {
	p.write(open)
	separator, blank, inner := "", "", ""
	if p.indent != "" {
		blank, inner = " ", line+p.indent
	}
	all(func(key string, value any) bool {
		p.write(separator + inner + string(quote.JSON([]byte(key))))
		if key != "" {
			p.write(blank)
		}
		separator = ","
		err = p.print(value, cmp.Or(inner, "\n"))
		return err == nil
	})
	if err != nil {
		return err
	}
	if separator != "" && p.indent != "" {
		p.write(line)
	}
	p.write(end)
	return nil
}
