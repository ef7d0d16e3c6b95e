package loaders

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

const prusaPath, bambuPath = "Metadata/Slic3r_PE_model.config", "Metadata/model_settings.config"

// boxesMesh returns the XML of a mesh with boxes of 8 vertices and 12 triangles, one after another.
func boxesMesh(boxes ...[2]r3.Vector) string {
	var vertices, triangles strings.Builder
	for i, b := range boxes {
		for k := range 8 {
			c := [3]float64{b[k>>2&1].X, b[k>>1&1].Y, b[k&1].Z}
			fmt.Fprintf(&vertices, `<vertex x="%g" y="%g" z="%g"/>`, c[0], c[1], c[2])
		}
		for _, f := range [12][3]int{{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}} {
			fmt.Fprintf(&triangles, `<triangle v1="%d" v2="%d" v3="%d"/>`, 8*i+f[0], 8*i+f[1], 8*i+f[2])
		}
	}
	return "<mesh><vertices>" + vertices.String() + "</vertices><triangles>" + triangles.String() + "</triangles></mesh>"
}

func cubeAt(x float64) [2]r3.Vector {
	return [2]r3.Vector{{X: x}, {X: x + 1, Y: 1, Z: 1}}
}

// settingsOf returns a 3MF package with the settings of a slicer.
func settingsOf(resources, build, path, settings string) string {
	return zipOf("_rels/.rels", rootRels, "3D/3dmodel.model", model3(resources, build), path, `<?xml version="1.0" encoding="UTF-8"?><config>`+settings+"</config>")
}

// volume returns an element volume for triangles from first to last.
func volume3(first, last int, metadata ...string) string {
	var s strings.Builder
	fmt.Fprintf(&s, `<volume firstid="%d" lastid="%d">`, first, last)
	for i := 0; i < len(metadata); i += 2 {
		fmt.Fprintf(&s, `<metadata type="volume" key="%s" value="%s"/>`, metadata[i], metadata[i+1])
	}
	return s.String() + `<mesh edges_fixed="0"/></volume>`
}

// part3 returns an element part.
func part3(id int, subtype, name string) string {
	return fmt.Sprintf(`<part id="%d" subtype="%s"><metadata key="name" value="%s"/><mesh_stat face_count="12"/></part>`, id, subtype, name)
}

// roles returns the bodies with their ranges, their objects and their signs.
func roles(s *mesh.Soup) string {
	var out []string
	for _, b := range s.Bodies {
		sign := "+"
		if b.Negative {
			sign = "-"
		}
		out = append(out, fmt.Sprintf("%s%s %d:%d@%d", sign, b.Name, b.First, b.Count, b.Object))
	}
	return strings.Join(out, "|")
}

const bambuObject = `<object id="1" type="model">%s</object><object id="2" type="other">%s</object><object id="3" type="other">%s</object>` +
	`<object id="9"><components><component objectid="1"/><component objectid="2" transform="1 0 0 0 1 0 0 0 1 5 0 0"/><component objectid="3"/></components></object>`

func TestThreeMFParts(t *testing.T) {
	item := `<item objectid="1"/>`
	five := `<object id="1">` + boxesMesh(cubeAt(0), cubeAt(2), cubeAt(4), cubeAt(6), cubeAt(8)) + `</object>`
	two := `<object id="1">` + boxesMesh(cubeAt(0), cubeAt(2)) + `</object>`
	cube := boxesMesh(cubeAt(0))
	bambu := fmt.Sprintf(bambuObject, cube, cube, cube)
	volumes := func(list ...string) string { return `<object id="1">` + strings.Join(list, "") + `</object>` }
	three := `<object id="9"><metadata key="name" value="Thing"/>` + part3(1, "normal_part", "a")
	twoNegative := "2 negative parts: to be cut out of the solid parts of the same object"
	negative := "1 negative part: to be cut out of the solid parts of the same object"
	for _, c := range []struct{ name, data, want, notes string }{
		{"PrusaSlicer, each type", settingsOf(five, item, prusaPath, volumes(
			volume3(0, 11, "name", "block", "volume_type", "ModelPart"), volume3(12, 23, "name", "hole", "volume_type", "NegativeVolume"),
			volume3(24, 35, "volume_type", "ParameterModifier"), volume3(36, 47, "volume_type", "SupportBlocker"), volume3(48, 59, "volume_type", "SupportEnforcer"))),
			"+block 0:12@2|-hole 12:12@2", negative + "|left out 1 modifier part: a slicer only prints with other settings there|left out 1 support blocker part|left out 1 support enforcer part"},
		{"Bambu Studio, each type", settingsOf(fmt.Sprintf(bambuObject, cube, cube, cube), `<item objectid="9"/>`, bambuPath, three+part3(2, "negative_part", "b")+part3(3, "modifier_part", "c")+`</object>`),
			"+a 0:12@1|-b 12:12@1", negative + "|left out 1 modifier part: a slicer only prints with other settings there"},
		{"Bambu Studio, supports", settingsOf(bambu, `<item objectid="9"/>`, bambuPath, three+part3(2, "support_blocker", "b")+part3(3, "support_enforcer", "c")+`</object>`),
			"+a 0:12@1", "left out 1 support blocker part|left out 1 support enforcer part"},
		{"only solid parts", settingsOf(two, item, prusaPath, volumes(volume3(0, 11, "name", "a", "volume_type", "ModelPart"), volume3(12, 23, "name", "b"))), "+a 0:12@2|+b 12:12@2", ""},
		{"old modifier", settingsOf(two, item, prusaPath, volumes(volume3(0, 11, "modifier", "0"), volume3(12, 23, "modifier", "1"))),
			"+object 1 0:12@2", "left out 1 modifier part: a slicer only prints with other settings there"},
		{"old volume type", settingsOf(two, item, prusaPath, volumes(volume3(0, 11, "volume_type", "0"), volume3(12, 23, "volume_type", "1"))),
			"+object 1 0:12@2", "left out 1 modifier part: a slicer only prints with other settings there"},
		{"part_type of Bambu Studio", settingsOf(bambu, `<item objectid="9"/>`, bambuPath, three+`<part id="2"><metadata key="part_type" value="negative_part"/></part></object>`),
			"+a 0:12@1|-Thing 12:12@1|+Thing 24:12@1", `1 used object is of type "other": read like type "model"|` + negative},
		{"unknown type", settingsOf(two, item, prusaPath, volumes(volume3(0, 11, "volume_type", "Hologram"), volume3(12, 23))),
			"+object 1 0:12@2|+object 1 12:12@2", "1 part is of an unknown type in /metadata/slic3r_pe_model.config: read as solid"},
		{"triangles in no volume", settingsOf(five, item, prusaPath, volumes(volume3(48, 59, "volume_type", "NegativeVolume"), volume3(12, 23, "name", "b"))),
			"+object 1 0:12@2|+b 12:12@2|+object 1 24:24@2|-object 1 48:12@2", "/metadata/slic3r_pe_model.config: 36 triangles of object 1 are in no volume: read as solid|" + negative},
		{"other objects", settingsOf(two, item, prusaPath, `<object id="7">`+volume3(0, 11)+`</object><object id="8"/>`),
			"+object 1 0:24@1", "ignored 2 objects of /metadata/slic3r_pe_model.config without an object in the model"},
		{"other parts", settingsOf(two, item, bambuPath, `<object id="1">`+part3(5, "negative_part", "x")+`</object>`),
			"+object 1 0:24@1", "ignored 1 part in the settings of the slicer without a mesh in the model"},
		{"object without parts", settingsOf(two, item, bambuPath, `<object id="1"><metadata key="name" value="Thing"/></object><plate><metadata key="plater_id" value="1"/></plate>`), "+Thing 0:24@1", ""},
		{"mesh of the item itself", settingsOf(two, item, bambuPath, `<object id="1">`+part3(1, "negative_part", "x")+`</object>`), "-x 0:24@1", negative},
		{"two items, two objects, cuts apart", settingsOf(two+`<object id="2">`+boxesMesh(cubeAt(0))+`</object>`, item+`<item objectid="2"/>`+`<item objectid="1" transform="-1 0 0 0 1 0 0 0 1 0 0 0"/>`, prusaPath,
			volumes(volume3(0, 11, "name", "a"), volume3(12, 23, "name", "b", "volume_type", "NegativeVolume"))),
			"+a 0:12@2|-b 12:12@2|+object 2 24:12@3|+a 36:12@5|-b 48:12@5", twoNegative},
		{"the same mesh twice in an object", settingsOf(`<object id="1">`+cube+`</object><object id="9"><components><component objectid="1"/><component objectid="1"/></components></object>`, `<item objectid="9"/>`, bambuPath,
			three+part3(1, "negative_part", "b")+`</object>`), "+a 0:12@1|-b 12:12@1", negative},
		{"parts in another order", settingsOf(bambu, `<item objectid="9"/>`, bambuPath, `<object id="9">`+part3(3, "negative_part", "c")+part3(1, "normal_part", "a")+part3(2, "normal_part", "b")+`</object>`),
			"+a 0:12@1|+b 12:12@1|-c 24:12@1", negative},
		{"meshes in another model part", zipOf("_rels/.rels", rootRels, "3D/3dmodel.model",
			model3(`<object id="9"><components><component objectid="1" p:path="/3D/Objects/o.model"/><component objectid="2" p:path="/3D/Objects/o.model"/></components></object>`, `<item objectid="9"/><item objectid="9"/>`),
			"3D/Objects/o.model", model3(`<object id="1">`+cube+`</object><object id="2">`+cube+`</object>`, ""),
			bambuPath, `<config>`+three+part3(2, "negative_part", "b")+`</object></config>`),
			"+a 0:12@1|-b 12:12@1|+a 24:12@2|-b 36:12@2", twoNegative},
		{"SuperSlicer", settingsOf(two, item, "Metadata/SuperSlicer_model.config", volumes(volume3(0, 11), volume3(12, 23, "volume_type", "SupportBlocker"))), "+object 1 0:12@2", "left out 1 support blocker part"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sameContent(t, t.TempDir(), "a.3mf", c.data, Options{})
			s, info, err := readString("a.3mf", c.data)
			if err != nil {
				t.Fatal(err)
			}
			checkSoup(t, s)
			if got := roles(s); got != c.want {
				t.Errorf("bodies %s, want %s", got, c.want)
			}
			if got := strings.Join(info.Notes, "|"); got != c.notes {
				t.Errorf("notes %q, want %q", got, c.notes)
			}
			all, _, err := Read(t.Context(), "a.3mf", strings.NewReader(c.data), Options{AllParts: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range all.Bodies {
				if b.Negative {
					t.Errorf("with AllParts, body %q is negative", b.Name)
				}
			}
		})
	}
}

// TestThreeMFAllParts checks that Options.AllParts gives the soup of the file without settings.
func TestThreeMFAllParts(t *testing.T) {
	two := `<object id="1">` + boxesMesh(cubeAt(0), cubeAt(2)) + `</object>`
	for _, settings := range []string{`<object id="1">` + volume3(0, 11, "volume_type", "NegativeVolume") + `</object>`, `<object id="x"/>`, `<broken`} {
		typed := settingsOf(two, `<item objectid="1"/>`, prusaPath, settings)
		got, info, err := Read(t.Context(), "a.3mf", strings.NewReader(typed), Options{AllParts: true})
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := readString("a.3mf", package3MF(model3(two, `<item objectid="1"/>`)))
		if err != nil {
			t.Fatal(err)
		}
		if describe(got) != describe(want) {
			t.Errorf("%s: got\n%s, want\n%s", settings, describe(got), describe(want))
		}
		const note = "the types of parts in /metadata/slic3r_pe_model.config are ignored: all parts are read as solid"
		if got := strings.Join(info.Notes, "|"); got != note {
			t.Errorf("notes %q, want %q", got, note)
		}
	}
}

func TestThreeMFPartsRefuse(t *testing.T) {
	two := `<object id="1">` + boxesMesh(cubeAt(0), cubeAt(2)) + `</object>`
	file := func(settings string) string {
		return settingsOf(two, `<item objectid="1"/>`, prusaPath, `<object id="1">`+settings+`</object>`)
	}
	for _, r := range []refusal{
		{"overlap", "a.3mf", file(volume3(0, 12) + volume3(12, 23)), ErrSyntax, "/metadata/slic3r_pe_model.config: line 1: syntax error: two volumes of object 1 share triangle 12"},
		{"too many triangles", "a.3mf", file(volume3(0, 11) + volume3(12, 24)), ErrIndexRange, "lastid is 24, but object 1 has 24 triangles"},
		{"huge range", "a.3mf", file(volume3(0, 1<<62)), ErrIndexRange, "lastid is 4611686018427387904"},
		{"empty range", "a.3mf", file(volume3(3, 2)), ErrSyntax, "firstid is 3 and lastid is 2"},
		{"negative id", "a.3mf", file(volume3(-1, 2)), ErrSyntax, `firstid of volume is "-1", not a number`},
		{"no ids", "a.3mf", file("<volume/>"), ErrSyntax, `firstid of volume is "", not a number`},
		{"object id", "a.3mf", settingsOf(two, `<item objectid="1"/>`, bambuPath, `<object id="one"/>`), ErrSyntax, `id of object is "one", not a number`},
		{"part id", "a.3mf", settingsOf(two, `<item objectid="1"/>`, bambuPath, `<object id="1"><part/></object>`), ErrSyntax, `id of part is "", not a number`},
		{"object twice", "a.3mf", settingsOf(two, `<item objectid="1"/>`, prusaPath, `<object id="1"/><object id="1"/>`), ErrSyntax, "the object id 1 occurs twice"},
		{"damaged", "a.3mf", file("<volume"), ErrSyntax, "/metadata/slic3r_pe_model.config: line 1: "},
		{"cut short", "a.3mf", zipOf("_rels/.rels", rootRels, "3D/3dmodel.model", model3(two, `<item objectid="1"/>`), bambuPath, "<config><object id=\"1\">"), ErrTruncated, "/metadata/model_settings.config"},
		{"other root", "a.3mf", zipOf("_rels/.rels", rootRels, "3D/3dmodel.model", model3(two, `<item objectid="1"/>`), bambuPath, "<plates/>"), ErrSyntax, `the root element is "plates", must be config`},
		{"no solid part", "a.3mf", file(volume3(0, 11, "volume_type", "SupportBlocker") + volume3(12, 23, "volume_type", "ParameterModifier")), ErrNoTriangles, "the slicer uses all 2 parts as modifiers, support blockers and support enforcers"},
	} {
		r.run(t)
		_, _, err := readString(r.file, r.data)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, "--parts all") {
			t.Errorf("%s: got %#v, want a hint with --parts all", r.name, err)
		}
		if _, _, err := Read(t.Context(), r.file, strings.NewReader(r.data), Options{AllParts: true}); err != nil {
			t.Errorf("%s: with AllParts: %v", r.name, err)
		}
	}
}

// TestThreeMFPartsHostile reads settings that are much larger than the model, in little memory, and
// random ranges. Read must end soon, with a soup or an *Error.
func TestThreeMFPartsHostile(t *testing.T) {
	two := `<object id="1">` + boxesMesh(cubeAt(0), cubeAt(2)) + `</object>`
	read := func(data string, limit int64) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s, _, err := Read(ctx, "a.3mf", strings.NewReader(data), Options{MaxMemory: limit})
		var e *Error
		if err == nil {
			checkSoup(t, s)
		} else if !errors.As(err, &e) {
			t.Errorf("got %v, want an *Error", err)
		}
		return err
	}
	item := `<item objectid="1"/>`
	for _, settings := range []string{
		strings.Repeat(`<object id="1"`, 100_000),
		strings.Repeat(`<object id="7"/>`, 100_000),
		`<object id="1">` + strings.Repeat(part3(7, "negative_part", strings.Repeat("n", 100)), 50_000) + `</object>`,
		`<object id="1">` + strings.Repeat(volume3(0, 23), 50_000) + `</object>`,
	} {
		if err := read(settingsOf(two, item, prusaPath, settings), 4<<20); err == nil {
			t.Errorf("%.40s… was read in 4 MB", settings)
		}
	}
	many := `<object id="1">` + strings.Repeat(part3(1, "normal_part", strings.Repeat("n", 1000)), 100) + `</object>`
	if err := read(settingsOf(two, strings.Repeat(item, 20_000), bambuPath, many), 24<<20); !errors.Is(err, ErrTooLarge) {
		t.Errorf("20,000 instances with long names in 24 MB: got %v", err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var settings strings.Builder
		for range r.IntN(5) {
			kinds := []string{"ModelPart", "NegativeVolume", "ParameterModifier", "", "x"}
			settings.WriteString(volume3(r.IntN(26), r.IntN(26), "volume_type", kinds[r.IntN(len(kinds))]))
		}
		_ = read(settingsOf(two, item+item, prusaPath, `<object id="1">`+settings.String()+`</object>`), 0)
	}
}
