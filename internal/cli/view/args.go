package view

import (
	"bufio"
	"strings"

	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/internal/unpack"
)

// splitArgs divides the files into meshes and an optional point file. The last file is the point
// file, unless it is the only file, or its suffix is a suffix of meshes, or it is a PLY file with
// faces.
func splitArgs(args []string) (meshes []string, pointFile string) {
	last := args[len(args)-1]
	if len(args) == 1 || formats.HasMeshName(last) || formats.HasSuffix(last, "ply") && hasFaces(last) {
		return args, ""
	}
	return args[:len(args)-1], last
}

// hasFaces reports whether the header of a PLY file declares faces. If the file cannot be read, the
// point reader reports the error.
func hasFaces(path string) bool {
	f, err := disk.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	const limit = 1 << 20 // tuning: longest header in bytes
	in := bufio.NewReader(f)
	if head, _ := in.Peek(4); unpack.Detect(head) != "" {
		z, err := unpack.NewReader(in, unpack.Detect(head), unpack.Options{LowMemory: true})
		if err != nil {
			return false
		}
		defer z.Close()
		in = bufio.NewReader(z)
	}
	h, err := plyfile.ReadHeader(in, limit)
	if err != nil {
		return false
	}
	for _, e := range h.Elements {
		if strings.HasPrefix(e.Name, "face") || e.Name == "tristrips" {
			return e.Count > 0
		}
	}
	return false
}
