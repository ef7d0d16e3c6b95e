package gltf

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

const (
	extDraco     = "KHR_draco_mesh_compression"
	extInstances = "EXT_mesh_gpu_instancing"
)

// meshoptNames are the names of the meshopt extension: the original name and the Khronos name.
var meshoptNames = [...]string{"EXT_meshopt_compression", "KHR_meshopt_compression"}

const hintDecompress = "decompress the file, such as with gltf-transform copy IN.glb OUT.glb, or export it without mesh compression"

// The package reads files that require these extensions. Each extension has no effect on the
// geometry, or the package supports it.
var (
	neutralPrefixes = []string{"KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_technique", "KHR_lights_", "KHR_animation_", "KHR_xmp"}
	neutralNames    = []string{"KHR_mesh_quantization", "EXT_mesh_features", "EXT_structural_metadata", "EXT_feature_metadata",
		"CESIUM_primitive_outline", "KHR_node_selectability", "KHR_node_hoverability", extDraco, extInstances, meshoptNames[0], meshoptNames[1]}
)

// neutral reports whether an extension has no effect on the geometry or is supported.
func neutral(name string) bool {
	return slices.Contains(neutralNames, name) ||
		slices.ContainsFunc(neutralPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// readRequired collects the required extensions that are not neutral, and adds a note about each.
// If an object of the geometry has such an extension, refuseRequired refuses it.
func (d *document) readRequired() {
	d.required = map[string]bool{}
	for _, name := range d.doc.ExtensionsRequired {
		if !neutral(name) && !d.required[name] {
			d.required[name] = true
			d.b.Note("required extension %s is unknown: the geometry was read without the extension", quote.Word(name))
		}
	}
	if _, ok := d.doc.Extensions["CESIUM_RTC"]; ok {
		d.b.Note("coordinates are relative to the center that the extension CESIUM_RTC defines")
	}
}

// refuseRequired refuses an object of the geometry if it has an unknown required extension.
func (d *document) refuseRequired(ext gltf.Extensions, at string) error {
	if len(d.required) == 0 || len(ext) == 0 {
		return nil
	}
	for _, name := range d.doc.ExtensionsRequired { // the order of the list makes messages deterministic
		if _, ok := ext[name]; ok && d.required[name] {
			return soup.AtPath(at, soup.ErrUnsupported, "required extension %s is unknown", quote.Word(name))
		}
	}
	return nil
}

// checkDraco refuses a primitive if a part of its data exists only in compressed form. In this case
// an accessor of the primitive has no buffer view.
func (d *document) checkDraco(p *gltf.Primitive, at string) error {
	if _, ok := p.Extensions[extDraco]; !ok {
		return nil
	}
	bare := func(i int) bool {
		return i >= 0 && i < len(d.doc.Accessors) && d.doc.Accessors[i].BufferView == nil && d.doc.Accessors[i].Sparse == nil
	}
	position, ok := p.Attributes[gltf.POSITION]
	if ok && bare(position) || p.Indices != nil && bare(*p.Indices) {
		return soup.AtPath(at, soup.ErrUnsupported, "the geometry is compressed with %s and has no uncompressed fallback", extDraco).WithHint(hintDecompress)
	}
	d.tally.fallback(extDraco)
	return nil
}

// compression returns the name of the extension that compresses the buffer view v, or "" if v is not
// compressed. The specification of the Khronos name forbids both names for one buffer view.
func compression(v *gltf.BufferView, at string) (string, error) {
	used := ""
	for _, name := range meshoptNames {
		if _, ok := v.Extensions[name]; ok {
			if used != "" {
				return "", soup.AtPath(at, soup.ErrSyntax, "the buffer view has both extensions %s and %s", used, name)
			}
			used = name
		}
	}
	return used, nil
}

// instanced reports whether node n has instances.
func instanced(n *gltf.Node) bool {
	_, ok := n.Extensions[extInstances]
	return ok
}

// fallbackMark is the content of a meshopt extension that marks its buffer as a placeholder for
// compressed data.
type fallbackMark struct {
	Fallback bool `json:"fallback"`
}

// isFallback reports whether a meshopt extension marks buffer i, which must exist, as a placeholder. The
// extension is decoded only once, because many views can refer to the buffer.
func (d *document) isFallback(i int) bool {
	marked, ok := d.fallback[i]
	if ok {
		return marked
	}
	for _, name := range meshoptNames {
		var mark fallbackMark
		raw, ok := d.doc.Buffers[i].Extensions[name].(json.RawMessage)
		marked = marked || ok && json.Unmarshal(raw, &mark) == nil && mark.Fallback
	}
	d.fallback[i] = marked
	return marked
}
