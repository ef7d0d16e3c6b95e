package segments

import (
	"errors"
	"io"
	"strings"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/drillhole"
	"github.com/inpoly/inpoly/internal/interval"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// holeFlags are the flags for drill holes.
type holeFlags struct {
	collar, survey               string
	collarColumns, surveyColumns string
	dip, desurvey                string
	chord                        float64
}

// defaultChord is the largest distance between an arc and its chords. In meters or feet, it is small
// compared with the errors of surveys.
const defaultChord = 0.01

// options checks the flags and returns the options of package drillhole.
func (f *holeFlags) options() (opt drillhole.Options, err error) {
	if f.dip != "" {
		opt.Dip = drillhole.DownNegative
		if f.dip == drillhole.DipNames[1] {
			opt.Dip = drillhole.DownPositive
		}
	}
	for i, name := range drillhole.MethodNames {
		if name == f.desurvey {
			opt.Method = drillhole.Method(i)
		}
	}
	opt.Chord = f.chord
	if opt.CollarColumns, err = parseNames("--collar-columns", f.collarColumns, "hole,x,y,z or hole,x,y,z,depth", 4, 5); err != nil {
		return opt, err
	}
	opt.SurveyColumns, err = parseNames("--survey-columns", f.surveyColumns, "hole,depth,azimuth,dip", 4, 4)
	return opt, err
}

// parseNames parses names or numbers of columns separated by commas. For the empty string it returns nil.
func parseNames(flag, value, expected string, least, most int) ([]string, error) {
	if value == "" {
		return nil, nil
	}
	parts := strings.Split(value, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if len(parts) < least || len(parts) > most {
		return nil, term.Usagef("%s %q: expected the names or numbers of %s", flag, value, expected)
	}
	return parts, nil
}

// readHoles reads the drill holes.
func (r *run) readHoles(opt drillhole.Options) ([]*drillhole.Hole, error) {
	open := func(path, flag, columns string, find func([]string) ([3]int, error)) (*points.Reader, error) {
		in, err := r.OpenPoints(r.Terminal, r.Meshes[0], path, points.Options{Find: find})
		if errors.Is(err, table.ErrColumns) {
			err = term.WithHint(err, flag+" selects the columns "+columns+" by header or number")
		}
		return in, err
	}
	collars, err := open(r.collar, "--collar-columns", "hole,x,y,z[,depth]", drillhole.FindCollars(opt.CollarColumns))
	if err != nil {
		return nil, err
	}
	defer collars.Close()
	surveys, err := open(r.survey, "--survey-columns", "hole,depth,azimuth,dip", drillhole.FindSurveys(opt.SurveyColumns))
	if err != nil {
		return nil, err
	}
	defer surveys.Close()
	holes, err := drillhole.Read(collars, surveys, opt)
	if errors.Is(err, drillhole.ErrDip) {
		err = term.WithHint(err, "--dip down-positive if holes with positive dips go down; --dip down-negative if they go up")
	}
	return holes, err
}

// holesLines says how the paths of the holes were computed.
func holesLines(holes []*drillhole.Hole, opt drillhole.Options) []string {
	dip := "negative dips are down"
	if opt.Dip == drillhole.DownPositive {
		dip = "positive dips are down"
	}
	bound, late, beyond := 0.0, int64(0), int64(0)
	for _, h := range holes {
		bound = max(bound, h.Path.Bound)
		if h.Late {
			late++
		}
		if h.Beyond > 0 {
			beyond++
		}
	}
	lines := []string{opt.Method.String() + " within " + interval.Up(bound) + ", " + dip}
	if late > 0 {
		lines = append(lines, plural.Count(late, "hole")+" without a survey at depth 0: the first survey holds from the collar")
	}
	if beyond > 0 {
		lines = append(lines, plural.Count(beyond, "hole")+" straight below the last survey")
	}
	return lines
}

// holeTable is a table.Source with one row for each hole. Its only field is the name.
type holeTable struct {
	holes []*drillhole.Hole
	next  int
}

// holesAtOnce is the number of holes in a block.
const holesAtOnce = 64 // tuning

// newHoleReader returns a Reader of the holes.
func newHoleReader(name string, holes []*drillhole.Hole) *points.Reader {
	return points.FromSource(name, &holeTable{holes: holes}, int64(len(holes)))
}

// Format returns a name that no format has.
func (s *holeTable) Format() string { return "holes" }

// Fields returns the field with the names of the holes.
func (s *holeTable) Fields() []table.Field { return []table.Field{{Name: "hole", Type: table.Text}} }

// Axes returns zeros. The formats of the output do not need coordinates.
func (s *holeTable) Axes() [3]int { return [3]int{} }

// Rows returns the number of holes.
func (s *holeTable) Rows() int64 { return int64(len(s.holes)) }

// Fill selects the next holes.
func (s *holeTable) Fill(b *table.Block) error {
	b.Start()
	if s.next == len(s.holes) {
		return io.EOF
	}
	b.First = int64(s.next)
	s.next = min(len(s.holes), s.next+holesAtOnce)
	b.Next.Row, b.Read = int64(s.next), int64(s.next)
	return nil
}

// Parse adds the collars.
func (s *holeTable) Parse(b *table.Block) error {
	for k, h := range s.holes[b.First:b.Next.Row] {
		b.Add(h.Path.Points[0], b.First+int64(k))
	}
	return nil
}

// Values reads the names of the holes.
func (s *holeTable) Values(b *table.Block, _ int, v *table.Values) error {
	v.Reset(table.Text)
	for _, h := range s.holes[b.First:b.Next.Row] {
		v.Texts = append(v.Texts, []byte(h.Name))
	}
	return nil
}

var errNoFile = errors.New("drill holes are no file")

// SeekTo fails.
func (s *holeTable) SeekTo(table.Position) error { return errNoFile }

// Passthrough fails.
func (s *holeTable) Passthrough([]table.Column) (table.Sink, error) { return nil, errNoFile }
