// Package loaders reads triangle meshes from files: STL (binary and ASCII),
// OBJ, PLY (ASCII, little and big endian), OFF and its variants, glTF, GLB and
// 3MF, each also packed with gzip or zstandard; and writes binary STL, PLY and GLB.
//
// A loader hands over what the file says as a mesh.Soup: corners as stored,
// nothing welded, nothing repaired, nothing dropped in silence. What it cannot
// read it refuses with an *Error that names file, place and reason; what it
// interpreted or left out on purpose (line elements, a trailing byte) stands in
// Info.Notes. Coordinates are the nearest float64 of the number in the file, and
// finite: a NaN or infinite vertex is refused, used by a face or not.
//
// The format is recognised by content first, by the file's suffix second.
// Memory is bounded by a budget (Options.MaxMemory), and a count found in a file
// is checked against what the file can hold before anything is allocated.
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
