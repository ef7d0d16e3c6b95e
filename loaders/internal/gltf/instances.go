//go:build !small

package gltf

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"github.com/golang/geo/r3"
	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// instancing is the content of EXT_mesh_gpu_instancing. It maps the names of attributes to accessors.
type instancing struct {
	Attributes map[string]*int `json:"attributes"`
}

// extensionTypes are the types of decoded extensions; see knownNames.
var extensionTypes = []any{instancing{}, compressedView{}}

// instanceSet holds the instances of a node. An attribute that is absent is nil.
type instanceSet struct {
	count                        int
	indices                      [3]*int // accessors of translation, rotation and scale
	translation, rotation, scale *accessor
}

// instanceCount returns the number of instances of node n, or 1 if appendInstances refuses them.
func (d *document) instanceCount(n *gltf.Node) int64 {
	set, err := d.instances(n, "")
	if err != nil {
		return 1
	}
	return int64(set.count)
}

// instances returns the instances of node n, without their attributes. The attributes must have an
// element for each instance. Attributes other than TRANSLATION, ROTATION and SCALE have no effect on the
// geometry. The extension of a node is decoded only once, because a node can have many parents.
func (d *document) instances(n *gltf.Node, place string) (*instanceSet, error) {
	if set := d.sets[n]; set != nil {
		return set, nil
	}
	var ext instancing
	raw, _ := n.Extensions[extInstances].(json.RawMessage)
	if json.Unmarshal(raw, &ext) != nil {
		return nil, soup.AtPath(place, soup.ErrSyntax, "the attributes must be an object that maps names to accessors")
	}
	if len(ext.Attributes) == 0 {
		return nil, soup.AtPath(place, soup.ErrSyntax, "the instances have no attributes")
	}
	// Messages do not depend on the order of the map, because this order is random.
	least, most := math.MaxInt, math.MinInt
	for _, index := range ext.Attributes {
		if index == nil {
			return nil, soup.AtPath(place, soup.ErrSyntax, "an attribute is null, must be an accessor")
		}
		least, most = min(least, *index), max(most, *index)
	}
	set := &instanceSet{indices: [3]*int{ext.Attributes["TRANSLATION"], ext.Attributes["ROTATION"], ext.Attributes["SCALE"]}}
	for _, i := range [...]int{most, least} {
		a, _, err := d.accessor(i, place)
		if err != nil {
			return nil, err
		}
		set.count = a.Count
	}
	for _, index := range ext.Attributes {
		if d.doc.Accessors[*index].Count != set.count {
			return nil, soup.AtPath(place, soup.ErrSyntax, "the attributes have different numbers of elements")
		}
	}
	if err := d.src.Budget.Reserve(resolvedBytes); err != nil {
		return nil, err
	}
	d.sets[n] = set
	return set, nil
}

// resolve reads the attributes of a set that place its instances.
func (d *document) resolve(set *instanceSet, place string) error {
	for k, x := range [...]struct {
		name  string
		shape gltf.AccessorType
		into  **accessor
	}{
		{"TRANSLATION", gltf.AccessorVec3, &set.translation},
		{"ROTATION", gltf.AccessorVec4, &set.rotation},
		{"SCALE", gltf.AccessorVec3, &set.scale},
	} {
		index := set.indices[k]
		if index == nil || *x.into != nil {
			continue
		}
		a, at, err := d.accessor(*index, place)
		if err != nil {
			return err
		}
		c := a.ComponentType
		integers := x.into == &set.rotation && a.Normalized && (c == gltf.ComponentByte || c == gltf.ComponentShort)
		if a.Type != x.shape || c != gltf.ComponentFloat && !integers {
			types := "FLOAT"
			if x.into == &set.rotation {
				types = "FLOAT, normalized BYTE or normalized SHORT"
			}
			return soup.AtPath(place+"/"+x.name, soup.ErrSyntax, "accessor %d has type %s of %s, must have type %s of %s", *index, a.Type, c, x.shape, types)
		}
		if err := d.src.Budget.Reserve(resolvedBytes); err != nil {
			return err
		}
		if *x.into, err = d.values(a, at); err != nil {
			return err
		}
	}
	return nil
}

// transform returns the transform of instance k relative to the node.
func (set *instanceSet) transform(k int) (soup.Affine, error) {
	t, q, s := [3]float64{}, [4]float64{3: 1}, [3]float64{1, 1, 1}
	if set.translation != nil {
		t = components(set.translation.position(k))
	}
	if set.rotation != nil {
		q = set.rotation.quaternion(k)
	}
	if set.scale != nil {
		s = components(set.scale.position(k))
	}
	return fromProperties(t, q, s)
}

func components(v r3.Vector) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }

// quaternion returns element i of an accessor of quaternions. Integers are normalized: c becomes
// max(c/127, −1) or max(c/32767, −1) in float64.
func (a *accessor) quaternion(i int) (q [4]float64) {
	s := a.base
	if j, ok := a.overlay.find(i); ok {
		s, i = a.overlay.values, j
	}
	if s.data == nil {
		return q
	}
	e := s.data[i*s.stride:]
	for k := range q {
		switch a.component {
		case gltf.ComponentByte:
			q[k] = max(float64(int8(e[k]))/math.MaxInt8, -1)
		case gltf.ComponentShort:
			q[k] = max(float64(int16(le16(e[2*k:])))/math.MaxInt16, -1)
		default:
			q[k] = leFloat32(e[4*k:])
		}
	}
	return q
}

// appendInstances appends the mesh of node n as a body for each instance. The transform of an instance
// is applied first, then the transform of the node.
func (d *document) appendInstances(n *gltf.Node, name string, world *soup.Affine, at string) error {
	place := at + "/extensions/" + extInstances + "/attributes"
	set, err := d.instances(n, place)
	if err != nil {
		return err
	}
	if err := d.resolve(set, place); err != nil {
		return err
	}
	for k := range set.count {
		local, err := set.transform(k)
		if err != nil {
			return &soup.Error{Offset: -1, Path: place, Err: fmt.Errorf("instance %d: %w", k, err)}
		}
		placed := world.After(&local)
		if err := cmp.Or(d.appendMesh(*n.Mesh, name, &placed), d.src.Check(k)); err != nil {
			return err
		}
	}
	return nil
}
