package chart

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"html"
	"image/color"
	"math"
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

// These constants are the sizes of a chart and of its parts. The title is above the curves. The
// legend has a column of its own on the right, so it never covers data.
const (
	width       = 22 * vg.Centimeter
	height      = 12 * vg.Centimeter
	legendWidth = 7 * vg.Centimeter
	rim         = 4 * vg.Millimeter
	titleHeight = 10 * vg.Millimeter
	labelHeight = 6 * vg.Millimeter   // of the label of an axis, with the gap to the numbers
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

// drawTo draws the title, the curves and the legend.
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
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.YPosition = true, true, draw.PosCenter
	legend.Padding = vg.Millimeter
	legend.TextStyle = style(10, ink, legend.TextStyle)
	drawn := 0
	for i, s := range c.Series {
		n, err := c.addSeries(p, &legend, i, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		drawn += n
	}
	if drawn == 0 {
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
	area := draw.Crop(canvas, rim+labelHeight, -legendWidth, 0.75*rim+labelHeight, -rim-titleHeight)
	p.Draw(area)
	data := p.DataCanvas(area)
	middle := data.Center()
	bottom := text.Style{XAlign: text.XCenter, YAlign: text.YBottom}
	x, err := label(c.X, bottom, middle.X, rim, width-legendWidth)
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
	column := draw.Crop(canvas, width-legendWidth+4*vg.Millimeter, -rim, 0, -rim-titleHeight)
	if over := legend.Rectangle(column).Size().X - column.Size().X; over > 0 {
		return fmt.Errorf("the legend is %.1f mm too wide", over/vg.Millimeter)
	}
	legend.Draw(column)
	return nil
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

// addSeries adds a curve and its legend entry. It returns the number of points.
func (c *Chart) addSeries(p *plot.Plot, legend *plot.Legend, i int, s Series) (int, error) {
	var xy plotter.XYs
	for k := range s.X {
		x, y := s.X[k], s.Y[k]
		if math.IsNaN(x+y) || math.IsInf(x+y, 0) || c.LogX && x <= 0 || c.LogY && y <= 0 {
			continue
		}
		xy = append(xy, plotter.XY{X: x, Y: y})
	}
	if len(xy) == 0 {
		return 0, nil
	}
	if s.Low != nil {
		if err := c.addBars(p, i, s); err != nil {
			return 0, err
		}
	}
	line, points, err := plotter.NewLinePoints(xy)
	if err != nil {
		return 0, err
	}
	if s.Hue > 0 {
		i = s.Hue - 1
	}
	col := palette[i%len(palette)]
	line.Color, points.Color = col, col
	line.Width, points.Radius = vg.Points(1.4), vg.Points(2.8)
	points.Shape = shapes[i%len(shapes)]
	switch s.Style {
	case Measured, Dashed:
		if s.Style == Dashed {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(2)}
		}
		p.Add(line, points)
		legend.Add(s.Name, line, points)
	case FromPaper:
		line.Dashes, points.Shape = []vg.Length{vg.Points(4), vg.Points(3)}, hollow
		p.Add(line, points)
		legend.Add(s.Name, line, points)
	case Prediction:
		line.Dashes = []vg.Length{vg.Points(1), vg.Points(2)}
		p.Add(line)
		legend.Add(s.Name, line)
	case Marks:
		points.Radius = vg.Points(1.3)
		p.Add(points)
		legend.Add(s.Name, points)
	}
	return len(xy), nil
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
