package arch

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// markdownLink matches the target of a link or of a picture in Markdown.
var markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// The links of the documents to files of this repository are right.
func TestLinks(t *testing.T) {
	links := 0
	err := walkTexts(func(rel, text string) {
		if !strings.HasSuffix(rel, ".md") {
			return
		}
		for _, m := range markdownLink.FindAllStringSubmatch(text, -1) {
			target, err := url.Parse(m[1])
			if err != nil {
				t.Errorf("%s: %q: %v", rel, m[1], err)
				continue
			}
			if target.Scheme != "" || target.Path == "" {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join("..", "..", filepath.Dir(rel), target.Path)); err != nil {
				t.Errorf("%s: the link %q leads nowhere", rel, m[1])
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 20 {
		t.Errorf("%d links: the test looks in the wrong place", links)
	}
}
