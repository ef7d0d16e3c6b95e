// Package table has what the formats of point clouds share: blocks of rows, the
// answers to them, and the interfaces between a format that is read (Source) and one
// that is written (Sink). It knows no format.
//
// A cloud is a table: each row a point, three of its fields the coordinates. A Source
// cuts its input into Blocks of whole rows and parses their points; a callback answers
// them; a Sink formats the rows with their answers and writes them, in order. Filling
// and writing are done by one goroutine each, parsing and formatting by many at once,
// each for a block of its own.
//
// Every source has a sink of its own format that passes all fields through, bit for bit
// (Source.Passthrough). Other formats take the fields as Values, column by column:
//
//	for i, f := range src.Fields() {
//		if err := src.Values(b, i, &v); err != nil {
//			return err
//		}
//		fmt.Println(f.Name, f.Type, v.Floats, v.Ints)
//	}
package table
