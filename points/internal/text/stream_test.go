package text

import (
	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

var insideColumn = []table.Column{{Name: "inside", Kind: table.Inside}}

// files applies the test functions of package testcloud to package text.
var files = testcloud.Format[*Source, Options]{File: "in", New: New}
