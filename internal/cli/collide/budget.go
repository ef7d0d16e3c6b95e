package collide

import (
	"cmp"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/plural"
)

// budget bounds the memory of a scene, of its tables and of the pairs of bodies in a step, as package
// loaders bounds the memory of a mesh.
type budget struct {
	limit int64 // limit that the user set; 0 means budgetBase plus budgetFactor bytes for each byte read
	read  int64 // number of bytes of the scene and of its tables, after decompression, and later of the meshes
	used  int64
}

// The default limit has the same form as that of package loaders.
const (
	budgetBase   = 48 << 20
	budgetFactor = 16
)

// The sizes include the room that slices leave when they grow, the temporary memory of the reader and
// of the search for pairs, and the memory of values that are no longer used but not yet collected.
const (
	bodyBytes    = 768 // a body of the scene and of the World
	poseRowBytes = 160 // a poseRow
	timeBytes    = 40  // a time of scene.times
	pairBytes    = 112 // a pair of bodies in a step, or a pair of faces of two bodies
)

// rowBytes is the smallest size of a row of a table in a text, such as "0,0,0,0\n".
const rowBytes = 8

func (b *budget) left() int64 {
	limit := b.limit
	if limit == 0 {
		limit = budgetBase + budgetFactor*b.read
	}
	return limit - b.used
}

// reserve counts n bytes that the caller is about to allocate. The error wraps disk.ErrTooLarge.
func (b *budget) reserve(n int64) error {
	b.used += n
	if left := b.left(); left < 0 {
		return plural.Errorf("%w: the limit is %d bytes", disk.ErrTooLarge, left+b.used)
	}
	return nil
}

// limitGarbage applies the limit to the garbage of the process; see term.LimitGarbage.
func (b *budget) limitGarbage() { term.LimitGarbage(cmp.Or(b.limit, term.MemoryOf(b.read))) }

// maxPairs returns the number of pairs of bodies for which the budget has room.
func (b *budget) maxPairs() int { return int(max(1, b.left()/pairBytes)) }
