package pcd

import (
	stdbinary "encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

var files = testcloud.Format[Source, Options]{File: "in.pcd", New: New}

// cloud is a PCD file in memory. rows has the bytes of each element of each point.
type cloud struct {
	fields        []field
	width, height int
	rows          [][][]byte // point, element
	viewpoint     string
	eol           string
}

// randomCloud returns a cloud with fields of all types, padding and a field with COUNT 3.
func randomCloud(r *rand.Rand, width, height int) *cloud {
	c := &cloud{width: width, height: height, eol: "\n", viewpoint: "0 0 0 1 0 0 0"}
	c.fields = []field{{"_", 1, 'U', 3}, {"y", 4, 'F', 1}, {"x", 4, 'F', 1}, {"normal", 4, 'F', 3}, {"z", 8, 'F', 1}}
	for kind, sizes := range types {
		for size := range sizes {
			c.fields = append(c.fields, field{fmt.Sprintf("%c%d", kind|0x20, size), size, kind, 1})
		}
	}
	for range width * height {
		var row [][]byte
		for i := range c.fields {
			f := &c.fields[i]
			for range f.count {
				b := make([]byte, f.size)
				switch {
				case f.kind == 'F':
					x := float64(float32(r.NormFloat64()))
					if r.IntN(10) == 0 {
						x = math.NaN()
					}
					if f.size == 4 {
						stdbinary.LittleEndian.PutUint32(b, math.Float32bits(float32(x)))
					} else {
						stdbinary.LittleEndian.PutUint64(b, math.Float64bits(x))
					}
				default:
					for k := range b {
						b[k] = byte(r.IntN(4) * r.IntN(256))
					}
				}
				row = append(row, b)
			}
		}
		c.rows = append(c.rows, row)
	}
	return c
}

// header returns the header for the given kind of data.
func (c *cloud) header(data string) string {
	lines := [4]string{"FIELDS", "SIZE", "TYPE", "COUNT"}
	for _, f := range c.fields {
		lines[0] += " " + f.name
		lines[1] += " " + strconv.Itoa(f.size)
		lines[2] += " " + string(f.kind)
		lines[3] += " " + strconv.Itoa(f.count)
	}
	return strings.ReplaceAll(fmt.Sprintf("# .PCD v.7 - Point Cloud Data file format\nVERSION .7\n%s\nWIDTH %d\nHEIGHT %d\nVIEWPOINT %s\nPOINTS %d\nDATA %s\n",
		strings.Join(lines[:], "\n"), c.width, c.height, c.viewpoint, c.width*c.height, data), "\n", c.eol)
}

// file returns the bytes of the file.
func (c *cloud) file(data string) string {
	var out strings.Builder
	out.WriteString(c.header(data))
	switch data {
	case ascii:
		for _, row := range c.rows {
			var words []string
			e := 0
			for i := range c.fields {
				for range c.fields[i].count {
					words = append(words, word(&c.fields[i], row[e]))
					e++
				}
			}
			out.WriteString(strings.Join(words, " ") + c.eol)
		}
	case binary:
		for _, row := range c.rows {
			for _, b := range row {
				out.Write(b)
			}
		}
	default:
		var plain []byte
		e := 0
		for i := range c.fields {
			for _, row := range c.rows {
				for k := range c.fields[i].count {
					plain = append(plain, row[e+k]...)
				}
			}
			e += c.fields[i].count
		}
		packed := compress(plain)
		out.Write(stdbinary.LittleEndian.AppendUint32(stdbinary.LittleEndian.AppendUint32(nil, uint32(len(packed))), uint32(len(plain))))
		out.Write(packed)
	}
	return out.String()
}

// word returns an element as text.
func word(f *field, b []byte) string {
	var bits uint64
	for k := range b {
		bits |= uint64(b[k]) << (8 * k)
	}
	switch {
	case f.kind == 'F' && f.size == 4:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 64)
	case f.kind == 'F':
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	case f.kind == 'U':
		return strconv.FormatUint(bits, 10)
	}
	shift := 64 - 8*f.size
	return strconv.FormatInt(int64(bits<<shift)>>shift, 10)
}

// compress is an encoder of LZF. It finds repeated output with a table of the last place of each
// three bytes.
func compress(in []byte) (out []byte) {
	last := map[[3]byte]int{}
	from := 0 // literals that are not written yet
	flush := func(to int) {
		for from < to {
			n := min(32, to-from)
			out = append(append(out, byte(n-1)), in[from:from+n]...)
			from += n
		}
	}
	for i := 0; i+3 <= len(in); {
		key := [3]byte(in[i : i+3])
		at, ok := last[key]
		last[key] = i
		if !ok || i-at > lzfWindow {
			i++
			continue
		}
		n := 3
		for n < lzfMost && i+n < len(in) && in[at+n] == in[i+n] {
			n++
		}
		flush(i)
		d := i - at - 1
		if n-2 < 7 {
			out = append(out, byte((n-2)<<5|d>>8), byte(d))
		} else {
			out = append(out, byte(7<<5|d>>8), byte(n-9), byte(d))
		}
		i += n
		from = i
	}
	flush(len(in))
	return out
}

// cells returns the cells of all columns as texts.
func cells(src table.Source) (list []string, err error) {
	for {
		var b table.Block
		if err := src.Fill(&b); err != nil {
			if err.Error() == "EOF" {
				return list, nil
			}
			return list, err
		}
		if err := src.Parse(&b); err != nil {
			return list, err
		}
		var v table.Values
		row := make([]string, len(b.Points))
		for i, f := range src.Fields() {
			if err := src.Values(&b, i, &v); err != nil {
				return list, err
			}
			for k := range row {
				switch {
				case f.Type.IsFloat():
					row[k] += fmt.Sprint(" ", v.Floats[k])
				case f.Type == table.Uint64:
					row[k] += fmt.Sprint(" ", uint64(v.Ints[k]))
				default:
					row[k] += fmt.Sprint(" ", v.Ints[k])
				}
			}
		}
		list = append(list, row...)
	}
}
