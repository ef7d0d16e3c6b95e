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

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/las"
	"github.com/inpoly/inpoly/points/internal/ply"
	"github.com/inpoly/inpoly/points/table"
)

// memory is a source whose rows are in memory.
type memory struct {
	fields  []table.Field
	columns []table.Values // all rows
	axes    [3]int
	block   int
	next    int
	hollow  bool // if true, every second block is empty
	pause   bool
}

func (m *memory) Format() string        { return "memory" }
func (m *memory) Fields() []table.Field { return m.fields }
func (m *memory) Axes() [3]int          { return m.axes }
func (m *memory) Rows() int64           { return int64(len(m.columns[m.axes[0]].Floats)) }
func (m *memory) SeekTo(p table.Position) error {
	m.next = int(p.Row)
	return nil
}
func (m *memory) Passthrough([]table.Column) (table.Sink, error) { return nil, errors.ErrUnsupported }

func (m *memory) Fill(b *table.Block) error {
	b.Start()
	n := min(m.block, int(m.Rows())-m.next)
	if n == 0 {
		return io.EOF
	}
	if m.pause = !m.pause; m.pause && m.hollow {
		n = 0
	}
	b.First, b.Raw = int64(m.next), append(b.Raw, make([]byte, n)...)
	m.next += n
	b.Next = table.Position{Row: int64(m.next)}
	return nil
}

func (m *memory) Parse(b *table.Block) error {
	for i := range b.Raw {
		k := int(b.First) + i
		x := func(a int) float64 { return m.columns[m.axes[a]].Floats[k] }
		b.Add(r3.Vector{X: x(0), Y: x(1), Z: x(2)}, int64(k))
	}
	return nil
}

func (m *memory) Values(b *table.Block, field int, v *table.Values) error {
	c := &m.columns[field]
	v.Reset(c.Type)
	lo, hi := int(b.First), int(b.First)+len(b.Points)
	if len(c.Floats) > 0 {
		v.Floats = append(v.Floats, c.Floats[lo:hi]...)
	} else {
		v.Ints = append(v.Ints, c.Ints[lo:hi]...)
	}
	if len(c.Missing) > 0 {
		v.Missing = append(v.Missing, c.Missing[lo:hi]...)
	}
	return nil
}

// add adds a column with the given values.
func (m *memory) add(name string, t table.Type, ints []int64, floats []float64) *table.Values {
	m.fields = append(m.fields, table.Field{Name: name, Type: t})
	m.columns = append(m.columns, table.Values{Type: t, Ints: ints, Floats: floats})
	return &m.columns[len(m.columns)-1]
}

// allTypes returns a source of n rows. Its columns have all types, and some have the names of LAS
// dimensions.
func allTypes(rng *rand.Rand, n int) *memory {
	m := &memory{block: 7, axes: [3]int{1, 3, 2}}
	ints := func(f func() int64) []int64 {
		v := make([]int64, n)
		for i := range v {
			v[i] = f()
		}
		return v
	}
	floats := func(f func() float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = f()
		}
		return v
	}
	m.add("bool", table.Bool, ints(func() int64 { return rng.Int64N(2) }), nil)
	m.add("lon", table.Float64, nil, floats(func() float64 { return 7 + rng.Float64() }))
	m.add("alt", table.Float64, nil, floats(func() float64 { return 100 * rng.NormFloat64() }))
	m.add("lat", table.Float64, nil, floats(func() float64 { return -48 - rng.Float64() }))
	m.add("i8", table.Int8, ints(func() int64 { return int64(int8(rng.Uint32())) }), nil)
	m.add("i16", table.Int16, ints(func() int64 { return int64(int16(rng.Uint32())) }), nil)
	m.add("i32", table.Int32, ints(func() int64 { return int64(int32(rng.Uint32())) }), nil)
	m.add("i64", table.Int64, ints(func() int64 { return rng.Int64() >> 11 }), nil)
	m.add("u8", table.Uint8, ints(func() int64 { return int64(uint8(rng.Uint32())) }), nil)
	m.add("u16", table.Uint16, ints(func() int64 { return int64(uint16(rng.Uint32())) }), nil)
	m.add("u32", table.Uint32, ints(func() int64 { return int64(rng.Uint32()) }), nil)
	m.add("u64", table.Uint64, ints(func() int64 { return rng.Int64()>>20 | -1<<62 }), nil)
	for i := range m.columns[len(m.columns)-1].Ints {
		m.columns[len(m.columns)-1].Ints[i] &^= 1<<20 - 1 // makes the value exact as float64
	}
	m.add("f32", table.Float32, nil, floats(func() float64 { return float64(float32(rng.NormFloat64())) }))
	m.add("f64", table.Float64, nil, floats(rng.NormFloat64))
	missing := m.add("missing", table.Float64, nil, floats(rng.NormFloat64))
	for k := range n {
		if missing.Missing = append(missing.Missing, k%3 == 1); k%3 == 1 {
			missing.Floats[k] = math.NaN()
		}
	}
	m.add("Intensity", table.Float64, nil, floats(func() float64 { return float64(rng.IntN(65536)) }))
	m.add("classification", table.Int64, ints(func() int64 { return rng.Int64N(256) }), nil)
	m.add("gps_time", table.Float64, nil, floats(rng.NormFloat64))
	m.add("user_data", table.Float64, nil, floats(func() float64 { return rng.Float64() })) // user_data cannot store fractions
	m.add("red", table.Uint8, ints(func() int64 { return rng.Int64N(256) }), nil)
	m.add("green", table.Uint8, ints(func() int64 { return rng.Int64N(256) }), nil)
	m.add("blue", table.Uint8, ints(func() int64 { return rng.Int64N(256) }), nil)
	m.add("a name that is longer than thirty-two bytes", table.Int16, ints(func() int64 { return 5 }), nil)
	m.add("a name that is longer than thirty-two bytes, too", table.Int16, ints(func() int64 { return 6 }), nil)
	return m
}

// collect returns all values of each field of a source.
func collect(t *testing.T, src table.Source) map[string][]float64 {
	t.Helper()
	all := map[string][]float64{}
	for _, f := range src.Fields() {
		all[f.Name] = nil
	}
	var b table.Block
	var v table.Values
	for {
		if err := src.Fill(&b); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if err := src.Parse(&b); err != nil {
			t.Fatal(err)
		}
		for i, f := range src.Fields() {
			if err := src.Values(&b, i, &v); err != nil {
				t.Fatal(err)
			}
			for k := range b.Points {
				x := value(&v, k)
				if len(v.Missing) > 0 && v.Missing[k] {
					x = math.NaN()
				}
				all[f.Name] = append(all[f.Name], x)
			}
		}
	}
}

// collectFile returns all values of each field of a LAS file.
func collectFile(t *testing.T, text string) map[string][]float64 {
	t.Helper()
	src, err := files.Open(text, false, las.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return collect(t, src)
}

// TestConvert converts all types to LAS. Coordinates must be rounded to the scale, and all other
// values must be exact.
func TestConvert(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{0, 1, 50} {
		m := allTypes(rng, n)
		sink, err := las.Convert(m, testcloud.AllColumns)
		if err != nil {
			t.Fatal(err)
		}
		out, err := testcloud.Pass(m, sink, testcloud.AllColumns, int64(n), nil)
		if err != nil {
			t.Fatal(err)
		}
		src, err := files.Open(out, true, las.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := []byte(out)[104]; n > 0 && got != 7 {
			t.Errorf("point format %d, want 7 for colors", got)
		}
		got := collect(t, src)
		renamed := map[string]string{"lon": "x", "lat": "y", "alt": "z", "Intensity": "intensity", "user_data": "user_data_2",
			"a name that is longer than thirty-two bytes":      "a name that is longer than thirt",
			"a name that is longer than thirty-two bytes, too": "a name that is longer than thi_2"}
		if n == 0 {
			renamed["user_data"] = "user_data"
		}
		for i, f := range m.Fields() {
			name := f.Name
			if r, ok := renamed[name]; ok {
				name = r
			}
			have, ok := got[name]
			if !ok {
				t.Fatalf("no field %q in %v", name, src.Fields())
			}
			for k := range n {
				want, within := value(&m.columns[i], k), 0.0
				if i >= 1 && i <= 3 {
					within = 1e-7 / 2 * 600 // half of 1e-7 of the extent, which is below 600
				}
				if !(math.Abs(have[k]-want) <= within) && !testcloud.EqualOrNaN(have[k], want) {
					t.Fatalf("row %d: %s is %v, want %v", k, name, have[k], want)
				}
			}
		}
		for k := range n {
			w, bound := testcloud.Numbers(int64(k))
			if !testcloud.EqualOrNaN(got["winding"][k], w) || got["winding bound"][k] != bound || got["nearest"][k] != float64(k-3) || got["body"][k] != float64(k%3-1) ||
				got["return_number"][k] != 1 || got["number_of_returns"][k] != 1 {
				t.Fatalf("row %d: %v", k, got)
			}
			if in := got["inside"][k]; !testcloud.EqualOrNaN(in, []float64{math.NaN(), 0, 1, 1}[k%4]) {
				t.Fatalf("row %d: inside is %v", k, in)
			}
		}
		// If the counts and offsets in the header are right, copying the output does not change it.
		if again := files.MustPassthrough(t, out, false, las.Options{}, nil, true, nil); again != out {
			t.Errorf("passed through: %s", differ(again, out))
		}
	}
}

// TestConvertOrder formats all blocks before it writes the first block. The output must be the same
// as with immediate writes, and the same as after Resume.
func TestConvertOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	m := allTypes(rng, 60)
	m.hollow = true
	start := func() (table.Source, table.Sink) {
		again := *m
		again.next = 0
		sink, err := las.Convert(&again, testcloud.AllColumns)
		if err != nil {
			t.Fatal(err)
		}
		return &again, sink
	}
	drop := func(k int64) bool { return k%5 == 1 }
	src, sink := start()
	want, err := testcloud.Pass(src, sink, testcloud.AllColumns, -1, drop)
	if err != nil {
		t.Fatal(err)
	}
	src, sink = start()
	var blocks []*table.Block
	for {
		b := &table.Block{}
		if err := src.Fill(b); err != nil {
			break
		}
		if err := src.Parse(b); err != nil {
			t.Fatal(err)
		}
		testcloud.Answer(b, testcloud.AllColumns, drop)
		if err := sink.Format(b); err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, b)
	}
	var out bytes.Buffer
	for _, b := range blocks {
		if err := sink.Write(&out, b); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.End(&out); err != nil {
		t.Fatal(err)
	}
	copy(out.Bytes(), sink.(table.HeaderPatcher).FinalHeader())
	if got := out.String(); got != want {
		t.Errorf("formatted first: %s", differ(got, want))
	}
	for stop := range 4 {
		if got := testcloud.Resumed(t, start, stop, drop); got != want {
			t.Errorf("resumed after %d blocks: %s", stop, differ(got, want))
		}
	}
}

// TestConvertErrors converts values that LAS cannot store.
func TestConvertErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(m *memory)
		want string
	}{
		{"NaN", func(m *memory) { m.columns[1].Floats[3] = math.NaN() }, "row 3: x is NaN"},
		{"infinite", func(m *memory) { m.columns[2].Floats[20] = math.Inf(-1) }, "row 20: z is -Inf"},
		{"far", func(m *memory) { m.columns[3].Floats[20] = 1e9 }, "row 20: y is 1e+09, out of range with the scale 1e-06"},
		{"dimension", func(m *memory) { m.columns[15].Floats[20] = 70000 }, "row 20: column intensity: 70000 does not fit: expected 0 to 65535"},
		{"missing", func(m *memory) { m.columns[4].Missing = append(make([]bool, 20), append(make([]bool, 9), true)...) }, "row 29: column \"i8\": a value is missing"},
		{"none", func(m *memory) { m.columns[7].Ints[2] = math.MinInt64 }, "row 2: column \"i64\": the value -9223372036854775808 would be read back as missing"},
	} {
		m := allTypes(rand.New(rand.NewPCG(25, 26)), 30)
		c.set(m)
		sink, err := las.Convert(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = testcloud.Pass(m, sink, nil, -1, nil)
		if !errors.Is(err, table.ErrCannotHold) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	m := allTypes(rand.New(rand.NewPCG(25, 26)), 3)
	m.fields[0].Type = table.Text
	if _, err := las.Convert(m, nil); !errors.Is(err, table.ErrCannotHold) {
		t.Errorf("text: %v", err)
	}
	if _, err := ply.Convert(m, nil); !errors.Is(err, table.ErrCannotHold) {
		t.Errorf("text as ply: %v", err)
	}
}

// TestConvertDropped checks that a dropped row can have values that LAS cannot store.
func TestConvertDropped(t *testing.T) {
	m := allTypes(rand.New(rand.NewPCG(25, 26)), 30)
	m.columns[1].Floats[20], m.columns[15].Floats[20], m.columns[7].Ints[20] = math.NaN(), 70000, math.MinInt64
	m.columns[4].Missing = append(make([]bool, 20), append([]bool{true}, make([]bool, 9)...)...)
	sink, err := las.Convert(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := testcloud.Pass(m, sink, nil, -1, func(k int64) bool { return k == 20 })
	if err != nil {
		t.Fatal(err)
	}
	got := collectFile(t, out)
	if len(got["i8"]) != 29 || got["i8"][20] != float64(m.columns[4].Ints[21]) || got["intensity"][19] != m.columns[15].Floats[19] {
		t.Errorf("%v", got)
	}
}

// TestSteps converts clouds of different sizes and positions to LAS and back. The coordinates must
// change by at most 10⁻⁷ of the extent.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	for _, size := range []float64{0, 1e-290, 1e-12, 1, 360, 1e6, 1e12, 1e300} {
		for _, at := range []float64{0, 1e-9, 5e5, -1e9, 1e300} {
			m := &memory{block: 1000, axes: [3]int{0, 1, 2}}
			for _, name := range []string{"x", "y", "z"} {
				v := make([]float64, 40)
				for k := range v {
					v[k] = at + size*(rng.Float64()-.5)
				}
				m.add(name, table.Float64, nil, v)
			}
			sink, err := las.Convert(m, nil)
			if err != nil {
				t.Fatal(err)
			}
			out, err := testcloud.Pass(m, sink, nil, -1, nil)
			if err != nil {
				t.Fatalf("size %v at %v: %v", size, at, err)
			}
			got := collectFile(t, out)
			for i, name := range []string{"x", "y", "z"} {
				for k, want := range m.columns[i].Floats {
					// The error is at most half a step plus the rounding of X·scale + offset in
					// float64.
					if within := 1e-7*size + math.Abs(at)*0x1p-48; math.Abs(got[name][k]-want) > within && (size > 0 || math.Abs(got[name][k]-want) > 1e-7*math.Abs(at)) {
						t.Fatalf("size %v at %v: %v became %v", size, at, want, got[name][k])
					}
				}
			}
		}
	}
}

// TestDecimals converts coordinates with few digits to LAS and back. The first block can span less
// space than the others. If LAS can keep all digits, the coordinates must change only by float64
// rounding.
func TestDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, c := range []struct {
		digits           int
		block, whole, at float64
		scale            float64
	}{
		{3, 10, 2e4, 5e5, 1e-5},
		{3, 1000, 1e5, 5e6, 1e-4},
		{2, 1e6, 1e6, 5e6, 1e-2},
		{3, 1e6, 1e6, 0, 1e-3},
		{0, 10, 2e4, 0, 1e-5},
		{6, 1, 1, 0, 1e-7},
		{12, .5, .5, 7, 1e-8},
	} {
		m := &memory{block: 50, axes: [3]int{0, 1, 2}}
		p := math.Pow10(c.digits)
		for _, name := range []string{"x", "y", "z"} {
			v := make([]float64, 200)
			for k := range v {
				size := c.block
				if k >= m.block {
					size = c.whole
				}
				v[k] = math.Round((c.at+size*(rng.Float64()-.5))*p) / p
			}
			v[0], v[1] = math.Round((c.at-c.block/2)*p)/p, math.Round((c.at+c.block/2)*p)/p
			m.add(name, table.Float64, nil, v)
		}
		sink, err := las.Convert(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := testcloud.Pass(m, sink, nil, -1, nil)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if got := math.Float64frombits(le.Uint64([]byte(out)[131:])); got != c.scale {
			t.Errorf("%+v: scale %v", c, got)
		}
		got := collectFile(t, out)
		for i, name := range []string{"x", "y", "z"} {
			for k, want := range m.columns[i].Floats {
				within := 0x1p-50 * (math.Abs(c.at) + c.whole)
				if c.scale > 1/p {
					within = c.scale // LAS does not keep all digits
				}
				if math.Abs(got[name][k]-want) > within {
					t.Fatalf("%+v: %v became %v", c, want, got[name][k])
				}
			}
		}
	}
}

// TestToPLY converts LAS files and all types to PLY and checks the values. Then it converts the PLY
// file to LAS and checks all fields.
func TestToPLY(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 30))
	var sources []table.Source
	var want []map[string][]float64
	everyFormat(func(minor, format int) {
		f := randomFile(rng, minor, format, 30)
		f.describe(rng)
		for i := range f.points {
			copy(f.points[i].extra[14:], make([]byte, 16)) // removes integers that float64 would round
			f.points[i].waveOffset >>= 12
		}
		for range 2 {
			src, err := files.Open(f.String(), false, las.Options{Block: 500})
			if err != nil {
				t.Fatal(err)
			}
			if len(want) < len(sources)+1 {
				want = append(want, collect(t, src))
				continue
			}
			sources = append(sources, src)
		}
	})
	m := allTypes(rng, 40)
	all := collect(t, m)
	all["x"], all["y"], all["z"] = all["lon"], all["lat"], all["alt"]
	delete(all, "lon")
	delete(all, "lat")
	delete(all, "alt")
	m.next = 0
	sources, want = append(sources, m), append(want, all)
	for i, src := range sources {
		sink, err := ply.Convert(src, testcloud.AllColumns)
		if err != nil {
			t.Fatal(err)
		}
		out, err := testcloud.Pass(src, sink, testcloud.AllColumns, []int64{-1, src.Rows()}[i%2], nil)
		if err != nil {
			t.Fatal(err)
		}
		cloud, err := ply.New("a.ply", strings.NewReader(out), nil, -1, ply.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := collect(t, cloud)
		if len(got) != len(want[i])+len(testcloud.AllColumns) {
			t.Fatalf("%v, want %v", cloud.Fields(), want[i])
		}
		for name, w := range want[i] {
			g, ok := got[strings.ReplaceAll(name, " ", "_")]
			if !ok || len(g) != len(w) {
				t.Fatalf("source %d: %d values of %q, want %d", i, len(g), name, len(w))
			}
			for k := range w {
				if !testcloud.EqualOrNaN(g[k], w[k]) {
					t.Fatalf("source %d: row %d: %s is %v, want %v", i, k, name, g[k], w[k])
				}
			}
		}
		cloud, _ = ply.New("a.ply", strings.NewReader(out), nil, -1, ply.Options{})
		back, err := las.Convert(cloud, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := testcloud.Pass(cloud, back, nil, -1, nil)
		if err != nil {
			t.Fatal(err)
		}
		again := collectFile(t, text)
		for name, g := range got {
			short := name[:min(len(name), 32)]
			if strings.HasSuffix(name, "too") {
				short = name[:30] + "_2"
			}
			a, ok := again[short]
			if !ok {
				a = again[strings.ToLower(short)]
			}
			if second, own := again[short+"_2"], got[name+"_2"]; second != nil && own == nil {
				a = second // the LAS dimension with this name cannot store the values
			}
			if len(a) != len(g) {
				t.Fatalf("source %d: %d values of %q, want %d", i, len(a), name, len(g))
			}
			for k := range g {
				if !strings.Contains("xyz", name) && !testcloud.EqualOrNaN(a[k], g[k]) {
					t.Fatalf("source %d: row %d: %s is %v, want %v", i, k, name, a[k], g[k])
				}
			}
		}
	}
}
