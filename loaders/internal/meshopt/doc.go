// Package meshopt decodes the compressed buffer views of the glTF extensions EXT_meshopt_compression
// and KHR_meshopt_compression.
//
//	view := meshopt.View{Mode: meshopt.Attributes, Filter: meshopt.None, Count: 148, Stride: 12}
//	if err := view.Check(stream); err != nil {
//		return err // the stream is too short for 148 elements, or the view breaks a rule
//	}
//	data := make([]byte, view.Size())
//	if err := view.Decode(data, stream, ctx.Err); err != nil {
//		return err
//	}
//
// The package is written from the text of the two specifications. The streams of both extensions are
// equal, with two exceptions: only the Khronos extension defines version 1 of attribute streams and
// the filter COLOR. The first byte of a stream is its version, so this package decodes both versions
// whatever the name of the extension is.
//
// # Errors
//
// Errors wrap soup.ErrTruncated or soup.ErrSyntax and have no place in the file. Texts give positions
// as bytes of the stream. Everything that the specification calls invalid is refused. Input for which
// the specification leaves the result of a filter unspecified is refused too, except for the
// exponents that leastExponent describes.
//
// # Cost
//
// Time is O(n) for n decoded bytes, and Decode allocates no memory of this size. Check is O(1), so a
// caller can compare the size with a memory limit before it allocates. A stream of n bytes decodes to
// at most 1024·n bytes: a block of version 1 has at most 8192 bytes, and occupies at least one byte
// for every 1024 decoded bytes.
package meshopt
