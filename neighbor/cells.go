package neighbor

import "math"

// CellOptions are the choices of a LinkedCell. The zero value is good.
type CellOptions struct {
	Workers int // ≤ 0: all processors
	// CellSize is the edge of the cells. 0 means the largest extent of a body, or more if cells
	// would hold less than one body on average. Bodies may be larger than cells: the
	// search then takes more of them.
	CellSize float64
}

// LinkedCell sorts bodies into cells of one size and compares those of cells that are near
// each other, once; Muth, Müller, Eberhard & Luding (2007), §2.2. It is for bodies of similar
// size: the tests of a body grow as the cube of the largest size over the mean one.
type LinkedCell[T Body] struct {
	gridMethod[T]
}

// NewLinkedCell returns a LinkedCell before its first step. It panics if CellSize is
// negative or not at most 2^500.
func NewLinkedCell[T Body](o CellOptions) *LinkedCell[T] {
	mustLength("cell size", o.CellSize)
	one := plan{sizes: []float64{math.MaxFloat64}, edge: o.CellSize, minCell: 1}
	return &LinkedCell[T]{newGridMethod[T](one, o.Workers)}
}

// mustLength panics if a length is negative or not at most limit.
func mustLength(name string, x float64) {
	if !(x >= 0 && x <= limit) {
		panic("neighbor: " + name + " must be from 0 to 2^500")
	}
}
