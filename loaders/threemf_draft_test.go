package loaders

import (
	"strings"
	"testing"
)

// TestThreeMFDraft reads the namespaces of drafts of 3MF, with the same content as that of the standard.
func TestThreeMFDraft(t *testing.T) {
	model := model3(tetObject(1, `name="tet"`), `<item objectid="1"/>`)
	for _, ns := range []string{"2013/01", "2013/08"} {
		draft := strings.Replace(model, "3dmanufacturing/core/2015/02", "3dmanufacturing/"+ns, 1)
		if draft == model {
			t.Fatal("the namespace is not replaced")
		}
		acceptance{"namespace " + ns, "a.3mf", package3MF(draft), 4, 4, "tet", ""}.run(t)
	}
}
