package view

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"github.com/inpoly/inpoly/internal/interval"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/vec"
)

// nearby is the largest distance of drawn points from the plane, relative to the longest side of
// the box of the mesh. A text in the picture states this distance.
const nearby = 0.005 // tuning

// ErrNoSlice is returned if the mesh has no extent. Such a mesh has no slice.
var ErrNoSlice = errors.New("view: cannot draw a slice of a mesh without extent")

var (
	paper = color.NRGBA{255, 255, 255, 255}
	ink   = color.NRGBA{0x22, 0x2a, 0x35, 255}
	gray  = color.NRGBA{0x78, 0x82, 0x90, 255}
)

// WritePNG writes the slice as an image: the winding number in colors with a legend, the section of
// the mesh, and the points of the sample near the plane. A slice whose longer side has fewer than
// 480 pixels is enlarged by an integer factor.
//
// Errors: ErrNoSlice if the mesh has no extent; the error of w.
func (s *Scene) WritePNG(w io.Writer) error {
	if s.slice == nil {
		return ErrNoSlice
	}
	img, err := s.sliceImage()
	if err != nil {
		return err
	}
	return png.Encode(w, img)
}

// These are sizes in pixels in an image of a slice.
const (
	sliceRim  = 24
	sliceHead = 60 // height of the title and of the note
	sliceFoot = 26 // height of the ranges of the axes
	sliceText = 16
)

// sliceImage draws the title at the top, the winding numbers below the title, and the legends on
// the right.
func (s *Scene) sliceImage() (*image.NRGBA, error) {
	title, err := newLettering(1.25 * sliceText)
	if err != nil {
		return nil, err
	}
	text, err := newLettering(sliceText)
	if err != nil {
		return nil, err
	}
	const legend = 200 // width
	x := s.slice
	zoom := 1
	for zoom*max(x.cols, x.rows) < 480 {
		zoom++
	}
	width, height := max(zoom*x.cols, 240), max(zoom*x.rows, 300)
	img := image.NewNRGBA(image.Rect(0, 0, sliceRim+width+sliceRim+legend, sliceRim+sliceHead+height+sliceFoot+sliceRim))
	draw.Draw(img, img.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	c := canvas{img}

	room := float64(img.Rect.Dx() - 2*sliceRim)
	title.draw(img, sliceRim, sliceRim+18, title.shortened("W on "+x.plane.Label()+"   "+quote.Line(s.opt.Name), room), ink)
	text.draw(img, sliceRim, sliceRim+44, text.shortened(s.sliceNote(), room), gray)

	at := image.Rect(sliceRim, sliceRim+sliceHead, sliceRim+zoom*x.cols, sliceRim+sliceHead+zoom*x.rows)
	c.fill(at.Inset(-1), gray) // draw the frame
	c.fill(at, paper)
	for i, v := range x.w {
		px, py := at.Min.X+zoom*(i%x.cols), at.Min.Y+zoom*(i/x.cols)
		f := windingColor(v)
		for j := py; j < py+zoom; j++ {
			for i := px; i < px+zoom; i++ {
				c.cover(i, j, rgb{f.R, f.G, f.B}, float64(f.A)/255)
			}
		}
	}
	x.outline(c, at, 2)
	counts := s.drawNearby(c, at)
	text.draw(img, float64(at.Min.X), float64(at.Max.Y+22), fmt.Sprintf("%c from %.4g to %.4g, %c from %.4g to %.4g",
		axisNames[x.right], x.lo[0], x.hi[0], axisNames[x.up], x.lo[1], x.hi[1]), gray)

	left := sliceRim + width + sliceRim
	bottom := s.drawScale(c, image.Rect(left, at.Min.Y, left+24, at.Min.Y+160), text)
	for _, side := range sideOrder {
		if s.cloud == nil {
			break
		}
		bottom += 26
		c.disc(float64(left+8), float64(bottom), 6, sideColors[side])
		text.draw(img, float64(left+24), float64(bottom+6), text.shortened(s.sideWords()[side]+" "+commas(int64(counts[side])), legend-48), ink)
	}
	return img, nil
}

// crowdedNote says why a slice has fewer pixels than requested.
const crowdedNote = "fewer pixels, because many faces are near each of them"

// sliceNote returns a text with the error of the winding numbers and the distance of the drawn
// points.
func (s *Scene) sliceNote() string {
	note := "W exact"
	if s.slice.bound > 0 {
		note = "W within " + interval.Up(s.slice.bound)
	}
	if s.slice.crowded {
		note += "; " + crowdedNote
	}
	if s.cloud != nil {
		of := "points"
		if _, _, thinned := s.sampled(); thinned {
			of = "points of a sample"
		}
		note += fmt.Sprintf("; %s within %.3g of the plane", of, s.nearDistance())
	}
	return note
}

func (s *Scene) nearDistance() float64 { return nearby * vec.MaxAbs(s.box.Size()) }

// drawNearby draws the points near the plane. It returns the numbers of drawn points, indexed by
// side.
func (s *Scene) drawNearby(c canvas, at image.Rectangle) (counts [4]int) {
	x := s.slice
	c = canvas{c.img.SubImage(at).(*image.NRGBA)}
	for _, p := range s.points {
		if math.Abs(axis(p.p, x.plane.Axis)-x.plane.Value) > s.nearDistance() {
			continue
		}
		px, py := x.pixel([2]float64{axis(p.p, x.right), axis(p.p, x.up)}, at.Dx(), at.Dy())
		if px < 0 || py < 0 || px > float64(at.Dx()) || py > float64(at.Dy()) {
			continue
		}
		counts[p.side&3]++
		px, py = px+float64(at.Min.X), py+float64(at.Min.Y)
		c.disc(px, py, 3.5, rgb{255, 255, 255})
		c.disc(px, py, 2.6, sideColors[p.side&3])
	}
	return counts
}

// drawScale draws the legend of winding numbers. The colors fill r, and the ticks are to the right
// of r. drawScale returns the y coordinate of the lower end of the legend.
func (s *Scene) drawScale(c canvas, r image.Rectangle, l lettering) (bottom int) {
	span := s.slice.scaleRange()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		w := span.hi - (span.hi-span.lo)*(float64(y-r.Min.Y)+0.5)/float64(r.Dy())
		f := windingColor(w)
		for x := r.Min.X; x < r.Max.X; x++ {
			c.cover(x, y, rgb{f.R, f.G, f.B}, float64(f.A)/255)
		}
	}
	at, words := span.ticks()
	for i, w := range at {
		y := r.Max.Y - int(math.Round(float64(r.Dy())*(w-span.lo)/(span.hi-span.lo)))
		c.fill(image.Rect(r.Max.X, y-1, r.Max.X+6, y+1), ink)
		l.draw(c.img, float64(r.Max.X+12), float64(y)+0.36*l.size, "W "+words[i], ink)
	}
	return r.Max.Y + 10
}

// canvas draws on an image and clips to its bounds.
type canvas struct{ img *image.NRGBA }

// cover blends a color over the given share of a pixel, from 0 to 1.
func (c canvas) cover(x, y int, col rgb, share float64) {
	if share <= 0 || !(image.Point{X: x, Y: y}).In(c.img.Rect) {
		return
	}
	share = min(1, share)
	under := c.img.NRGBAAt(x, y)
	// The formula is the operator "over" (Porter, Duff 1984) for colors that are not premultiplied.
	rest := float64(under.A) / 255 * (1 - share)
	alpha := share + rest
	mix := func(top, below uint8) uint8 {
		return uint8(math.Round((float64(top)*share + float64(below)*rest) / alpha))
	}
	c.img.SetNRGBA(x, y, color.NRGBA{mix(col[0], under.R), mix(col[1], under.G), mix(col[2], under.B), uint8(math.Round(255 * alpha))})
}

func (c canvas) fill(r image.Rectangle, col color.NRGBA) {
	r = r.Intersect(c.img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c.img.SetNRGBA(x, y, col)
		}
	}
}

// line draws an antialiased line. It steps from pixel to pixel along the axis on which the line is
// longer.
func (c canvas) line(ax, ay, bx, by, width float64, col rgb) {
	steep := math.Abs(by-ay) > math.Abs(bx-ax)
	r := c.img.Rect
	lo, hi := r.Min.X, r.Max.X
	if steep {
		ax, ay, bx, by = ay, ax, by, bx
		lo, hi = r.Min.Y, r.Max.Y
	}
	if ax > bx {
		ax, ay, bx, by = bx, by, ax, ay
	}
	slope := 0.0
	if bx > ax {
		slope = (by - ay) / (bx - ax)
	}
	// halfExtent is measured perpendicular to the axis of the steps.
	halfExtent := width / 2 * math.Hypot(1, slope)
	from, to := math.Floor(max(float64(lo), ax-width/2)), math.Ceil(min(float64(hi), bx+width/2))
	for x := from; x < to; x++ {
		along := min(x+1, bx+width/2) - max(x, ax-width/2)
		y := ay + slope*(min(max(x+0.5, ax), bx)-ax)
		for k := math.Floor(y - halfExtent); k < y+halfExtent; k++ {
			share := along * (min(k+1, y+halfExtent) - max(k, y-halfExtent))
			if steep {
				c.cover(int(k), int(x), col, share)
			} else {
				c.cover(int(x), int(k), col, share)
			}
		}
	}
}

func (c canvas) disc(x, y, radius float64, col rgb) {
	for j := math.Floor(y - radius - 1); j <= y+radius; j++ {
		for i := math.Floor(x - radius - 1); i <= x+radius; i++ {
			c.cover(int(i), int(j), col, radius+0.5-math.Hypot(i+0.5-x, j+0.5-y))
		}
	}
}
