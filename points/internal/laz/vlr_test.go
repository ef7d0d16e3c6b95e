package laz_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/inpoly/inpoly/points/internal/laz"
)

func TestVLR(t *testing.T) {
	for format, size := range recordSizes {
		for _, extra := range []int{0, 7} {
			v, err := laz.NewVLR(format, size+extra)
			if err != nil {
				t.Fatal(err)
			}
			got, err := laz.ParseVLR(v.Append(nil))
			if err != nil || !reflect.DeepEqual(got, v) {
				t.Errorf("format %d: got %+v, %v, want %+v", format, got, err, v)
			}
			if err := v.Check(format, size+extra); err != nil {
				t.Errorf("format %d: %v", format, err)
			}
			if err := v.Check(format, size+extra+1); !errors.Is(err, laz.ErrDamaged) {
				t.Errorf("format %d with a longer record: got %v, want ErrDamaged", format, err)
			}
			if err := v.Check((format+1)%11, size+extra); err == nil {
				t.Errorf("the items of format %d are accepted for format %d", format, (format+1)%11)
			}
		}
	}
}

func TestRefusedVLR(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(v *laz.VLR)
		want   error
	}{
		{"coder", func(v *laz.VLR) { v.Coder = 1 }, laz.ErrUnsupported},
		{"compressor", func(v *laz.VLR) { v.Compressor = 4 }, laz.ErrUnsupported},
		{"no items", func(v *laz.VLR) { v.Items = nil }, laz.ErrDamaged},
		{"unknown item", func(v *laz.VLR) { v.Items[1].Type = 3 }, laz.ErrUnsupported},
		{"item of 0 bytes", func(v *laz.VLR) { v.Items[3].Size = 0 }, laz.ErrDamaged},
		{"size", func(v *laz.VLR) { v.Items[0].Size = 21 }, laz.ErrDamaged},
		{"version", func(v *laz.VLR) { v.Items[0].Version = 3 }, laz.ErrUnsupported},
		{"layers of pointwise items", func(v *laz.VLR) { v.Compressor = laz.LayeredChunked }, laz.ErrUnsupported},
		{"two colors", func(v *laz.VLR) { v.Items = append(v.Items, v.Items[2]) }, laz.ErrUnsupported},
		{"no point", func(v *laz.VLR) { v.Items = v.Items[1:] }, laz.ErrUnsupported},
	} {
		v, err := laz.NewVLR(3, 36)
		if err != nil {
			t.Fatal(err)
		}
		c.change(v)
		if _, err := laz.ParseVLR(v.Append(nil)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := laz.ParseVLR(make([]byte, 33)); !errors.Is(err, laz.ErrDamaged) {
		t.Errorf("33 bytes: got %v, want ErrDamaged", err)
	}
	if _, err := laz.NewVLR(11, 67); !errors.Is(err, laz.ErrUnsupported) {
		t.Errorf("format 11: got %v, want ErrUnsupported", err)
	}
}

// The table can be at the end of the file, with its offset behind it, or be missing.
func TestChunkTable(t *testing.T) {
	v, err := laz.NewVLR(6, 30)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []uint32{70, laz.VariableChunks} {
		v.ChunkSize = size
		rows := randomRows(rand.New(rand.NewPCG(3, 4)), scan, 6, 30, 1000)
		data := encodeFile(t, v, rows)
		read := func(data []byte) ([]laz.Chunk, error) {
			return laz.ReadChunks(bytes.NewReader(data), v, 0, 1000, int64(len(data)))
		}
		want, err := read(data)
		if err != nil {
			t.Fatal(err)
		}
		atEnd := append(bytes.Clone(data), data[:8]...)
		copy(atEnd, bytes.Repeat([]byte{0xFF}, 8))
		if got, err := read(atEnd); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("a table at the end: got %v, %v, want %v", got, err, want)
		}
		missing := bytes.Clone(data)
		copy(missing, make([]byte, 8)) // the offset of the points
		if _, err := read(missing); !errors.Is(err, laz.ErrNoTable) || !errors.Is(err, laz.ErrDamaged) {
			t.Errorf("a missing table: got %v, want ErrNoTable", err)
		}
		found, err := laz.FindChunks(bytes.NewReader(missing), v, 0, 1000, int64(len(missing)))
		if err != nil || !reflect.DeepEqual(found, want) {
			t.Errorf("FindChunks: got %v, %v, want %v", found, err, want)
		}
	}
}

// Selected layers have the values of the records, and the others those of the first record.
func TestSelect(t *testing.T) {
	const size, n = 70, 500
	v, err := laz.NewVLR(10, size)
	if err != nil {
		t.Fatal(err)
	}
	e, err := laz.NewEncoder(v)
	if err != nil {
		t.Fatal(err)
	}
	d, err := laz.NewDecoder(v)
	if err != nil {
		t.Fatal(err)
	}
	rows := randomRows(rand.New(rand.NewPCG(8, 8)), mixed, 10, size, n)
	src, err := e.Append(nil, rows)
	if err != nil {
		t.Fatal(err)
	}
	d.Select(laz.LayerZ | laz.LayerTime | laz.LayerInfrared)
	dst := make([]byte, len(rows))
	if err := d.Decode(dst, src, n); err != nil {
		t.Fatal(err)
	}
	for i := range dst {
		k := i % size
		want := rows[k]
		if k < 12 || k == 14 || k >= 22 && k < 30 || k == 36 || k == 37 {
			want = rows[i]
		}
		if k == 15 {
			want = rows[k]&^0x30 | rows[i]&0x30
		}
		if dst[i] != want {
			t.Fatalf("point %d, byte %d: got %d, want %d", i/size, k, dst[i], want)
		}
	}
}
