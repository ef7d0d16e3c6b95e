package main

import (
	"bytes"
	"fmt"
	"log"
	"runtime"
	"strconv"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/voxels"
)

// rivalVoxels measures the sides of the centers of voxels against a level set of OpenVDB.
func (b *bench) rivalVoxels() error {
	if !b.has(voxelRival) {
		log.Printf("peers: OpenVDB skipped, because %s is missing", b.peerPath(voxelRival))
		return nil
	}
	header("<mesh", "triangles", "<voxels", "build CPU s", "voxels CPU s", "OpenVDB level set CPU s", "OpenVDB signs CPU s", "ours / OpenVDB",
		"differ", "judged", "ours wrong", "OpenVDB wrong")
	return b.eachRivalMesh(func(j rivalMesh, stl string, m *mesh.Mesh) error {
		if !j.voxels {
			return nil
		}
		return b.rivalVoxelRow(j, stl, m)
	})
}

func (b *bench) rivalVoxelRow(j rivalMesh, stl string, m *mesh.Mesh) error {
	across := voxelsAcross
	if b.quick {
		across = 20
	}
	size := m.Box().Size()
	h := max(size.X, size.Y, size.Z) / float64(across)
	g, err := voxels.FitSpacing(m.Box(), r3.Vector{X: h, Y: h, Z: h})
	if err != nil {
		return err
	}
	mode := []string{exact(g.Origin.X), exact(g.Origin.Y), exact(g.Origin.Z), exact(h)}
	for _, n := range g.Counts {
		mode = append(mode, strconv.Itoa(n))
	}
	var ours, theirs []cost
	var occupied, answers []byte
	for range b.calls {
		mine, c, err := b.ourVoxels(m, g)
		if err != nil {
			return err
		}
		p, some, err := b.ask(voxelRival, stl, "-", g.Len(), mode...)
		if err != nil {
			return err
		}
		occupied, answers = mine, some
		ours, theirs = append(ours, c), append(theirs, cost{p.Build, p.Query})
	}
	v, differ, err := b.judgeVoxels(j, stl, m, g, occupied, answers)
	if err != nil {
		return err
	}
	o, t := medianCost(ours), medianCost(theirs)
	fmt.Printf("| %s | %d | %d × %d × %d | %.3g | %.3g | %.3g | %.3g | %.3g | %d | %d | %d | %d |\n", j.name, m.NumFaces(),
		g.Counts[0], g.Counts[1], g.Counts[2], o.build, o.query, t.build, t.query, t.sum()/o.sum(), differ, v.looked-v.open, v.ours, v.theirs)
	return nil
}

// ourVoxels returns one byte for each voxel: 1 if its center is inside or on the surface.
func (b *bench) ourVoxels(m *mesh.Mesh, g voxels.Grid) (occupied []byte, c cost, err error) {
	var array bytes.Buffer
	array.Grow(g.Len() + 1<<10) // the array and its header
	runtime.GC()
	var s *inpoly.Solid
	c.build, err = cpu(func() (err error) {
		s, err = inpoly.New(b.ctx, m, inpoly.Options{Workers: b.threads, ExpectedPoints: int64(g.Len())})
		return err
	})
	if err != nil {
		return nil, c, err
	}
	c.query, err = cpu(func() error {
		_, err := voxels.Write(b.ctx, &array, s, g, voxels.Options{Workers: b.threads})
		return err
	})
	if err != nil {
		return nil, c, err
	}
	if array.Len() < g.Len() {
		return nil, c, fmt.Errorf("%d bytes for %d voxels", array.Len(), g.Len())
	}
	return array.Bytes()[array.Len()-g.Len():], c, nil // the header of the format NPY is at the beginning
}

// center returns the center of the voxel of byte i.
func center(g voxels.Grid, i int) r3.Vector {
	return g.Center(i%g.Counts[0], i/g.Counts[0]%g.Counts[1], i/g.Counts[0]/g.Counts[1])
}

// exact formats x so that a driver reads the same number.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', 17, 64) }

// judgeVoxels judges evenly spaced voxels among those whose bytes differ. A center on the surface
// counts as inside.
func (b *bench) judgeVoxels(j rivalMesh, stl string, m *mesh.Mesh, g voxels.Grid, ours, theirs []byte) (v verdict, differ int, err error) {
	var at []int
	for i := range ours {
		if ours[i] != theirs[i] {
			at = append(at, i)
		}
	}
	differ = len(at)
	if differ == 0 || !b.has("refexact") {
		return v, differ, nil
	}
	var some []int
	var pts []r3.Vector
	for k := range min(differ, judgedPoints) {
		i := at[k*differ/min(differ, judgedPoints)]
		some = append(some, i)
		pts = append(pts, center(g, i))
	}
	truths, err := b.referee(stl, pts, truthOf(m, j.flip))
	for k, t := range truths {
		if t == 2 {
			t = 1
		}
		v.add(t, ours[some[k]], theirs[some[k]])
	}
	return v, differ, err
}
