// Package layout holds the data of a cell index and reads it: the frame that maps
// points to cells, the bit words that label cells, the records of crossed cells,
// and the winding number of a point in a crossed cell. The doc comment of package
// cells has the picture.
//
// Read frame.go, then record.go, then grid.go; winding.go is the exact part, and
// kernels.go the fast one.
package layout
