package ply

import (
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/records"
)

// int32Name is the name of the PLY type int in error messages.
const int32Name = "int of 32 bits"

// answerLines returns the header lines for the answers: the comments and the property lines.
func answerLines(list pointio.Answers) (comments, props []string) {
	for _, a := range list {
		prop, _ := kindFor(a.Type)
		props = append(props, prop.String()+" "+a.Name)
	}
	return records.Comments(list), props
}
