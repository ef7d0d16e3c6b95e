package raytree

import (
	"math"
	"unsafe"
)

// advanceGeneric continues walks until at most enough of them are left without a result. Each
// element of list is the distance in bytes of a walk from walks[0]. advanceGeneric moves the walks
// without a result to the front of the list, and returns their number.
func advanceGeneric(walks *Walk, t *Tree, list []int64, enough int) int {
	n := len(list)
	for ; n > enough; n-- {
		w := (*Walk)(unsafe.Add(unsafe.Pointer(walks), list[n-1]))
		w.step(t)
	}
	return n
}

// step pops links from the stack until a link leads to a block with a triangle that the line can meet.
// It sets first to the first triangle of the block, and masks to three masks of eight bits: the triangles
// that the line can meet, those with positive edge functions, and those with negative edge functions.
// If the stack is empty, masks becomes 0.
func (w *Walk) step(t *Tree) {
	for w.first, w.masks = 0, 0; w.sp > 0; {
		w.sp--
		if w.keys[w.sp] > w.limit {
			continue
		}
		if l := w.links[w.sp]; l >= 0 {
			w.visit(&t.nodes[l])
		} else {
			b := &t.blocks[^l>>3]
			if masks := w.test(b, 1<<(^l&7+1)-1); masks != 0 {
				w.first, w.masks = b.first, masks
				return
			}
		}
	}
}

// visit pushes the links of the boxes that the ray meets, the farthest first.
func (w *Walk) visit(n *node) {
	w.Nodes++
	limit := math.Float32frombits(uint32(w.limit))
	base := w.sp
	for k := range lanes {
		enter := max((n.rows[w.enter[0]/32][k]-w.near[0])*w.inverse[0],
			(n.rows[w.enter[1]/32][k]-w.near[1])*w.inverse[1],
			(n.rows[w.enter[2]/32][k]-w.near[2])*w.inverse[2], 0)
		leave := min((n.rows[w.leave[0]/32][k]-w.far[0])*w.inverse[0],
			(n.rows[w.leave[1]/32][k]-w.far[1])*w.inverse[1],
			(n.rows[w.leave[2]/32][k]-w.far[2])*w.inverse[2], limit)
		if enter > leave {
			continue
		}
		key := int32(math.Float32bits(enter))&0x7ffffff8 | int32(k)
		i := w.sp
		for ; i > base && w.keys[i-1] < key; i-- {
			w.keys[i], w.links[i] = w.keys[i-1], w.links[i-1]
		}
		w.keys[i], w.links[i] = key, n.links[k]
		w.sp++
	}
}

// The error of an edge function is at most edgeError·M² + w.drift·M + edgeFloor, where M bounds the
// coordinates of the corners of a block relative to the ray. edgeError is 32 times the unit
// roundoff 2⁻²⁴.
const (
	edgeError = 0x1p-19
	edgeFloor = 0x1p-110
)

// test returns the masks of step for the triangles of b in the lanes of the mask used.
//
// A shear along the ray maps the line of the ray to the origin of a plane, and each corner to a
// point (x, y). The line meets a triangle if no two of the three edge functions of its image have
// opposite signs. docs/design/026-rays.md derives the error bound.
func (w *Walk) test(b *block, used uint32) (masks uint32) {
	w.Blocks++
	x, y, z := w.axis[0]/8, w.axis[1]/8, w.axis[2]/8
	dz := b.center[z] - w.start[2]
	px := b.center[x] - w.start[0] - float64(w.slope[0]*dz)
	py := b.center[y] - w.start[1] - float64(w.slope[1]*dz)
	m := max(math.Abs(px), math.Abs(py)) + float64(b.reach)
	e := float32(float64(m*(float64(m*edgeError)+w.drift)) + edgeFloor)
	px32, py32 := float32(px), float32(py)
	for k := range lanes {
		var cx, cy [3]float32
		for i := range 3 {
			c := &b.corners[i]
			cx[i] = px32 + (c[x][k] - float32(w.slope32[0]*c[z][k]))
			cy[i] = py32 + (c[y][k] - float32(w.slope32[1]*c[z][k]))
		}
		p := float32(cx[0]*cy[1]) - float32(cy[0]*cx[1])
		q := float32(cx[1]*cy[2]) - float32(cy[1]*cx[2])
		r := float32(cx[2]*cy[0]) - float32(cy[2]*cx[0])
		least, most := min(p, q, r), max(p, q, r)
		if least >= -e || most <= e {
			masks |= 1 << k
		}
		if least > e {
			masks |= 1 << (k + 8)
		}
		if most < -e {
			masks |= 1 << (k + 16)
		}
	}
	return masks & (used | used<<8 | used<<16)
}

// clipGeneric clips the points s + τ·d with τ ≥ from to the enlarged box of the mesh, and sets the numbers for box
// tests. It moves s to the start of the computed ray, sets offset, and returns the length of the ray in units of τ. If
// the points miss the box, it returns 0. The fourth elements are 0 and 1 before the call, and have no meaning after it. The
// content of limit is lost.
func (w *Walk) clipGeneric(s, d *[4]float64, from, drift float64) (length float64) {
	walls, to := &w.tree.walls, math.Inf(1)
	for k := range 3 {
		if math.Abs(d[k]) < flatDirection {
			if s[k] < walls[k] || s[k] > walls[k+4] {
				return 0
			}
			continue
		}
		inverse := 1 / d[k]
		near, far := (walls[k]-s[k])*inverse, (walls[k+4]-s[k])*inverse
		from, to = max(from, min(near, far)), min(to, max(near, far))
	}
	if !(from < to) {
		return 0
	}
	length, w.offset = to-from, from
	signs := 0 // bit k is set if the ray runs toward smaller coordinates on axis k
	for k := range 3 {
		s[k] += float64(from * d[k])
		x := float64(length * d[k])
		p := pad*(math.Abs(x)+math.Abs(s[k])) + drift + padFloor
		if math.Abs(x) <= p {
			w.near[k], w.far[k], w.inverse[k] = float32(s[k]+2*p), float32(s[k]-2*p), float32(2/p)
			continue
		}
		if x < 0 {
			signs |= 1 << k
		}
		p = math.Copysign(p, x)
		w.near[k], w.far[k], w.inverse[k] = float32(s[k]+p), float32(s[k]-p), float32(1/x)
	}
	w.enter, w.leave = rowsOf[signs].enter, rowsOf[signs].leave
	return length
}

// rowsOf has Walk.enter and Walk.leave for each combination of the signs of a direction.
var rowsOf = func() (rows [8]struct{ enter, leave [3]int }) {
	for signs := range rows {
		for k := range 3 {
			back := signs >> k & 1
			rows[signs].enter[k], rows[signs].leave[k] = 32*(k+3*back), 32*(k+3-3*back)
		}
	}
	return rows
}()
