// Package text reads point clouds as delimited text (CSV, TSV, semicolons, bars, blanks).
// It writes them byte for byte with the answers appended (Source.Passthrough), and converts
// other formats (Convert).
//
// points.Layout says how the columns are detected. A point with a missing coordinate
// (nothing, nan, NA, N/A, null, none, -) is a NaN point. Any other coordinate that is not a
// number is a table.RowError with the file and the line. Lines that begin with #, % or //
// are comments. Comments that look like rows are counted, and so are rows that are wider or
// narrower than the first.
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
