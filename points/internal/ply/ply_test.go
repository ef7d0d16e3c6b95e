package ply_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/ply"
	"github.com/inpoly/inpoly/points/table"
)

// TestSame copies random files of every format and type with Passthrough. Without answers, the
// output must have the same bytes. With answers, the body of the output must equal the body of a
// file that the test writes with the answers as additional columns.
func TestSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 60 {
		for _, format := range formats {
			lists := trial%3 == 0
			f := randomFile(rng, format, rng.IntN(200), lists)
			if format == "ascii" {
				f.eol = []string{"\n", "\r\n", "\r"}[trial%3]
			}
			if trial%4 == 0 {
				f.before, f.beforeB = "element camera 2"+f.eol+"property list uchar uchar m", otherElement(f)
				f.after, f.afterB = "element face 2"+f.eol+"property list uchar uchar vertex_indices"+f.eol+"element none 7", otherElement(f)
			}
			opt := ply.Options{Block: []int{0, 1, 100, 5000}[rng.IntN(4)]}
			for _, stream := range []bool{false, true} {
				name := fmt.Sprintf("trial %d, %s, stream %v, block %d", trial, format, stream, opt.Block)
				if out := files.MustPassthrough(t, f.String(), stream, opt, nil, true, nil); out != f.String() {
					t.Fatalf("%s: nothing appended:\n%q\nwant\n%q", name, out, f.String())
				}
				out := files.MustPassthrough(t, f.String(), stream, opt, testcloud.AllColumns, stream, nil)
				want := *f
				want.columns = append(want.columns[:len(f.columns):len(f.columns)], answerColumns...)
				want.rows = nil
				for k, row := range f.rows {
					want.rows = append(want.rows, append(row[:len(row):len(row)], answerCells(int64(k))...))
				}
				if got, want := afterHeader(out, f.eol), afterHeader(want.String(), f.eol); got != want {
					t.Fatalf("%s:\n%q\nwant\n%q", name, got, want)
				}
				checkHeader(t, f.String(), out, f.eol)
			}
		}
	}
}

// otherElement returns the body of an element: two rows, each with a list of bytes.
func otherElement(f *file) string {
	if f.order() == nil {
		return "3 0 1 2" + f.eol + "0" + f.eol
	}
	return "\x03\x00\x01\x02\x00"
}

// checkHeader checks that the output header has all lines of the input header in the same order,
// and comments about the answers.
func checkHeader(t *testing.T, in, out, eol string) {
	t.Helper()
	head, _, _ := strings.Cut(out, "end_header"+eol)
	lines := strings.Split(head, eol)
	old, _, _ := strings.Cut(in, "end_header"+eol)
	for _, want := range strings.Split(strings.TrimSuffix(old, eol), eol) {
		i := 0
		for i < len(lines) && lines[i] != want {
			i++
		}
		if i == len(lines) {
			t.Fatalf("header lacks %q, or has it too early:\n%q", want, head)
		}
		lines = lines[i+1:]
	}
	for _, want := range []string{"property double winding_bound", "comment state: 0 out, 1 in, 2 on, 255 uncertain", "comment body: 1 left_wing"} {
		if !strings.Contains(head, eol+want+eol) {
			t.Fatalf("header lacks %q:\n%q", want, head)
		}
	}
}

// TestDrop drops rows. The output must equal a file without these rows. The final header
// must be as long as the header that Begin wrote.
func TestDrop(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 30 {
		for _, format := range formats {
			f := randomFile(rng, format, 1+rng.IntN(120), trial%2 == 0)
			f.after, f.afterB = "element note 2\nproperty list uchar uchar m", otherElement(f)
			drop := func(k int64) bool { return k%int64(2+trial%5) != 0 }
			want := *f
			want.rows = nil
			for k, row := range f.rows {
				if !drop(int64(k)) {
					want.rows = append(want.rows, row)
				}
			}
			out := files.MustPassthrough(t, f.String(), trial%4 < 2, ply.Options{Block: 300}, nil, false, drop)
			if got, want := afterHeader(out, "\n"), afterHeader(want.String(), "\n"); got != want {
				t.Fatalf("trial %d, %s:\n%q\nwant\n%q", trial, format, got, want)
			}
			// The header of the output has the right number of rows, so Passthrough must not change a
			// byte.
			if again := files.MustPassthrough(t, out, false, ply.Options{}, nil, true, nil); again != out {
				t.Fatalf("trial %d, %s: again:\n%q\nwant\n%q", trial, format, again, out)
			}
			src, err := files.Open(out, false, ply.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if src.Rows() != int64(len(want.rows)) {
				t.Fatalf("%d rows, want %d", src.Rows(), len(want.rows))
			}
		}
	}
}

func TestDropWithFaces(t *testing.T) {
	const text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n" +
		"element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
	src, _ := files.Open(text, false, ply.Options{})
	sink, err := src.Passthrough(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = testcloud.Pass(src, sink, nil, -1, func(k int64) bool { return k == 1 })
	if !errors.Is(err, table.ErrCannotHold) || !strings.Contains(fmt.Sprint(err), "faces would refer to the wrong vertices") {
		t.Errorf("dropped: %v", err)
	}
	src, _ = files.Open(text, false, ply.Options{Shard: 1, Shards: 2})
	if _, err = src.Passthrough(nil); !errors.Is(err, table.ErrCannotHold) {
		t.Errorf("shard: %v", err)
	}
	src, _ = files.Open(text, false, ply.Options{})
	if _, err = src.Passthrough([]table.Column{{Name: "a", Kind: table.Words}}); !errors.Is(err, table.ErrCannotHold) {
		t.Errorf("words: %v", err)
	}
}

// TestShards joins the rows of all shards, and of adjacent ranges of bytes. The result must have
// the rows of the whole file.
func TestShards(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range 12 {
		for _, format := range formats {
			f := randomFile(rng, format, rng.IntN(50), trial%2 == 0)
			f.before, f.beforeB = "element camera 2\nproperty list uchar uchar m", otherElement(f)
			f.after, f.afterB = "element note 2\nproperty list uchar uchar m", otherElement(f)
			n := 1 + rng.IntN(6)
			body := ""
			for i := range n {
				part := files.MustPassthrough(t, f.String(), false, ply.Options{Block: 64, Shard: i + 1, Shards: n}, nil, trial%3 == 0, nil)
				src, err := files.Open(part, false, ply.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if want := pointio.PartStart(int64(len(f.rows)), i+1, n) - pointio.PartStart(int64(len(f.rows)), i, n); src.Rows() != want {
					t.Fatalf("shard %d of %d: %d rows, want %d", i+1, n, src.Rows(), want)
				}
				rows := strings.TrimPrefix(afterHeader(part, "\n"), f.beforeB)
				body += strings.TrimSuffix(rows, f.afterB)
			}
			if body != f.body() {
				t.Fatalf("trial %d, %s, %d shards:\n%q\nwant\n%q", trial, format, n, body, f.body())
			}
			if format == "ascii" || trial%2 == 0 {
				continue
			}
			body, size := "", int64(len(f.String()))
			for lo := int64(0); lo < size; lo += size/5 + 1 {
				part := files.MustPassthrough(t, f.String(), false, ply.Options{Bytes: [2]int64{lo, lo + size/5 + 1}}, nil, true, nil)
				body += strings.TrimSuffix(strings.TrimPrefix(afterHeader(part, "\n"), f.beforeB), f.afterB)
			}
			if body != f.body() {
				t.Fatalf("trial %d, %s, ranges:\n%q\nwant\n%q", trial, format, body, f.body())
			}
		}
	}
}

// TestPoints checks that the points and values are equal to the numbers in the file.
func TestPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for trial := range 40 {
		for _, format := range formats {
			f := randomFile(rng, format, rng.IntN(60), trial%3 == 0)
			src, err := files.Open(f.String(), trial%2 == 0, ply.Options{Block: 200})
			if err != nil {
				t.Fatal(err)
			}
			var b table.Block
			var v table.Values
			k := 0
			for err = src.Fill(&b); err == nil; err = src.Fill(&b) {
				if err := src.Parse(&b); err != nil {
					t.Fatal(err)
				}
				for i, p := range b.Points {
					for axis, x := range [3]float64{p.X, p.Y, p.Z} {
						c := src.Axes()[axis]
						if want := f.rows[k+i][c][0]; !testcloud.EqualOrNaN(x, want) {
							t.Fatalf("%s: row %d axis %d: %v, want %v", format, k+i, axis, x, want)
						}
					}
				}
				for c, field := range src.Fields() {
					err := src.Values(&b, c, &v)
					if f.columns[c].length != "" {
						if !errors.Is(err, table.ErrCannotHold) {
							t.Fatalf("list: %v", err)
						}
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					for i := range b.Points {
						got := 0.0
						if field.Type.IsFloat() {
							got = v.Floats[i]
						} else {
							got = float64(v.Ints[i])
						}
						if want := f.rows[k+i][c][0]; !testcloud.EqualOrNaN(got, want) {
							t.Fatalf("%s: row %d column %v: %v, want %v", format, k+i, f.columns[c], got, want)
						}
					}
				}
				k += len(b.Points)
			}
			if !errors.Is(err, io.EOF) || k != len(f.rows) {
				t.Fatalf("%v after %d rows of %d", err, k, len(f.rows))
			}
		}
	}
}

// TestResume interrupts a run after each block and continues with a new source and a new sink. The
// output must equal the output of a run without interruption.
func TestResume(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for trial := range 8 {
		for _, format := range formats {
			f := randomFile(rng, format, 80, trial%2 == 0)
			f.after, f.afterB = "element note 2\nproperty list uchar uchar m", otherElement(f)
			opt := ply.Options{Block: 512}
			drop := func(k int64) bool { return k%5 == 1 }
			want := files.MustPassthrough(t, f.String(), false, opt, testcloud.AllColumns, false, drop)
			for stop := 1; stop < 4; stop++ {
				start := files.Start(t, f.String(), trial%4 < 2, opt, testcloud.AllColumns)
				if got := testcloud.Resumed(t, start, stop, drop); got != want {
					t.Fatalf("trial %d, %s, after %d blocks:\n%q\nwant\n%q", trial, format, stop, got, want)
				}
			}
		}
	}
}

// TestText copies ASCII files with unusual white space and unusual numbers with Passthrough.
func TestText(t *testing.T) {
	const head = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nproperty list uchar int l\nend_header\n"
	for _, c := range []struct{ name, rows, want string }{
		{"blanks", " 1\t2  3 0 \n4 5 6 2 7 8\t\r\n", " 1\t2  3 0 255 \n4 5 6 2 7 8 0\t\r\n"},
		{"no last line end", "1 2 3 0\n4 5 6 0", "1 2 3 0 255\n4 5 6 0 0"},
		{"blank lines at the end", "1 2 3 0\n4 5 6 0\n\n \n", "1 2 3 0 255\n4 5 6 0 0\n\n \n"},
		{"numbers", "-nan(ind) inf -1e3 0\n+1 .5 nan 0\n", "-nan(ind) inf -1e3 0 255\n+1 .5 nan 0 0\n"},
	} {
		out := files.MustPassthrough(t, head+c.rows, false, ply.Options{}, testcloud.AllColumns[:1], true, nil)
		if got := afterHeader(out, "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestLongRow reads rows that are longer than the buffers.
func TestLongRow(t *testing.T) {
	for _, format := range formats {
		f := &file{format: format, eol: "\n", columns: []column{{typ: "double", name: "x"}, {typ: "double", name: "y"}, {typ: "double", name: "z"}, {typ: "uchar", length: "int", name: "l"}}}
		for k := range 4 {
			f.rows = append(f.rows, []cell{{1}, {2}, {float64(k)}, make(cell, k*9000)})
		}
		f.before = "element big 1\nproperty list int uchar m"
		f.beforeB = (&file{format: format, eol: "\n", columns: f.columns[3:], rows: [][]cell{{make(cell, 50000)}}}).body()
		for _, stream := range []bool{false, true} {
			if out := files.MustPassthrough(t, f.String(), stream, ply.Options{Block: 10}, nil, true, nil); out != f.String() {
				t.Errorf("%s: %d bytes, want %d", format, len(out), len(f.String()))
			}
		}
	}
}

func TestColumns(t *testing.T) {
	const head = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float lon\nproperty double X\nproperty int h\nproperty float x\nproperty list uchar int l\nproperty float y\nend_header\n1 2 3 4 0 5\n"
	for _, c := range []struct {
		columns [3]string
		want    string
	}{
		{[3]string{"lon", "X", "h"}, "[0 1 2]"},
		{[3]string{"1", "y", "LON"}, "columns 1, y, LON: must be three different columns"},
		{[3]string{"6", "x", "2"}, "[5 3 1]"},
		{[3]string{"6", "x", "7"}, "no column 7: the file has 6 columns"},
		{[3]string{"l", "x", "y"}, "is a list"},
		{[3]string{}, "there is x and y but no column for z"},
	} {
		src, err := files.Open(head, false, ply.Options{Columns: c.columns})
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(src.Axes())
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%v: %s, want %s", c.columns, got, c.want)
		}
	}
}
