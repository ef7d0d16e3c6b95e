// Package chart draws curves as SVG and PNG files that look the same everywhere: text is drawn as
// outlines, so no font is needed, and the background is white. A CSV file holds all data of a
// chart, so charts can be drawn again without a new measurement.
package chart

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Chart is a set of curves.
type Chart struct {
	Name       string // name of the files of the chart, without suffix
	Title      string // what the chart compares
	X, Y       string // names of the axes
	LogX, LogY bool
	Series     []Series
}

// Series is one curve.
type Series struct {
	Name  string
	X, Y  []float64
	Low   []float64 // lower ends of error bars; nil if there are none
	High  []float64 // upper ends of error bars
	Style Style
	Hue   int // number of the color (1, 2, …); related series share a color; 0 selects a color by the index of the series
}

// Style is the style of a curve.
type Style int

// The styles of a curve.
const (
	Measured   Style = iota // line and marks
	Dashed                  // dashed line and marks
	FromPaper               // dashed line and hollow marks, for numbers printed in the paper
	Prediction              // line without marks
	Marks                   // small marks without a line
)

var styleNames = []string{"measured", "dashed", "from paper", "prediction", "marks"}

// Add appends a point.
func (s *Series) Add(x, y float64) { s.X, s.Y = append(s.X, x), append(s.Y, y) }

// AddRange appends a point with an error bar. If the point is outside the bar, AddRange extends the bar
// to the point. Either all points of a series must have an error bar, or none.
func (s *Series) AddRange(x, y, low, high float64) {
	s.Add(x, y)
	s.Low, s.High = append(s.Low, min(low, y)), append(s.High, max(high, y))
}

// Rows returns the rows of the CSV file of a chart. Each row has the name of a series, x and y. If
// the chart has error bars, a row also has their ends, or two empty cells.
func (c *Chart) Rows() [][]string {
	rows := [][]string{{"series", c.X, c.Y}}
	bars := false
	for _, s := range c.Series {
		bars = bars || s.Low != nil
	}
	if bars {
		rows[0] = append(rows[0], "low", "high")
	}
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, s := range c.Series {
		for i := range s.X {
			row := []string{s.Name, exact(s.X[i]), exact(s.Y[i])}
			switch {
			case s.Low != nil:
				row = append(row, exact(s.Low[i]), exact(s.High[i]))
			case bars:
				row = append(row, "", "")
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// look is the part of a chart that is not in the rows of its CSV file.
type look struct {
	Title  string       `json:"title"`
	LogX   bool         `json:"logX,omitempty"`
	LogY   bool         `json:"logY,omitempty"`
	Series []seriesLook `json:"series"`
}

type seriesLook struct {
	Name  string `json:"name"`
	Style string `json:"style"`
	Hue   int    `json:"hue,omitempty"`
}

// mark begins the comment line with the look of a chart.
const mark = "# chart: "

// Write writes base.csv, base.svg and, if png is true, base.png. The lines of head say where the
// data come from. Every file contains them.
func (c *Chart) Write(base string, head []string, png bool) error {
	data, err := c.encode(head)
	if err != nil {
		return err
	}
	if err := os.WriteFile(base+".csv", data, 0o644); err != nil {
		return err
	}
	svg, err := c.SVG(head)
	if err != nil {
		return err
	}
	if err := os.WriteFile(base+".svg", svg, 0o644); err != nil || !png {
		return err
	}
	img, err := c.PNG(head)
	if err != nil {
		return err
	}
	return os.WriteFile(base+".png", img, 0o644)
}

func (c *Chart) encode(head []string) ([]byte, error) {
	var b bytes.Buffer
	for _, line := range head {
		b.WriteString("# " + line + "\n")
	}
	l := look{Title: c.Title, LogX: c.LogX, LogY: c.LogY}
	for _, s := range c.Series {
		l.Series = append(l.Series, seriesLook{s.Name, styleNames[s.Style], s.Hue})
	}
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	b.WriteString(mark + string(text) + "\n")
	err = csv.NewWriter(&b).WriteAll(c.Rows())
	return b.Bytes(), err
}

// Read reads a CSV file that Write has written.
func Read(path string) (c *Chart, head []string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	c, head, err = decode(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	c.Name = strings.TrimSuffix(filepath.Base(path), ".csv")
	return c, head, nil
}

func decode(data []byte) (*Chart, []string, error) {
	var l look
	var head []string
	found := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		if text, ok := strings.CutPrefix(line, mark); ok {
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				return nil, nil, fmt.Errorf("line %q: %w", mark, err)
			}
			found = true
		} else if text, ok := strings.CutPrefix(line, "# "); ok {
			head = append(head, text)
		} else {
			break
		}
	}
	if !found {
		return nil, nil, fmt.Errorf("no line that begins with %q", mark)
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 || len(rows[0]) != 3 && len(rows[0]) != 5 {
		return nil, nil, errors.New("expected the columns series, x and y, and perhaps low and high")
	}
	c := &Chart{Title: l.Title, X: rows[0][1], Y: rows[0][2], LogX: l.LogX, LogY: l.LogY}
	index := map[string]int{}
	for _, s := range l.Series {
		style := -1
		for i, name := range styleNames {
			if name == s.Style {
				style = i
			}
		}
		if style < 0 {
			return nil, nil, fmt.Errorf("series %q: unknown style %q", s.Name, s.Style)
		}
		index[s.Name] = len(c.Series)
		c.Series = append(c.Series, Series{Name: s.Name, Style: Style(style), Hue: s.Hue})
	}
	for i, row := range rows[1:] {
		k, ok := index[row[0]]
		x, err1 := strconv.ParseFloat(row[1], 64)
		y, err2 := strconv.ParseFloat(row[2], 64)
		if !ok || err1 != nil || err2 != nil {
			return nil, nil, fmt.Errorf("row %d: %q: expected a known series and two numbers", i+1, row)
		}
		c.Series[k].Add(x, y)
		if len(row) == 3 || row[3] == "" {
			continue
		}
		low, err1 := strconv.ParseFloat(row[3], 64)
		high, err2 := strconv.ParseFloat(row[4], 64)
		if err1 != nil || err2 != nil {
			return nil, nil, fmt.Errorf("row %d: %q: expected two numbers for the error bar", i+1, row)
		}
		c.Series[k].Low, c.Series[k].High = append(c.Series[k].Low, low), append(c.Series[k].High, high)
	}
	for _, s := range c.Series {
		if s.Low != nil && len(s.Low) != len(s.X) {
			return nil, nil, fmt.Errorf("series %q: some points have error bars", s.Name)
		}
	}
	return c, head, nil
}
