package mesh

import "fmt"

// BodyNames returns a name for each body of m and, last, one for the faces that are in no
// body, "rest". Names that are empty or equal are replaced as UniqueNames does. If the
// mesh is a single body, its name stays as it is.
func (m *Mesh) BodyNames() []string {
	if len(m.Bodies) == 1 && int(m.Bodies[0].Count) == m.NumFaces() {
		return []string{m.Bodies[0].Name}
	}
	names := make([]string, len(m.Bodies)+1)
	for i, b := range m.Bodies {
		names[i] = b.Name
	}
	names[len(m.Bodies)] = "rest"
	return UniqueNames(names)
}

// UniqueNames returns a copy of names in which no two are equal and none is empty. An
// empty name becomes body_1, body_2 and so on after its position. The first of several
// equal names stays; the others get the suffixes _2, _3 and so on.
func UniqueNames(names []string) []string {
	unique := make([]string, len(names))
	taken := map[string]bool{}
	var again []int
	for i, name := range names {
		if unique[i] = name; name == "" || taken[name] {
			again = append(again, i)
		} else {
			taken[name] = true
		}
	}
	next := map[string]int{} // number to try for a name
	for _, i := range again {
		base := unique[i]
		if base == "" {
			base = BodyName(i)
			unique[i] = base
		}
		for taken[unique[i]] {
			next[base] = max(2, next[base]+1)
			unique[i] = fmt.Sprintf("%s_%d", base, next[base])
		}
		taken[unique[i]] = true
	}
	return unique
}

// BodyName is the name of body i if the file gives it no name.
func BodyName(i int) string { return fmt.Sprintf("body_%d", i+1) }
