package main

import (
	"path/filepath"

	"github.com/inpoly/inpoly/evidence/repro/chart"
)

// addPoint appends a point to the series of f with the given name.
func addPoint(f *chart.Chart, name string, x, y float64) {
	for i := range f.Series {
		if f.Series[i].Name == name {
			f.Series[i].Add(x, y)
			return
		}
	}
	s := chart.Series{Name: name}
	s.Add(x, y)
	f.Series = append(f.Series, s)
}

// draw writes the chart as SVG and its data as CSV to b.plots. It does nothing if b.plots is empty.
func (b *bench) draw(f *chart.Chart) error {
	if b.plots == "" {
		return nil
	}
	return f.Write(filepath.Join(b.plots, f.Name), nil, false)
}
