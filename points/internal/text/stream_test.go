package text

import (
	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

var insideColumn = []table.Column{{Name: "inside", Kind: table.Inside}}

// files runs the tests of testcloud on this package.
var files = testcloud.Format[*Source, Options]{File: "in", New: New}
