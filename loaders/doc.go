// Package loaders reads triangle meshes from files and writes them. Most users call Load, or Read
// for a stream. It reads STL (binary and ASCII), OBJ, PLY (ASCII, little and big endian), OFF and
// its variants, glTF, GLB and 3MF, also packed with gzip or zstandard. It writes binary STL, PLY
// and GLB.
//
// The result is a mesh.Soup with the corners as stored. Nothing is welded, repaired or dropped
// silently. Info.Notes lists everything that was interpreted or skipped on purpose, such as line
// elements and trailing bytes. A file that cannot be read is refused with an *Error, which has the
// file, the place and the reason. Coordinates are the float64 numbers nearest to the numbers in the
// file. A vertex that is not finite, or beyond mesh.MaxCoordinate, is refused even if no face uses
// it.
//
// The format is recognized by content, or else by the suffix of the file name. Options.MaxMemory
// bounds the memory. Counts in a file are compared with the size of the file before memory is
// allocated.
//
//	soup, info, err := loaders.Load(ctx, "part.stl.gz", loaders.Options{})
//	if errors.Is(err, loaders.ErrNoTriangles) {
//		return nil // points or lines only
//	}
//	if err != nil {
//		return err // part.stl.gz: line 17: vertex has 2 coordinates, not 3
//	}
//	for _, note := range info.Notes {
//		fmt.Println(info.Format, note)
//	}
//	fmt.Println(len(soup.Faces), "triangles in", len(soup.Bodies), "bodies")
package loaders
