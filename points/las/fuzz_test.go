package las_test

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points/las"
	"github.com/inpoly/inpoly/points/ply"
	"github.com/inpoly/inpoly/points/table"
)

// FuzzLAS passes through what can be read: without answers the bytes are the same; with
// answers the output can be read, has as many points, and each begins with its old bytes.
// All fields can be read, and what can be converted can be read.
func FuzzLAS(f *testing.F) {
	rng := rand.New(rand.NewPCG(31, 32))
	everyFormat(func(minor, format int) {
		file := randomFile(rng, minor, format, 3)
		if minor == 4 {
			file.describe(rng)
		}
		f.Add([]byte(file.String()), format%2 == 0, uint8(50*minor))
	})
	f.Fuzz(func(t *testing.T, data []byte, stream bool, block uint8) {
		text, opt := string(data), las.Options{Block: int(block)}
		if out, err := through(text, stream, opt, nil); err == nil && out != text {
			t.Fatalf("%q\nbecame\n%q", text, out)
		}
		converted(t, text)
		out, err := through(text, stream, opt, allColumns)
		if err != nil {
			return
		}
		was, is := rows(t, text), rows(t, out)
		if len(was) != len(is) {
			t.Fatalf("%d points became %d: %q\nbecame\n%q", len(was), len(is), text, out)
		}
		for k := range was {
			if !strings.HasPrefix(is[k], was[k]) {
				t.Fatalf("point %d: %q\nbecame\n%q", k, was[k], is[k])
			}
		}
	})
}

// converted makes LAS and PLY of a LAS file.
func converted(t *testing.T, text string) {
	t.Helper()
	for _, convert := range []func(table.Source, []table.Column) (table.Sink, error){las.Convert, ply.Convert} {
		src, err := open(text, false, las.Options{Block: 100})
		if err != nil || len(src.Fields()) > 100 {
			return
		}
		sink, err := convert(src, allColumns)
		if err != nil {
			continue
		}
		out, err := pass(src, sink, allColumns, -1, func(k int64) bool { return k%3 == 1 })
		if err != nil {
			continue
		}
		if strings.HasPrefix(out, "ply") {
			cloud, err := ply.New("a.ply", strings.NewReader(out), nil, -1, ply.Options{})
			if err != nil {
				t.Fatalf("%v: %q", err, out)
			}
			err = readAll(cloud)
			if err != nil {
				t.Fatalf("%v: %q", err, out)
			}
			continue
		}
		rows(t, out)
	}
}

// through passes text through, all rows.
func through(text string, stream bool, opt las.Options, cols []table.Column) (string, error) {
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

// rows returns the records of the points, and reads all fields.
func rows(t *testing.T, text string) (list []string) {
	t.Helper()
	src, err := open(text, false, las.Options{})
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	var b table.Block
	var v table.Values
	for {
		if err := src.Fill(&b); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatalf("%v: %q", err, text)
		}
		if err := src.Parse(&b); err != nil {
			t.Fatalf("%v: %q", err, text)
		}
		for i := range src.Fields()[:min(100, len(src.Fields()))] {
			if err := src.Values(&b, i, &v); err != nil || len(v.Floats)+len(v.Ints) != len(b.Points) {
				t.Fatalf("field %d: %v, %d values of %d: %q", i, err, len(v.Floats)+len(v.Ints), len(b.Points), text)
			}
		}
		size := len(b.Raw) / len(b.Points)
		for k := range b.Points {
			list = append(list, string(b.Raw[k*size:][:size]))
		}
	}
}
