// Package testlaz writes LAZ and COPC files for tests.
package testlaz

import (
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"

	"github.com/inpoly/inpoly/points/internal/laz"
)

// Sizes and places in the files of WriteCOPC.
const (
	RecordSize = 30              // bytes of a point of format 6
	headerSize = 375             // LAS 1.4
	recordHead = 54              // header of a variable length record
	InfoAt     = headerSize + 54 // content of the info record: center, half size, …
	EntrySize  = 32              // bytes of an entry of the hierarchy
	Scale      = 0.001           // step of the coordinates
	half       = 500.0           // the cube of the octree begins at 0
	infoSize   = 160
)

var le = binary.LittleEndian

func putFloat(b []byte, x float64) { le.PutUint64(b, math.Float64bits(x)) }

// record returns a variable length record.
func record(user string, id uint16, body []byte) []byte {
	b := make([]byte, recordHead)
	copy(b[2:], user)
	le.PutUint16(b[18:], id)
	le.PutUint16(b[20:], uint16(len(body)))
	return append(b, body...)
}

// header returns the header of a LAS 1.4 file with compressed points, whose box is the cube of the octree.
func header(format, recordSize, records int, pointsAt, points int64) []byte {
	h := make([]byte, headerSize)
	copy(h, "LASF")
	h[6], h[24], h[25] = 1<<4, 1, 4
	le.PutUint16(h[94:], headerSize)
	le.PutUint32(h[96:], uint32(pointsAt))
	le.PutUint32(h[100:], uint32(records))
	h[104] = byte(format) | 0x80
	le.PutUint16(h[105:], uint16(recordSize))
	for i := range 3 {
		putFloat(h[131+8*i:], Scale)
		putFloat(h[179+16*i:], 2*half)
	}
	le.PutUint64(h[247:], uint64(points))
	le.PutUint64(h[255:], uint64(points))
	return h
}

func writeAll(w io.Writer, parts ...[]byte) error {
	for _, b := range parts {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// WriteEqual writes a LAZ file of equal chunks. All bytes of all records are 0, so a chunk of any number
// of points is short.
func WriteEqual(w io.Writer, format, recordSize, chunks, perChunk int) error {
	v, err := laz.NewVLR(format, recordSize)
	if err != nil {
		return err
	}
	v.ChunkSize = laz.VariableChunks
	e, err := laz.NewEncoder(v)
	if err != nil {
		return err
	}
	chunk, err := e.Append(nil, make([]byte, perChunk*recordSize))
	if err != nil {
		return err
	}
	records := record(laz.UserID, laz.RecordID, v.Append(nil))
	pointsAt := int64(headerSize + len(records))
	at := pointsAt + 8
	tableAt := le.AppendUint64(nil, uint64(at+int64(chunks*len(chunk))))
	if err := writeAll(w, header(format, recordSize, 1, pointsAt, int64(chunks*perChunk)), records, tableAt); err != nil {
		return err
	}
	var list []laz.Chunk
	for range chunks {
		list = append(list, laz.Chunk{Offset: at, Bytes: int64(len(chunk)), Points: int64(perChunk)})
		at += int64(len(chunk))
		if err := writeAll(w, chunk); err != nil {
			return err
		}
	}
	table, err := laz.AppendTable(nil, v, list)
	if err != nil {
		return err
	}
	return writeAll(w, table)
}

// WriteCOPC writes a COPC file with random points in the cube from 0 to 1000. All points are in the nodes of
// one depth, and each node has the same number of points. If move is not nil, it can change the integer
// coordinates of each point of each node. WriteCOPC returns the offset of the hierarchy, which has an entry
// for each node.
func WriteCOPC(w io.Writer, depth, perNode int, move func(node, row int, p *[3]int32)) (hierarchy int64, err error) {
	v, err := laz.NewVLR(6, RecordSize)
	if err != nil {
		return 0, err
	}
	v.ChunkSize = laz.VariableChunks
	e, err := laz.NewEncoder(v)
	if err != nil {
		return 0, err
	}
	info := make([]byte, infoSize)
	for i := range 4 {
		putFloat(info[8*i:], half)
	}
	records := append(record("copc", 1, info), record(laz.UserID, laz.RecordID, v.Append(nil))...)
	pointsAt := int64(headerSize + len(records))

	// The sizes of the chunks are needed before the header, so all chunks stay in memory.
	var data, page []byte
	var chunks []laz.Chunk
	random := rand.New(rand.NewPCG(1, uint64(depth)))
	n := 1 << depth
	rows := make([]byte, perNode*RecordSize)
	for k := range n * n * n {
		key := [3]int{k % n, k / n % n, k / n / n}
		fillNode(random, rows, 2*half/float64(n), key, func(row int, p *[3]int32) {
			if move != nil {
				move(k, row, p)
			}
		})
		from := len(data)
		if data, err = e.Append(data, rows); err != nil {
			return 0, err
		}
		c := laz.Chunk{Offset: pointsAt + 8 + int64(from), Bytes: int64(len(data) - from), Points: int64(perNode)}
		chunks = append(chunks, c)
		page = le.AppendUint32(page, uint32(depth))
		for _, x := range key {
			page = le.AppendUint32(page, uint32(x))
		}
		page = le.AppendUint64(page, uint64(c.Offset))
		page = le.AppendUint32(page, uint32(c.Bytes))
		page = le.AppendUint32(page, uint32(perNode))
	}
	tableAt := pointsAt + 8 + int64(len(data))
	if data, err = laz.AppendTable(data, v, chunks); err != nil {
		return 0, err
	}
	const longHead = 60 // header of an extended record
	evlr := pointsAt + 8 + int64(len(data))
	hierarchy = evlr + longHead
	le.PutUint64(records[recordHead+40:], uint64(hierarchy))
	le.PutUint64(records[recordHead+48:], uint64(len(page)))
	head := header(6, RecordSize, 2, pointsAt, int64(len(chunks)*perNode))
	le.PutUint64(head[235:], uint64(evlr))
	le.PutUint32(head[243:], 1)
	last := make([]byte, longHead)
	copy(last[2:], "copc")
	le.PutUint16(last[18:], 1000)
	le.PutUint64(last[20:], uint64(len(page)))
	return hierarchy, writeAll(w, head, records, le.AppendUint64(nil, uint64(tableAt)), data, last, page)
}

// fillNode sets rows to random records of the node with the given key.
func fillNode(random *rand.Rand, rows []byte, side float64, key [3]int, move func(row int, p *[3]int32)) {
	for r := range len(rows) / RecordSize {
		row := rows[r*RecordSize:]
		var p [3]int32
		for i, c := range key {
			p[i] = int32((float64(c) + random.Float64()) * side / Scale)
		}
		move(r, &p)
		for i, x := range p {
			le.PutUint32(row[4*i:], uint32(x))
		}
		le.PutUint16(row[12:], uint16(random.IntN(1000)))
		row[14] = 1 | 1<<4
		putFloat(row[22:], float64(r))
	}
}
