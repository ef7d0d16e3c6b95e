package loaders

import (
	"fmt"
	"strings"
	"testing"
)

// TestGLTFIntegers writes some integers of a document with fractions and exponents, such as 4.0 and
// 1e2. Read must accept the document.
func TestGLTFIntegers(t *testing.T) {
	text := tetText(tetScene)
	for _, r := range [][2]string{{`"count":4`, `"count":4.0`}, {`"count":12`, `"count":1.2e1`}, {"5126", "5.126e3"}, {"5123", "5123.0"},
		{`"byteLength":48`, `"byteLength":48e0`}, {`"mesh":0`, `"mesh":0.0`}, {`"nodes":[0]`, `"nodes":[0E0]`}, {`"POSITION":0`, `"POSITION":0.0`}} {
		if !strings.Contains(text, r[0]) {
			t.Fatalf("%s is not in %s", r[0], text)
		}
		text = strings.Replace(text, r[0], r[1], 1)
	}
	acceptance{name: "gltf", file: "a.gltf", data: text, vertices: 4, triangles: 4, bodies: "node 0"}.run(t)
	// In the canonical form, each 1e9 becomes seven bytes longer. The error must report the
	// position in the original text.
	text = strings.Replace(tetText(tetScene), `"accessors":[`, "\"x\":[1e9,1e9],\n\"accessors\":[", 1)
	text = strings.Replace(text, `"count":4`, `"count":4.5`, 1)
	refusal{"place after a longer number", "a.gltf", text, ErrSyntax,
		fmt.Sprintf("line 2: byte %d: syntax error: accessors.count", strings.Index(text, "4.5")+2)}.run(t)
}

// TestGLTFCase adds members whose names differ from known names only in letter case. The added
// members must have no effect.
func TestGLTFCase(t *testing.T) {
	for _, c := range []struct{ name, from, to string }{
		{"mode", `"indices":1`, `"indices":1,"MODE":1`},
		{"mesh after", `{"mesh":0}`, `{"mesh":0,"Mesh":7}`},
		{"escaped", `{"mesh":0}`, `{"mesh":0,"\u004desh":7, "\u006desh" : 0}`},
		{"long s", `"scenes"`, `"ſcenes":[{"nodes":[]}],"scenes"`},
		{"before a blank", `{"mesh":0}`, "{\"mesh\":0,\"MATRIX\" \n:[1]}"},
		{"version", `"asset":{`, `"Asset":7,"asset":{"VERSION":1,`},
	} {
		text := strings.Replace(tetText(tetScene), c.from, c.to, 1)
		if text == tetText(tetScene) {
			t.Fatalf("%s is not in the document", c.from)
		}
		acceptance{name: c.name, file: "a.gltf", data: text, vertices: 4, triangles: 4, bodies: "node 0"}.run(t)
	}
	refusal{"only wrong names", "a.gltf", `{"Asset":{"version":"2.0"}}`, ErrSyntax, "/asset/version"}.run(t)
	acceptance{name: "members of extensions", file: "a.gltf", data: strings.ReplaceAll(packedText(khrMeshopt), `"count":`, `"Count":7,"count":`),
		vertices: 4, triangles: 4, bodies: "node 0"}.run(t)
}
