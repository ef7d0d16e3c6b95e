package ply_test

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points/ply"
	"github.com/inpoly/inpoly/points/table"
)

// FuzzPLY passes through what can be read: without answers the bytes are the same; with
// answers the output can be read, has as many rows, and each begins with its old bytes.
func FuzzPLY(f *testing.F) {
	rng := rand.New(rand.NewPCG(11, 12))
	for trial := range 12 {
		for _, format := range formats {
			file := randomFile(rng, format, 3, trial%2 == 0)
			if trial%3 == 0 {
				file.eol = "\r\n"
			}
			file.after, file.afterB = "element face 2"+file.eol+"property list uchar uchar vertex_indices", otherElement(file)
			f.Add(file.String(), trial%2 == 0, uint8(trial))
		}
	}
	f.Fuzz(func(t *testing.T, text string, stream bool, block uint8) {
		opt := ply.Options{Block: int(block)}
		if out, err := through(text, stream, opt, nil); err == nil && out != text {
			t.Fatalf("%q\nbecame\n%q", text, out)
		}
		out, err := through(text, stream, opt, allColumns)
		if err != nil {
			return
		}
		was, is := rows(t, text), rows(t, out)
		if len(was) != len(is) {
			t.Fatalf("%d rows became %d: %q\nbecame\n%q", len(was), len(is), text, out)
		}
		for k := range was {
			if !strings.HasPrefix(is[k], was[k]) {
				t.Fatalf("row %d: %q\nbecame\n%q", k, was[k], is[k])
			}
		}
	})
}

// through passes text through, all rows.
func through(text string, stream bool, opt ply.Options, cols []table.Column) (string, error) {
	src, err := open(text, stream, opt)
	if err != nil {
		return "", err
	}
	sink, err := src.Same(cols)
	if err != nil {
		return "", err
	}
	return pass(src, sink, cols, src.Rows(), nil)
}

// rows returns the rows of a file as they stand there, in text without their ends.
func rows(t *testing.T, text string) (list []string) {
	t.Helper()
	src, err := open(text, false, ply.Options{})
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	var b table.Block
	for {
		if err := src.Fill(&b); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatalf("%v: %q", err, text)
		}
		if err := src.Parse(&b); err != nil {
			t.Fatalf("%v: %q", err, text)
		}
		for k := range b.Points {
			list = append(list, string(src.RowBytes(&b, k)))
		}
	}
}
