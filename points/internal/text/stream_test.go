package text

import (
	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

var insideColumn = []table.Column{{Name: "inside", Kind: table.Inside}}

var files = testcloud.Format[*Source, Options]{File: "in", New: New}
