//go:build small

package gltf

import (
	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// extensionTypes are the types of decoded extensions; see knownNames.
var extensionTypes []any

type instanceSet struct{}

func (d *document) instanceCount(*gltf.Node) int64 { return 1 }

// appendInstances refuses the instances, because the small build does not read them.
func (d *document) appendInstances(_ *gltf.Node, _ string, _ *soup.Affine, at string) error {
	return soup.AtPath(at, soup.ErrUnsupported, "the small build of inpoly does not read the extension "+extInstances).
		WithHint("export the instances as nodes")
}
