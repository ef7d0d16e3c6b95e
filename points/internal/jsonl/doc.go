// Package jsonl writes point clouds as JSON Lines: one object a row, the fields by name
// and then the answers. It reads nothing.
//
// Numbers are numbers: those of a text as they stand, where JSON has them so, others with
// the shortest digits that give the same value back. A cell of a text that is no number is
// a string, whatever the cells before it were. What is missing, NaN or infinite is
// null, and so is the side of an undecided point; truth values are true and false. Texts
// are strings, in which bytes that are no UTF-8 become U+FFFD, as in encoding/json.
//
//	sink, err := jsonl.Convert(src, []table.Column{{Name: "inside", Kind: table.Inside}})
//	if err != nil {
//		return err
//	}
//	if err := sink.Format(b); err != nil { // b is parsed and answered
//		return err
//	}
//	return sink.Write(os.Stdout, b) // {"x":1,"y":2.5,"z":0,"inside":true}
package jsonl
