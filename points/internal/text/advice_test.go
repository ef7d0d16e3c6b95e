package text

import (
	"errors"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points/table"
)

// The errors of files that need a change, or another value of --columns, say which.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		name, text string
		columns    [3]string
		line       int64
		reason     string
		hint       string
		guess      [3]int
	}{
		{"title", "Report 7\nPart;Bracket\n\nID;X;Y;Z;dev\nA;1,5;2;3;0\nB;1,6;2;3;0\n", [3]string{}, 1, "the header seems to be in line 4", "put # in front of the lines 1 to 3", [3]int{}},
		{"title with names", "Part;Machine;Date;By;No\nID;X;Y;Z;dev\n1;1,5;2;3;0\n2;1,6;2;3;0\n", [3]string{}, 1, "the header seems to be in line 2", "put # in front of line 1", [3]int{}},
		{"title, names of columns", "Report\nP;U;V;W\nA;1;2;3\n", [3]string{"U", "V", "W"}, 1, "the header seems to be in line 2", "put # in front of line 1", [3]int{}},
		{"units below the header", "X;Y;Z\nmm;mm;mm\n1;2;3\n", [3]string{}, 2, `"mm" is not a number`, "", [3]int{}},
		{"second header in the data", "1;2;3\nX;Y;Z\n1;2;3\n", [3]string{}, 2, `"X" is not a number`, "", [3]int{}},
		{"wrong column", "P,X,Y,Z,dev\nA1,1.5,2.5,3,0\n", [3]string{"1", "2", "3"}, 2, `column 1 (P): "A1" is not a number`, "", [3]int{2, 3, 4}},
		{"missing column, decimal commas", "P;a;b;c\nA1;1,5;2,5;3\n", [3]string{"2", "3", "9"}, 2, "too few columns", "", [3]int{2, 3, 4}},
		{"missing column, no guess", "P;a;b;c;d\nA1;1,5;2,5;3;4\n", [3]string{"2", "3", "9"}, 2, "too few columns", "", [3]int{}},
		{"decimal commas below a header", "P,X,Y,Z,dev\nA1,17,44,10,5,3,25,0\n", [3]string{}, 2, "the header in line 1 has 5", splitHint, [3]int{}},
		{"more columns than names", "P,X,Y,Z\nA1,1.5,2.5,3.5,a,b,c\n", [3]string{}, 2, "the header in line 1 has 4: P X Y Z", "", [3]int{}},
		{"quoted thousands", "P,X,Y,Z\nA1,\"17,440\",\"1,500\",\"3,250\"\n", [3]string{}, 2, "so numbers need decimal points", splitHint, [3]int{}},
		{"quoted thousands, no header", "\"17,440\",\"1,500\",\"-3,250\"\n", [3]string{}, 1, "numbers in quotes have decimal commas", splitHint, [3]int{}},
		{"quoted decimal commas and decimal points", "X,Y,Z\n\"17,5\",0.5,1\n\"17,5\",0.5,2\n", [3]string{}, 2, "so numbers need decimal points", splitHint, [3]int{}},
		{"quoted decimal comma later", "X,Y,Z\n0.5,0.5,1\n\"17,5\",0.5,2\n", [3]string{}, 3, "so numbers need decimal points", "", [3]int{}},
		{"row of labels", "a,b,c,p,q,r\nx,y,z,1,2,3\n5,6,7,1,2,n\n", [3]string{"4", "5", "6"}, 3, `"n" is not a number`, "", [3]int{}},
		{"four decimal commas after a count", "1,17,44,10,5,3,25,0,1\n2,17,44,10,5,3,25,0,2\n", [3]string{}, 1, "or the commas are decimal commas",
			splitHint + "; or, if the commas separate the columns, use --columns 2,3,4", [3]int{2, 3, 4}},
		{"decimal commas after a count", "1,17,44,10,5,3,25\n2,17,44,10,5,3,25\n", [3]string{}, 1, "or the commas are decimal commas",
			splitHint + "; or, if the commas separate the columns, use --columns 2,3,4", [3]int{2, 3, 4}},
	} {
		s, err := New("in", strings.NewReader(c.text), nil, -1, Options{Columns: c.columns})
		if err == nil {
			var b table.Block
			if err = s.Fill(&b); err == nil {
				err = s.Parse(&b)
			}
		}
		var row *table.RowError
		if !errors.As(err, &row) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if row.Line != c.line || !strings.Contains(row.Reason, c.reason) || row.Hint != c.hint || row.Columns != c.guess {
			t.Errorf("%s: line %d: %s\nhint %q, columns %v", c.name, row.Line, row.Reason, row.Hint, row.Columns)
		}
	}
	s, err := New("in", strings.NewReader("A,17,44,10,5,3,25\nB,18,44,11,5,3,25\nC,20,44,11,5,3,25\n"), nil, -1, Options{})
	if err != nil || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "if their commas are decimal commas") {
		t.Errorf("decimal commas after a name: warnings %q, error %v", s.Warnings, err)
	}
}
