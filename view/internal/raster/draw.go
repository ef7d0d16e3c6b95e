package raster

import (
	"context"
	"fmt"
	"image"
	"math"

	"github.com/inpoly/inpoly/internal/par"
)

const (
	tileSize = 32 // tuning: pixels along each side of a tile
	// wide is the largest number of tiles that list a triangle. If the box of a triangle covers
	// more tiles, no tile lists the triangle, and all tiles examine its box. So the lists need
	// little memory.
	wide = 64 // tuning
)

// Draw draws the scene. The picture does not depend on the number of workers, which is
// par.Workers(workers).
//
// Objects in front of Camera.Near are clipped. Triangles and lines with a coordinate that is not
// finite are not drawn. Draw panics if an index of a face is out of range.
//
// Errors: a width or height out of range; a camera whose Near or Focal is not positive; the error of
// ctx.
func (s *Scene) Draw(ctx context.Context, workers int) (*image.NRGBA, error) {
	if s.Width < 1 || s.Height < 1 || s.Width > MaxSize || s.Height > MaxSize {
		return nil, fmt.Errorf("raster: size %d × %d: width and height must be from 1 to %d", s.Width, s.Height, MaxSize)
	}
	if !(s.Camera.Near > 0 && s.Camera.Focal > 0) {
		return nil, fmt.Errorf("raster: near %g and focal length %g of the camera must be positive", s.Camera.Near, s.Camera.Focal)
	}
	d := drawing{scene: s, projector: projector{camera: s.Camera, width: s.Width, height: s.Height}}
	if err := d.prepare(ctx, workers); err != nil {
		return nil, err
	}
	img := image.NewNRGBA(image.Rect(0, 0, s.Width, s.Height))
	tiles := make([]*tile, par.Workers(workers))
	err := par.Blocks(ctx, d.columns*d.rows, 1, workers, func(worker, lo, _ int) {
		if tiles[worker] == nil {
			tiles[worker] = newTile(&d)
		}
		tiles[worker].draw(ctx, img, lo)
	})
	return img, err
}

// drawing is a scene on the screen.
type drawing struct {
	projector
	scene         *Scene
	columns, rows int // number of tiles
	paints        []paint
	triangles     []triangle
	balls         []ball
	order         []int32 // see fromNear
	narrow        bins    // triangles of few tiles, as indices of order
	large         []int32 // triangles of many tiles, as indices of order
	ballBins      bins
}

// prepare projects all objects and sorts them into tiles.
func (d *drawing) prepare(ctx context.Context, workers int) error {
	s := d.scene
	d.columns, d.rows = (s.Width+tileSize-1)/tileSize, (s.Height+tileSize-1)/tileSize
	for i := range s.Meshes {
		m := &s.Meshes[i]
		list, err := d.meshTriangles(ctx, m, int32(len(d.paints)), workers)
		if err != nil {
			return err
		}
		front := paint{color: m.Color, opacity: m.Opacity, rim: max(m.Rim, m.Opacity), lit: m.Texture == nil, clip: m.Clip != nil, texture: m.Texture}
		d.paints = append(d.paints, front)
		if m.Back != nil {
			back := front
			back.color = *m.Back
			d.paints = append(d.paints, back)
		}
		d.add(list)
	}
	for i := range s.Lines {
		l := &s.Lines[i]
		list, err := d.lineTriangles(ctx, l, int32(len(d.paints)), workers)
		if err != nil {
			return err
		}
		d.paints = append(d.paints, paint{color: l.Color, opacity: l.Opacity, rim: l.Opacity, hidden: l.Hidden, clip: l.Clip != nil, line: int32(i + 1)})
		d.add(list)
	}
	for i := range s.Balls {
		d.addBalls(&s.Balls[i])
	}
	d.sort()
	return ctx.Err()
}

func (d *drawing) add(list []triangle) {
	if d.triangles == nil {
		d.triangles = list
	} else {
		d.triangles = append(d.triangles, list...)
	}
}

// bins lists objects for each tile: tile k has items[start[k]:start[k+1]], in ascending order.
type bins struct {
	start []int
	items []int32
}

// newBins returns bins of n objects. The function box returns the inclusive range of tiles of an
// object, and whether to list the object.
func (d *drawing) newBins(n int, box func(i int) (x0, y0, x1, y1 int, ok bool)) bins {
	b := bins{start: make([]int, d.columns*d.rows+2)}
	visit := func(f func(k int, i int32)) {
		for i := range n {
			x0, y0, x1, y1, ok := box(i)
			if !ok {
				continue
			}
			for y := y0; y <= y1; y++ {
				for x := x0; x <= x1; x++ {
					f(y*d.columns+x, int32(i))
				}
			}
		}
	}
	visit(func(k int, _ int32) { b.start[k+2]++ })
	for k := 2; k < len(b.start); k++ {
		b.start[k] += b.start[k-1]
	}
	b.items = make([]int32, b.start[len(b.start)-1])
	visit(func(k int, i int32) {
		b.items[b.start[k+1]] = i
		b.start[k+1]++
	})
	return b
}

func (d *drawing) sort() {
	d.order = d.fromNear()
	d.narrow = d.newBins(len(d.order), func(i int) (x0, y0, x1, y1 int, ok bool) {
		x0, y0, x1, y1 = d.tileBox(&d.triangles[d.order[i]])
		return x0, y0, x1, y1, (x1-x0+1)*(y1-y0+1) <= wide
	})
	for i, k := range d.order {
		if x0, y0, x1, y1 := d.tileBox(&d.triangles[k]); (x1-x0+1)*(y1-y0+1) > wide {
			d.large = append(d.large, int32(i))
		}
	}
	d.ballBins = d.newBins(len(d.balls), func(i int) (x0, y0, x1, y1 int, ok bool) {
		b := &d.balls[i]
		clamp := func(v float64, n int) int { return int(min(float64(n-1), max(0, math.Floor(v/tileSize)))) }
		return clamp(b.x-b.radius, d.columns), clamp(b.y-b.radius, d.rows), clamp(b.x+b.radius, d.columns), clamp(b.y+b.radius, d.rows), true
	})
}

// tileBox returns the inclusive range of tiles in the box of a triangle. Projected triangles meet
// the picture, so the range is not empty.
func (d *drawing) tileBox(t *triangle) (x0, y0, x1, y1 int) {
	const size = tileSize * unit
	return max(0, int(min(t.x[0], t.x[1], t.x[2])/size)), max(0, int(min(t.y[0], t.y[1], t.y[2])/size)),
		min(d.columns-1, int(max(t.x[0], t.x[1], t.x[2])/size)), min(d.rows-1, int(max(t.y[0], t.y[1], t.y[2])/size))
}

// ball is a ball on the screen.
type ball struct {
	x, y, radius float64 // in pixels
	depth, size  float64 // depth of the center, and radius in units of depth
	color        Color
	opacity      float32
}

func (d *drawing) addBalls(set *Balls) {
	for _, c := range set.Centers {
		x, y, depth := d.camera.Project(vector(c))
		if !(depth-set.Radius >= d.camera.Near) { // NaN is also refused
			continue
		}
		b := ball{x: x, y: y, depth: depth, color: set.Color, opacity: set.Opacity}
		b.radius = max(set.MinSize, set.Radius*d.camera.Focal/depth)
		b.size = b.radius * depth / d.camera.Focal
		if b.size >= depth-d.camera.Near || !(x+b.radius > 0 && y+b.radius > 0 && x-b.radius < float64(d.width) && y-b.radius < float64(d.height)) {
			continue
		}
		d.balls = append(d.balls, b)
	}
}
