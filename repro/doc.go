// Repro repeats the experiments of the papers that inpoly implements and compares the
// measured figures with those that the papers state. It works in a clone of the repository
// only: its go.mod replaces the other modules by the folders beside it.
//
//	go run . list
//	go run . P1 --size paper --out results
//	go run . all --size small
//	go run . report --from results
//
// Every experiment is in a file of its own, named after it:
//
//	P1–P4  point in polyhedron: Muth, Of, Eberhard, Steinbach 2006
//	R1–R2  radial-distance sort: Leszczynski and Ciesielski 2004
//	V1–V3  neighbor lists: Muth, Müller, Eberhard, Luding 2007
//	S1–S3  polygons: Schinner 1999
//	H1–H3  hierarchical grid: Ogarko and Luding 2012
//
// A run writes, into a folder of its own: for each figure of the paper a CSV file, a PNG
// and an SVG, for each table a CSV file and a Markdown table, and a page that holds them
// together with the paper's statements, what was measured, and whether they hold. Machine,
// Go version and commit are in the head of every file. Runs that are there already are not
// repeated, so "all" can be cut into parts.
//
// # How time is taken
//
// Times are medians of repeated runs in one process. One thread works unless a column says
// otherwise, as on the machines of the papers. Seeds are fixed. What the papers compare
// with and the library has no use for is here: ray crossing with a box test for every
// face, trees of a depth that the number of triangles prescribes, cells with a given number
// of particles, Verlet lists made of all pairs, grids with lists of particles in cells.
package main
