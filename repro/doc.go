// Repro repeats the experiments of the papers that inpoly implements and compares the
// measured figures with those that the papers state. It works in a clone of the repository
// only: its go.mod replaces the other modules by the folders beside it.
//
//	go run . list
//	go run . P1 --size paper --out results
//	go run . all --size small
//	go run . report --from results
//
// Every experiment is in the file of its name; H3 is in h1.go:
//
//	P1–P4  point in polyhedron: Muth, Of, Eberhard, Steinbach 2006
//	R1–R2  radial-distance sort: Leszczynski and Ciesielski 2004
//	V1–V3  neighbor lists: Muth, Müller, Eberhard, Luding 2007
//	S1–S3  polygons: Schinner 1999
//	H1–H3  hierarchical grid: Ogarko and Luding 2012
//
// A run writes into a folder of its own: for each figure of the paper a CSV file, a PNG
// and an SVG, for each table a CSV file and a Markdown table, and a page with all of them,
// the paper's statements, the measurements, and the verdicts. Machine, Go version and commit
// are in the head of every file. Complete runs are not repeated, so "all" can be interrupted
// and resumed.
//
// # How time is measured
//
// Times are medians of repeated runs in one process. One thread works unless a column says
// otherwise, as on the machines of the papers. Seeds are fixed. The module has its own versions of
// methods that the papers compare with and that the library does not need: ray crossing with a
// box test for every face, trees with a depth by the number of triangles, cells with a
// given number of particles, Verlet lists made of all pairs, grids with lists of particles in
// cells.
package main
