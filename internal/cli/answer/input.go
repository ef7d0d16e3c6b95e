package answer

import (
	"cmp"
	"fmt"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
)

// Input is the input of a query after all rows are answered. Each row is an item, such as a ray.
type Input struct {
	Reader  *points.Reader
	Summary points.Summary
	Noun    string   // names an item
	Points  bool     // the coordinates of an item are those of a point
	Part    bool     // the summary covers a part of the file
	Bad     []string // warnings about items that the query cannot answer
	Box     bvh.Box  // the box of the items, in the frame of the mesh
	Missed  bool     // no item touches the mesh
}

// WarnInput prints the warnings about the input of a query, and returns them: about rows, about items, and about an input
// that is in another place than the mesh or has another unit. refused is the error of --strict if no item touches the
// mesh because the boxes do not overlap.
func (f *Flags) WarnInput(t *term.Terminal, mesh bvh.Box, in Input) (list []string, refused error) {
	list = in.rowWarnings()
	if in.Points {
		list = append(list, in.pointWarnings()...)
	}
	list = append(list, f.matrixWarnings(mesh, in.Box)...)
	list = append(list, in.Bad...)
	if text := f.placeWarning(mesh, in); text != "" {
		list = append(list, text)
	}
	t.WarnList(list, 0, "--json lists them")
	if f.Strict && in.Missed && apart(mesh, in.Box) {
		refused = term.Strictf("%s", in.untouched())
	}
	return list, refused
}

// untouched says that no item touches the mesh.
func (in *Input) untouched() string { return "no " + in.Noun + " touches the mesh" }

// rowWarnings returns the warnings about the rows of the input and about values that the output format cannot store.
func (in *Input) rowWarnings() (list []string) {
	warn := func(format string, args ...any) {
		list = append(list, in.Reader.Name()+": "+fmt.Sprintf(format, args...))
	}
	rows := in.Noun
	if in.Points {
		rows = "point"
	}
	for _, w := range in.Summary.Warnings {
		warn("%s", w)
	}
	if in.Summary.Rows == 0 && !in.Part {
		warn("the file has no %s", plural.Noun(0, rows))
	}
	if n := in.Summary.RowLike; n.Count > 0 {
		warn("skipped %s similar to rows of %s, the first in line %d", plural.Count(n.Count, "comment line"), plural.Noun(0, rows), n.First)
	}
	return list
}

// pointWarnings returns the warnings about rows without all columns or coordinates.
func (in *Input) pointWarnings() (list []string) {
	warn := func(format string, args ...any) {
		list = append(list, in.Reader.Name()+": "+fmt.Sprintf(format, args...))
	}
	if n := in.Summary.Ragged; n.Count > 0 {
		warn("found %s with more or fewer columns than the header or the first row, the first in line %d: the results of these rows are not in the same columns as the other results",
			plural.Count(n.Count, "row"), n.First)
	}
	if n := in.Summary.NonFinite; n.Count > 0 {
		place := cmp.Or(formats.Named(in.Reader.Format()).Row, "row")
		warn("found %s with a coordinate that is missing or not finite, the first in %s %d: the results of these rows are uncertain",
			plural.Count(n.Count, "row"), place, n.First)
	}
	return list
}

// placeWarning returns the warning about the boxes of the mesh and of the items, with a hint about a usual mistake, or
// about items of which none touches the mesh. It returns "" if nothing is unusual.
func (f *Flags) placeWarning(mesh bvh.Box, in Input) string {
	if mesh.Empty() || in.Box.Empty() {
		if in.Missed {
			return in.untouched()
		}
		return ""
	}
	unit, feet := "", ""
	if f.hasUnits {
		unit, feet = unitHint(mesh, in.Box, in.Summary.Rows), feetHint(mesh, in.Box)
	}
	framed := f.matrix != nil || f.factor != nil
	hint := f.poseHint(mesh, in.Box)
	switch far := apart(mesh, in.Box); {
	case far && in.Points:
		if hint = cmp.Or(hint, unit); hint == "" && !framed {
			hint = cmp.Or(exchangeHint(mesh, in.Box, ColumnNumbers(in.Reader), f.OtherColumns), feet)
		}
		return apartText("points", in.Box, mesh) + hint
	case far && in.Missed:
		items := plural.Noun(0, in.Noun)
		if order, ok := exchange(mesh, in.Box); hint == "" && !framed && ok {
			hint = fmt.Sprintf("; are the coordinates in another order? In the order %c, %c, %c, the %s are near the mesh", "xyz"[order[0]], "xyz"[order[1]], "xyz"[order[2]], items)
		} else if hint == "" && !framed {
			hint = feet
		}
		return in.untouched() + ": " + apartText(items, in.Box, mesh) + hint
	case in.Missed:
		return in.untouched()
	case in.Points && unit != "":
		return fmt.Sprintf("the box of the points (%s) and the box of the mesh (%s) have very different sizes%s", BoxText(in.Box), BoxText(mesh), unit)
	}
	return ""
}

// apart reports whether two boxes are not empty and do not overlap.
func apart(mesh, items bvh.Box) bool { return !mesh.Empty() && !items.Empty() && !mesh.Overlaps(items) }

// ApartWarnings returns a warning if the box of the given items does not overlap the box of the mesh.
func ApartWarnings(items string, box, mesh bvh.Box) (list []string) {
	if apart(mesh, box) {
		list = append(list, apartText(items, box, mesh))
	}
	return list
}

func apartText(items string, box, mesh bvh.Box) string {
	return fmt.Sprintf("the box of the %s (%s) does not overlap the box of the mesh (%s)", items, BoxText(box), BoxText(mesh))
}

// CheckRows returns an error if --strict does not accept the results of rows, or the rows. The noun names an item.
func (f *Flags) CheckRows(sum points.Summary, noun string) error {
	err := term.CheckUncertain(f.Strict, sum.Sides[inpoly.Unknown], noun)
	switch {
	case err != nil || !f.Strict:
	case sum.RowLike.Count > 0:
		err = term.Strictf("found %s similar to rows of %s", plural.Count(sum.RowLike.Count, "comment line"), plural.Noun(0, noun))
	case sum.Ragged.Count > 0:
		err = term.Strictf("found %s with more or fewer columns than the header or the first row", plural.Count(sum.Ragged.Count, "row"))
	}
	return err
}
