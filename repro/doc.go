// Repro repeats the experiments of the papers that inpoly implements. It compares the measurements
// with the statements of the papers. Run Repro in a clone of the repository, because its go.mod
// refers to other folders of the repository.
//
//	go run . list
//	go run . P1 --size paper --out results
//	go run . all --size small
//	go run . report --from results
//	go run . draw ../docs/results/*.csv
//
// Each experiment is in a file of the same name, except H3, which is in h1.go:
//
//	P1–P4  point in polyhedron: Muth, Of, Eberhard, Steinbach 2006
//	R1–R2  radial-distance sort: Leszczynski and Ciesielski 2004
//	V1–V3  neighbor lists: Muth, Müller, Eberhard, Luding 2007
//	S1–S3  polygons: Schinner 1999
//	H1–H3  hierarchical grid: Ogarko and Luding 2012
//
// A run writes one folder. For each figure of the paper the folder has a CSV, a PNG and an SVG file, and
// for each table a CSV file. The command draw draws an SVG file again from its CSV file. A Markdown page shows all figures and tables, the statements of the paper,
// the measurements and the verdicts. Every file states the machine, the Go version and the commit.
// Complete runs are not repeated, so "all" can be interrupted and resumed.
//
// # How time is measured
//
// Times are medians of repeated runs in one process. As in the papers, one thread does the work unless a
// column states another number. Seeds are fixed.
//
// The papers compare with methods that the library does not need. This module implements these
// methods: ray crossing with a box test for every face, trees whose depth depends on the number of
// triangles, cells with a given number of particles, Verlet lists built from all pairs, and grids
// with linked lists.
package main
