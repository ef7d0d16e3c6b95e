// Repro repeats the experiments of the papers that inpoly implements. It compares the results with the
// statements of the papers. Run Repro in a clone of the repository, because its go.mod refers to other
// folders of the repository.
//
//	go run . list
//	go run . P1 --size paper --out results
//	go run . all --size small
//	go run . report --from results
//	go run . verify-verdicts
//	go run . draw ../../docs/results/[A-Z]*.csv
//
// Each experiment is in a file of the same name, except H3, which is in h1.go:
//
//	P1–P4  point in polyhedron: Muth, Of, Eberhard, Steinbach 2006
//	R1–R2  radial-distance sort: Leszczynski and Ciesielski 2004
//	V1–V4  neighbor lists: Muth, Müller, Eberhard, Luding 2007
//	S1–S4  polygons: Schinner 1999
//	H1–H3  hierarchical grid: Ogarko and Luding 2012
//
// A run writes one folder: a CSV, a PNG and an SVG file for each figure, a CSV file for each table, the
// statements, and result.json, from which the command report writes the page. Every file states the
// machine, the Go version and the commit. A complete run with the same origin and enough processes is
// not repeated, so "all" can be interrupted and resumed. If files of the repository are modified,
// results are always repeated. The command draw draws an SVG file again from its CSV file.
//
// # What decides
//
// Counts decide statements about complexity: counts of tests, exchanges, visited cells and operations
// are the same in every run. Where only a time can decide, five processes measure it. The verdict is
// inconclusive if the processes disagree or if the machine is busy (verdict.go, load.go, processes.go).
// Busy means the load during all measurements of the experiment. Times are medians of repeated calls in
// a process. As in the papers, one thread does the work unless a column states another number. Seeds are
// fixed.
//
// The papers compare with methods that the library does not need. This module implements them as
// printed: ray crossing with a box test for every face, the multipole method of eq. 16, cells with a
// given number of particles, Verlet lists built from all pairs, and grids with linked lists.
package main
