// Package soup holds what the readers of mesh formats share: the source of a file's content
// (Source), the collector of vertices, faces and bodies (Builder, FaceList) with exact
// triangulation of polygons, the memory limit (Budget), errors with their place (Error), and
// the description of a format (Format).
package soup

// Format is a mesh format: its names, how to recognize it, and its reader. Each package
// beside this one returns one; package loaders lists them.
type Format struct {
	// Name is the usual suffix without the dot, in lower case.
	Name string
	// Suffixes are the other suffixes.
	Suffixes []string
	// Signature reports whether data is certainly in this format, whatever the file is
	// called. It gets the whole content and must look at no more than its beginning and
	// its length. nil: never.
	Signature func(data []byte) bool
	// Guess reports whether data is probably in this format. It is asked if no signature
	// and no suffix is known. nil: never.
	Guess func(data []byte) bool
	// Read reads src into dst. Its errors have a place (AtLine, AtByte, AtPath).
	Read func(src *Source, dst *Builder) error
}
