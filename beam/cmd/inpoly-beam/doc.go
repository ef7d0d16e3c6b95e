// Command inpoly-beam decides which points lie inside a solid. It gives the answers of inpoly and
// runs on any number of machines, on Apache Beam. See the README of the module.
//
//	inpoly-beam --mesh part.stl --points 'scans/*.csv' --out answers/part
//	inpoly merge answers/part-manifest.json --out-dir merged
//
// The elements of its pipeline are shards: a file and a range of its rows. A worker opens its
// range, answers with the code of inpoly, and writes its own file. Only a result of a few
// hundred bytes goes through the engine. The last step gives all files their names and writes
// the manifest.
package main
