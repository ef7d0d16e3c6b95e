// Package side holds the vocabulary that all packages share: the Side of a
// point, the Rule that turns a winding number into a side, the Answers of a
// batch of points, the Grid of regularly spaced points, and the Stats of
// queries. It imports no other package of the project.
//
// The winding number W of a point counts how often the oriented surface goes
// around it. For a closed surface W is an integer and equals the double-layer
// potential of the constant 1 (Muth, Of, Eberhard, Steinbach 2006, eq. 6).
//
//	rule, err := side.ParseRule("evenodd")
//	if err != nil {
//		return err
//	}
//	s := rule.Apply(winding, crossings)
//	fmt.Println(s) // in, out, on or uncertain
package side
