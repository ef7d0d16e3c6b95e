// Package vtk reads surfaces and volume cells from legacy files (.vtk) of VTK, the Visualization Toolkit.
// Facts about the format come from "VTK File Formats" in the VTK documentation. With the build tag
// small, it refuses all files.
package vtk

import (
	"bytes"
	"strings"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Format describes legacy files of VTK.
func Format() soup.Format {
	return soup.Format{
		Name:      "vtk",
		Signature: isLegacy,
		Read:      read,
	}
}

// legacyHead is the start of each legacy file.
const legacyHead = "# vtk DataFile"

func isLegacy(data []byte) bool {
	data = trimMark(data)
	return len(data) >= len(legacyHead) && strings.EqualFold(string(data[:len(legacyHead)]), legacyHead)
}

// trimMark removes the byte order mark of UTF-8.
func trimMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }
