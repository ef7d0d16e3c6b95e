package loaders

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	registry "github.com/inpoly/inpoly/internal/formats"
)

// The readers of mesh files are those of the list of formats.
func TestRegistry(t *testing.T) {
	var list []string
	for _, f := range registry.List {
		if f.Mesh {
			list = append(list, f.Name)
		}
	}
	got := names()
	slices.Sort(got)
	slices.Sort(list)
	if !slices.Equal(got, list) {
		t.Errorf("readers %v, listed %v", got, list)
	}
}

// The page recognizes the same suffixes of mesh files.
func TestPageSuffixes(t *testing.T) {
	data, err := os.ReadFile("../bindings/js/page/assets/chosen.js")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?s)const meshSuffixes = \[(.*?)\];`).FindSubmatch(data)
	if found == nil {
		t.Fatal("bindings/js/page/assets/chosen.js has no list of suffixes")
	}
	var page, list []string
	for _, word := range strings.Split(string(found[1]), ",") {
		if word = strings.Trim(strings.TrimSpace(word), `"`); word != "" { // nothing follows the last comma
			page = append(page, word)
		}
	}
	for _, f := range registry.List {
		for _, s := range f.Suffixes {
			if f.Mesh && !f.Points && !strings.Contains(s, ".") {
				list = append(list, s)
			}
		}
	}
	slices.Sort(page)
	slices.Sort(list)
	if !slices.Equal(page, list) {
		t.Errorf("the page has %v, listed are %v", page, list)
	}
}
