package las_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/las"
	"github.com/inpoly/inpoly/points/table"
)

func TestRefused(t *testing.T) {
	f := &file{minor: 2, format: 0, scale: [3]float64{1, 1, 1}, vlrs: []vlr{{"u", 1, "", []byte("abc")}}, points: make([]point, 3)}
	g := &file{minor: 4, format: 6, scale: [3]float64{1, 1, 1}, points: make([]point, 3), evlrs: []vlr{{"u", 1, "", []byte("abc")}}}
	h := &file{minor: 4, format: 6, scale: [3]float64{1, 1, 1}, points: make([]point, 3), vlrs: []vlr{{"LASF_Spec", 4, "", description(7, 0, "big", 0, "")}}}
	k := &file{minor: 5, format: 6, scale: [3]float64{1, 1, 1}, points: make([]point, 3)}
	packed := &file{minor: 2, format: 0, scale: [3]float64{1, 1, 1}, vlrs: []vlr{{"laszip encoded", 22204, "", nil}}}
	with := func(f *file, at int, values ...any) string {
		b := []byte(f.String())
		copy(b[at:], pack(values...))
		return string(b)
	}
	size := len(f.String())
	start := size - 60
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "unsupported point format: the first bytes are not LASF"},
		{"short", "LAS", "the first bytes are not LASF"},
		{"text", strings.Repeat("1 2 3\n", 99), "the first bytes are not LASF"},
		{"cut header", f.String()[:100], "header: the file is cut off: unexpected EOF"},
		{"version", with(f, 24, uint8(2)), "LAS 2.2: expected 1.0 to 1.5"},
		{"minor", with(f, 25, uint8(6)), "LAS 1.6: expected 1.0 to 1.5"},
		{"header size of 1.5", with(g, 25, uint8(5)), "the header has 375 bytes, but LAS 1.5 requires at least 393"},
		{"format of 1.5", with(k, 104, uint8(3)), "point format 3 in LAS 1.5: expected 6 to 10"},
		{"header size", with(f, 94, uint16(226)), "the header has 226 bytes, but LAS 1.2 requires at least 227"},
		{"header size of 1.4", with(g, 94, uint16(300)), "the header has 300 bytes"},
		{"points in the header", with(f, 96, uint32(200)), "the points begin at byte 200, within the header"},
		{"points beyond", with(f, 96, uint32(1<<27)), "134217728"},
		{"points far beyond", with(f, 96, uint32(1<<31)), "byte 2147483648"},
		{"more records", with(f, 100, uint32(2)), "record 2 of 2 does not fit"},
		{"many records", with(f, 100, uint32(1<<32-1)), "record 2 of 4294967295"},
		{"long record", with(f, 227+20, uint16(4)), "record 1 of 1 has 4 bytes, but only 3 are left"},
		{"format", with(f, 104, uint8(11)), "point format 11: expected 0 to 10"},
		{"compressed", with(f, 104, uint8(128)), "the points are compressed, but the file has no record of LASzip"},
		{"compressed by record", packed.String(), "the LASzip VLR has 0 bytes: expected at least 34"},
		{"format 6 in 1.2", with(f, 104, uint8(6)), "point format 6 in LAS 1.2: expected LAS 1.4"},
		{"record length", with(f, 105, uint16(19)), "a point has 19 bytes, but point format 0 needs at least 20"},
		{"more points", with(f, 107, uint32(4)), "the file is cut off"},
		{"many points", with(f, 107, uint32(1<<32-1)), "the file is cut off"},
		{"counts", with(&file{minor: 4, format: 1, scale: [3]float64{1, 1, 1}, points: make([]point, 3)}, 107, uint32(2)), "the header counts 3 points, but its field for earlier versions counts 2"},
		{"huge count", with(g, 247, uint64(1<<63)), "9223372036854775808 points are more than any file holds"},
		{"scale", with(f, 139, 0.0), "scale of y is 0"},
		{"NaN scale", with(f, 147, math.NaN()), "scale of z is NaN"},
		{"infinite offset", with(f, 155, math.Inf(1)), "offset of x is +Inf"},
		{"cut", f.String()[:size-1], "the file is cut off"},
		{"cut at the points", f.String()[:start], "the file is cut off"},
		{"cut before the points", f.String()[:start-1], "the file is cut off"},
		{"extended early", with(g, 235, uint64(400)), "extended records begin at byte 400, but the points end at byte 465"},
		{"extended beyond", with(g, 235, uint64(1<<40)), "the file is cut off"},
		{"extended count", with(g, 243, uint32(2)), "extended record 2 of 2: the file is cut off"},
		{"extended many", with(g, 243, uint32(1<<32-1)), "the file is cut off"},
		{"extended length", with(g, 465+20, uint64(4)), "extended record 1 of 1: the file is cut off"},
		{"extended huge", with(g, 465+20, uint64(1<<63)), "9223372036854775808 bytes are more than any file has"},
		{"extra bytes", h.String(), "extra bytes \"big\" end at byte 38 of a point, but each point has 30 bytes"},
		{"extra type", with(h, 375+54+2, uint8(31)), "type 31 is not known"},
		{"extra length", with(h, 375+20, uint16(191)), "191 bytes, expected a multiple of 192"},
	} {
		for _, stream := range []bool{false, true} {
			src, err := files.Open(c.text, stream, las.Options{})
			if err == nil {
				err = testcloud.ReadAll(src)
			}
			if err == nil || !strings.HasPrefix(err.Error(), "a.las: ") {
				t.Errorf("%s, stream %v: %v, want %s", c.name, stream, err, c.want)
				continue
			}
			if !stream && strings.Contains(c.want, "cut off") && strings.HasSuffix(err.Error(), "unexpected EOF") {
				continue // if New knows the file size, the error message is different
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, stream %v: %v, want %s", c.name, stream, err, c.want)
			}
		}
	}
}

// TestCannotHold adds answers that LAS cannot hold.
func TestCannotHold(t *testing.T) {
	f := randomFile(rand.New(rand.NewPCG(1, 1)), 4, 6, 3)
	many := make([]table.Column, 400)
	for i := range many {
		many[i] = table.Column{Name: "n", Kind: table.Inside}
	}
	long := []table.Column{{Name: "l", Kind: table.Label, Labels: []string{strings.Repeat("x", 70000)}}}
	for name, cols := range map[string][]table.Column{"words": {{Name: "w", Kind: table.Words}}, "many": many, "labels": long} {
		src, err := files.Open(f.String(), false, las.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := src.Passthrough(cols); !errors.Is(err, table.ErrCannotHold) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := las.Convert(src, cols); !errors.Is(err, table.ErrCannotHold) {
			t.Errorf("convert, %s: %v", name, err)
		}
	}
	// A passthrough sink cannot add descriptors to an extended record.
	f.evlrs = []vlr{{"LASF_Spec", 4, "", nil}}
	src, _ := files.Open(f.String(), false, las.Options{})
	sink, err := src.Passthrough(testcloud.AllColumns)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := testcloud.Pass(src, sink, testcloud.AllColumns, -1, nil); !errors.Is(err, table.ErrCannotHold) {
		t.Errorf("described behind the points: %v", err)
	}
	if out := files.MustPassthrough(t, f.String(), false, las.Options{}, nil, true, nil); out != f.String() {
		t.Errorf("described behind the points: %s", differ(out, f.String()))
	}
}

// TestLies reads small files with wrong counts and sizes. The reader must allocate little memory.
func TestLies(t *testing.T) {
	f := &file{minor: 4, format: 6, scale: [3]float64{1, 1, 1}, points: make([]point, 3), evlrs: []vlr{{"u", 1, "", []byte("abc")}}}
	for _, lie := range []struct {
		at    int
		value any
	}{
		{96, uint32(1 << 28)}, {247, uint64(1 << 50)}, {235, uint64(1 << 50)}, {243, uint32(1 << 31)}, {465 + 20, uint64(1 << 50)},
	} {
		b := []byte(f.String())
		copy(b[lie.at:], pack(lie.value))
		if lie.at == 247 {
			copy(b[235:], make([]byte, 12)) // otherwise the extended records begin before the end of the points
		}
		files.CheckTruncated(t, fmt.Sprintf("%v at %d", lie.value, lie.at), string(b), las.Options{Block: 1000})
	}
}
