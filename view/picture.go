package view

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/view/internal/raster"
)

// PictureOptions holds the options of a 3D picture. All fields are optional.
type PictureOptions struct {
	// Width and Height are the size in pixels, from MinPicture to MaxPicture; 0 means 1280 × 800.
	Width, Height int
	// Theme selects the colors of the ground, of the text and of the mesh.
	Theme Theme
	// Colors has the color of each solid, in the order of the assembly; nil means the color of the theme for
	// all solids. The zero color also means the color of the theme. Other colors must have the alpha 255.
	// With points, all solids are equally translucent.
	Colors []color.NRGBA
	// From is the direction toward the viewer; nil means azimuth 35 and elevation 22.
	From *Direction
	// Cut removes the part of the mesh and of the points between the viewer and the plane of the
	// slice, and shows the winding number on the plane.
	Cut bool
	// Workers is the number of goroutines; 0 means the number of processors. The picture does not
	// depend on it.
	Workers int
}

// The smallest and the largest width and height of a picture.
const (
	MinPicture = 64
	MaxPicture = 8192
)

// Theme is a set of colors.
type Theme int

// The themes of a picture.
const (
	Light Theme = iota // white ground
	Dark
)

// theme holds colors that were chosen by looking at pictures.
type theme struct {
	ground, ink, faint, rule rgb
	mesh, back, crease       rgb // colors of an opaque mesh
	glass, glassCrease       rgb // colors of a translucent mesh
	opacity, rim             float32
}

var themes = [...]theme{
	Light: {ground: rgb{255, 255, 255}, ink: rgb{0x1c, 0x24, 0x30}, faint: rgb{0x5c, 0x68, 0x78}, rule: rgb{0xd9, 0xdf, 0xe7},
		mesh: rgb{0xbf, 0xca, 0xd9}, back: rgb{0x8e, 0x84, 0x7c}, crease: rgb{0x5a, 0x68, 0x7c}, glass: rgb{0x86, 0x9a, 0xb6}, glassCrease: rgb{0x50, 0x60, 0x78}, opacity: 0.13, rim: 0.85},
	Dark: {ground: rgb{0x0d, 0x11, 0x17}, ink: rgb{0xe4, 0xe9, 0xf0}, faint: rgb{0x98, 0xa4, 0xb4}, rule: rgb{0x2b, 0x34, 0x41},
		mesh: rgb{0xa3, 0xb1, 0xc4}, back: rgb{0x6e, 0x66, 0x60}, crease: rgb{0x3c, 0x48, 0x59}, glass: rgb{0x9d, 0xb2, 0xcf}, glassCrease: rgb{0xc4, 0xd2, 0xe6}, opacity: 0.13, rim: 0.7},
}

// ErrNoCut is returned if PictureOptions.Cut and Options.NoSlice are set.
var ErrNoCut = errors.New("view: cannot cut a scene without a slice")

func (o *PictureOptions) check() error {
	if o.Width == 0 && o.Height == 0 {
		o.Width, o.Height = 1280, 800
	}
	for _, n := range []int{o.Width, o.Height} {
		if n < MinPicture || n > MaxPicture {
			return fmt.Errorf("view: picture of %d × %d pixels: width and height must be from %d to %d", o.Width, o.Height, MinPicture, MaxPicture)
		}
	}
	if o.Theme < 0 || int(o.Theme) >= len(themes) {
		return fmt.Errorf("view: theme %d: expected Light or Dark", o.Theme)
	}
	if o.From == nil {
		o.From = &defaultDirection
	}
	if !o.From.valid() {
		return fmt.Errorf("view: direction %g,%g: the azimuth must be finite and the elevation from -90 to 90", o.From.Azimuth, o.From.Elevation)
	}
	return nil
}

// WritePicture writes a 3D picture as PNG: the shaded mesh, its defects, the points in the colors of
// their states, and a legend with all counts. With points, the mesh is translucent. If more than half
// of the points lie outside, the picture omits the outside points. The picture also omits points that
// are farther from the box of the mesh than the size of the box. The legend states both. Edges with a
// defect are faintly visible through the mesh.
//
// Errors: options out of range; ErrNoCut; ErrNoSlice for a cut of a mesh without extent; the error of
// ctx; the error of w.
func (s *Scene) WritePicture(ctx context.Context, w io.Writer, opt PictureOptions) error {
	img, err := s.picture(ctx, opt)
	if err != nil {
		return err
	}
	return png.Encode(w, img)
}

// picture draws the scene between the title at the top and the legend at the bottom.
func (s *Scene) picture(ctx context.Context, opt PictureOptions) (*image.NRGBA, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	if err := s.checkColors(opt.Colors); err != nil {
		return nil, err
	}
	switch {
	case opt.Cut && s.opt.NoSlice:
		return nil, ErrNoCut
	case opt.Cut && s.slice == nil:
		return nil, ErrNoSlice
	}
	p := painter{scene: s, opt: opt, theme: themes[opt.Theme]}
	l, err := p.layout()
	if err != nil {
		return nil, err
	}
	if err := p.compose(ctx, l.room); err != nil {
		return nil, err
	}
	img, err := p.raster.Draw(ctx, opt.Workers)
	if err != nil {
		return nil, err
	}
	l.draw(img)
	return img, nil
}

// painter converts a scene to objects of package raster. Its coordinates are in the frame of the
// scene.
type painter struct {
	scene  *Scene
	opt    PictureOptions
	theme  theme
	raster raster.Scene
	clip   *raster.HalfSpace
}

func (c rgb) linear() raster.Color { return raster.SRGB(c[0], c[1], c[2]) }

// crease is the smallest angle of faces at an edge that is drawn and not smoothed.
const crease = 35 * math.Pi / 180 // tuning

// compose fills p.raster. The objects are drawn inside room.
func (p *painter) compose(ctx context.Context, room image.Rectangle) error {
	s := p.scene
	p.raster = raster.Scene{Width: p.opt.Width, Height: p.opt.Height, Background: p.theme.ground.linear()}
	if p.opt.Cut {
		p.clip = p.halfSpace()
	}
	p.aim(room)
	smooth, err := raster.Smooth(ctx, s.surface.vertices, s.surface.faces, crease, p.opt.Workers)
	if err != nil {
		return err
	}
	mesh := raster.Mesh{Vertices: s.surface.vertices, Faces: s.surface.faces, Normals: smooth.Normals, Color: p.theme.mesh.linear(), Opacity: 1, Clip: p.clip}
	line := p.theme.crease
	if d := &s.report.Diagnosis; d.ConsistentOrientation && d.InwardComponents < len(d.Components) {
		back := p.theme.back.linear()
		mesh.Back = &back
	}
	if p.translucent() {
		mesh.Back = nil
		mesh.Color, mesh.Opacity, mesh.Rim = p.theme.glass.linear(), p.theme.opacity, p.theme.rim
		line = p.theme.glassCrease
	}
	p.raster.Meshes = append(p.raster.Meshes, p.colored(mesh)...)
	p.addCreases(smooth.Creases, line, room)
	p.addDefects(room)
	if p.opt.Cut {
		p.addCut()
	}
	p.addPoints(room)
	return ctx.Err()
}

// translucent reports whether the mesh is translucent, so that points inside are visible.
func (p *painter) translucent() bool {
	return p.scene.cloud != nil && len(p.scene.points) > 0 && !p.opt.Cut
}

// scale is the width of the picture relative to a picture of 1280 × 800. Lines, points and text are
// scaled by its root, so that they stay visible in small pictures.
func (p *painter) scale() float64 {
	return math.Sqrt(min(float64(p.opt.Width), 1.6*float64(p.opt.Height)) / 1280)
}

// field is the angle of view of the larger side of the room for the drawing. It is small, as for a
// photograph from a distance.
const field = 0.5 // tuning

// rim is the free space around the drawing, relative to the smaller side of the room.
const rim = 0.03 // tuning

// aim sets the camera so that the mesh and the drawn points fill the room.
func (p *painter) aim(room image.Rectangle) {
	right, up, back := p.opt.From.axes(p.scene.up())
	width, height := float64(room.Dx()), float64(room.Dy())
	border := 2 * rim * min(width, height)
	focal := max(width, height) / 2 / math.Tan(field/2)
	var fit fitter
	fit.tanX, fit.tanY = (width-border)/2/focal, (height-border)/2/focal
	fit.right, fit.up, fit.back = right, up, back
	for _, v := range p.scene.surface.vertices {
		if !p.removed(v) {
			fit.add(v)
		}
	}
	if p.opt.Cut {
		for k := range 4 {
			fit.add(p.scene.frame.local(p.scene.slice.corner(k%2, k/2)))
		}
	}
	hidden := p.hidden()
	for _, q := range p.scene.points {
		if v := p.scene.frame.local(q.p); !hidden[q.side&3] && !p.isFar(v) && !p.removed(v) {
			fit.add(v)
		}
	}
	eye, nearest, farthest := fit.place()
	p.raster.Camera = raster.Camera{
		Right: right, Up: up, Back: back, Eye: eye, Focal: focal,
		Middle: [2]float64{float64(room.Min.X+room.Max.X) / 2, float64(room.Min.Y+room.Max.Y) / 2},
		Near:   nearest / 100,
	}
	p.raster.Fog = raster.Fog{From: nearest, To: farthest, Share: 0.15} // tuning
}

// removed reports whether a cut removes the point v.
func (p *painter) removed(v [3]float32) bool {
	return p.clip != nil && p.clip.Normal.Dot(widened(v)) > p.clip.Offset
}

// isFar reports whether a point is too far from the mesh to be drawn: farther from the box of the
// mesh than the size of the box. In a picture with such points, the mesh would be small. No point
// is far from a mesh without extent.
func (p *painter) isFar(v [3]float32) bool {
	box := p.scene.report.Diagnosis.Box
	if box.Empty() {
		return false
	}
	half := largest(p.scene.frame.local(box.Max))
	return half > 0 && largest(v) > 3*half
}

func largest(v [3]float32) float64 { return vec.MaxAbs(widened(v)) }

// fitter finds the nearest position of a viewer who sees all points. A point with coordinates x, y
// and z to the right, up and back is in view of a viewer at (a, b, d) if |x−a| ≤ tanX·(d−z) and
// |y−b| ≤ tanY·(d−z).
type fitter struct {
	right, up, back r3.Vector
	tanX, tanY      float64
	most            [4]float64 // the maxima of x + tanX·z, −x + tanX·z, y + tanY·z and −y + tanY·z
	front, rear     float64    // the maximum and the minimum of z
	some            bool
}

func (f *fitter) add(p [3]float32) {
	v := widened(p)
	x, y, z := v.Dot(f.right), v.Dot(f.up), v.Dot(f.back)
	at := [4]float64{x + f.tanX*z, -x + f.tanX*z, y + f.tanY*z, -y + f.tanY*z}
	if !f.some {
		f.most, f.front, f.rear, f.some = at, z, z, true
		return
	}
	for k := range at {
		f.most[k] = max(f.most[k], at[k])
	}
	f.front, f.rear = max(f.front, z), min(f.rear, z)
}

// place returns the position of the viewer and the depths of the nearest and the farthest point.
func (f *fitter) place() (eye r3.Vector, nearest, farthest float64) {
	d := max((f.most[0]+f.most[1])/2/f.tanX, (f.most[2]+f.most[3])/2/f.tanY)
	d = max(d, f.front+0.01) // a single point
	a, b := (f.most[0]-f.most[1])/2, (f.most[2]-f.most[3])/2
	return f.right.Mul(a).Add(f.up.Mul(b)).Add(f.back.Mul(d)), d - f.front, d - f.rear
}

// hidden returns the sides whose points are not drawn: the outside points if they are more than
// half of all points.
func (p *painter) hidden() (hidden [4]bool) {
	if p.scene.cloud == nil {
		return hidden
	}
	n := p.scene.cloud.Counts()
	hidden[inpoly.Outside] = hidesOutside(n)
	return hidden
}

// addCreases adds the sharp edges. Many short edges would blacken the picture, so they fade.
func (p *painter) addCreases(creases [][2]uint32, color rgb, room image.Rectangle) {
	lines := raster.Lines{Width: 1.3 * p.scale(), Color: color.linear(), Lift: 5e-4, Clip: p.clip}
	for _, e := range creases {
		lines.Ends = append(lines.Ends, [2][3]float32{p.scene.surface.vertices[e[0]], p.scene.surface.vertices[e[1]]})
	}
	const (
		strongest = 0.6  // tuning
		dense     = 0.04 // tuning: share of the room that lines cover before they fade
	)
	lines.Opacity = float32(strongest * min(1, dense/max(p.share(&lines, room), 1e-9)))
	if lines.Opacity >= 0.02 {
		p.raster.Lines = append(p.raster.Lines, lines)
	}
}

// share returns the sum of the areas of lines on the screen, relative to the area of the room.
func (p *painter) share(l *raster.Lines, room image.Rectangle) float64 {
	length := 0.0
	for _, e := range l.Ends {
		ax, ay, _ := p.raster.Camera.Project(widened(e[0]))
		bx, by, _ := p.raster.Camera.Project(widened(e[1]))
		length += math.Hypot(bx-ax, by-ay)
	}
	return length * l.Width / float64(room.Dx()*room.Dy())
}

func widened(v [3]float32) r3.Vector {
	return r3.Vector{X: float64(v[0]), Y: float64(v[1]), Z: float64(v[2])}
}

// addDefects adds the kinds of defects that are visible when the page opens.
func (p *painter) addDefects(room image.Rectangle) {
	for _, l := range p.scene.layers {
		if !l.On {
			continue
		}
		corners := p.scene.corners(l)
		local := make([][3]float32, len(corners))
		for i, c := range corners {
			local[i] = p.scene.frame.local(c)
		}
		if l.IsEdges() {
			lines := raster.Lines{Width: 2.6 * p.scale(), Color: l.Color.linear(), Opacity: 1, Lift: 1e-3, Clip: p.clip}
			for i := 0; i < len(local); i += 2 {
				lines.Ends = append(lines.Ends, [2][3]float32{local[i], local[i+1]})
			}
			// Many edges become thinner, and fainter behind the mesh.
			const dense = 0.04 // tuning
			few := min(1, dense/max(p.share(&lines, room), 1e-9))
			lines.Width *= max(0.45, math.Sqrt(few))
			lines.Hidden = float32(0.3 * max(0.3, few))
			p.raster.Lines = append(p.raster.Lines, lines)
			continue
		}
		m := raster.Mesh{Vertices: local, Color: l.Color.linear(), Opacity: 1, Lift: 4e-4, Clip: p.clip}
		if p.translucent() {
			m.Opacity = 0.6
		}
		for i := 0; i < len(local); i += 3 {
			m.Faces = append(m.Faces, [3]uint32{uint32(i), uint32(i + 1), uint32(i + 2)})
		}
		p.raster.Meshes = append(p.raster.Meshes, m)
	}
}

// halfSpace returns the part of space behind the plane of the slice.
func (p *painter) halfSpace() *raster.HalfSpace {
	plane := p.scene.slice.plane
	var n [3]float64
	n[plane.Axis] = 1
	h := raster.HalfSpace{Normal: r3.Vector{X: n[0], Y: n[1], Z: n[2]}}
	h.Offset = (plane.Value - axis(p.scene.frame.center, plane.Axis)) / p.scene.frame.scale
	if _, _, back := p.opt.From.axes(p.scene.up()); axis(back, plane.Axis) < 0 {
		h.Normal, h.Offset = h.Normal.Mul(-1), -h.Offset
	}
	return &h
}

// addCut adds the winding number on the plane of the slice, and the section of the mesh.
func (p *painter) addCut() {
	x := p.scene.slice
	sheet := raster.Mesh{Faces: [][3]uint32{{0, 1, 2}, {2, 1, 3}}, Opacity: 1, Lift: -1e-4}
	for k := range 4 {
		sheet.Vertices = append(sheet.Vertices, p.scene.frame.local(x.corner(k%2, k/2)))
	}
	f := p.scene.frame
	sheet.Texture = func(q r3.Vector) (raster.Color, float32) {
		at := [2]float64{axis(q, x.right)*f.scale + axis(f.center, x.right), axis(q, x.up)*f.scale + axis(f.center, x.up)}
		px, py := x.pixel(at, x.cols, x.rows)
		i, j := min(x.cols-1, max(0, int(px))), min(x.rows-1, max(0, int(py)))
		return p.overGround(windingColor(x.w[j*x.cols+i]))
	}
	p.raster.Meshes = append(p.raster.Meshes, sheet)
	lines := raster.Lines{Width: 1.8 * p.scale(), Color: p.theme.ink.linear(), Opacity: 0.85, Lift: 1e-3}
	for _, s := range x.segments {
		var ends [2][3]float32
		for k, q := range s {
			var c [3]float64
			c[x.plane.Axis], c[x.right], c[x.up] = x.plane.Value, q[0], q[1]
			ends[k] = f.local(r3.Vector{X: c[0], Y: c[1], Z: c[2]})
		}
		lines.Ends = append(lines.Ends, ends)
	}
	p.raster.Lines = append(p.raster.Lines, lines)
}

// overGround returns a color and an opacity for package raster. Drawn on the background, the result
// looks like c in the legend. The returned color differs from c because the legend mixes colors in
// sRGB, but package raster mixes linear light.
func (p *painter) overGround(c color.NRGBA) (raster.Color, float32) {
	ground, opacity := p.theme.ground, float32(c.A)/255
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(b) + (float64(a)-float64(b))*float64(opacity)))
	}
	out := rgb{mix(c.R, ground[0]), mix(c.G, ground[1]), mix(c.B, ground[2])}.linear()
	under := ground.linear()
	for k := range out {
		out[k] = min(1, max(0, under[k]+(out[k]-under[k])/max(opacity, 1e-3)))
	}
	return out, opacity
}

// addPoints adds the points as balls. Points outside are smaller, because they hide other points. With a
// tolerance, the points within the tolerance are smaller instead, because the points beyond it matter.
func (p *painter) addPoints(room image.Rectangle) {
	hidden, drawn := p.hidden(), 0
	var centers [4][][3]float32
	for _, q := range p.scene.points {
		v := p.scene.frame.local(q.p)
		if hidden[q.side&3] || p.isFar(v) || p.removed(v) {
			continue
		}
		centers[q.side&3] = append(centers[q.side&3], v)
		drawn++
	}
	if drawn == 0 {
		return
	}
	// The radius is a share of the mean distance of evenly distributed points on the screen.
	const share = 0.17 // tuning
	radius := min(5.5*p.scale(), max(1.1*p.scale(), share*math.Sqrt(float64(room.Dx()*room.Dy())/float64(drawn))))
	depth := (p.raster.Fog.From + p.raster.Fog.To) / 2
	for _, side := range sideOrder {
		if len(centers[side]) == 0 {
			continue
		}
		r, small := radius, inpoly.Outside
		if p.scene.report.Tolerance > 0 {
			small = inpoly.OnSurface
		}
		if side == small {
			r *= 0.7
		}
		p.raster.Balls = append(p.raster.Balls, raster.Balls{Centers: centers[side], Radius: r * depth / p.raster.Camera.Focal, MinSize: 0.8, Color: sideColors[side].linear(), Opacity: 1})
	}
}
