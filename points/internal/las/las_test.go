package las_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/las"
	"github.com/inpoly/inpoly/points/table"
)

// everyFormat calls f for all valid pairs of version and point format.
func everyFormat(f func(minor, format int)) {
	for format := range 11 {
		for minor := range 6 {
			if format < 6 && minor < 5 || format > 5 && minor > 3 {
				f(minor, format)
			}
		}
	}
}

func every(int64) bool { return true }

// TestPassthrough copies files of every version and format with Passthrough. Without answers, the
// output must equal the input. With answers, it must equal the result of file.answered.
func TestPassthrough(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	everyFormat(func(minor, format int) {
		for trial := range 4 {
			f := randomFile(rng, minor, format, rng.IntN(200))
			if trial == 1 {
				f.describe(rng)
			}
			opt := las.Options{Block: []int{0, 1, 100, 5000}[rng.IntN(4)]}
			for _, stream := range []bool{false, true} {
				name := fmt.Sprintf("LAS 1.%d, format %d, trial %d, stream %v, block %d", minor, format, trial, stream, opt.Block)
				for _, known := range []bool{false, true} {
					if out := files.MustPassthrough(t, f.String(), stream, opt, nil, known, nil); out != f.String() {
						t.Fatalf("%s: nothing appended: %s", name, differ(out, f.String()))
					}
					_, rows := f.only(every)
					want := f.answered(rows).String()
					if out := files.MustPassthrough(t, f.String(), stream, opt, testcloud.AllColumns, known, nil); out != want {
						t.Fatalf("%s: %s", name, differ(out, want))
					}
				}
			}
		}
	})
}

// describe adds extra bytes of every type to the points of f, and adds their descriptors.
func (f *file) describe(rng *rand.Rand) {
	var body []byte
	f.extra = 0
	for typ, size := range []int{0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8} {
		if typ > 0 {
			body = append(body, description(uint8(typ), 0, fmt.Sprint("e", typ), 0, "")...)
			f.extra += size
		}
	}
	body = append(body, description(13, 0, "pair", 0, "")...) // type 13 is two uint16
	body = append(body, description(0, 3, "any", 0, "")...)
	scaled := description(4, 1|8|16, "scaled", uint64(1<<64-9), "") // the stored value −9 means no data
	copy(scaled[112:], pack(.5))
	copy(scaled[136:], pack(100.0))
	body = append(body, scaled...)
	f.extra += 4 + 3 + 2
	f.vlrs = append(f.vlrs, vlr{"LASF_Spec", 4, "described", body}, vlr{"someone", 77, "behind it", []byte("xyz")})
	for i := range f.points {
		f.points[i].extra = randomBytes(rng, f.extra)
		if i%3 == 0 {
			copy(f.points[i].extra[f.extra-2:], pack(int16(-9)))
		}
	}
}

// TestDrop drops points. The output must equal a file with only the kept points.
func TestDrop(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	everyFormat(func(minor, format int) {
		for trial := range 3 {
			f := randomFile(rng, minor, format, rng.IntN(200))
			drop := func(k int64) bool { return k%int64(2+trial) != 0 }
			if trial == 2 {
				drop = every
			}
			g, rows := f.only(func(k int64) bool { return !drop(k) })
			opt := las.Options{Block: 700}
			if out := files.MustPassthrough(t, f.String(), trial == 1, opt, nil, false, drop); out != g.String() {
				t.Fatalf("LAS 1.%d, format %d, trial %d: %s", minor, format, trial, differ(out, g.String()))
			}
			want := g.answered(rows).String()
			if out := files.MustPassthrough(t, f.String(), trial == 1, opt, testcloud.AllColumns, false, drop); out != want {
				t.Fatalf("LAS 1.%d, format %d, trial %d, answers: %s", minor, format, trial, differ(out, want))
			}
		}
	})
}

// TestShards compares the output for each shard with a file that contains only the points of the
// shard. It also checks that adjacent byte ranges together contain all points.
func TestShards(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	everyFormat(func(minor, format int) {
		f := randomFile(rng, minor, format, rng.IntN(60))
		n := 1 + rng.IntN(5)
		from := 0
		for i := range n {
			to := int(pointio.PartStart(int64(len(f.points)), i+1, n))
			g, _ := f.only(func(k int64) bool { return int(k) >= from && int(k) < to })
			out := files.MustPassthrough(t, f.String(), false, las.Options{Block: 64, Shard: i + 1, Shards: n}, nil, i%2 == 0, nil)
			if out != g.String() {
				t.Fatalf("LAS 1.%d, format %d, shard %d of %d: %s", minor, format, i+1, n, differ(out, g.String()))
			}
			from = to
		}
		size := int64(len(f.String()))
		count := int64(0)
		for lo := int64(0); lo < size; lo += size/4 + 1 {
			src, err := files.Open(f.String(), false, las.Options{Bytes: [2]int64{lo, lo + size/4 + 1}})
			if err != nil {
				t.Fatal(err)
			}
			count += src.Rows()
			if err := testcloud.ReadAll(src); err != nil {
				t.Fatal(err)
			}
		}
		if count != int64(len(f.points)) {
			t.Fatalf("ranges of bytes have %d points of %d", count, len(f.points))
		}
	})
}

// values returns the expected field values of point p. The keys are the field names.
func (f *file) values(p *point) map[string]float64 {
	x := f.exact(p)
	v := map[string]float64{"x": x[0], "y": x[1], "z": x[2], "intensity": float64(p.intensity),
		"return_number": float64(p.returns), "number_of_returns": float64(p.of), "scan_direction_flag": float64(p.dir), "edge_of_flight_line": float64(p.edge),
		"classification": float64(p.class), "synthetic": float64(p.synthetic), "key_point": float64(p.keyPoint), "withheld": float64(p.withheld),
		"user_data": float64(p.user), "point_source_id": float64(p.source)}
	if f.format < 6 {
		v["scan_angle_rank"] = float64(p.angle)
	} else {
		v["scan_angle"], v["overlap"], v["scanner_channel"] = float64(p.angle), float64(p.overlap), float64(p.channel)
	}
	if f.format != 0 && f.format != 2 {
		v["gps_time"] = p.gps
	}
	if strings.Contains(" 2 3 5 7 8 10 ", fmt.Sprintf(" %d ", f.format)) {
		v["red"], v["green"], v["blue"] = float64(p.red), float64(p.green), float64(p.blue)
	}
	if f.format == 8 || f.format == 10 {
		v["nir"] = float64(p.nir)
	}
	if f.format%5 == 4 || f.format == 5 || f.format == 10 {
		v["wavepacket_index"], v["wavepacket_offset"], v["wavepacket_size"] = float64(p.waveIndex), float64(p.waveOffset), float64(p.waveSize)
		v["return_point_wave_location"], v["x_t"], v["y_t"], v["z_t"] = float64(p.waveAt), float64(p.dx), float64(p.dy), float64(p.dz)
	}
	return v
}

// described adds to v the values of the extra bytes e. The method describe chooses their layout.
func described(v map[string]float64, e []byte) {
	v["e1"], v["e2"], v["e3"], v["e4"] = float64(e[0]), float64(int8(e[1])), float64(le.Uint16(e[2:])), float64(int16(le.Uint16(e[4:])))
	v["e5"], v["e6"] = float64(le.Uint32(e[6:])), float64(int32(le.Uint32(e[10:])))
	v["e7"], v["e8"] = float64(le.Uint64(e[14:])), float64(int64(le.Uint64(e[22:])))
	v["e9"], v["e10"] = float64(math.Float32frombits(le.Uint32(e[30:]))), math.Float64frombits(le.Uint64(e[34:]))
	v["pair_0"], v["pair_1"] = float64(le.Uint16(e[42:])), float64(le.Uint16(e[44:]))
	v["any"], v["any_2"], v["any_3"] = float64(e[46]), float64(e[47]), float64(e[48])
	if v["scaled"] = float64(int16(le.Uint16(e[49:])))*.5 + 100; int16(le.Uint16(e[49:])) == -9 {
		v["scaled"] = math.NaN()
	}
}

// TestValues compares points and all fields with the values that the test wrote.
func TestValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	everyFormat(func(minor, format int) {
		f := randomFile(rng, minor, format, 50)
		f.describe(rng)
		src, err := files.Open(f.String(), format%2 == 0, las.Options{Block: 1000})
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
			for i, got := range b.Points {
				if want := f.exact(&f.points[k+i]); [3]float64{got.X, got.Y, got.Z} != want {
					t.Fatalf("format %d: point %d: %v, want %v", format, k+i, got, want)
				}
			}
			seen := map[string]bool{}
			for c, field := range src.Fields() {
				seen[field.Name] = true
				if err := src.Values(&b, c, &v); err != nil {
					t.Fatal(err)
				}
				for i := range b.Points {
					want := f.values(&f.points[k+i])
					described(want, f.points[k+i].extra)
					if w, ok := want[field.Name]; !ok || !testcloud.EqualOrNaN(value(&v, i), w) || v.Type != field.Type {
						t.Fatalf("format %d: point %d: %s (%v) is %v, want %v", format, k+i, field.Name, field.Type, value(&v, i), w)
					}
					if len(want) != len(src.Fields()) {
						t.Fatalf("format %d: fields %v, want %v", format, src.Fields(), want)
					}
					if missing := len(v.Missing) > 0 && v.Missing[i]; missing != (field.Name == "scaled" && want["scaled"] != want["scaled"]) {
						t.Fatalf("format %d: point %d: %s is missing: %v", format, k+i, field.Name, missing)
					}
				}
			}
			k += len(b.Points)
		}
		if !errors.Is(err, io.EOF) || k != len(f.points) {
			t.Fatalf("%v after %d of %d points", err, k, len(f.points))
		}
	})
}

// value returns value k of v as float64.
func value(v *table.Values, k int) float64 {
	switch {
	case v.Type.IsFloat():
		return v.Floats[k]
	case v.Type == table.Uint64:
		return float64(uint64(v.Ints[k]))
	}
	return float64(v.Ints[k])
}

// TestResume stops after some blocks and resumes with a new source and a new sink. The output must
// equal the output of a single run.
func TestResume(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	everyFormat(func(minor, format int) {
		f := randomFile(rng, minor, format, 80)
		drop := func(k int64) bool { return k%5 == 1 }
		want := files.MustPassthrough(t, f.String(), false, las.Options{}, testcloud.AllColumns, false, drop)
		for stop := range 3 {
			got := testcloud.Resumed(t, files.Start(t, f.String(), format%2 == 1, las.Options{Block: 800}, testcloud.AllColumns), stop, drop)
			if got != want {
				t.Fatalf("LAS 1.%d, format %d, after %d blocks: %s", minor, format, stop, differ(got, want))
			}
		}
	})
}

// TestColumns uses fields other than x, y and z as coordinates.
func TestColumns(t *testing.T) {
	f := randomFile(rand.New(rand.NewPCG(11, 12)), 2, 3, 5)
	src, err := files.Open(f.String(), false, las.Options{Columns: [3]string{"RED", "2", "gps_time"}})
	if err != nil {
		t.Fatal(err)
	}
	var b table.Block
	if err := errors.Join(src.Fill(&b), src.Parse(&b)); err != nil {
		t.Fatal(err)
	}
	for k, p := range b.Points {
		if q := &f.points[k]; p.X != float64(q.red) || p.Y != f.exact(q)[1] || p.Z != q.gps {
			t.Errorf("point %d: %v", k, p)
		}
	}
	for _, c := range [][3]string{{"x", "y", "nothing"}, {"x", "y", "99"}, {"x", "x", "y"}} {
		if _, err := files.Open(f.String(), false, las.Options{Columns: c}); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
}

// TestJoinTimes joins headers of LAS 1.5 with other ranges of GPS times.
func TestJoinTimes(t *testing.T) {
	f := &file{minor: 5, format: 6, scale: [3]float64{1, 1, 1}}
	head := func(most, least float64, offset uint16) []byte {
		b := []byte(f.String())
		copy(b[375:], pack(most, least, offset))
		return b
	}
	got, err := las.Joiner{}.JoinHeads([][]byte{head(5, 1, 1250), head(4, -2, 1250)}, []int64{0, 0})
	if err != nil || !bytes.Equal(got, head(5, -2, 1250)) {
		t.Errorf("%v: %s", err, differ(string(got), string(head(5, -2, 1250))))
	}
	if _, err := (las.Joiner{}).JoinHeads([][]byte{head(5, 1, 1250), head(5, 1, 1500)}, []int64{0, 0}); err == nil || !strings.Contains(err.Error(), "the offsets of GPS times are 1250·10⁶ s and 1500·10⁶ s") {
		t.Errorf("other offsets of times: error %v", err)
	}
}
