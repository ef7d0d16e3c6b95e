// Package cells finds the exact side of a point in a time that does not depend on the number of
// triangles. It counts ray crossings, but only along short segments.
//
// A sparse grid covers the box of the mesh. An empty cell stores the winding number of its points.
// A crossed cell stores its short list of triangles and two reference points. The references are
// corners of the cell, and their winding numbers are known exactly. A query in a crossed cell
// counts the signed crossings of the segment from the point to a reference. The cell is convex, so
// the segment stays in the cell. The list therefore contains every triangle that the segment can
// cross. If no listed plane separates the point from a reference, the segment crosses no triangle,
// and the query counts no crossings.
//
// The sides equal the results of package raycross. If a proved error bound does not decide a sign,
// package predicates computes the sign exactly, as in raycross. For points near a vertex of very
// high valence, the index calls a raycross.Caster.
//
// An open mesh is closed with caps. The winding number of the mesh is an integer minus the potential
// of the caps. In most cells a bound of this potential proves that it cannot change the side. In the
// other cells, which are called open, a query computes the potential with package fmm.
//
// # Layout
//
// The index is a tree of three kinds of nodes. internal/layout has the details.
//
//	Top      one entry for each brick of 8×8×8 cells: the number of its stored
//	         brick, and the two sides that a value bit of 0 or 1 stands for
//	  Words  a stored brick has eight words, one for each layer of cells in z.
//	         A word has a crossed bit and a value bit for each of its 64 cells
//	    Record   a crossed cell has a record of 64 bytes: seven planes as
//	             int16, and the signs of these planes at the two references.
//	             More planes continue in another record. A record of few
//	             planes can have a table of the regions between them
//	      Children  the record of a refined cell has no planes, but a word
//	                for 4×4×4 smaller cells, whose records follow each other
//
// Bricks without triangles share one stored brick for each winding number. So a query in an empty
// cell reads one entry and one word, without a branch.
//
// # Example
//
// The mesh is a unit sphere of 8,192 triangles: an octahedron that is refined five times. For an
// unknown number of points the cost model chooses cells of edge 0.063, so 5×5×5 bricks cover the box.
// Triangles cross 68 bricks. The other 57 bricks share two stored bricks, one for winding number 0
// and one for 1. 4,962 cells are crossed, and their lists have 6.6 triangles on average. Flood filling
// finds the connected sets of empty cells. The sets at the border of the grid have winding number 0.
// The set within the sphere has winding number 1, which follows from the crossings between two
// corners of one crossed cell. The references of a crossed cell are the two corners with the most
// planes between them. The index takes 653 kB.
//
// The query (0.65, 0.7, 0.2) has the cell coordinates (26.68, 27.39, 19.57). So it is in cell (26,
// 27, 19) of brick (3, 3, 2). The entry of this brick in Top is 3 + 5·(3 + 5·2) = 68, and the entry
// holds the number of the stored brick, 45. Layer 19 mod 8 = 3 of the stored brick is word 45·8 + 3
// = 363. The bit of the cell is (26 mod 8) + 8·(27 mod 8) = 26, and this bit of Crossed is set. The
// record of the cell is 5053: the first record of the word plus the number of crossed cells below
// bit 26. It has four planes. All planes are certainly negative at the point. They are
// also negative at reference 0, a corner with winding number 1. So the point is inside, and the query
// has read no triangle.
//
// # Where to read
//
// Read index.go first, then query.go for the query of one point, then internal/layout/record.go and
// winding.go. After that, read batch.go for many points, open.go for the open cells of an open mesh,
// and grid.go and gridcrossed.go for the points of a regular grid. internal/build makes the grid of
// cells; its package comment lists the steps in order. docs/design/005-cells.md has the alternatives
// and measurements.
//
// Muth, Of, Eberhard, Steinbach 2006 define winding numbers in §2 and count crossings along rays in
// §2.2. This package counts crossings along short segments. Li and Wang (Fast and robust GPU-based
// point-in-polyhedron determination, Computer-Aided Design 87, 2017, 20–28) published the idea first: a
// uniform grid with labeled centers of cells, and a segment from a point to the center of its cell.
// docs/design/005-cells.md lists the differences.
package cells
