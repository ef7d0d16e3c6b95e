// Package text reads point clouds as delimited text (CSV, TSV, semicolons, bars,
// blanks) and writes them, byte for byte with the answers appended (Source.Passthrough) or
// made from another format (Convert).
//
// See Layout for what is detected. A point with a missing coordinate (nothing, nan, NA,
// N/A, null, none, -) is a NaN point; anything else that is no number is a table.RowError
// with the file and the line. Lines that begin with #, % or // are comments; those that
// look like rows are counted, and so are rows of another width than the first.
//
//	src, err := text.New("points.csv", f, f, size, text.Options{})
//	if err != nil {
//		return err
//	}
//	var b table.Block
//	for err = src.Fill(&b); err == nil; err = src.Fill(&b) {
//		if err := src.Parse(&b); err != nil {
//			return err
//		}
//		fmt.Println(b.First, b.Points)
//	}
package text
