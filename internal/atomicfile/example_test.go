package atomicfile_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/inpoly/inpoly/internal/atomicfile"
)

// A file appears when it is committed.
func ExampleCreate() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "out")
	f, err := atomicfile.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Abort() // Abort does nothing after Commit
	fmt.Fprint(f, "whole")
	_, err = os.Stat(path)
	fmt.Println("before Commit it exists:", err == nil)
	if err := f.Commit(); err != nil {
		log.Fatal(err)
	}
	data, err := os.ReadFile(path)
	fmt.Println(string(data), err)
	// Output:
	// before Commit it exists: false
	// whole <nil>
}
