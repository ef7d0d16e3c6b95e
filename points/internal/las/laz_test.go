package las_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/las"
	"github.com/inpoly/inpoly/points/table"
)

// convert copies the points of a LAS or LAZ file to a LAS or LAZ file.
func convert(t *testing.T, text string, stream bool, opt las.Options, packed bool, cols []table.Column, known bool, drop func(k int64) bool) string {
	t.Helper()
	src, err := files.Open(text, stream, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	sink, err := src.PassthroughAs(cols, packed)
	if err != nil {
		t.Fatal(err)
	}
	rows := int64(-1)
	if known {
		rows = src.Rows()
	}
	out, err := testcloud.Pass(src, sink, cols, rows, drop)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A LAZ file that was made of a LAS file has the same points, records and header.
func TestPackedEqualsPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	everyFormat(func(minor, format int) {
		for trial := range 2 {
			n := rng.IntN(100)
			if trial == 1 && minor == 4 && format%6 == 0 {
				n = 120000 + rng.IntN(1000) // three chunks
			}
			f := randomFile(rng, minor, format, n)
			f.tailGap = nil // the chunk table is there
			plain, opt := f.String(), las.Options{Block: 70000}
			packed := convert(t, plain, false, opt, true, nil, trial == 0, nil)
			src, err := files.Open(packed, false, opt)
			if err != nil {
				t.Fatalf("LAS 1.%d, format %d: %v", minor, format, err)
			}
			if src.Format() != "laz" || src.Rows() != int64(n) {
				t.Errorf("format %s, %d rows", src.Format(), src.Rows())
			}
			for _, stream := range []bool{false, true} {
				if out := convert(t, packed, stream, opt, false, nil, stream, nil); out != plain {
					t.Fatalf("LAS 1.%d, format %d, %d points: %s", minor, format, n, differ(out, plain))
				}
			}
			if out := files.MustPassthrough(t, packed, false, opt, nil, true, nil); out != packed {
				t.Fatalf("LAS 1.%d, format %d, %d points, LAZ: %s", minor, format, n, differ(out, packed))
			}
			if trial == 1 {
				return
			}
			// Answers, dropped points and shards.
			drop := func(k int64) bool { return k%3 == 1 }
			want := files.MustPassthrough(t, plain, false, opt, testcloud.AllColumns, false, drop)
			if out := convert(t, packed, false, opt, false, testcloud.AllColumns, false, drop); out != want {
				t.Fatalf("LAS 1.%d, format %d, answers: %s", minor, format, differ(out, want))
			}
			again := convert(t, packed, true, opt, true, testcloud.AllColumns, false, drop)
			if out := convert(t, again, false, opt, false, nil, true, nil); out != want {
				t.Fatalf("LAS 1.%d, format %d, answers in LAZ: %s", minor, format, differ(out, want))
			}
			for i := range 3 {
				part := las.Options{Block: 500, Shard: i + 1, Shards: 3}
				want := files.MustPassthrough(t, plain, false, part, nil, false, nil)
				if out := convert(t, packed, false, part, false, nil, false, nil); out != want {
					t.Fatalf("LAS 1.%d, format %d, shard %d: %s", minor, format, i+1, differ(out, want))
				}
			}
		}
	})
}

// Any source can be written as LAZ.
func TestConvertPacked(t *testing.T) {
	for _, n := range []int{0, 1, 500} {
		write := func(open func(table.Source, []table.Column) (table.Sink, error)) string {
			m := allTypes(rand.New(rand.NewPCG(35, uint64(n))), n)
			sink, err := open(m, testcloud.AllColumns)
			if err != nil {
				t.Fatal(err)
			}
			out, err := testcloud.Pass(m, sink, testcloud.AllColumns, int64(n), nil)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		want, packed := write(las.Convert), write(las.ConvertPacked)
		if out := convert(t, packed, false, las.Options{}, false, nil, true, nil); out != want {
			t.Errorf("%d rows: %s", n, differ(out, want))
		}
	}
}

// A byte range of a LAZ file is refused, and damaged files are errors that name the place.
func TestPackedRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	f := randomFile(rng, 4, 6, 900)
	packed := convert(t, f.String(), false, las.Options{}, true, nil, true, nil)
	if _, err := files.Open(packed, false, las.Options{Bytes: [2]int64{0, 100}}); err == nil || err.Error() != "a.las: the points are compressed (LAZ), so a range of bytes does not select points: use shards" {
		t.Errorf("error %v", err)
	}
	for n := range len(packed) {
		if n%7 != 0 && n < len(packed)-100 {
			continue
		}
		src, err := files.Open(packed[:n], n%2 == 0, las.Options{})
		if err == nil {
			err = testcloud.ReadAll(src)
			src.Close()
		}
		if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("the first %d of %d bytes: error %v", n, len(packed), err)
		}
	}
	for range 300 {
		b := []byte(packed)
		for range 1 + rng.IntN(4) {
			b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		}
		src, err := files.Open(string(b), false, las.Options{})
		if err == nil {
			_ = testcloud.ReadAll(src) // no panic
			src.Close()
		}
	}
}
