package shards

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// Where rows were left out, the number of rows in a head is known only when all are
// counted; the formats leave room for it.

// npyRows is where the number of rows is in the header of an array.
var npyRows = regexp.MustCompile(`'shape': \((\d+),`)

// npyHead returns the header of an array with that number of rows, as long as it is.
func npyHead(head []byte, rows int64) ([]byte, error) {
	return recount(head, npyRows, rows, func(front, rest []byte, grown int) ([]byte, error) {
		end := len(rest) - 1 // the line end
		if end < grown || grown > 0 && len(bytes.Trim(rest[end-grown:end], " ")) > 0 {
			return nil, errors.New("header of an array without room for its rows")
		}
		if grown < 0 {
			return append(append(append(front, rest[:end]...), bytes.Repeat([]byte(" "), -grown)...), '\n'), nil
		}
		return append(append(front, rest[:end-grown]...), '\n'), nil
	})
}

// plyRows and plyRoom are the number of vertices in the header of a PLY file, and the
// comment that makes room for it.
var (
	plyRows = regexp.MustCompile(`element vertex (\d+)`)
	plyRoom = regexp.MustCompile(`comment written by inpoly *`)
)

// plyHead returns the header with that number of vertices, as long as it is.
func plyHead(head []byte, rows int64) ([]byte, error) {
	at := plyRows.FindSubmatchIndex(head)
	room := plyRoom.FindAllIndex(head, -1)
	if at == nil || room == nil {
		return nil, errors.New("header of a PLY file without room for the number of vertices")
	}
	count := strconv.FormatInt(rows, 10)
	grown := len(count) - (at[3] - at[2])
	last := room[len(room)-1]
	comment := bytes.TrimRight(bytes.Clone(head[last[0]:last[1]]), " ")
	pad := last[1] - last[0] - grown - len(comment)
	if pad < 0 {
		return nil, errors.New("header of a PLY file without room for the number of vertices")
	}
	comment = append(comment, bytes.Repeat([]byte(" "), pad)...)
	type edit struct {
		from, to int
		with     []byte
	}
	edits := []edit{{at[2], at[3], []byte(count)}, {last[0], last[1], comment}}
	if edits[1].from < edits[0].from {
		edits[0], edits[1] = edits[1], edits[0]
	}
	var out []byte
	prev := 0
	for _, e := range edits {
		out = append(append(out, head[prev:e.from]...), e.with...)
		prev = e.to
	}
	return append(out, head[prev:]...), nil
}

// recount replaces a number in head; pad makes up for the digits that it has grown by.
func recount(head []byte, place *regexp.Regexp, rows int64, pad func(front, rest []byte, grown int) ([]byte, error)) ([]byte, error) {
	at := place.FindSubmatchIndex(head)
	if at == nil {
		return nil, errors.New("head without a number of rows")
	}
	count := strconv.FormatInt(rows, 10)
	front := append(bytes.Clone(head[:at[2]]), count...)
	return pad(front, head[at[3]:], len(count)-(at[3]-at[2]))
}

// Places in the header of a LAS file (ASPRS LAS 1.4 R15, table 3).
const (
	lasMinor     = 25
	lasRecord    = 105 // length of a point
	lasPoints    = 96  // where points begin
	lasCount32   = 107
	lasReturns32 = 111 // five
	lasBox       = 179 // max and min of x, y and z
	lasWaves     = 227 // place of waveforms, from 1.3 on
	lasExtended  = 235 // place of extended records, from 1.4 on
	lasCount     = 247
	lasReturns   = 255 // fifteen
)

// lasHead returns the header for that number of points: counts and returns are the sums,
// the box that around all, of those in the headers of the shards. What lies behind the
// points moves with their end.
func lasHead(head []byte, rows int64, list []Shard, dir string) ([]byte, error) {
	le := binary.LittleEndian
	if len(head) < lasBox+48 {
		return nil, errors.New("header of a LAS file is too short")
	}
	minor := head[lasMinor]
	size := lasBox + 48
	if minor >= 3 {
		size = lasExtended
	}
	if minor >= 4 {
		size = lasReturns + 15*8
	}
	if len(head) < size {
		return nil, errors.New("header of a LAS file is too short")
	}
	whole := bytes.Clone(head)
	total := int64(le.Uint32(head[lasCount32:]))
	if minor >= 4 {
		total = int64(le.Uint64(head[lasCount:]))
	}
	record := int64(le.Uint16(head[lasRecord:]))
	end := int64(le.Uint32(head[lasPoints:])) + total*record
	for at, from := range map[int]byte{lasWaves: 3, lasExtended: 4} {
		if minor >= from {
			if place := int64(le.Uint64(head[at:])); place >= end {
				le.PutUint64(whole[at:], uint64(place-(total-rows)*record))
			}
		}
	}
	clear(whole[lasCount32 : lasBox-48])
	if minor >= 4 {
		clear(whole[lasCount:size])
	}
	box := [6]float64{}
	some := false
	for i := range list {
		h, err := list[i].header(dir, size)
		if err != nil {
			return nil, err
		}
		for k := range 6 { // the count and five returns
			at := lasCount32 + 4*k
			le.PutUint32(whole[at:], le.Uint32(whole[at:])+le.Uint32(h[at:]))
		}
		for at := lasCount; at < size; at += 8 {
			le.PutUint64(whole[at:], le.Uint64(whole[at:])+le.Uint64(h[at:]))
		}
		if list[i].Written == 0 {
			continue
		}
		for k := range box {
			x := math.Float64frombits(le.Uint64(h[lasBox+8*k:]))
			switch {
			case !some:
				box[k] = x
			case k%2 == 0:
				box[k] = max(box[k], x)
			default:
				box[k] = min(box[k], x)
			}
		}
		some = true
	}
	for k, x := range box {
		le.PutUint64(whole[lasBox+8*k:], math.Float64bits(x))
	}
	return whole, nil
}

// header returns the first bytes of the shard.
func (s *Shard) header(dir string, size int) ([]byte, error) {
	f, err := os.Open(filepath.Join(dir, s.File))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := make([]byte, size)
	if _, err := io.ReadFull(f, h); err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return h, nil
}
