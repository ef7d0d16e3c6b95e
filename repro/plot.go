package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image/color"
	"math"
	"os"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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

// shapes holds the marks of measured series. hollow is the mark of numbers from the paper.
var (
	shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}}
	hollow = draw.RingGlyph{}
)

// These constants are the size of a picture. The legend has a column of its own on the right, so it
// never covers data.
const (
	width       = 22 * vg.Centimeter
	height      = 12 * vg.Centimeter
	legendWidth = 7 * vg.Centimeter
)

// draw writes the SVG file and the PNG file.
func (f Figure) draw(base string, head []string) error {
	svg := vgsvg.New(width, height)
	if err := f.drawTo(draw.New(svg)); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		return err
	}
	first, rest, _ := strings.Cut(b.String(), "\n")
	text := first + "\n<!--\n" + strings.ReplaceAll(strings.Join(head, "\n"), "--", "- -") + "\n-->\n" + rest
	if err := os.WriteFile(base+".svg", []byte(text), 0o644); err != nil {
		return err
	}
	img := vgimg.New(width, height)
	if err := f.drawTo(draw.New(img)); err != nil {
		return err
	}
	b.Reset()
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(&b); err != nil {
		return err
	}
	return os.WriteFile(base+".png", commented(b.Bytes(), strings.Join(head, "\n")), 0o644)
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

// drawTo draws the figure and its legend side by side.
func (f Figure) drawTo(c draw.Canvas) error {
	p := plot.New()
	p.Title.Text = f.Title
	p.X.Label.Text, p.Y.Label.Text = f.X, f.Y
	p.Title.Padding = vg.Millimeter * 3
	p.X.Tick.Marker, p.Y.Tick.Marker = linearTicks{}, linearTicks{}
	if f.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	if f.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{225}, color.Gray{225}
	p.Add(grid)
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.YPosition = true, true, draw.PosCenter
	legend.Padding = vg.Millimeter
	drawn := 0
	for i, s := range f.Series {
		n, err := f.addSeries(p, &legend, i, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		drawn += n
	}
	if drawn == 0 {
		return errors.New("no point can be drawn")
	}
	f.widen(p)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	p.Draw(draw.Crop(c, 0, -legendWidth, vg.Millimeter, -2*vg.Millimeter))
	column := draw.Crop(c, width-legendWidth+4*vg.Millimeter, 0, 0, -12*vg.Millimeter)
	if over := legend.Rectangle(column).Size().X - column.Size().X; over > 0 {
		return fmt.Errorf("the legend is %.1f mm too wide", over/vg.Millimeter)
	}
	legend.Draw(column)
	return nil
}

// addSeries adds a curve and its legend entry. It returns the number of points.
func (f Figure) addSeries(p *plot.Plot, legend *plot.Legend, i int, s Series) (int, error) {
	var xy plotter.XYs
	for k := range s.X {
		x, y := s.X[k], s.Y[k]
		if math.IsNaN(x+y) || math.IsInf(x+y, 0) || f.LogX && x <= 0 || f.LogY && y <= 0 {
			continue
		}
		xy = append(xy, plotter.XY{X: x, Y: y})
	}
	if len(xy) == 0 {
		return 0, nil
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
	}
	return len(xy), nil
}

// widen extends the axes beyond the data, so no mark is cut off.
func (f Figure) widen(p *plot.Plot) {
	for _, a := range []struct {
		axis *plot.Axis
		log  bool
	}{{&p.X, f.LogX}, {&p.Y, f.LogY}} {
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

// logTicks marks powers of ten and their multiples by 2 to 9. If an axis has fewer than two powers,
// the multiples by 2 and 5 also get labels.
type logTicks struct{}

// Ticks returns the marks of an axis from lo to hi.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	powers := 0
	for e := first; e <= last; e++ {
		if v := math.Pow10(e); v >= lo && v <= hi {
			powers++
		}
	}
	every, steps := (last-first)/8+1, 10
	if last-first > 6 {
		steps = 2 // only powers, because marks of multiples would overlap
	}
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		for k := 1; k < steps; k++ {
			v := math.Pow10(e) * float64(k)
			if v < lo || v > hi {
				continue
			}
			t := plot.Tick{Value: v}
			if k == 1 && (e-first)%every == 0 || powers < 2 && (k == 2 || k == 5) {
				t.Label = tickLabel(k, e)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// tickLabel formats k·10^e.
func tickLabel(k, e int) string {
	if e >= -3 && e <= 5 {
		return fmt.Sprintf("%.10g", float64(k)*math.Pow10(e))
	}
	return fmt.Sprintf("%de%d", k, e)
}

// linearTicks marks about five multiples of a step. The step is 1, 2 or 5 times a power of ten.
type linearTicks struct{}

// Ticks returns the marks of an axis from lo to hi.
func (linearTicks) Ticks(lo, hi float64) []plot.Tick {
	const wanted = 5
	rough := (hi - lo) / wanted
	step := math.Pow10(int(math.Floor(math.Log10(rough))))
	for _, k := range []float64{2, 2.5, 2} { // the products are 2, 5 and 10
		if step*k <= 1.3*rough { // the factor 1.3 accepts one tick too few, because the next smaller step would have about twice as many ticks
			step *= k
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		// %.10g hides the rounding error of the product.
		ticks = append(ticks, plot.Tick{Value: i * step, Label: fmt.Sprintf("%.10g", i*step)})
	}
	return ticks
}
