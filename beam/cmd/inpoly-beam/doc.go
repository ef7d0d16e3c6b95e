// Inpoly-beam tells which points lie inside a solid as inpoly does, over any number of
// machines, on Apache Beam. See the README of the module.
//
//	inpoly-beam --mesh part.stl --points 'scans/*.csv' --out answers/part
//	inpoly merge answers/part-manifest.json --out-dir merged
//
// The elements of its pipeline are shards: a file and a range of its rows. A worker opens
// its range, answers with the code of inpoly, and writes a file of its own; what goes
// through the engine is a result of some hundred bytes. The last step gives all files
// their names and writes the manifest.
package main
