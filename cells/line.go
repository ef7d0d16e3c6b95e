package cells

import (
	"slices"
	"sync"
)

// A line is what a query in a crossed cell reads: one cache line. Word 0 is the
// header, words 1 to 7 are planes of triangles. A plane is four int16, the value
// of which at the cell's coordinates u, −1 ≤ u ≤ 1 on each axis, in units of
// 1/unitU, is q·u + q_3·unitU: positive on the outer side of the triangle.
//
// The header, from the lowest byte:
//
//	0    kind
//	1    bits of the planes that are positive at reference 1
//	2    the same for reference 2
//	3    corners of the cell that are reference 1 (low nibble) and 2
//	4, 5 W of reference 1
//	6, 7 W of reference 2
//
// Lists of more than planesPerLine triangles go on in further lines: word 7 is
// then the number of the next line.
type line [8]uint64

// The kinds of lines.
const (
	whole    = 0 // the planes of a cell, all or the last of them
	more     = 1 // the planes of a cell, more of them in another line
	constant = 2 // a cell without triangles: word 1 is W
	refined  = 3 // a cell of 4×4×4 children: see child
	handed   = 4 // a cell that hands over to rays
)

const (
	planesPerLine = 7
	unitU         = 1<<14 - 1
	unitQ         = 1<<15 - 1
	allPlanes     = 1<<planesPerLine - 1

	// noReference stands in the header for the corners of references that are not
	// chosen yet.
	noReference = 0xff

	// noPlane stands for a plane that is not there: positive everywhere.
	noPlane = uint64(unitQ) << 48

	// certain is the value beyond which the sign of a plane is proved. With q and
	// u the exact coefficients and coordinates in their units, |q| ≤ unitQ and
	// |u| ≤ unitU: rounding q costs 1/2 and the float64 behind it 1/4 (see
	// plane), on four terms: 4·0.75·unitU = 49149; rounding u costs 1/2, and what
	// slack allows outside of the cell, 2·2^−18·unitU, is 1/8: 0.625·3·unitQ =
	// 61438. 2^17 = 131072 is more than the sum. The value itself is at most 4·unitQ·unitU <
	// 2^31 − 2^17 in magnitude.
	certain = 1 << 17
)

func (l *line) kind() uint8 { return uint8(l[0]) }

// listed reports whether the line starts a list of planes.
func (l *line) listed() bool { return l.kind() <= more }

// open reports whether a line that starts a list has no references yet.
func (l *line) open() bool { return l[0]>>24&0xff == noReference }

// next returns the line that goes on after a line of kind more.
func (l *line) next() uint32 { return uint32(l[7]) }

// reference returns corner, plane bits and W of reference r, 0 or 1.
func (l *line) reference(r int) (corner uint8, signs uint64, w int32) {
	h := l[0]
	return uint8(h>>24) >> (4 * r) & 15, h >> (8 + 8*r) & allPlanes, int32(int16(h >> (32 + 16*r)))
}

// planes returns how many planes the line of a list may have.
func (l *line) planes() int {
	if l.kind() == more {
		return planesPerLine - 1
	}
	return planesPerLine
}

// signs returns the planes that are certainly positive and those that are
// certainly negative at u.
func (l *line) signs(ux, uy, uz int32) (pos, neg uint64) {
	for j, q := range l[1:] {
		v := int32(int16(q))*ux + int32(int16(q>>16))*uy + int32(int16(q>>32))*uz + int32(int16(q>>48))*unitU
		pos |= uint64(uint32(certain-v)>>31) << j
		neg |= uint64(uint32(v+certain)>>31) << j
	}
	return pos, neg
}

// child is the content of a line of kind refined: labels of 4×4×4 cells, bit
// i + 4j + 16k, as in a word of a brick.
type child struct {
	word
	base uint32   // line of the first crossed child
	w    [2]int32 // W of the empty children of value 0 and 1
}

func (l *line) child() child {
	return child{
		word: word{crossed: l[1], value: l[2]},
		base: uint32(l[3]),
		w:    [2]int32{int32(uint32(l[4])), int32(uint32(l[4] >> 32))},
	}
}

func (l *line) setChild(c child) {
	*l = line{refined, c.crossed, c.value, uint64(c.base), uint64(uint32(c.w[0])) | uint64(uint32(c.w[1]))<<32}
}

// word labels 64 cells by two bits each: crossed (or constant, refined, handed:
// there is a line), and the value of those that are not.
type word struct{ crossed, value uint64 }

// lineBytes is what a line and its faces take.
const lineBytes = 64 + 4*planesPerLine

// Lines are kept in chunks, so that workers add to them without moving any.
const (
	chunkBits = 11
	chunkSize = 1 << chunkBits
)

// chunk holds lines, and for each the faces of its planes, −1 where there is
// none. Faces from mesh.NumFaces() on are fans.
type chunk struct {
	lines []line
	faces [][planesPerLine]int32
}

func (x *Index) line(id uint32) *line {
	return &x.chunks[id>>chunkBits].lines[id&(chunkSize-1)]
}

func (x *Index) faces(id uint32) *[planesPerLine]int32 {
	return &x.chunks[id>>chunkBits].faces[id&(chunkSize-1)]
}

// store hands out chunks to the workers that build. A worker goes on with the
// slice that it got last: it holds all its own chunks.
type store struct {
	mu     sync.Mutex
	chunks []chunk
}

func (s *store) add() (n int, chunks []chunk) {
	c := chunk{make([]line, chunkSize), make([][planesPerLine]int32, chunkSize)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chunks = append(s.chunks, c)
	return len(s.chunks) - 1, s.chunks
}

// trim cuts chunk n down to used lines.
func (s *store) trim(n, used int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.chunks[n]
	if used > chunkSize-chunkSize/8 {
		c.lines, c.faces = c.lines[:used], c.faces[:used]
		return
	}
	*c = chunk{slices.Clip(slices.Clone(c.lines[:used])), slices.Clip(slices.Clone(c.faces[:used]))}
}
