// Package side holds the words that every method shares: the Side of a point,
// the inside Rule that turns a winding number into a side, the Grid of regularly
// spaced query points, the small Oracle interface and the Stats of queries. It
// imports no other package of the project.
//
// The winding number W of a point counts how often the oriented surface goes
// round it; for a closed surface it is an integer and equals the double-layer
// potential of the constant 1 (Muth, Of, Eberhard, Steinbach 2006, eq. 6).
//
//	rule, err := side.ParseRule("evenodd")
//	if err != nil {
//		return err
//	}
//	s := rule.Apply(winding, crossings)
//	fmt.Println(s) // in, out, on or uncertain
package side
