package hostile

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
)

// generator makes hostile files. The same seed gives the same file.
type generator struct {
	*rand.Rand
	most int // about the largest size of a file in bytes
	odd  int // one of this many values is strange; 0 means none
}

// size returns a number from 1 to n. Its logarithm is uniformly distributed.
func (g *generator) size(n int) int { return int(math.Pow(float64(max(1, n)), g.Float64())) }

func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g interface{ IntN(int) int }, list ...T) T { return list[g.IntN(len(list))] }

func (g *generator) strange() bool { return g.odd > 0 && g.chance(g.odd) }

// number returns a number, which can be strange.
func (g *generator) number() string {
	if !g.strange() {
		return fmt.Sprint(float64(g.IntN(2000)-1000) / 8)
	}
	return pick(g, "1e308", "-1e308", "1e-400", "1e999999999", "NaN", "-inf", "0x1p9", "", "-", ".", "1e", "1_0", "1,5",
		strings.Repeat("9", g.size(g.most/8)), "0."+strings.Repeat("0", g.size(g.most/8))+"1", "1e"+strings.Repeat("0", g.size(1000))+"5")
}

// count returns n or a strange count.
func (g *generator) count(n int) string {
	if !g.strange() {
		return fmt.Sprint(n)
	}
	return pick(g, fmt.Sprint(n), fmt.Sprint(n), fmt.Sprint(n), fmt.Sprint(n+1), fmt.Sprint(g.IntN(2*n+2)), "-1", "0", "1000000", "2147483647", "2147483648", "4294967295",
		"4294967296", "9223372036854775807", "18446744073709551615", "99999999999999999999999", "1e9", "3.0", strings.Repeat("0", g.size(g.most/8))+"1")
}

// index returns an index below n or a strange number.
func (g *generator) index(n int) string {
	if g.strange() && g.chance(10) {
		return g.count(n)
	}
	return fmt.Sprint(g.IntN(max(1, n)))
}

// name returns a name, which is sometimes long.
func (g *generator) name() string {
	return pick(g, "a", "b", "vertex", "x", "\x1b[31m", "é\x00", "\xff\xfe", strings.Repeat("n", g.size(g.most/4)), fmt.Sprint("n", g.IntN(1e6)))
}

// polygon returns the corners of a polygon in the plane, of a kind that is hard to triangulate.
func (g *generator) polygon(n int) [][2]float64 {
	kind := g.IntN(7)
	out := make([][2]float64, n)
	for i := range out {
		t := 2 * math.Pi * float64(i) / float64(n)
		switch kind {
		case 0: // comb
			out[i] = [2]float64{float64(i), float64(i%2*1000) + float64(i)*1e-3}
		case 1: // spiral
			r := float64(min(i, n-i)) + .5*float64(i/(n/2+1))
			out[i] = [2]float64{r * math.Cos(40*t), r * math.Sin(40*t)}
		case 2: // star
			r := 1 + 100*g.Float64()
			out[i] = [2]float64{r * math.Cos(t), r * math.Sin(t)}
		case 3: // all corners on a line
			out[i] = [2]float64{float64(g.IntN(100)), 0}
		case 4: // crosses itself
			out[i] = [2]float64{g.Float64(), g.Float64()}
		case 5: // sawtooth with narrow teeth
			out[i] = [2]float64{float64(i / 2), math.Ldexp(float64(i%2), -i%60)}
		default: // a circle seen from inside
			out[i] = [2]float64{math.Cos(t), -math.Sin(t)}
		}
	}
	return out
}

func (g *generator) stl() (string, []byte) {
	var b bytes.Buffer
	if g.chance(3) {
		n := g.size(g.most / 50)
		b.WriteString(pick(g, "solid", "COLOR=", "", "ply", "OFF") + strings.Repeat(" ", 80))
		b.Truncate(80)
		declared := pick(g, uint32(n), uint32(n), uint32(n+1), uint32(n/2), math.MaxUint32, 1<<31, 0)
		b.Write(binary.LittleEndian.AppendUint32(nil, declared))
		for range n {
			for range 12 {
				v := math.Float32bits(g.Float32())
				if g.chance(500) {
					v = g.Uint32()
				}
				b.Write(binary.LittleEndian.AppendUint32(nil, v))
			}
			b.WriteString("\x00\x00")
		}
		return pick(g, "a.stl", "a.stlb", "a"), b.Bytes()
	}
	names := g.chance(3)
	fmt.Fprintf(&b, "solid %s\n", g.name())
	blank := pick(g, " ", "\n", "\t", "\r", strings.Repeat(" ", g.size(100)))
	for end := g.size(g.most); b.Len() < end; {
		b.WriteString("facet" + blank + "normal 0 0 1" + blank + "outer" + blank + "loop" + blank)
		for range pick(g, 3, 3, 3, 3+g.IntN(2)*min(1, g.odd)) {
			fmt.Fprintf(&b, "vertex%s%s %s %s\n", blank, g.number(), g.number(), g.number())
		}
		b.WriteString("endloop" + blank + "endfacet\n")
		if names {
			fmt.Fprintf(&b, "endsolid\nsolid %s\n", g.name())
		}
	}
	b.WriteString(pick(g, "endsolid", "", "endsolid x\n\n", "facet"))
	return "a.stl", b.Bytes()
}

func (g *generator) obj() (string, []byte) {
	var b bytes.Buffer
	kind := g.IntN(6)
	vertices := 0
	for end := g.size(g.most); b.Len() < end; {
		switch kind {
		case 0: // large polygons
			for _, p := range g.polygon(3 + g.size((end-b.Len())/12)) {
				fmt.Fprintf(&b, "v %g %g 0\n", p[0], p[1])
				vertices++
			}
			b.WriteString("f")
			n := 3 + g.IntN(vertices)
			for i := range min(n, vertices) {
				fmt.Fprintf(&b, " %d", i-min(n, vertices))
			}
			b.WriteString("\n")
		case 1: // many bodies
			fmt.Fprintf(&b, "v 0 0 0\n%s %s\nf -1 -1 -1\n", pick(g, "o", "g", "usemtl", "s"), g.name())
		case 2: // continued lines, long blanks and comments
			b.WriteString(pick(g, "v 1 2 \\\n 3\n", "f 1 1 1\n", "# "+g.name()+"\n", strings.Repeat("\\\n", g.size(1000)), strings.Repeat(" ", g.size(10000)), strings.Repeat("\n", g.size(1000)), "f 1/1/1 1//1 1/1\n"))
		case 3: // one polygon with a corner again and again
			b.WriteString("v 0 0 0\nv 1 0 0\nv 0 1 0\nf" + strings.Repeat(pick(g, " 1 2 3", " 1", " -1 -2", " 3 2 1 2"), g.size(g.most/4)) + "\n")
		default:
			fmt.Fprintf(&b, "v %s %s %s\n", g.number(), g.number(), g.number())
			if vertices++; vertices > 2 {
				fmt.Fprintf(&b, "f -%s1 %s %s\n", pick(g, "", "0"), pick(g, "1", "-2", fmt.Sprint(1+g.IntN(vertices)), g.index(vertices+1)), "2")
			}
		}
	}
	return "a.obj", b.Bytes()
}

func (g *generator) ply() (string, []byte) {
	var b bytes.Buffer
	format := pick(g, "ascii", "ascii", "binary_little_endian")
	kind := g.IntN(5)
	n := g.size(g.most / 20)
	fmt.Fprintf(&b, "ply\nformat %s 1.0\n", format)
	if g.chance(8) {
		b.WriteString(strings.Repeat("comment "+pick(g, "", "xxxxxxxx")+"\n", g.size(g.most/16)))
	}
	number := pick(g, "float", "float", "double")
	fmt.Fprintf(&b, "element vertex %s\nproperty %s x\nproperty %s y\nproperty %s z\n", g.count(n), number, number, number)
	extra := 0
	if kind == 1 { // many properties
		extra = g.size(g.most / 32)
		for i := range extra {
			fmt.Fprintf(&b, "property %s p%d\n", pick(g, "char", "list uchar int", "double"), i)
		}
	}
	if kind == 2 { // many elements
		for i := range g.size(g.most / 32) {
			fmt.Fprintf(&b, "element e%d %s\n", i, pick(g, "0", "1", "4000000000"))
		}
	}
	if kind == 3 {
		fmt.Fprintf(&b, "element %s 0\nproperty int %s\n", g.name(), g.name())
	}
	fmt.Fprintf(&b, "element %s %s\nproperty list %s %s vertex_indices\nend_header\n", pick(g, "face", "face", "face", "tristrips"), g.count(n), pick(g, "uchar", "uchar", "uint"), pick(g, "int", "uint"))
	for range n {
		if b.Len() > g.most {
			break
		}
		if format == "ascii" {
			fmt.Fprintf(&b, "%s %s %s%s\n", g.number(), g.number(), g.number(), strings.Repeat(" 0", extra))
		} else {
			for range pick(g, 3, 3, 3, 3+g.IntN(2)*min(1, g.odd)) {
				b.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(g.Float32())))
			}
		}
	}
	for range n {
		if b.Len() > g.most {
			break
		}
		if format == "ascii" {
			k := pick(g, 3, 3, 3, 4, 5, 2+g.size(1000))
			fmt.Fprint(&b, k)
			for range k {
				b.WriteString(" " + g.index(n))
			}
			b.WriteString("\n")
		} else {
			b.WriteByte(byte(pick(g, 3, 3, 3, 3+g.IntN(2)*min(1, g.odd))))
			for range 3 {
				b.Write(binary.LittleEndian.AppendUint32(nil, uint32(g.IntN(n))))
			}
		}
	}
	return "a.ply", b.Bytes()
}

func (g *generator) off() (string, []byte) {
	var b bytes.Buffer
	n := g.size(g.most / 16)
	b.WriteString(pick(g, "OFF", "OFF", "OFF", "nOFF "+g.count(3), pick(g, "OFF", "COFF", "NOFF", "STCN4OFF", "4nOFF "+g.count(3), "OFF BINARY")) + "\n")
	if g.chance(8) {
		b.WriteString(strings.Repeat("# x\n", g.size(g.most/8)) + strings.Repeat(" ", g.size(g.most)))
	}
	fmt.Fprintf(&b, "%s %s %s\n", g.count(n), g.count(n), g.count(n))
	if g.chance(3) {
		for _, p := range g.polygon(n) {
			fmt.Fprintf(&b, "%g %g 0\n", p[0], p[1])
		}
		fmt.Fprint(&b, n)
		for i := range n {
			fmt.Fprintf(&b, " %d", i)
		}
		return "a.off", b.Bytes()
	}
	for range n {
		fmt.Fprintf(&b, "%s %s %s\n", g.number(), g.number(), g.number())
	}
	end := pick(g, "\n", " 255 0 0\n", strings.Repeat(" ", 1+g.odd))
	for range n {
		k := pick(g, 3, 3, 4, 2+g.size(100))
		fmt.Fprint(&b, k)
		for range k {
			b.WriteString(" " + g.index(n))
		}
		b.WriteString(end)
	}
	return "a.off", b.Bytes()
}

// document returns the JSON of a glTF document with a buffer of the given size. If uri is true, the
// buffer is in the document.
func (g *generator) document(buffer int, uri bool) string {
	n := 1 + g.size(g.most/200)
	list := func(name string, n int, item func(i int) string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		return fmt.Sprintf(`,"%s":[%s]`, name, strings.Join(items, ","))
	}
	indices := func(n, k int) string {
		items := make([]string, k)
		for i := range items {
			items[i] = g.index(n)
		}
		return strings.Join(items, ",")
	}
	forward := g.chance(2) // children come later, so there are no cycles
	width := pick(g, 1, 2, 2, 3, 10)
	text := `{"asset":{"version":"2.0"}` + list("nodes", n, func(i int) string {
		children := ""
		if i+1 < n && !g.chance(4) {
			children = `,"children":[` + indices(n, g.IntN(width+1)*min(1, g.odd)) + `]`
			if forward {
				items := make([]string, 1+g.IntN(width))
				for k := range items {
					items[k] = fmt.Sprint(i + 1 + g.IntN(min(3, n-i-1)))
				}
				children = `,"children":[` + strings.Join(items, ",") + `]`
			}
		}
		return pick(g, `{"mesh":`+g.index(2), `{"mesh":`+g.index(2), `{"name":"x"`, `{"scale":[1,2,`+pick(g, "3", "3", g.number())+`]`) + children + "}"
	})
	if !g.chance(3) {
		text += list("scenes", 1, func(int) string { return `{"nodes":[` + pick(g, "0", indices(n, 1+g.size(n))) + `]}` })
	}
	accessor := func(int) string {
		if g.odd == 0 { // all accessors are positions
			return fmt.Sprintf(`{"bufferView":0,"componentType":%d,"type":"%s","count":%d}`, 5126, "VEC3", max(3, buffer/12/3*3))
		}
		sparse := ""
		if g.chance(8) {
			sparse = fmt.Sprintf(`,"sparse":{"count":%s,"indices":{"bufferView":0,"componentType":5123},"values":{"bufferView":1}}`, g.count(3))
		}
		view := `"bufferView":` + g.index(2) + `,`
		if g.chance(6) {
			view = ""
		}
		return `{` + view + fmt.Sprintf(`"componentType":%s,"type":"%s","count":%s%s}`, pick(g, "5126", "5126", pick(g, "5126", "5125", "5123", "5121", "9")), pick(g, "VEC3", "VEC3", pick(g, "VEC3", "SCALAR", "MAT4")), g.count(buffer/12), sparse)
	}
	parts := g.size(n)
	text += list("accessors", 1+parts, accessor) + list("bufferViews", 2, func(int) string {
		return fmt.Sprintf(`{"buffer":0,"byteOffset":%s,"byteLength":%s,"byteStride":%s}`, pick(g, "0", "0", g.count(0)), g.count(buffer), pick(g, "12", "12", g.count(12)))
	})
	text += list("meshes", 2, func(int) string {
		var items []string
		for range g.size(parts) {
			items = append(items, fmt.Sprintf(`{"attributes":{"POSITION":%s}%s%s}`, g.index(parts), pick(g, "", strings.Repeat(`,"indices":`+g.index(parts), min(1, g.odd))), pick(g, "", `,"mode":`+pick(g, "5", g.index(7)))))
		}
		return `{"primitives":[` + strings.Join(items, ",") + `]}`
	})
	switch g.IntN(16) {
	case 0:
		text += `,"extras":` + strings.Repeat(pick(g, "[", `{"a":`), g.size(g.most/6))
	case 1:
		text += `,"nodes":[` + strings.Repeat("{},", g.size(g.most/3)) + "{}]"
	case 2:
		text += `,"extras":[` + strings.Repeat(pick(g, "0,", "[],", `"",`, `{"a":0},`), g.size(g.most/4)) + "0]"
	case 3:
		text += `,"` + strings.Repeat(pick(g, "x", `\u0041`), g.size(g.most/6)) + `":1`
	case 4:
		text += `,"scene":` + strings.Repeat("9", g.size(g.most))
	case 5:
		text += `,"extensionsRequired":[` + strings.Repeat(`"a",`, g.size(g.most/4)) + `"KHR_` + g.name() + `"]`
	}
	if uri {
		data := make([]byte, buffer)
		for i := range data {
			data[i] = pick(g, 0, 0, 0, byte(g.IntN(4)), byte(g.Uint32()))
		}
		text += fmt.Sprintf(`,"buffers":[{"byteLength":%s,"uri":"%s%s"}]}`, g.count(buffer), pick(g, "data:application/octet-stream;base64,", "data:;base64,", "data:;base64,", pick(g, "data:;base64,", "../", "http://")), base64.StdEncoding.EncodeToString(data))
	} else {
		text += fmt.Sprintf(`,"buffers":[{"byteLength":%s}]}`, g.count(buffer))
	}
	return text
}

func (g *generator) gltf() (string, []byte) {
	return "a.gltf", []byte(g.document(36+g.size(g.most/4), true))
}

func (g *generator) glb() (string, []byte) {
	size := 36 + g.size(g.most/2)
	text := g.document(size, false)
	for len(text)%4 != 0 {
		text += " "
	}
	little := binary.LittleEndian
	chunk := func(kind uint32, data []byte) []byte {
		n := uint32(len(data))
		if g.strange() {
			n = pick(g, 0, n+1, math.MaxUint32, n/2)
		}
		return append(little.AppendUint32(little.AppendUint32(nil, n), kind), data...)
	}
	body := chunk(0x4e4f534a, []byte(text))
	for range pick(g, 0, 0, 0, g.size(g.most/8)) {
		body = append(body, chunk(7, nil)...)
	}
	body = append(body, chunk(0x004e4942, make([]byte, size))...)
	length := uint32(12 + len(body))
	if g.strange() {
		length = pick(g, 0, length+1, math.MaxUint32)
	}
	return "a.glb", append(little.AppendUint32([]byte("glTF\x02\x00\x00\x00"), length), body...)
}

// model returns the XML of a model part of 3MF.
func (g *generator) model(parts int, root bool) text {
	var b strings.Builder
	b.WriteString(modelHead)
	objects := 1 + g.size(g.most/400)
	path := func() string {
		if root && parts > 1 && g.chance(3) || g.strange() {
			return fmt.Sprintf(` p:path="/m%d"`, g.IntN(max(1, parts-1)))
		}
		return ""
	}
	component := func(name string, i int) {
		transform := ""
		if g.chance(6) {
			transform = ` transform="` + "1 0 0 0 1 0 0 0 1 0 0 " + strings.Repeat("2 ", g.IntN(2)*min(1, g.odd)) + g.number() + `"`
		}
		fmt.Fprintf(&b, `<%s objectid="%d"%s%s/>`, name, i, transform, path())
	}
	b.WriteString("<resources>")
	for i := range objects {
		fmt.Fprintf(&b, `<object id="%d" name="%s">`, i+1, pick(g, "a", "b", strings.Repeat("n", g.size(g.most/8))))
		if i == 0 || g.chance(4) {
			b.WriteString("<mesh><vertices>")
			n := 3 + g.size(g.most/200)
			for range n {
				fmt.Fprintf(&b, `<vertex x="%s" y="%s" z="%s"/>`, g.number(), pick(g, "0", g.number()), "1")
			}
			b.WriteString("</vertices><triangles>")
			for range n {
				fmt.Fprintf(&b, `<triangle v1="%s" v2="%s" v3="0"/>`, g.index(n), g.index(n))
			}
			b.WriteString("</triangles></mesh>")
		} else {
			b.WriteString("<components>")
			for range g.IntN(4) {
				component("component", pick(g, i, i, i, 1+g.IntN(i), 1+g.IntN(i+min(1, g.odd))))
			}
			b.WriteString("</components>")
		}
		b.WriteString("</object>")
	}
	b.WriteString("</resources><build>")
	for range g.size(10) {
		component("item", pick(g, objects, 1+g.IntN(objects)))
	}
	b.WriteString("</build>")
	k := g.size(2 * g.most)
	head, unit, tail := "", pick(g, " ", "<a/>", "text", `<a xmlns="b:c"/>`, "<!-- -->", "<?pi?>", "&#65;", "<![CDATA[x]]>", strings.Repeat("<a>", g.IntN(300)*min(1, g.odd))+" "), ""
	if g.odd > 0 && g.chance(2) {
		head, unit, tail = pick(g, "<metadata ", "<!-- ", "<![CDATA[", `<metadata a="`, "<?pi ", "<", "</", "<!DOCTYPE x ", "<metadata xmlns:"),
			pick(g, `a="" `, `xmlns:a="b:c" `, "x", "&amp;", ">", "<", "\n", "a", "-"), pick(g, "/>", "-->", "]]>", `"/>`, "?>", "")
	}
	return text{b.String() + head, unit, max(1, k/len(unit)), tail + "</model>"}
}

func (g *generator) threemf() (string, []byte, int64) {
	parts := g.size(20)
	g.most = max(g.most/parts, 4<<10)
	list := []part{{"3D/3dmodel.model", g.model(parts, true)}}
	for i := range parts - 1 {
		list = append(list, part{fmt.Sprintf("m%d", i), g.model(parts, false)})
	}
	if g.chance(8) { // UTF-16
		p := &list[0].text
		var b bytes.Buffer
		p.writeTo(&b)
		wide := []byte{0xff, 0xfe}
		for _, c := range utf16.Encode([]rune(strings.Replace(b.String(), "UTF-8", "UTF-16", 1))) {
			wide = binary.LittleEndian.AppendUint16(wide, c)
		}
		*p = text{head: string(wide)}
	}
	if g.chance(8) {
		for i := range g.size(g.most / 100) {
			list = append(list, part{fmt.Sprint(strings.Repeat("x", g.size(1000)), i), text{}})
		}
	}
	data, size := pack3MF(pick(g, zip.Deflate, zip.Deflate, zip.Store), list...)
	if g.odd > 0 && g.chance(8) {
		data, size = overlapping(2+g.size(1000), g.size(g.most))
	}
	if g.odd > 0 && g.chance(4) { // damage the directory
		from := bytes.Index(data, []byte("PK\x01\x02"))
		for range 1 + g.IntN(4) {
			data[from+g.IntN(len(data)-from)] = pick(g, 0, 0xff, byte(g.Uint32()))
		}
	}
	return "a.3mf", data, size
}

// damage changes, removes and repeats bytes.
func (g *generator) damage(data []byte) []byte {
	for range 1 + g.IntN(6) {
		if len(data) == 0 {
			break
		}
		at := g.IntN(len(data))
		end := at + min(g.size(200), len(data)-at)
		switch g.IntN(5) {
		case 0:
			data[at] = byte(g.Uint32())
		case 1:
			data[at] ^= 1 << g.IntN(8)
		case 2:
			data = append(data[:at:at], data[end:]...)
		case 3:
			data = append(data[:end:end], data[at:]...)
		case 4:
			if g.chance(3) {
				data = data[:at]
			}
		}
	}
	return data
}

// compress returns the file name and the content of a compressed file. The content is sometimes
// damaged or a bomb.
func (g *generator) compress(file string, data []byte) (string, []byte, int64) {
	p := text{head: string(data)}
	if g.odd > 0 && g.chance(2) && len(data) > 0 { // repeat a part of the file
		at := g.IntN(len(data))
		unit := data[at : at+min(g.size(300), len(data)-at)]
		p = text{string(data[:at]), string(unit), 1 + g.size(16*g.most)/len(unit), string(data[at:])}
	}
	if g.chance(2) {
		packed := packGzip(p)
		size := p.size()
		if g.chance(4) {
			packed = append(packed, packed...)
			size *= 2
		}
		if g.strange() { // lie about the size
			binary.LittleEndian.PutUint32(packed[len(packed)-4:], g.Uint32())
		}
		return file + ".gz", packed, size
	}
	var b bytes.Buffer
	w, _ := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(pick(g, 1<<10, 1<<20, 8<<20)))
	p.writeTo(w)
	w.Close()
	packed := b.Bytes()
	if g.chance(2) {
		plain := bytes.NewBuffer(nil)
		p.writeTo(plain)
		packed = w.EncodeAll(plain.Bytes(), nil)
	}
	if g.strange() {
		packed[4+g.IntN(min(12, len(packed)-4))] ^= byte(g.Uint32())
	}
	return file + ".zst", packed, p.size()
}

// utf16Text returns data as UTF-16.
func utf16Text(data []byte) []byte {
	wide := []byte{0xff, 0xfe}
	for _, c := range data {
		wide = append(wide, c, 0)
	}
	return wide
}

// meshCase returns a hostile mesh file.
func meshCase(i int) hostileCase {
	most := 64 << 10
	switch {
	case full() && i%101 == 0:
		most = 4 << 20
	case full() && i%17 == 0:
		most = 512 << 10
	}
	g := &generator{Rand: rand.New(rand.NewPCG(17, uint64(i))), most: most}
	g.odd = pick(g.Rand, 0, 0, 2, 20, 1000)
	makers := []func() (string, []byte){g.stl, g.obj, g.ply, g.off, g.gltf, g.glb}
	c := hostileCase{limit: pick[int64](g, 0, 0, 1<<20, 8<<20, 64<<20)}
	kind := i % (len(makers) + 1)
	if kind == len(makers) {
		c.file, c.data, c.plain = g.threemf()
	} else {
		c.file, c.data = makers[kind]()
		if g.chance(20) {
			c.data = utf16Text(c.data)
		}
		if g.odd > 0 && g.chance(3) {
			c.data = g.damage(c.data)
		}
		c.plain = int64(len(c.data))
	}
	if c.file == "a.3mf" && g.chance(20) || c.file != "a.3mf" && g.chance(3) {
		plain := c.plain
		c.file, c.data, c.plain = g.compress(c.file, c.data)
		c.plain = max(c.plain, plain)
	}
	if g.odd > 0 && g.chance(10) {
		c.data = g.damage(c.data)
		c.plain = max(c.plain, int64(len(c.data)))
	}
	c.label = fmt.Sprintf("%s, one of %d values is strange", c.file, g.odd)
	return c
}

// TestHostileMeshes measures the readers of mesh files.
func TestHostileMeshes(t *testing.T) {
	n := 140
	if full() {
		n = 14000
	}
	measureAll(t, n, max(70, n/100), meshCase, readMesh)
}
