package mesh

import (
	"cmp"
	"fmt"
	"slices"
)

// checkPolygons returns an error for the first polygon that is out of range, or that does not begin
// after the polygon before it.
func checkPolygons(polygons []Polygon, faces int) error {
	end := int64(0)
	for i, p := range polygons {
		next := int64(p.First) + int64(p.Count)
		if int64(p.First) < end || p.Count < 1 || next > int64(faces) {
			return fmt.Errorf("polygon %d: %w: faces %d to %d, expected a range from %d on in %d faces", i, ErrIndex, p.First, next, end, faces)
		}
		end = next
	}
	return nil
}

// polygonOf returns the number of the polygon of face f, or −1 if f is a triangle of the file.
func (m *Mesh) polygonOf(f int32) int32 {
	i, _ := slices.BinarySearchFunc(m.polygons, f, func(p Polygon, f int32) int { return cmp.Compare(p.First+p.Count-1, f) })
	if i < len(m.polygons) && m.polygons[i].First <= f && m.polygons[i].Count > 1 {
		return int32(i)
	}
	return -1
}

// ByDivision reports whether faces f and g meet only because polygons of the file were divided into
// triangles. One case is two triangles of one polygon. The other case is two faces with the same
// vertices and opposite orientations, whose polygons have different vertices: both polygons were
// divided along the same diagonal, and the two faces cancel. ByDivision panics if a face is out of
// range.
func (m *Mesh) ByDivision(f, g int32) bool {
	if len(m.polygons) == 0 {
		return false
	}
	p, q := m.polygonOf(f), m.polygonOf(g)
	switch {
	case p < 0 && q < 0:
		return false
	case p == q:
		return true
	}
	return opposite(m.Faces[f], m.Faces[g]) && !m.samePolygons(m.facesOf(f, p), m.facesOf(g, q))
}

// opposite reports whether two triangles have the same vertices and opposite orientations.
func opposite(t, u [3]int32) bool {
	return u == [3]int32{t[2], t[1], t[0]} || u == [3]int32{t[1], t[0], t[2]} || u == [3]int32{t[0], t[2], t[1]}
}

// facesOf returns the faces of polygon p, or face f alone if p is −1.
func (m *Mesh) facesOf(f, p int32) [][3]int32 {
	if p < 0 {
		return m.Faces[f : f+1]
	}
	r := m.polygons[p]
	return m.Faces[r.First : r.First+r.Count]
}

// samePolygons reports whether two polygons have the same vertices.
func (m *Mesh) samePolygons(p, q [][3]int32) bool {
	if len(p) != len(q) {
		return false
	}
	vertices := func(faces [][3]int32) (list []int32) {
		for _, t := range faces {
			list = append(list, t[:]...)
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	return slices.Equal(vertices(p), vertices(q))
}

// withoutDiagonals returns the half-edges of an edge without the diagonals of polygons. A diagonal is
// a pair of half-edges in opposite directions of two faces of one polygon. An edge of only two
// half-edges is returned as it is. The result is valid until the next call.
func (f *edgeFlaws) withoutDiagonals(m *Mesh, edge []halfEdge) []halfEdge {
	if len(edge) <= 2 || len(m.polygons) == 0 {
		return edge
	}
	// The half-edges are in face order, so half-edges of one polygon are neighbors.
	rest := f.remaining[:0]
	for i := 0; i < len(edge); {
		p, n := m.polygonOf(edge[i].face()), 1
		balance := direction(edge[i])
		for ; p >= 0 && i+n < len(edge) && edge[i+n].face() < m.polygons[p].First+m.polygons[p].Count; n++ {
			balance += direction(edge[i+n])
		}
		// Of the half-edges of this polygon, those that do not cancel remain.
		for _, h := range edge[i : i+n] {
			if d := direction(h); d*balance > 0 {
				rest = append(rest, h)
				balance -= d
			}
		}
		i += n
	}
	f.remaining = rest
	return rest
}

// direction returns +1 if the face of h runs from lo to hi, and −1 otherwise.
func direction(h halfEdge) int {
	if h.backward() {
		return -1
	}
	return 1
}

// withoutDivided removes pairs of copies of a triangle that only the division of polygons has made;
// see Mesh.ByDivision. It examines at most maxCopies copies, because a division does not make more
// copies by accident. It changes the given slice.
func (f *edgeFlaws) withoutDivided(m *Mesh, copies []copyOf) []copyOf {
	const maxCopies = 16 // tuning
	if len(m.polygons) == 0 || len(copies) < 2 || len(copies) > maxCopies {
		return copies
	}
	for i := 0; i < len(copies); i++ {
		for j := i + 1; j < len(copies); j++ {
			if copies[i].backward != copies[j].backward && f.byDivision(m, copies[i].face, copies[j].face) {
				copies = slices.Delete(slices.Delete(copies, j, j+1), i, i+1)
				i--
				break
			}
		}
	}
	return copies
}

// byDivision returns m.ByDivision for two faces with the same vertices and opposite orientations. It
// compares each pair of polygons once, because polygons can have very many triangles.
func (f *edgeFlaws) byDivision(m *Mesh, g, h int32) bool {
	p, q := m.polygonOf(g), m.polygonOf(h)
	if p < 0 || q < 0 || p == q || m.polygons[p].Count != m.polygons[q].Count {
		return m.ByDivision(g, h)
	}
	key := [2]int32{p, q}
	result, known := f.compared[key]
	if !known {
		if f.compared == nil {
			f.compared = map[[2]int32]bool{}
		}
		result = m.ByDivision(g, h)
		f.compared[key] = result
	}
	return result
}

// zeroArea returns the list Defects.ZeroArea. The caller must not modify it.
func (m *Mesh) zeroArea() []int32 {
	if len(m.polygons) == 0 || len(m.degenerate) == 0 {
		return m.degenerate
	}
	var out []int32
	for rest := m.degenerate; len(rest) > 0; {
		p, n := m.polygonOf(rest[0]), 1
		for p >= 0 && n < len(rest) && rest[n] < m.polygons[p].First+m.polygons[p].Count {
			n++
		}
		whole := p < 0 || n == int(m.polygons[p].Count)
		for _, f := range rest[:n] {
			if whole || collapsed(m.Faces[f]) {
				out = append(out, f)
			}
		}
		rest = rest[n:]
	}
	return out
}

// extractedPolygons returns the polygons of a mesh of the given faces. Consecutive faces of one
// polygon stay together.
func (m *Mesh) extractedPolygons(faces []int32) (out []Polygon) {
	if len(m.polygons) == 0 {
		return nil
	}
	last := int32(-1) // polygon of the face before
	for i, f := range faces {
		p := m.polygonOf(f)
		switch {
		case p < 0:
		case p == last && f == faces[i-1]+1:
			out[len(out)-1].Count++
		default:
			out = append(out, Polygon{First: int32(i), Count: 1})
		}
		last = p
	}
	return out
}
