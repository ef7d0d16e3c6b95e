// Command compare shows whether two revisions give the same answers. It is compiled
// once with each revision; compare.sh builds, runs and compares both.
//
//	compare run -corpus DIR -out DIR [-sample N] [-jobs N] [-work N] [-filter REGEXP]
//	compare diff -old DIR -new DIR -old-program FILE -new-program FILE -corpus DIR [-intended FILE]
//	compare commands -old-program FILE -new-program FILE -corpus DIR -tree DIR [-intended FILE]
//
// run asks every question of cases.go and writes, for each unit of work (a mesh of the
// corpus, or a group of meshes), a file with one line for each group of answers: its
// name, the number of values and the SHA-256 of their bits. Files that are there
// already are kept, so an interrupted run can be repeated. diff compares two such
// folders and asks the groups that differ again, to compare them value by value.
// commands runs two builds of the command inpoly and compares what they write to
// standard output and to files, and their exit codes.
package main

import (
	"fmt"
	"os"
)

func main() {
	verbs := map[string]func([]string) error{"run": run, "diff": diff, "commands": commands}
	if len(os.Args) < 2 || verbs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: compare run|diff|commands [flags]")
		os.Exit(2)
	}
	if err := verbs[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}
