package las_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/las"
)

var le = binary.LittleEndian

// files opens test files with las.New.
var files = testcloud.Format[*las.Source, las.Options]{File: "a.las", New: las.New}

// pack returns the concatenated little-endian encodings of the given values.
func pack(values ...any) []byte {
	var out bytes.Buffer
	for _, v := range values {
		if err := binary.Write(&out, le, v); err != nil {
			panic(err)
		}
	}
	return out.Bytes()
}

// padded returns s, padded with NUL bytes to n bytes.
func padded(s string, n int) []byte { return append([]byte(s), make([]byte, n-len(s))...) }

// point is a point that the tests write.
type point struct {
	X, Y, Z                                int32
	intensity                              uint16
	returns, of, dir, edge, class          uint8
	synthetic, keyPoint, withheld, overlap uint8
	channel                                uint8
	angle                                  int16
	user                                   uint8
	source                                 uint16
	gps                                    float64
	red, green, blue, nir                  uint16
	waveIndex                              uint8
	waveOffset                             uint64
	waveSize                               uint32
	waveAt, dx, dy, dz                     float32
	extra                                  []byte
}

// bytes encodes p as a record of the given point format.
func (p *point) bytes(format int) []byte {
	out := pack(p.X, p.Y, p.Z, p.intensity)
	if format < 6 {
		out = append(out, pack(p.returns|p.of<<3|p.dir<<6|p.edge<<7, p.class|p.synthetic<<5|p.keyPoint<<6|p.withheld<<7,
			int8(p.angle), p.user, p.source)...)
	} else {
		out = append(out, pack(p.returns|p.of<<4, p.synthetic|p.keyPoint<<1|p.withheld<<2|p.overlap<<3|p.channel<<4|p.dir<<6|p.edge<<7,
			p.class, p.user, p.angle, p.source)...)
	}
	gps, rgb, nir, wave := pack(p.gps), pack(p.red, p.green, p.blue), pack(p.nir),
		pack(p.waveIndex, p.waveOffset, p.waveSize, p.waveAt, p.dx, p.dy, p.dz)
	for _, part := range map[int][][]byte{0: {}, 1: {gps}, 2: {rgb}, 3: {gps, rgb}, 4: {gps, wave}, 5: {gps, rgb, wave},
		6: {gps}, 7: {gps, rgb}, 8: {gps, rgb, nir}, 9: {gps, wave}, 10: {gps, rgb, nir, wave}}[format] {
		out = append(out, part...)
	}
	return append(out, p.extra...)
}

// vlr is a variable length record.
type vlr struct {
	user string
	id   uint16
	text string
	body []byte
}

// file is a LAS file that the tests write.
type file struct {
	minor, format int
	scale, offset [3]float64
	vlrs          []vlr
	gap           []byte // bytes between the records and the points
	points        []point
	extra         int    // number of extra bytes of a point
	tailGap       []byte // bytes between the points and the extended records
	evlrs         []vlr
}

// String returns the bytes of the file.
func (f *file) String() string {
	var records []byte
	for _, v := range f.vlrs {
		records = append(records, pack(uint16(0), padded(v.user, 16), v.id, uint16(len(v.body)), padded(v.text, 32))...)
		records = append(records, v.body...)
	}
	headSize := []int{227, 227, 227, 235, 375, 393}[f.minor]
	start := headSize + len(records) + len(f.gap)
	var body []byte
	var returns [16]uint64
	lo, hi := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for i := range f.points {
		p := &f.points[i]
		body = append(body, p.bytes(f.format)...)
		returns[p.returns]++
		for a, x := range f.at(p) {
			lo[a], hi[a] = min(lo[a], x), max(hi[a], x)
		}
	}
	if len(f.points) == 0 {
		lo, hi = [3]float64{}, [3]float64{}
	}
	size := len((&point{}).bytes(f.format)) + f.extra
	end := uint64(start + len(body) + len(f.tailGap))
	old := uint32(len(f.points))
	var oldReturns [5]uint32
	for i := range oldReturns {
		oldReturns[i] = uint32(returns[i+1])
	}
	if f.format >= 6 {
		old, oldReturns = 0, [5]uint32{}
	}
	head := pack([]byte("LASF"), uint16(7), uint16(1), padded("guid", 16), uint8(1), uint8(f.minor),
		padded("a system", 32), padded("a test", 32), uint16(33), uint16(2020), uint16(headSize), uint32(start), uint32(len(f.vlrs)),
		uint8(f.format), uint16(size), old, oldReturns, f.scale, f.offset,
		hi[0], lo[0], hi[1], lo[1], hi[2], lo[2])
	var tail []byte
	for _, v := range f.evlrs {
		tail = append(tail, pack(uint16(0), padded(v.user, 16), v.id, uint64(len(v.body)), padded(v.text, 32))...)
		tail = append(tail, v.body...)
	}
	if len(f.evlrs) == 0 {
		end = 0
	} else {
		tail = append(append([]byte(nil), f.tailGap...), tail...)
	}
	if f.minor >= 3 {
		wave := end
		if f.minor >= 4 && f.format%5 != 4 {
			wave = 0
		}
		head = append(head, pack(wave)...)
	}
	if f.minor >= 4 {
		head = append(head, pack(end, uint32(len(f.evlrs)), uint64(len(f.points)), returns[1:])...)
	}
	if f.minor >= 5 {
		head = append(head, pack(2e9, -1e9, uint16(1250))...)
	}
	return string(head) + string(records) + string(f.gap) + string(body) + string(tail)
}

// exact returns the decimal coordinates of p, each rounded once to the nearest float64.
func (f *file) exact(p *point) (x [3]float64) {
	for a, n := range [3]int32{p.X, p.Y, p.Z} {
		var scale, offset big.Rat
		scale.SetString(strconv.FormatFloat(f.scale[a], 'g', -1, 64))
		offset.SetString(strconv.FormatFloat(f.offset[a], 'g', -1, 64))
		sum := new(big.Rat).SetInt64(int64(n))
		x[a], _ = sum.Add(sum.Mul(sum, &scale), &offset).Float64()
	}
	return x
}

// at computes the coordinates of p as writers of LAS files do, with two roundings.
func (f *file) at(p *point) (x [3]float64) {
	for a, n := range [3]int32{p.X, p.Y, p.Z} {
		scaled := float64(n) * f.scale[a]
		x[a] = scaled + f.offset[a]
	}
	return x
}

// description returns a descriptor of extra bytes.
func description(typ, options uint8, name string, none uint64, text string) []byte {
	return pack([2]byte{}, typ, options, padded(name, 32), [4]byte{}, none, make([]byte, 64), make([]byte, 48), padded(text, 32))
}

func randomFile(rng *rand.Rand, minor, format, n int) *file {
	f := &file{minor: minor, format: format}
	for a := range 3 {
		f.scale[a] = []float64{1, .01, .001, 1e-7, -.5}[rng.IntN(5)]
		f.offset[a] = []float64{0, 5e5, -1234.5}[rng.IntN(3)]
	}
	for i := range rng.IntN(3) {
		f.vlrs = append(f.vlrs, vlr{"someone", uint16(i), "some text", randomBytes(rng, rng.IntN(50))})
	}
	f.gap = randomBytes(rng, rng.IntN(2)*rng.IntN(9))
	f.extra = rng.IntN(2) * rng.IntN(30)
	if minor >= 3 && rng.IntN(2) == 0 {
		f.evlrs = []vlr{{"LASF_Spec", 65535, "waves", randomBytes(rng, rng.IntN(99))}}
		f.tailGap = randomBytes(rng, rng.IntN(2)*5)
		if minor >= 4 {
			f.evlrs = append(f.evlrs, vlr{"someone", 9, "more", randomBytes(rng, rng.IntN(99))})
		}
	}
	for range n {
		p := point{X: int32(rng.Uint32()), Y: int32(rng.Uint32()) >> 9, Z: int32(rng.Uint32()) >> 20,
			intensity: uint16(rng.Uint32()), dir: uint8(rng.IntN(2)), edge: uint8(rng.IntN(2)), class: uint8(rng.IntN(32)),
			synthetic: uint8(rng.IntN(2)), keyPoint: uint8(rng.IntN(2)), withheld: uint8(rng.IntN(2)), overlap: uint8(rng.IntN(2)), channel: uint8(rng.IntN(4)),
			angle: int16(rng.IntN(181) - 90), user: uint8(rng.Uint32()), source: uint16(rng.Uint32()), gps: rng.NormFloat64() * 1e5,
			red: uint16(rng.Uint32()), green: uint16(rng.Uint32()), blue: uint16(rng.Uint32()), nir: uint16(rng.Uint32()),
			waveIndex: uint8(rng.Uint32()), waveOffset: rng.Uint64(), waveSize: rng.Uint32(),
			waveAt: rng.Float32(), dx: rng.Float32(), dy: rng.Float32(), dz: rng.Float32(), extra: randomBytes(rng, f.extra)}
		p.of = uint8(1 + rng.IntN(5))
		p.returns = uint8(rng.IntN(int(p.of) + 1))
		if format >= 6 {
			p.class, p.angle, p.returns, p.of = uint8(rng.Uint32()), int16(rng.Uint32()), uint8(rng.IntN(16)), uint8(rng.IntN(16))
		}
		f.points = append(f.points, p)
	}
	return f
}

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// answered returns a copy of f with answers. Point i of f is row rows[i] of the input.
func (f *file) answered(rows []int64) *file {
	g := *f
	var descriptions []byte
	rest := f.extra
	at := -1
	for i, v := range f.vlrs {
		if v.user == "LASF_Spec" && v.id == 4 {
			at, rest = i, 0 // in the tests, this record describes all extra bytes
		}
	}
	if rest > 0 {
		descriptions = description(0, uint8(rest), "undocumented", 0, "")
	}
	for _, d := range [][]byte{
		description(1, 1, "inside", 255, "0 out 1 in 255 uncertain"), description(1, 1, "state", 255, "0 out 1 in 2 on 255 uncertain"),
		description(10, 0, "winding", 0, ""), description(10, 0, "winding bound", 0, ""),
		description(6, 0, "nearest", 0, ""), description(6, 0, "body", 0, "a label each, -1 none"),
	} {
		descriptions = append(descriptions, d...)
	}
	g.vlrs = append([]vlr(nil), f.vlrs...)
	if at >= 0 {
		g.vlrs[at].body = append(append([]byte(nil), g.vlrs[at].body...), descriptions...)
	} else {
		g.vlrs = append(g.vlrs, vlr{"LASF_Spec", 4, "extra bytes", descriptions})
	}
	g.vlrs = append(g.vlrs, vlr{"inpoly", 1, "labels of body", []byte("0 hull\n1 left wing\n")})
	g.points = nil
	for i, p := range f.points {
		k := rows[i]
		w, bound := testcloud.Numbers(k)
		p.extra = append(p.extra[:len(p.extra):len(p.extra)], pack([]uint8{255, 0, 1, 1}[k%4], []uint8{255, 0, 2, 1}[k%4], w, bound, int32(k-3), int32(k%3-1))...)
		g.points = append(g.points, p)
	}
	g.extra += 26
	return &g
}

// only returns a copy of f with the selected points, and the indices of these points.
func (f *file) only(keep func(k int64) bool) (*file, []int64) {
	g := *f
	g.points = nil
	var rows []int64
	for k := range f.points {
		if keep(int64(k)) {
			g.points, rows = append(g.points, f.points[k]), append(rows, int64(k))
		}
	}
	return &g, rows
}

// differ describes the first difference between two files.
func differ(got, want string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("byte %d is %d, want %d (%d bytes, want %d)", i, got[i], want[i], len(got), len(want))
		}
	}
	return fmt.Sprintf("%d bytes, want %d", len(got), len(want))
}
