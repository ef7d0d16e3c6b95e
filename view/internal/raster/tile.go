package raster

import (
	"context"
	"image"
	"math"

	"github.com/golang/geo/r3"
)

const (
	grid    = 4 // samples along each side of a pixel
	samples = grid * grid
	pitch   = unit / grid // distance of samples, in units
	// layers is the number of fragments of a sample that are kept. The nearest opaque fragment is
	// always kept. Usually, little light passes eleven translucent layers.
	layers = 12 // tuning
	// sameLine is the largest relative difference of the depths of two fragments of lines that
	// count as one.
	sameLine = 0.004
)

// fragment is the color of an object at a sample.
type fragment struct {
	near    float32   // reciprocal depth
	light   [3]uint16 // color times opacity, in units of 1/full
	opacity uint16    // in units of 1/full
	line    int16     // see paint.line
}

const full = 1<<16 - 1

// stack holds the nearest fragments of a sample, in order of depth.
type stack struct {
	count     int32
	fragments [layers]fragment
}

// add adds f. Of two fragments of equal depth, the first one added is in front. Fragments behind an
// opaque fragment are removed. If there are too many fragments, the farthest translucent one is
// removed.
func (s *stack) add(f fragment) {
	n := int(s.count)
	solid := n > 0 && s.fragments[n-1].opacity == full
	if solid && f.near <= s.fragments[n-1].near {
		return
	}
	k := n
	for k > 0 && s.fragments[k-1].near < f.near {
		k--
	}
	if f.opacity == full {
		k = min(k, layers-1)
		s.fragments[k] = f
		s.count = int32(k + 1)
		return
	}
	room := layers // positions of translucent fragments, and of an opaque fragment that is not last
	if solid {
		room--
	}
	if k >= room {
		return
	}
	if n == layers {
		n-- // overwrite the last translucent fragment
		if solid {
			s.fragments[n-1] = s.fragments[n]
		}
	}
	copy(s.fragments[k+1:n+1], s.fragments[k:n])
	s.fragments[k] = f
	s.count = int32(n + 1)
}

// color returns the color of the fragments over the background. hidden is the nearest fragment of a
// line that is visible behind opaque objects, or the zero value.
func (s *stack) color(background Color, hidden fragment) Color {
	var out Color
	pass := float32(1)
	for i := 0; i < int(s.count) && pass > 0.002; i++ {
		f := &s.fragments[i]
		if f.line != 0 && s.repeats(i) {
			continue
		}
		for k := range out {
			out[k] += pass * float32(f.light[k]) / full
		}
		pass *= 1 - float32(f.opacity)/full
		if f.opacity == full {
			pass = 0
		}
	}
	for k := range out {
		out[k] += pass * background[k]
	}
	if n := s.count; hidden.opacity > 0 && n > 0 && s.fragments[n-1].opacity == full && s.fragments[n-1].near > hidden.near {
		rest := 1 - float32(hidden.opacity)/full
		for k := range out {
			out[k] = out[k]*rest + float32(hidden.light[k])/full
		}
	}
	return out
}

// repeats reports whether fragment i belongs to the same line as a fragment shortly before it.
func (s *stack) repeats(i int) bool {
	for k := i - 1; k >= 0; k-- {
		if s.fragments[k].near > s.fragments[i].near*(1+sameLine) {
			return false
		}
		if s.fragments[k].line == s.fragments[i].line {
			return true
		}
	}
	return false
}

// tile draws one tile at a time.
type tile struct {
	*drawing
	x0, y0, x1, y1 int // pixels of the tile, without x1 and y1
	stacks         [tileSize * tileSize * samples]stack
	hidden         []fragment                                         // by sample; nil if no line is visible there
	shaded         int64                                              // number of shaded pixels of triangles
	covers         [tileSize / blockSize * tileSize / blockSize]cover // cover of each block
	pixels         [tileSize * tileSize]cover
}

func newTile(d *drawing) *tile {
	t := &tile{drawing: d}
	for _, p := range d.paints {
		if p.hidden > 0 && t.hidden == nil {
			t.hidden = make([]fragment, len(t.stacks))
		}
	}
	return t
}

// draw draws a tile into img. If ctx ends, the tile is incomplete.
func (t *tile) draw(ctx context.Context, img *image.NRGBA, number int) {
	const check = 1 << 12 // tuning: triangles between two looks at ctx
	t.x0, t.y0 = number%t.columns*tileSize, number/t.columns*tileSize
	t.x1, t.y1 = min(t.x0+tileSize, t.width), min(t.y0+tileSize, t.height)
	for i := range t.stacks {
		t.stacks[i].count = 0
	}
	for i := range t.covers {
		t.covers[i].reset()
	}
	for i := range t.pixels {
		t.pixels[i].reset()
	}
	clear(t.hidden)
	large, narrow := t.large, t.narrow.items[t.narrow.start[number]:t.narrow.start[number+1]]
	for n := 0; len(large)+len(narrow) > 0; n++ {
		if n%check == check-1 && ctx.Err() != nil {
			return
		}
		// The items are ranks in the order from near to far.
		next := &large
		if len(large) == 0 || len(narrow) > 0 && narrow[0] < large[0] {
			next = &narrow
		}
		t.triangle(&t.triangles[t.order[(*next)[0]]])
		*next = (*next)[1:]
	}
	for n, i := range t.ballBins.items[t.ballBins.start[number]:t.ballBins.start[number+1]] {
		if n%check == check-1 && ctx.Err() != nil {
			return
		}
		t.ball(&t.balls[i])
	}
	t.resolve(img)
}

// resolve writes the mean color of the samples of each pixel.
func (t *tile) resolve(img *image.NRGBA) {
	plain := [4]uint8{encode(t.scene.Background[0]), encode(t.scene.Background[1]), encode(t.scene.Background[2]), 255}
	for y := t.y0; y < t.y1; y++ {
		for x := t.x0; x < t.x1; x++ {
			at := t.at(x, y)
			used := false
			for i := at; i < at+samples; i++ {
				used = used || t.stacks[i].count > 0
			}
			out := img.Pix[img.PixOffset(x, y):]
			if !used {
				copy(out, plain[:])
				continue
			}
			var sum Color
			for i := at; i < at+samples; i++ {
				var hidden fragment
				if t.hidden != nil {
					hidden = t.hidden[i]
				}
				c := t.stacks[i].color(t.scene.Background, hidden)
				for k := range sum {
					sum[k] += c[k]
				}
			}
			for k := range sum {
				out[k] = encode(sum[k] / samples)
			}
			out[3] = 255
		}
	}
}

// at returns the index of the first sample of a pixel.
func (t *tile) at(x, y int) int { return ((y-t.y0)*tileSize + x - t.x0) * samples }

// affine is a function a + b·x + c·y of screen coordinates in units. To avoid cancellation, the
// origin is a corner of the triangle.
type affine struct {
	x, y    int32
	a, b, c float64
}

func (f *affine) value(x, y int64) float64 {
	return f.a + f.b*float64(x-int64(f.x)) + f.c*float64(y-int64(f.y))
}

// interpolation returns the affine function with the given values at the corners.
func (s *triangle) interpolation(v [3]float32, area float64) affine {
	p, q := float64(v[1])-float64(v[0]), float64(v[2])-float64(v[0])
	x1, y1 := float64(s.x[1]-s.x[0]), float64(s.y[1]-s.y[0])
	x2, y2 := float64(s.x[2]-s.x[0]), float64(s.y[2]-s.y[0])
	return affine{s.x[0], s.y[0], float64(v[0]), (p*y2 - q*y1) / area, (q*x1 - p*x2) / area}
}

// triangle adds the fragments of a triangle.
func (t *tile) triangle(s *triangle) {
	x0, x1 := max(t.x0, int(min(s.x[0], s.x[1], s.x[2])/unit)), min(t.x1, int(max(s.x[0], s.x[1], s.x[2])/unit)+1)
	y0, y1 := max(t.y0, int(min(s.y[0], s.y[1], s.y[2])/unit)), min(t.y1, int(max(s.y[0], s.y[1], s.y[2])/unit)+1)
	if x0 >= x1 || y0 >= y1 {
		return
	}
	g := drawn{triangle: s, paint: &t.paints[s.paint], area: float64(s.edge(0, int64(s.x[0]), int64(s.y[0])))}
	g.depth = s.interpolation(s.near, g.area)
	if g.paint.clip {
		g.height = s.interpolation(s.height, g.area)
	}
	for by := y0 - (y0-t.y0)%blockSize; by < y1; by += blockSize {
		for bx := x0 - (x0-t.x0)%blockSize; bx < x1; bx += blockSize {
			t.block(&g, bx, by, max(x0, bx), max(y0, by), min(x1, bx+blockSize), min(y1, by+blockSize))
		}
	}
}

// drawn is a triangle and its properties on the screen.
type drawn struct {
	*triangle
	paint         *paint
	area          float64
	depth, height affine // the reciprocal depth, and the height if the paint has a clip
}

// block adds the fragments of a triangle in the block of pixels at (bx, by). The triangle meets only the
// pixels from (x0, y0) to (x1, y1), without x1 and y1.
func (t *tile) block(g *drawn, bx, by, x0, y0, x1, y1 int) {
	endX, endY := min(t.x1, bx+blockSize), min(t.y1, by+blockSize)
	at := corners{{int64(bx*unit + pitch/2), int64(by*unit + pitch/2)}, {int64(endX*unit - pitch/2), int64(endY*unit - pitch/2)}}
	full := true
	var e [3]edge
	for k := range e {
		e[k] = g.newEdge(k, x0, y0)
		value := e[k].value + e[k].dx*int64((bx-x0)*unit) + e[k].dy*int64((by-y0)*unit)
		width, height := e[k].dx*(at[1][0]-at[0][0]), e[k].dy*(at[1][1]-at[0][1])
		if value+max(0, width)+max(0, height) < 0 {
			return
		}
		full = full && value+min(0, width)+min(0, height) >= 0
	}
	depth, c := at.values(&g.depth), &t.covers[(by-t.y0)/blockSize*(tileSize/blockSize)+(bx-t.x0)/blockSize]
	if c.hides(&depth, all, &at, g.paint) {
		return
	}
	for y := y0; y < y1; y++ {
		t.row(g, &e, x0, x1, y)
		for k := range e {
			e[k].value += e[k].dy * unit
		}
	}
	if full && g.paint.clip {
		for _, h := range at.values(&g.height) {
			full = full && h < 0
		}
	}
	if full && g.paint.covers() {
		c.add(&g.depth, &depth, all, &at, g.paint)
	}
}

// row adds the fragments of a triangle in the pixels from x0 to x1 of a row, without x1. The edge functions
// begin at x0.
func (t *tile) row(g *drawn, e *[3]edge, x0, x1, y int) {
	p := g.paint
	lowest, highest := min(g.near[0], g.near[1], g.near[2]), max(g.near[0], g.near[1], g.near[2])
	row := [3]int64{e[0].value, e[1].value, e[2].value}
	for x := x0; x < x1; x++ {
		mask := uint32(0)
		if row[0]+e[0].most >= 0 && row[1]+e[1].most >= 0 && row[2]+e[2].most >= 0 {
			mask = covered(&row, e)
		}
		for k := range row {
			row[k] += e[k].dx * unit
		}
		if mask == 0 {
			continue
		}
		ux, uy := int64(x*unit+pitch/2), int64(y*unit+pitch/2) // the first sample
		if p.clip {
			mask &= below(&g.height, ux, uy)
		}
		if mask == 0 {
			continue
		}
		at := corners{{ux, uy}, {ux + (grid-1)*pitch, uy + (grid-1)*pitch}}
		depth, c := at.values(&g.depth), &t.pixels[(y-t.y0)*tileSize+x-t.x0]
		if c.hides(&depth, mask, &at, p) {
			continue
		}
		if p.covers() {
			c.add(&g.depth, &depth, mask, &at, p)
		}
		t.shaded++
		f := t.shade(g.triangle, p, x, y, g.area)
		if f.opacity == 0 {
			continue
		}
		i0 := t.at(x, y)
		first, dx, dy := g.depth.value(ux, uy), g.depth.b*pitch, g.depth.c*pitch
		for i := range samples {
			if mask>>i&1 == 0 {
				continue
			}
			// The interpolation in a narrow triangle can be inaccurate.
			f.near = min(highest, max(lowest, float32(first+float64(i%grid)*dx+float64(i/grid)*dy)))
			t.stacks[i0+i].add(f)
			if p.hidden > 0 && f.near > t.hidden[i0+i].near {
				t.hidden[i0+i] = f.scaled(p.hidden / p.opacity)
			}
		}
	}
}

// edge is an edge function on a grid of samples.
type edge struct {
	value  int64 // at the first sample of the current row of pixels, 1 less if samples on the edge do not count
	dx, dy int64 // increases for one unit
	most   int64 // largest increase from the first sample of a pixel to another sample
}

// newEdge returns the edge function of edge k that starts at the pixel (x, y). Samples on an edge
// belong to the triangle if the edge is a top edge or a left edge. So a sample on a common edge
// belongs to exactly one of two triangles.
func (s *triangle) newEdge(k, x, y int) edge {
	a, b := (k+1)%3, (k+2)%3
	dx, dy := int64(s.x[b])-int64(s.x[a]), int64(s.y[b])-int64(s.y[a])
	e := edge{dx: -dy, dy: dx, value: s.edge(k, int64(x*unit+pitch/2), int64(y*unit+pitch/2))}
	if topOrLeft := dy < 0 || dy == 0 && dx > 0; !topOrLeft {
		e.value--
	}
	const last = (grid - 1) * pitch
	e.most = max(0, e.dx*last) + max(0, e.dy*last)
	return e
}

// covered returns the set of the samples of a pixel in a triangle.
func covered(row *[3]int64, e *[3]edge) (mask uint32) {
	bit := uint32(1)
	for j := int64(0); j < grid; j++ {
		v0, v1, v2 := row[0]+j*pitch*e[0].dy, row[1]+j*pitch*e[1].dy, row[2]+j*pitch*e[2].dy
		for range grid {
			if v0|v1|v2 >= 0 {
				mask |= bit
			}
			bit <<= 1
			v0, v1, v2 = v0+pitch*e[0].dx, v1+pitch*e[1].dx, v2+pitch*e[2].dx
		}
	}
	return mask
}

// below returns the set of the samples of a pixel with a height of at most 0.
func below(height *affine, x, y int64) (mask uint32) {
	first := height.value(x, y)
	for i := range samples {
		if first+pitch*(float64(i%grid)*height.b+float64(i/grid)*height.c) <= 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// ball adds the fragments of a ball.
func (t *tile) ball(b *ball) {
	x0, x1 := max(t.x0, int(b.x-b.radius)), min(t.x1, int(b.x+b.radius)+1)
	y0, y1 := max(t.y0, int(b.y-b.radius)), min(t.y1, int(b.y+b.radius)+1)
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			f, shaded := fragment{}, false
			at := t.at(x, y)
			for i := range samples {
				dx := (float64(x) + (float64(i%grid)+0.5)/grid - b.x) / b.radius
				dy := (float64(y) + (float64(i/grid)+0.5)/grid - b.y) / b.radius
				rest := 1 - dx*dx - dy*dy
				if rest < 0 {
					continue
				}
				if !shaded {
					f, shaded = t.shadeBall(b, x, y), true
				}
				f.near = float32(1 / (b.depth - b.size*math.Sqrt(rest)))
				t.stacks[at+i].add(f)
			}
		}
	}
}

// ray returns the direction from the center of a pixel toward the viewer.
func (d *drawing) ray(x, y int) r3.Vector {
	c := &d.camera
	return r3.Vector{X: (c.Middle[0] - float64(x) - 0.5) / c.Focal, Y: (float64(y) + 0.5 - c.Middle[1]) / c.Focal, Z: -1}.Normalize()
}
