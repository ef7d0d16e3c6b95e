package main

import (
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// curve is a series of measurements in a plot.
type curve struct {
	name string
	xy   plotter.XYs
}

// figure is a plot with logarithmic axes.
type figure struct {
	file, title, x, y string
	curves            []*curve
}

// add appends a point to the curve with the given name.
func (f *figure) add(name string, x, y float64) {
	for _, c := range f.curves {
		if c.name == name {
			c.xy = append(c.xy, plotter.XY{X: x, Y: y})
			return
		}
	}
	f.curves = append(f.curves, &curve{name, plotter.XYs{{X: x, Y: y}}})
}

// colors can be distinguished by most people with a color vision deficiency (Okabe and Ito, "Color
// Universal Design", 2008).
var colors = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255}, {0, 0, 0, 255},
}

// draw writes the figure as SVG to b.plots. It does nothing if b.plots is empty.
func (b *bench) draw(f *figure) error {
	if b.plots == "" {
		return nil
	}
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.title, f.x, f.y
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = powers{}, powers{}
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	for i, c := range f.curves {
		line, points, err := plotter.NewLinePoints(c.xy)
		if err != nil {
			return err
		}
		line.Color, points.Color = colors[i%len(colors)], colors[i%len(colors)]
		line.Width, points.Shape = vg.Points(1.4), draw.CircleGlyph{}
		p.Add(line, points)
		p.Legend.Add(c.name, line, points)
	}
	const width, height = 18 * vg.Centimeter, 11 * vg.Centimeter
	canvas := vgsvg.New(width, height)
	p.Draw(draw.New(canvas))
	file, err := os.Create(filepath.Join(b.plots, f.file))
	if err != nil {
		return err
	}
	if _, err := canvas.WriteTo(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// powers marks the powers of ten of an axis.
type powers struct{}

func (powers) Ticks(lo, hi float64) (ticks []plot.Tick) {
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		v := math.Pow(10, e)
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64)})
	}
	return ticks
}
