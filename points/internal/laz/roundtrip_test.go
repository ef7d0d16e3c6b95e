package laz_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/inpoly/inpoly/points/internal/laz"
)

// recordSizes are the sizes of the point formats 0 to 10 without extra bytes.
var recordSizes = [...]int{20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67}

// A cloudKind is a distribution of records.
type cloudKind int

const (
	scan     cloudKind = iota // like a scan
	noise                     // random bits
	constant                  // equal records
	extreme                   // values that change between extremes
	mixed                     // each attribute keeps its value, changes a little, or is random
	kinds
)

func (k cloudKind) String() string {
	return [...]string{"scan", "noise", "constant", "extreme", "mixed"}[k]
}

// randomRows returns n records.
func randomRows(rng *rand.Rand, kind cloudKind, format, size, n int) []byte {
	rows := make([]byte, n*size)
	fill := func(b []byte) {
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
	}
	switch kind {
	case noise:
		fill(rows)
	case constant:
		fill(rows[:size])
		for i := size; i < len(rows); i++ {
			rows[i] = rows[i-size]
		}
	case extreme:
		for i := range rows {
			rows[i] = []byte{0, 0xFF, 0x80, 0x7F, 1}[rng.IntN(5)]
		}
	case mixed:
		fill(rows[:size])
		for i := size; i < len(rows); {
			k := min(1+rng.IntN(4), size-i%size)
			copy(rows[i:i+k], rows[i-size:])
			switch rng.IntN(4) {
			case 0:
				fill(rows[i : i+k])
			case 1:
				rows[i] += byte(rng.IntN(5)) - 2
			}
			i += k
		}
	case scan:
		scanRows(rng, rows, format, size)
	}
	return rows
}

// scanRows fills rows with pulses of 1 to 4 returns along scan lines.
func scanRows(rng *rand.Rand, rows []byte, format, size int) {
	le := binary.LittleEndian
	x, y, z := 1_000_000, 2_000_000, 30_000
	time, step := 10_000.0, 1e-5
	channel := 0
	total, number := 1, 0
	for i := 0; i < len(rows); i += size {
		r := rows[i : i+size]
		number++
		if number > total {
			total, number = 1+max(0, rng.IntN(8)-4), 1
			x += 50 + rng.IntN(7)
			time += step
			if rng.IntN(700) == 0 {
				x, y, time = 1_000_000+rng.IntN(100), y+60, time+0.01
			}
			if rng.IntN(4) == 0 {
				channel = rng.IntN(2)
			}
		}
		z += rng.IntN(200) - 100
		le.PutUint32(r, uint32(x+rng.IntN(9)))
		le.PutUint32(r[4:], uint32(y+rng.IntN(15)))
		le.PutUint32(r[8:], uint32(z))
		le.PutUint16(r[12:], uint16(200+rng.IntN(100)))
		class, user, source := byte(rng.IntN(8)/6+1), byte(rng.IntN(20)/19), uint16(7+i/size/10_000)
		at := 20
		if format < 6 {
			r[14] = byte(number | total<<3)
			r[15], r[16], r[17] = class, byte(i/size/300), user
			le.PutUint16(r[18:], source)
			if format != 0 && format != 2 {
				le.PutUint64(r[20:], math.Float64bits(time))
				at = 28
			}
		} else {
			r[14] = byte(number | total<<4)
			r[15] = byte(channel<<4) | byte(i/size/700&1)<<6
			r[16], r[17] = class, user
			le.PutUint16(r[18:], uint16(i/size/300*10))
			le.PutUint16(r[20:], source)
			le.PutUint64(r[22:], math.Float64bits(time))
			at = 30
		}
		gray := 100 + rng.IntN(30)
		for k := at; k+1 < size; k += 2 {
			le.PutUint16(r[k:], uint16((gray+rng.IntN(5))<<8))
		}
	}
}

// vlrs returns the VLRs of a format with all compressors and versions of items.
func vlrs(t testing.TB, format, size int) (list []*laz.VLR) {
	t.Helper()
	for version := 1; version <= 4; version++ {
		v, err := laz.NewVLR(format, size)
		if err != nil {
			t.Fatal(err)
		}
		if (version > 2) != (format > 5) {
			continue
		}
		for i := range v.Items {
			if v.Items[i].Type != laz.WavePacket13 {
				v.Items[i].Version = uint16(version)
			}
		}
		list = append(list, v)
	}
	return list
}

func TestRoundTrip(t *testing.T) {
	for format := range recordSizes {
		for _, extra := range []int{0, 1, 5} {
			size := recordSizes[format] + extra
			for _, v := range vlrs(t, format, size) {
				d, err := laz.NewDecoder(v)
				if err != nil {
					t.Fatal(err)
				}
				e, err := laz.NewEncoder(v)
				if err != nil {
					t.Fatal(err)
				}
				for kind := range kinds {
					for _, n := range []int{1, 2, 3, 100, 5000} {
						rng := rand.New(rand.NewPCG(uint64(format*100+int(kind)), uint64(n)))
						rows := randomRows(rng, kind, format, size, n)
						name := fmt.Sprintf("format %d, %d extra bytes, version %d, %v, %d points", format, extra, v.Items[0].Version, kind, n)
						checkRoundTrip(t, name, d, e, rows, n)
					}
				}
			}
		}
	}
}

func checkRoundTrip(t *testing.T, name string, d *laz.Decoder, e *laz.Encoder, rows []byte, n int) {
	t.Helper()
	src, err := e.Append([]byte("head"), rows)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if string(src[:4]) != "head" {
		t.Fatalf("%s: Append changes the bytes before the chunk to %q", name, src[:4])
	}
	dst := make([]byte, len(rows))
	if err := d.Decode(dst, src[4:], n); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !bytes.Equal(dst, rows) {
		size := len(rows) / n
		for i := range rows {
			if dst[i] != rows[i] {
				t.Fatalf("%s: point %d, byte %d: got %d, want %d\ngot  %x\nwant %x", name, i/size, i%size, dst[i], rows[i], dst[i/size*size:(i/size+1)*size], rows[i/size*size:(i/size+1)*size])
			}
		}
	}
}
