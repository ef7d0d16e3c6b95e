package term

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/plural"
)

// Number is a float64 that JSON shows as null if it is not finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if d := float64(n) - float64(n); d != d {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Numbers returns the coordinates of v.
func Numbers(v r3.Vector) [3]Number { return [3]Number{Number(v.X), Number(v.Y), Number(v.Z)} }

// Triple returns the coordinates of v, which must be finite to be written as JSON.
func Triple(v r3.Vector) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }

// PrintJSON writes x as JSON, indented by that string, or on one line if indent is "".
func PrintJSON(w io.Writer, x any, indent string) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e.Encode(x)
}

// Rate returns n per second, or 0 if d is not positive.
func Rate(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// Short returns x with three digits and a unit, such as "1.23 M".
func Short(x float64) string {
	switch { // 999.5 would become 1e+03
	case x >= 999.5e6:
		return fmt.Sprintf("%.3g G", x/1e9)
	case x >= 999.5e3:
		return fmt.Sprintf("%.3g M", x/1e6)
	case x >= 999.5:
		return fmt.Sprintf("%.3g k", x/1e3)
	}
	return fmt.Sprintf("%.3g", x)
}

// Conclude ends a run. It warns of the number of uncertain things of that noun in an input, prints
// the summary and, if format is "json", the statistics. If strict, uncertain things are an error.
func (t *Terminal) Conclude(statistics any, summary, format string, strict bool, input string, uncertain int64, noun string) error {
	if uncertain > 0 {
		t.Warn("%s: %s uncertain", InputName(input), plural.Count(uncertain, noun))
	}
	t.Note("%s", summary)
	if format == "json" {
		if err := PrintJSON(t.Err, statistics, ""); err != nil {
			return err
		}
	}
	if strict && uncertain > 0 {
		return Strictf("%s uncertain", plural.Count(uncertain, noun))
	}
	return nil
}
