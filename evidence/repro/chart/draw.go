package chart

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"html"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// palette holds colors that most people with a color vision deficiency can distinguish (Okabe and Ito,
// "Color Universal Design", 2008, without yellow).
var palette = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{86, 180, 233, 255}, {230, 159, 0, 255}, {0, 0, 0, 255}, {120, 120, 120, 255},
}

var (
	ink   = color.RGBA{28, 36, 48, 255}
	muted = color.RGBA{92, 104, 120, 255}
	rule  = color.RGBA{225, 229, 235, 255}
)

// shapes holds the marks of measured series. hollow is the mark of numbers from the paper.
var (
	shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}}
	hollow = draw.RingGlyph{}
)

// These constants are the sizes of a chart and of its parts. The title is above the curves. The names
// of the curves are in a column on the right, each near the end of its curve, so they never cover data.
const (
	width       = 22 * vg.Centimeter
	height      = 12 * vg.Centimeter
	namesWidth  = 6 * vg.Centimeter
	nameHeight  = 5 * vg.Millimeter // least distance of two names
	rim         = 4 * vg.Millimeter
	titleHeight = 10 * vg.Millimeter
	labelHeight = 6 * vg.Millimeter   // height of the label of an axis, with the gap to the numbers
	corner      = 2.5 * vg.Millimeter // radius of the corners of the ground
)

// SVG returns the chart as SVG. The lines of head are in a comment, and the title is also a text for
// screen readers.
func (c *Chart) SVG(head []string) ([]byte, error) {
	svg := vgsvg.New(width, height)
	if err := c.drawTo(draw.NewCanvas(outlines{svg}, width, height)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		return nil, err
	}
	first, rest, _ := strings.Cut(share(compact(b.String())), "\n")
	start := strings.Index(rest, "<svg")
	end := start + strings.Index(rest[start:], ">") + 1
	rest = rest[:end] + "\n<title>" + html.EscapeString(c.Title) + "</title>" + rest[end:]
	return []byte(first + "\n<!--\n" + strings.ReplaceAll(strings.Join(head, "\n"), "--", "- -") + "\n-->\n" + rest), nil
}

// PNG returns the chart as PNG. The lines of head are in a comment.
func (c *Chart) PNG(head []string) ([]byte, error) {
	img := vgimg.New(width, height)
	if err := c.drawTo(draw.New(img)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(&b); err != nil {
		return nil, err
	}
	return commented(b.Bytes(), strings.Join(head, "\n")), nil
}

// commented inserts a tEXt chunk into a PNG file, after the 8 bytes of the signature and the 25
// bytes of the chunk IHDR (PNG specification, §5.3, §11.2.2, §11.3.3). The text is Latin-1. Other
// characters become question marks.
func commented(png []byte, text string) []byte {
	data := []byte("tEXtComment\x00")
	for _, r := range text {
		if r > 255 {
			r = '?'
		}
		data = append(data, byte(r))
	}
	const headEnd = 33
	out := append([]byte{}, png[:headEnd]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)-4)) // the length excludes the 4 bytes of the chunk type
	out = append(out, data...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
	return append(out, png[headEnd:]...)
}

// drawTo draws the title, the curves and their names.
func (c *Chart) drawTo(canvas draw.Canvas) error {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Tick.Marker, p.Y.Tick.Marker = linearTicks{}, linearTicks{}
	if c.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	if c.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Label = style(9.5, ink, a.Tick.Label)
		a.LineStyle.Color, a.Tick.LineStyle.Color = muted, muted
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = rule, rule
	grid.Horizontal.Width, grid.Vertical.Width = vg.Points(0.5), vg.Points(0.5)
	p.Add(grid)
	var ends []curveEnd
	for i, s := range c.Series {
		e, ok, err := c.addSeries(p, i, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if ok {
			ends = append(ends, e)
		}
	}
	if len(ends) == 0 {
		return errors.New("no point can be drawn")
	}
	c.widen(p)
	canvas.SetColor(color.White)
	canvas.Fill(ground())
	title := style(13, ink, text.Style{XAlign: text.XLeft, YAlign: text.YTop})
	if over := title.Width(c.Title) - (width - 2*rim); over > 0 {
		return fmt.Errorf("the title is %.1f mm too wide", over/vg.Millimeter)
	}
	canvas.FillText(title, vg.Point{X: rim, Y: height - rim}, c.Title)
	// The labels of the axes are drawn here, because package plot reserves space for the label of a
	// logarithmic axis in the wrong place.
	area := draw.Crop(canvas, rim+labelHeight, -namesWidth, 0.75*rim+labelHeight, -rim-titleHeight)
	p.Draw(area)
	data := p.DataCanvas(area)
	middle := data.Center()
	bottom := text.Style{XAlign: text.XCenter, YAlign: text.YBottom}
	x, err := label(c.X, bottom, middle.X, rim, width-namesWidth)
	if err != nil {
		return fmt.Errorf("label of the x-axis: %w", err)
	}
	canvas.FillText(x.style, vg.Point{X: x.at, Y: 0.75 * rim}, c.X)
	side := text.Style{XAlign: text.XCenter, YAlign: text.YTop, Rotation: math.Pi / 2}
	y, err := label(c.Y, side, middle.Y, 0.75*rim, height-rim-titleHeight)
	if err != nil {
		return fmt.Errorf("label of the y-axis: %w", err)
	}
	canvas.FillText(y.style, vg.Point{X: rim, Y: y.at}, c.Y)
	return drawNames(canvas, data, p, ends)
}

// curveEnd is the last point of a curve, which is where its name stands.
type curveEnd struct {
	name  string
	point plotter.XY
	mark  draw.GlyphStyle
	line  draw.LineStyle
}

// drawNames writes the name of each curve to the right of the data, in the color of the curve and as near
// to the height of its end as the other names allow. A line leads from the end to the name.
func drawNames(canvas, data draw.Canvas, p *plot.Plot, ends []curveEnd) error {
	toX, toY := p.Transforms(&data)
	heights := make([]vg.Length, len(ends))
	for i, e := range ends {
		heights[i] = toY(e.point.Y)
	}
	const gap = 3 * vg.Millimeter
	at := data.Max.X + 2*gap
	for i, y := range spread(heights, nameHeight, data.Min.Y, data.Max.Y) {
		e := ends[i]
		col := e.line.Color
		if y != heights[i] || toX(e.point.X) < data.Max.X-gap {
			lead := draw.LineStyle{Color: rule, Width: vg.Points(0.8)}
			canvas.StrokeLine2(lead, toX(e.point.X)+vg.Millimeter, heights[i], at-gap, y)
		}
		if e.line.Width > 0 {
			canvas.StrokeLine2(e.line, at-gap, y, at+gap, y)
		}
		if e.mark.Radius > 0 {
			canvas.DrawGlyph(e.mark, vg.Point{X: at, Y: y})
		}
		left := at + gap + vg.Millimeter
		base := text.Style{XAlign: text.XLeft, YAlign: text.YCenter}
		size := vg.Length(10)
		for ; size > 8 && left+style(size, ink, base).Width(e.name) > width-rim; size -= 0.5 {
		}
		if over := left + style(size, ink, base).Width(e.name) - (width - rim); over > 0 {
			return fmt.Errorf("the name %q is %.1f mm too wide", e.name, over/vg.Millimeter)
		}
		canvas.FillText(style(size, col, base), vg.Point{X: left, Y: y}, e.name)
	}
	return nil
}

// spread moves heights as little as necessary, so that neighbors are at least the given distance apart and all are between
// low and high. Equal heights keep their order, downwards.
func spread(heights []vg.Length, distance, low, high vg.Length) []vg.Length {
	order := make([]int, len(heights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(heights[b], heights[a]) })
	// Neighbors that are too near form a block, whose middle stays where it was.
	type block struct {
		sum vg.Length // sum of heights[i] + k·distance over the members, k = 0, 1, …
		n   int
	}
	top := func(b block) vg.Length {
		return max(min(b.sum/vg.Length(b.n), high), low+vg.Length(b.n-1)*distance)
	}
	var blocks []block
	for _, i := range order {
		b := block{heights[i], 1}
		for len(blocks) > 0 {
			above := blocks[len(blocks)-1]
			if top(above)-vg.Length(above.n)*distance >= top(b) {
				break
			}
			b = block{above.sum + b.sum + vg.Length(b.n*above.n)*distance, above.n + b.n}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	out, k := make([]vg.Length, len(heights)), 0
	for _, b := range blocks {
		for j := range b.n {
			out[order[k]] = top(b) - vg.Length(j)*distance
			k++
		}
	}
	return out
}

// placed is the label of an axis: its style and its middle along the axis.
type placed struct {
	style text.Style
	at    vg.Length
}

// label places the label of an axis between two limits, as near to the middle of the data as possible. A
// long label gets smaller letters.
func label(s string, base text.Style, middle, low, high vg.Length) (placed, error) {
	const usual, least = 10.5, 8
	flat := base
	flat.Rotation = 0
	for size := vg.Length(usual); size >= least; size -= 0.5 {
		if half := style(size, ink, flat).Width(s) / 2; 2*half <= high-low {
			return placed{style(size, ink, base), min(max(middle, low+half), high-half)}, nil
		}
	}
	return placed{}, fmt.Errorf("%q is %.1f mm too wide", s, (style(least, ink, flat).Width(s)-(high-low))/vg.Millimeter)
}

// ground returns the rectangle of the picture with round corners. The ground is white, so that the
// chart is legible on a dark page.
func ground() (p vg.Path) {
	at := func(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: y} }
	p.Move(at(corner, 0))
	p.Line(at(width-corner, 0))
	p.Arc(at(width-corner, corner), corner, -math.Pi/2, math.Pi/2)
	p.Line(at(width, height-corner))
	p.Arc(at(width-corner, height-corner), corner, 0, math.Pi/2)
	p.Line(at(corner, height))
	p.Arc(at(corner, height-corner), corner, math.Pi/2, math.Pi/2)
	p.Line(at(0, corner))
	p.Arc(at(corner, corner), corner, math.Pi, math.Pi/2)
	p.Close()
	return p
}

// addSeries adds a curve and returns its end. It returns false if no point of it can be drawn.
func (c *Chart) addSeries(p *plot.Plot, i int, s Series) (e curveEnd, ok bool, err error) {
	var xy plotter.XYs
	for k := range s.X {
		x, y := s.X[k], s.Y[k]
		if math.IsNaN(x+y) || math.IsInf(x+y, 0) || c.LogX && x <= 0 || c.LogY && y <= 0 {
			continue
		}
		xy = append(xy, plotter.XY{X: x, Y: y})
	}
	if len(xy) == 0 {
		return e, false, nil
	}
	if s.Low != nil {
		if err := c.addBars(p, i, s); err != nil {
			return e, false, err
		}
	}
	line, points, err := plotter.NewLinePoints(xy)
	if err != nil {
		return e, false, err
	}
	if s.Hue > 0 {
		i = s.Hue - 1
	}
	col := palette[i%len(palette)]
	line.Color, points.Color = col, col
	line.Width, points.Radius = vg.Points(1.4), vg.Points(2.8)
	points.Shape = shapes[i%len(shapes)]
	switch s.Style {
	case Dashed:
		line.Dashes = []vg.Length{vg.Points(5), vg.Points(2)}
	case FromPaper:
		line.Dashes, points.Shape = []vg.Length{vg.Points(4), vg.Points(3)}, hollow
	case Prediction:
		line.Dashes = []vg.Length{vg.Points(1), vg.Points(2)}
		points.Radius = 0
	case Marks:
		points.Radius, line.Width = vg.Points(1.3), 0
	}
	if line.Width > 0 {
		p.Add(line)
	}
	if points.Radius > 0 {
		p.Add(points)
	}
	last := xy[0]
	for _, q := range xy {
		if q.X >= last.X {
			last = q
		}
	}
	return curveEnd{s.Name, last, points.GlyphStyle, line.LineStyle}, true, nil
}

// bars are the error bars of a series.
type bars struct {
	plotter.XYs
	plotter.YErrors
}

// addBars adds the error bars of a series. Bars that a logarithmic axis cannot show are left out.
func (c *Chart) addBars(p *plot.Plot, i int, s Series) error {
	var b bars
	for k, x := range s.X {
		low, high := s.Low[k], s.High[k]
		if c.LogX && x <= 0 || c.LogY && low <= 0 || math.IsNaN(x+low+high) || math.IsInf(x+low+high, 0) {
			continue
		}
		b.XYs = append(b.XYs, plotter.XY{X: x, Y: s.Y[k]})
		b.YErrors = append(b.YErrors, struct{ Low, High float64 }{s.Y[k] - low, high - s.Y[k]})
	}
	if len(b.XYs) == 0 {
		return nil
	}
	drawn, err := plotter.NewYErrorBars(b)
	if err != nil {
		return err
	}
	if s.Hue > 0 {
		i = s.Hue - 1
	}
	drawn.Color, drawn.Width, drawn.CapWidth = palette[i%len(palette)], vg.Points(1), vg.Points(4)
	p.Add(drawn)
	return nil
}

// widen extends the axes beyond the data, so no mark is cut off.
func (c *Chart) widen(p *plot.Plot) {
	for _, a := range []struct {
		axis *plot.Axis
		log  bool
	}{{&p.X, c.LogX}, {&p.Y, c.LogY}} {
		lo, hi := a.axis.Min, a.axis.Max
		if a.log {
			m := math.Max(math.Pow(hi/lo, 0.04), 1.1)
			a.axis.Min, a.axis.Max = lo/m, hi*m
			continue
		}
		m := 0.04 * (hi - lo)
		if m == 0 {
			m = math.Max(math.Abs(hi)/2, 1)
		}
		if lo >= 0 && lo-m < 0 || lo > 0 && lo < (hi-lo) {
			a.axis.Min = 0
		} else {
			a.axis.Min = lo - m
		}
		a.axis.Max = hi + m
	}
}
