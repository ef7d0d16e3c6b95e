package pcd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

var kinds = []string{ascii, binary, compressed}

// TestLZF decodes random bytes with few different values, in parts of random length.
func TestLZF(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 60 {
		plain := make([]byte, r.IntN(1<<(2+round%16)))
		for k := range plain {
			if plain[k] = byte(r.IntN(1 << (1 + round%4))); k > 9000 && r.IntN(3) == 0 {
				plain[k] = plain[k-r.IntN(9000)]
			}
		}
		packed := compress(plain)
		var lengths []int64
		for left := int64(len(plain)); left > 0 || len(lengths) == 0; left -= lengths[len(lengths)-1] {
			lengths = append(lengths, r.Int64N(left+1))
			if r.IntN(5) == 0 {
				lengths = append(lengths[:len(lengths)-1], left)
			}
		}
		starts, err := lzfStarts(bytes.NewReader(packed), 0, int64(len(packed)), lengths)
		if err != nil {
			t.Fatal(err)
		}
		at := int64(0)
		for i, n := range lengths {
			got := make([]byte, n)
			if _, err := io.ReadFull(starts[i], got); err != nil || !bytes.Equal(got, plain[at:at+n]) {
				t.Fatalf("part %d of %d bytes: other bytes, %v", i, n, err)
			}
			at += n
		}
	}
}

// TestLZFDamaged decodes damaged bytes. Each of them must be an error.
func TestLZFDamaged(t *testing.T) {
	for packed, plain := range map[string]int64{
		"":                   1, // nothing
		"\x02ab":             3, // cut literal
		"\x00a\xe0":          9, // no length
		"\x00a\x20":          4, // no distance
		"\x00a\x20\x01":      4, // distance 2 after one byte
		"\x20\x00":           3, // repeats nothing
		"\x01ab":             1, // too long
		"\x01ab\x00":         2, // more
		"\x01ab\x20\x00\x0f": 5, // cut after the output
	} {
		if _, err := lzfStarts(strings.NewReader(packed), 0, int64(len(packed)), []int64{plain}); !errors.Is(err, errLZF) {
			t.Errorf("%q: %v", packed, err)
		}
	}
}

// TestSameCells reads a random cloud in all kinds of data, as a file and as a stream. All cells must
// be equal.
func TestSameCells(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{0, 1, 7, 500} {
		c := randomCloud(r, n, 1)
		var want []string
		for _, row := range c.rows {
			line, e := "", 0
			for i := range c.fields {
				for range c.fields[i].count {
					if c.fields[i].name != "_" {
						line += " " + word(&c.fields[i], row[e])
					}
					e++
				}
			}
			want = append(want, line)
		}
		for _, data := range kinds {
			for _, stream := range []bool{false, true} {
				for _, block := range []int{0, 1, 300} {
					src, err := files.Open(c.file(data), stream, Options{Block: block})
					if err != nil {
						t.Fatal(err)
					}
					got, err := cells(src)
					if err != nil || len(got) != len(want) || src.Rows() != int64(n) {
						t.Fatalf("%s: %d rows, want %d: %v", data, len(got), len(want), err)
					}
					for k := range got {
						if normal(got[k]) != normal(want[k]) {
							t.Fatalf("%s, row %d:\n%s, want\n%s", data, k, got[k], want[k])
						}
					}
				}
			}
		}
	}
}

// normal gives both spellings of small and large numbers the same text.
func normal(row string) string {
	w := strings.Fields(row)
	for i := range w {
		var x float64
		if strings.ContainsAny(w[i], ".e") {
			fmt.Sscan(w[i], &x)
			w[i] = fmt.Sprint(x)
		}
	}
	return strings.Join(w, " ")
}

// TestPassthrough copies clouds. Without answers, the bytes must be equal. With answers, each point
// must begin with its bytes. Compressed points must become the same as binary points.
func TestPassthrough(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	odd := func(k int64) bool { return k%2 == 1 }
	for _, eol := range []string{"\n", "\r\n"} {
		c := randomCloud(r, 30, 20)
		c.eol = eol
		for _, stream := range []bool{false, true} {
			for _, opt := range []Options{{}, {Block: 900}} {
				for _, data := range kinds[:2] {
					text := c.file(data)
					if out := files.MustPassthrough(t, text, stream, opt, nil, true, nil); out != text {
						t.Fatalf("%s: %.300q, want %.300q", data, out, text)
					}
					files.CheckPassthrough(t, text, stream, opt, rowTexts)
				}
				for _, cols := range [][]table.Column{nil, testcloud.AllColumns} {
					for _, known := range []bool{true, false} {
						for _, drop := range []func(int64) bool{nil, odd} {
							if known && drop != nil {
								continue
							}
							want := files.MustPassthrough(t, c.file(binary), stream, opt, cols, known, drop)
							if got := files.MustPassthrough(t, c.file(compressed), stream, opt, cols, known, drop); got != want {
								t.Fatalf("compressed:\n%.600q, want\n%.600q", got, want)
							}
							if known != strings.Contains(want, "HEIGHT 20"+eol) {
								t.Errorf("known %v: %.300q", known, want)
							}
						}
					}
				}
			}
		}
	}
}

// onePoint is the header of a cloud of one point.
const onePoint = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 1\nDATA ascii\n"

// TestWhiteSpaceAtEnd copies the white space after the last point. Bytes after it are counted and not copied. The
// outputs of shards, of which all but the last are empty, are the output of the whole cloud.
func TestWhiteSpaceAtEnd(t *testing.T) {
	noPoint := strings.NewReplacer("WIDTH 1", "WIDTH 0", "POINTS 1", "POINTS 0").Replace(onePoint)
	for _, head := range []string{onePoint + "1 2 3\n", onePoint + "1 2 3\r\n", noPoint} {
		for _, space := range []string{"", "\n", "\n\n", " \t\r\n\n", strings.Repeat("\n ", 5000)} {
			for _, more := range []string{"", "ab c\n", strings.Repeat("\x00", 3000)} {
				for _, stream := range []bool{false, true} {
					for _, block := range []int{0, 16} {
						text, opt := head+space+more, Options{Block: block}
						if out := files.MustPassthrough(t, text, stream, opt, nil, true, nil); out != head+space {
							t.Errorf("%.300q became %.300q", text, out)
						}
						src, err := files.Open(text, stream, opt)
						if err == nil {
							err = testcloud.ReadAll(src)
						}
						if trailing := any(src).(table.Trailer).Trailing(); err != nil || trailing != int64(len(more)) {
							t.Errorf("%.300q: %d bytes after the points, want %d: %v", text, trailing, len(more), err)
						}
					}
				}
			}
			body := ""
			for i := range 3 {
				out := files.MustPassthrough(t, head+space, false, Options{Shard: i + 1, Shards: 3}, testcloud.AllColumns, true, nil)
				_, rows, _ := strings.Cut(out, "DATA ascii\n")
				body += rows
			}
			whole := files.MustPassthrough(t, head+space, false, Options{}, testcloud.AllColumns, true, nil)
			if !strings.HasSuffix(whole, "DATA ascii\n"+body) || !strings.HasSuffix(body, space) {
				t.Errorf("%.300q: the shards are %.300q, want the end of %.700q", head+space, body, whole)
			}
		}
	}
	start := files.Start(t, onePoint+"1 2 3\n\n\n", true, Options{}, testcloud.AllColumns)
	if out := testcloud.Resumed(t, start, 1, nil); !strings.HasSuffix(out, "\n\n\n") {
		t.Errorf("resumed: %q", out)
	}
}

// rowTexts returns the bytes of the points of a block.
func rowTexts(src Source, b *table.Block) (list []string, err error) {
	if s, ok := src.(*textSource); ok {
		m := s.bounds(b)
		for k := range b.Points {
			list = append(list, string(b.Raw[m.start[k]:m.end[k]]))
		}
		return list, nil
	}
	n := src.(*binarySource).RowBytes()
	for k := range b.Points {
		list = append(list, string(b.Raw[k*n:(k+1)*n]))
	}
	return list, nil
}

// TestResumed interrupts the output after some blocks and continues it.
func TestResumed(t *testing.T) {
	c := randomCloud(rand.New(rand.NewPCG(4, 1)), 300, 2)
	for _, data := range kinds {
		for _, drop := range []func(int64) bool{nil, func(k int64) bool { return k%3 == 0 }} {
			text := c.file(data)
			opt := Options{Block: 2000}
			want := files.MustPassthrough(t, text, true, opt, testcloud.AllColumns, false, drop)
			for _, stream := range []bool{false, true} {
				for _, blocks := range []int{1, 5} {
					if got := testcloud.Resumed(t, files.Start(t, text, stream, opt, testcloud.AllColumns), blocks, drop); got != want {
						t.Fatalf("%s after %d blocks: %d bytes, want %d, or others", data, blocks, len(got), len(want))
					}
				}
			}
		}
	}
}

// TestShards joins the outputs of shards. The result must be the output of the whole cloud.
func TestShards(t *testing.T) {
	for _, height := range []int{1, 8} {
		c := randomCloud(rand.New(rand.NewPCG(5, 1)), 60, height)
		for _, data := range kinds {
			text := c.file(data)
			for _, known := range []bool{true, false} {
				whole := files.MustPassthrough(t, text, false, Options{}, testcloud.AllColumns, known, nil)
				var heads [][]byte
				var counts []int64
				body := ""
				for i := range 5 {
					opt := Options{Shard: i + 1, Shards: 5, Block: 700}
					src, err := files.Open(text, false, opt)
					if err != nil {
						t.Fatal(err)
					}
					out := files.MustPassthrough(t, text, false, opt, testcloud.AllColumns, known, nil)
					at := strings.Index(out, "\nDATA ")
					at += strings.Index(out[at+1:], "\n") + 2
					heads, counts, body = append(heads, []byte(out[:at])), append(counts, src.Rows()), body+out[at:]
				}
				head, err := Joiner{}.JoinHeads(heads, counts)
				if err != nil || string(head)+body != whole {
					t.Fatalf("%s, height %d, known %v: %v\n%s, want\n%.500s", data, height, known, err, head, whole)
				}
			}
		}
		at := int64(len(c.header(binary)))
		n := int64(len(c.file(binary))-int(at)) / int64(60*height)
		src, err := files.Open(c.file(binary), false, Options{Bytes: [2]int64{at + 1, at + 3*n + 1}})
		if err != nil || src.Rows() != 3 {
			t.Errorf("range of bytes: %v", err)
		}
		for _, data := range []string{ascii, compressed} {
			if _, err := files.Open(c.file(data), false, Options{Bytes: [2]int64{1, 2}}); err == nil || !strings.Contains(err.Error(), "use shards") {
				t.Errorf("%s, range of bytes: %v", data, err)
			}
		}
		if _, err := files.Open(c.file(binary), true, Options{Shard: 1, Shards: 2}); err == nil {
			t.Error("a shard of a stream")
		}
	}
}

// TestConvert converts random clouds of all types, and compares the cells.
func TestConvert(t *testing.T) {
	for seed := range uint64(20) {
		c := testcloud.Random(seed, 150, false)
		for i := range c.Cells {
			c.Cells[i].Missing = nil
		}
		sink, err := Convert(c, testcloud.AllColumns)
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.Stream(sink, testcloud.AllColumns, func(b *table.Block) { testcloud.Answer(b, testcloud.AllColumns, nil) })
		if err != nil {
			t.Fatal(err)
		}
		src, err := files.Open(string(out), true, Options{})
		if err != nil {
			t.Fatalf("%v: %.400q", err, out)
		}
		rows, err := cells(src)
		if err != nil || len(rows) != c.N {
			t.Fatalf("%d rows: %v", len(rows), err)
		}
		for k, row := range rows {
			w := strings.Fields(row)
			for i, f := range c.Columns {
				want := ""
				if f.Type.IsFloat() {
					want = fmt.Sprint(c.Cells[i].Floats[k])
				} else if want = fmt.Sprint(c.Cells[i].Ints[k]); f.Type == table.Int64 || f.Type == table.Uint64 {
					want = fmt.Sprint(float64(c.Cells[i].Ints[k]))
				}
				if w[i] != want {
					t.Fatalf("row %d, %s: %s, want %s", k, f.Name, w[i], want)
				}
			}
		}
	}
	if _, err := Convert(testcloud.Random(1, 3, true), nil); !errors.Is(err, table.ErrCannotHold) {
		t.Errorf("texts: %v", err)
	}
}

// TestRefused checks the messages for damaged files.
func TestRefused(t *testing.T) {
	const head = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA ascii\n"
	change := func(old, new string) string { return strings.Replace(head, old, new, 1) }
	for text, want := range map[string]string{
		"VERSION .7\nFIELDS x y z\n":                                            "no line DATA",
		change(".7", "1.0"):                                                     "expected .5, .6 or .7",
		change("x y z", ""):                                                     "0 fields",
		change("x y z", "x y"):                                                  "SIZE has 3 entries, but there are 2 fields",
		change("x y z", "x y w"):                                                "no column for z",
		change("4 4 4", "4 4 3"):                                                "TYPE F with SIZE 3",
		change("4 4 4", "4 4 2"):                                                "TYPE F with SIZE 2",
		change("1 1 1", "1 1 -1"):                                               `the COUNT "-1" is invalid`,
		change("1 1 1", "1 1 0"):                                                "no column for z",
		change("1 1 1", "1 1 99999999"):                                         "is invalid",
		change("1 1 1", "1 1 1000000"):                                          "exceeds the limit",
		change("SIZE 4 4 4\n", ""):                                              "both SIZE and TYPE",
		change("WIDTH 2", "WIDTH 3"):                                            "POINTS is 2, but WIDTH 3 and HEIGHT 1 are 3 points",
		change("WIDTH 2", "WIDTH -2"):                                           "not a number of points",
		change("HEIGHT 1", "HEIGHT 9223372036854775807"):                        "larger than any file",
		change("VIEWPOINT 0", "VIEWPOINT"):                                      "expected 7 numbers, found 6",
		change("HEIGHT", "DEPTH"):                                               "not a line of a PCD header",
		change("HEIGHT", strings.Repeat("N", 9000)):                             `line 7: "NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN"…: not a line of a PCD header`,
		change("HEIGHT 1\n", "HEIGHT 1\nHEIGHT 1\n"):                            "occurs twice",
		change("ascii", "binary_packed"):                                        "expected ascii, binary or binary_compressed",
		head + "1 2 3\n":                                                        "line 12: the file is cut off after row 1 of 2",
		head + "1 2 3\n4 5\n":                                                   "line 12: found 2 numbers, expected 3",
		head + "1 2 3\n4 5 6 7\n":                                               "line 12: the line has more than 3 numbers",
		head + "1 2 3\n\n4 5 6\n":                                               "line 12: the line is blank",
		head + "1 2 3\n4 a 6\n":                                                 `line 12: y: "a" is not a number`,
		change("ascii", "binary") + "1234567890":                                "cut off",
		change("ascii", compressed) + "abc":                                     "sizes of the compressed points are cut off",
		change("ascii", compressed) + "\x04\x00\x00\x00\x19\x00\x00\x00abcd":    "have 25 bytes, but the header has 2 points of 12 bytes",
		change("ascii", compressed) + "\x04\x00\x00\x00\x18\x00\x00\x00abc":     "compressed points are cut off",
		change("ascii", compressed) + "\x04\x00\x00\x00\x18\x00\x00\x00\x02abc": "too short",
	} {
		src, err := files.Open(text, true, Options{})
		if err == nil {
			err = testcloud.ReadAll(src)
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "in.pcd: ") {
			t.Errorf("%q:\n%v, want %s", text, err, want)
		}
		if src, err = files.Open(text, false, Options{}); err == nil && testcloud.ReadAll(src) == nil {
			t.Errorf("%q: the file is accepted", text)
		}
	}
}

// TestOldVersions reads headers of the first versions, and checks the warning about VIEWPOINT.
func TestOldVersions(t *testing.T) {
	for _, head := range []string{
		"# .PCD v.5 - Point Cloud Data file format\nVERSION .5\nCOLUMNS x y z\nPOINTS 1\nDATA ascii\n",
		"VERSION .7\n# inside: 1 inside or on the surface, 0 outside, 255 uncertain\nFIELDS x y z\nSIZE 4 4 4\nTYPE f f F\nWIDTH 1\nHEIGHT 1\nDATA ASCII\n",
		"VERSION 0.6\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nDATA ascii\n",
		"VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 1\nVIEWPOINT 1 0 0 1 0 0 0\nPOINTS 1\nDATA ascii\n",
	} {
		if !Signature([]byte(head)[:64]) {
			t.Errorf("%q is not detected", head)
		}
		src, err := files.Open(head+"1 nan 3", false, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if moved := strings.Contains(head, "VIEWPOINT 1"); moved != (len(src.Warnings()) == 1) {
			t.Errorf("warnings %q", src.Warnings())
		}
		out := files.MustPassthrough(t, head+"1 nan 3", false, Options{}, testcloud.AllColumns[:1], false, nil)
		if !strings.HasSuffix(out, "1 nan 3 255\n") {
			t.Errorf("%q", out)
		}
		if again, err := files.Points([]byte(out), Options{}); err != nil || len(again) != 1 {
			t.Errorf("%v: %q", err, out)
		}
	}
}

// TestColor checks that a color in the bits of a float32 becomes an integer.
func TestColor(t *testing.T) {
	text := "VERSION .7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA binary\n"
	src, err := files.Open(text+strings.Repeat("\x00", 12)+"\x03\x02\x81\xff", false, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := cells(src)
	if err != nil || !slices.Equal(got, []string{fmt.Sprint(" 0 0 0 ", uint32(0xff810203))}) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestTruncated checks the memory for streams that are shorter than the header claims.
func TestTruncated(t *testing.T) {
	const head = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 100000000\nHEIGHT 1\nPOINTS 100000000\nDATA "
	for _, data := range kinds[:2] {
		files.CheckTruncated(t, data, head+data+"\n", Options{Block: 1 << 16})
	}
	files.CheckTruncated(t, compressed, head+compressed+"\n\xff\xff\xff\xff\x00\x8c\x86\x47", Options{})
}

// FuzzPCD copies every valid file with Passthrough.
func FuzzPCD(f *testing.F) {
	r := rand.New(rand.NewPCG(6, 1))
	for trial := range 6 {
		for _, data := range kinds {
			f.Add(randomCloud(r, trial, 1+trial%2).file(data), trial%2 == 0, uint8(trial))
		}
	}
	for _, end := range []string{"1 2 3\n\n", "1 2 3\r\n \t\n", "1 2 3\n\nab c\n"} {
		f.Add(onePoint+end, false, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, stream bool, block uint8) {
		opt := Options{Block: int(block)}
		src, err := files.Open(text, stream, opt)
		if err == nil {
			var names []string
			for _, f := range src.Fields() {
				names = append(names, f.Name)
			}
			if axes.Find(names).N < 3 { // with answers, there are more columns of numbers
				return
			}
		}
		if err != nil || src.String() == "pcd, binary compressed" {
			if err == nil {
				if out, err := files.Passthrough(text, stream, opt, nil, true, nil); err == nil {
					files.CheckPassthrough(t, out, stream, opt, rowTexts)
				}
			}
			return
		}
		files.CheckPassthrough(t, text, stream, opt, rowTexts)
	})
}
