package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// record collects the answers of a unit of work.
type record struct {
	lines []string
	// values is the folder for the values of the groups in wanted, or empty.
	values string
	wanted map[string]bool
	err    error // of writing there
}

// Kinds of values.
const (
	kindByte  = "u8"
	kindInt   = "i32"
	kindCount = "u64"
	kindFloat = "f64"
	kindText  = "text"
)

func (r *record) add(group, kind string, count int, data []byte) {
	sum := sha256.Sum256(data)
	r.lines = append(r.lines, fmt.Sprintf("%s\t%s\t%d\t%s", group, kind, count, hex.EncodeToString(sum[:])))
	if r.wanted[group] && r.err == nil {
		r.err = os.WriteFile(filepath.Join(r.values, valuesName(group)), data, 0o644)
	}
}

// valuesName returns the name of the file with the values of a group.
func valuesName(group string) string {
	sum := sha256.Sum256([]byte(group))
	return hex.EncodeToString(sum[:12]) + ".bin"
}

func (r *record) bytes(group string, x []uint8) { r.add(group, kindByte, len(x), x) }

func (r *record) text(group, s string) { r.add(group, kindText, 1, []byte(s)) }

func (r *record) ints(group string, x []int32) {
	data := make([]byte, 0, 4*len(x))
	for _, v := range x {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	r.add(group, kindInt, len(x), data)
}

func (r *record) counts(group string, x []uint64) {
	data := make([]byte, 0, 8*len(x))
	for _, v := range x {
		data = binary.LittleEndian.AppendUint64(data, v)
	}
	r.add(group, kindCount, len(x), data)
}

// floats records the bits of x. All NaNs are the same: their bits depend on the
// operation that made them, and nothing prints them.
func (r *record) floats(group string, x []float64) {
	data := make([]byte, 0, 8*len(x))
	for _, v := range x {
		if math.IsNaN(v) {
			v = math.NaN()
		}
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	r.add(group, kindFloat, len(x), data)
}

// failed records that a question had no answer. The message is not compared.
func (r *record) failed(group string, err error) bool {
	if err != nil {
		r.text(group+"|error", "error")
	}
	return err != nil
}

// group is a line of a record.
type group struct {
	kind, count, hash string
}

func readRecord(path string) (map[string]group, []string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	all, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, err
	}
	groups, order := map[string]group{}, []string(nil)
	for line := range strings.Lines(string(all)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 4 {
			return nil, nil, fmt.Errorf("%s: bad line %q", path, line)
		}
		if _, twice := groups[cells[0]]; twice {
			return nil, nil, fmt.Errorf("%s: group %q twice", path, cells[0])
		}
		groups[cells[0]] = group{cells[1], cells[2], cells[3]}
		order = append(order, cells[0])
	}
	return groups, order, nil
}
