package mesh

import "fmt"

// BodyNames returns a name for each body of m and then the name "rest" for the faces outside all
// bodies. Empty and equal names are replaced as by UniqueNames. If a single body has all faces,
// BodyNames returns only its name, unchanged.
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

// UniqueNames returns a copy of names without empty and equal names. An empty name becomes body_1,
// body_2 and so on, by its position. The first of several equal names stays. The others get the
// suffixes _2, _3 and so on.
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
	next := map[string]int{} // last suffix of each name
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

// BodyName returns the name for body i if the file has no name for it.
func BodyName(i int) string { return fmt.Sprintf("body_%d", i+1) }
