// Package vtk reads surfaces and volume cells from files of VTK, the Visualization Toolkit: legacy files
// (.vtk), and XML files of polygonal data (.vtp), unstructured grids (.vtu), structured grids (.vts),
// rectilinear grids (.vtr) and image data (.vti). Facts about the formats
// come from "VTK File Formats" and "VTK XML Formats" in the VTK documentation. With the build tag small,
// package loaders refuses these files.
package vtk

import (
	"bytes"
	"strings"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Format describes files of VTK.
func Format() soup.Format {
	return soup.Format{
		Name:      "vtk",
		Signature: func(data []byte) bool { return isLegacy(data) || isXML(data) },
		Read:      read,
	}
}

// legacyHead is the start of each legacy file.
const legacyHead = "# vtk DataFile"

func isLegacy(data []byte) bool {
	data = trimMark(data)
	return len(data) >= len(legacyHead) && strings.EqualFold(string(data[:len(legacyHead)]), legacyHead)
}

// isXML reports whether data begins with a tag and has the root element of VTK in its first bytes.
func isXML(data []byte) bool {
	if order := scan.UTF16Order(data); order != nil {
		data = scan.ASCIIUnits(data, order)
	}
	data = trimMark(data)
	head := bytes.TrimLeft(data[:min(len(data), 1024)], " \t\r\n")
	return bytes.HasPrefix(head, []byte("<")) && bytes.Contains(head, []byte("<VTKFile"))
}

// trimMark removes the byte order mark of UTF-8.
func trimMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }
