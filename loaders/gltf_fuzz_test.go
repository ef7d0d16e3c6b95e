package loaders

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/fstest"
)

// fuzzOne reads data in the given format with a small memory limit. The result must be a valid soup
// or an *Error.
func fuzzOne(t *testing.T, data []byte, format Format) {
	folder := fstest.MapFS{"a.bin": {Data: tetBuffer}}
	soup, info, err := Read(context.Background(), "fuzz", bytes.NewReader(data), Options{Format: format, FS: folder, MaxMemory: 32 << 20})
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.File != "fuzz" || soup != nil {
			t.Fatalf("got %v with soup %v, want an *Error alone; input %q", err, soup, data)
		}
		return
	}
	checkSoup(t, soup)
	if info.Bytes < int64(len(data)) {
		t.Fatalf("Bytes is %d for %d; input %q", info.Bytes, len(data), data)
	}
}

// gltfSeeds returns documents that together use every feature of glTF that the package reads.
func gltfSeeds() []string {
	seeds := []string{
		tetText(tetScene), tetText(`"nodes":[{"children":[1],"matrix":[2,0,0,0,0,2,0,0,0,0,-2,0,1,2,3,1]},{"mesh":0,"rotation":[0,0,1,1]}]`),
		strings.Replace(tetText(tetScene), tetBufferURI(), "a.bin", 1), packedText(extMeshopt), packedText(khrMeshopt),
		instancedText(3, 5122, 1), instancedText(40, 5126, 2),
		strings.Replace(tetText(tetScene), `"indices":1`, `"indices":1,"mode":5`, 1),
		strings.Replace(tetText(tetScene), `"indices":1`, `"mode":6,"targets":[{}],"extensions":{"KHR_draco_mesh_compression":{}}`, 1),
		strings.Replace(tetText(tetScene), `"count":4`, `"count":4,"sparse":{"count":1,"indices":{"bufferView":1,"componentType":5121},"values":{"bufferView":0}}`, 1),
		strings.Replace(tetText(tetScene), "5126", "5121", 1), `{"asset":{"version":"1.0"}}`,
	}
	return seeds
}

func FuzzGLTF(f *testing.F) {
	for _, s := range gltfSeeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzOne(t, data, GLTF) })
}

func FuzzGLB(f *testing.F) {
	f.Add([]byte(glbFile(tetGLB(), tetBuffer)))
	f.Add([]byte(glbFile(tetText(tetScene), nil)))
	f.Add([]byte(glbFile(tetGLB(), tetBuffer[:70])))
	for _, s := range gltfSeeds() {
		f.Add([]byte(glbFile(s, tetBuffer)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzOne(t, data, GLB)
		// Random lengths rarely match the content, so the fuzz target corrects the lengths in the
		// container.
		if len(data) >= 20 && uint64(len(data)) < math.MaxUint32 {
			mended := append([]byte("glTF"), bytesOf(uint32(2), uint32(len(data)))...)
			mended = append(mended, data[12:]...)
			fuzzOne(t, mended, GLB)
		}
	})
}

// Fuzz3MF reads data as a whole archive. It also reads data as the model part of an archive, so
// that the fuzzer reaches the XML reader.
func Fuzz3MF(f *testing.F) {
	item := `<item objectid="1"/>`
	components := `<object id="2"><components><component objectid="1" transform="-1 0 0 0 1 0 0 0 1 0 0 0"/><component objectid="1"/></components></object>`
	for _, model := range []string{
		model3(tetObject(1, `name="a" type="support"`), item),
		model3(tetObject(1, "")+components, `<item objectid="2" p:path="/3D/3dmodel.model"/>`),
		model3(`<object id="1"><components><component objectid="1"/></components></object>`, item),
		"<model><resources/><build/></model>",
	} {
		f.Add([]byte(model))
		f.Add([]byte(package3MF(model)))
	}
	boxes := `<object id="1">` + boxesMesh(cubeAt(0), cubeAt(2)) + `</object>`
	for _, settings := range []string{ // text that begins with <config is the settings of both slicers
		`<object id="1">` + volume3(0, 11, "name", "a") + volume3(12, 23, "volume_type", "NegativeVolume") + `</object>`,
		`<object id="1">` + part3(1, "negative_part", "a") + part3(2, "modifier_part", "b") + `</object>`,
	} {
		f.Add([]byte("<config>" + settings + "</config>"))
		f.Add([]byte(settingsOf(boxes, item, prusaPath, settings)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.HasPrefix(data, []byte("<config")) {
			for _, path := range []string{prusaPath, bambuPath} {
				fuzzOne(t, []byte(zipOf("_rels/.rels", rootRels, "3D/3dmodel.model", model3(boxes, item+item), path, string(data))), ThreeMF)
			}
			return
		}
		if bytes.HasPrefix(data, []byte("PK")) {
			fuzzOne(t, data, ThreeMF)
			return
		}
		fuzzOne(t, []byte(package3MF(string(data))), ThreeMF)
		quickAndSlow(t, string(data))
	})
}
