// Package drillhole reads drill holes from a table of collars and a table of surveys, and computes
// their paths as polylines.
//
// A collar is the point where a hole begins. A survey is a list of stations: the azimuth and the dip
// of the hole at several depths. The package never guesses: if data can be read in two ways, it
// returns an error. Each error names the file, the row and the column.
//
//	collars, err := points.Open("collars.csv", points.Options{Find: drillhole.FindCollars(nil)})
//	surveys, err := points.Open("surveys.csv", points.Options{Find: drillhole.FindSurveys(nil)})
//	holes, err := drillhole.Read(collars, surveys, drillhole.Options{})
//	for _, h := range holes.List {
//		fmt.Println(h.Name, h.Path.Points, h.Path.Depths)
//	}
//
// Depths, coordinates and the bound of a path have the unit of the collars.
package drillhole
