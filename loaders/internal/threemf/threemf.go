// Package threemf reads 3MF, the 3D manufacturing format. A 3MF file is a zip archive of XML parts.
package threemf

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"net/url"
	"path"
	"strings"

	"github.com/inpoly/inpoly/internal/order"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Format describes 3MF.
func Format() soup.Format {
	return soup.Format{Name: "3mf", Signature: func(data []byte) bool { return bytes.HasPrefix(data, []byte("PK\x03\x04")) }, Read: read}
}

// archive is an open 3MF package: a zip archive of parts.
type archive struct {
	src    *soup.Source
	b      *soup.Builder
	parts  map[string]*zip.File  // parts by name in lower case with a leading slash; OPC ignores letter case
	root   string                // name of the root model
	unit   string                // unit of the root model and of the result
	models map[string]*modelPart // model parts that were read, by name

	references int64 // number of build items, and of components of measured objects

	item       place                         // the build item that build appends
	lastObject int32                         // number of the last object, for mesh.Body
	placed     [kinds]int                    // number of parts of the build items, by type
	partIndex  map[*partObject]map[int64]int // first part of each number, for objects whose parts have another order

	beams  int            // number of beam lattices, which are not read
	kinds  map[string]int // number of objects in use, by type
	lowRes int            // number of objects in use whose mesh is only a preview of their slices
}

// relModel is the type of the relationship from the package to its root model.
const relModel = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"

// zipEncrypted is the flag of an encrypted file in a zip archive (APPNOTE.TXT §4.4.4, bit 0).
const zipEncrypted = 1

// hintZip is the hint in errors about other zip archives.
const hintZip = "3MF packages are the only zip archives that are read: unpack other archives first"

// zipEntryBytes bounds the memory for an entry of the zip directory, without its name: about 300
// bytes for a zip.File, a pointer, a span, and 24 bytes in a map that is at least 7/16 full.
const zipEntryBytes = 500

// maxEntries bounds the number of entries of the zip directory. It is the largest number without
// zip64 (APPNOTE.TXT §4.4.21).
const maxEntries = 1<<16 - 1

// localHeaderBytes is the size of the header of an entry without its name (APPNOTE.TXT §4.3.7).
const localHeaderBytes = 30

// checkDirectory checks the size of the zip directory before archive/zip reads it. Each entry of the
// directory begins with a signature.
func checkDirectory(s *soup.Source) error {
	signature := []byte("PK\x01\x02") // APPNOTE.TXT §4.3.12
	first := bytes.Index(s.Data, signature)
	if first < 0 {
		return nil
	}
	n := bytes.Count(s.Data[first:], signature)
	if n > maxEntries {
		return soup.AtPath("", soup.ErrTooLarge, "the zip archive has %d entries, must have at most %d", n, maxEntries)
	}
	// Names are held twice: as stored, and as a key.
	return s.Budget.Reserve(zipEntryBytes*int64(n) + 2*int64(len(s.Data)-first))
}

// checkOverlap refuses entries that share bytes of the archive. Such entries can unpack to far more
// than the size of the archive. checkOverlap ignores entries without a valid header, because they
// cannot be opened.
func checkOverlap(files []*zip.File) error {
	type span struct {
		from, to int64
		name     string
	}
	spans := make([]span, 0, len(files))
	for _, f := range files {
		if at, err := f.DataOffset(); err == nil {
			spans = append(spans, span{at - localHeaderBytes, at + int64(min(f.CompressedSize64, math.MaxInt64/2)), f.Name})
		}
	}
	spans = order.Sorted(spans, func(a, b *span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return soup.AtPath(spans[i].name, soup.ErrSyntax, "the part overlaps the part %q", spans[i-1].name).
				WithHint("repack the archive if it can be trusted")
		}
	}
	return nil
}

// read reads a 3MF package (3MF core specification 1.4, production extension 1.1). Each build item
// becomes a body. If a slicer has described the parts of an item, each part becomes a body; see
// parts.go. The body contains the object of the item with all components and transforms. The
// components can be in other model parts. read skips objects that no item uses.
//
// Coordinates are in the unit of the root model. A note states this unit if it is not the default
// unit, millimeter. read converts parts in other units. If a transform mirrors, read reverses the
// triangles, so volumes keep their sign (§3.3).
//
// read ignores materials, properties, triangle sets and slices. Notes mention beam lattices, and
// meshes that the file declares as previews of slices. read refuses three things: a required
// extension that changes the shape; an object in use whose shape only an extension describes; and
// an unknown core element inside a shape.
func read(s *soup.Source, b *soup.Builder) error {
	if err := checkDirectory(s); err != nil {
		return err
	}
	z, err := zip.NewReader(bytes.NewReader(s.Data), int64(len(s.Data)))
	if err != nil {
		return zipError("", err)
	}
	p := &archive{src: s, b: b, parts: map[string]*zip.File{}, models: map[string]*modelPart{}, kinds: map[string]int{}}
	if err := checkOverlap(z.File); err != nil {
		return err
	}
	for _, f := range z.File {
		name := partName(f.Name)
		if _, ok := p.parts[name]; !ok {
			p.parts[name] = f
		}
	}
	if p.root, err = p.rootModel(); err != nil {
		return err
	}
	m, err := p.model(p.root)
	if err != nil {
		return err
	}
	if p.unit != defaultUnit {
		b.Note("unit is %s: coordinates are not converted", p.unit)
	}
	if err := p.readParts(m); err != nil {
		return err
	}
	if err := p.build(m); err != nil {
		return err
	}
	p.note()
	p.noteParts(m)
	if left := p.placed[modifierPart] + p.placed[supportBlocker] + p.placed[supportEnforcer]; left > 0 && len(b.Faces) == 0 {
		return soup.AtPath("", soup.ErrNoTriangles, "the slicer uses all %d parts as modifiers, support blockers and support enforcers", left).WithHint(hintParts)
	}
	return nil
}

// note adds a note for each count that is not zero.
func (p *archive) note() {
	for _, kind := range [...]string{"solidsupport", "support", "surface", "other"} {
		if n := p.kinds[kind]; n > 0 {
			p.b.Note("%d used objects are of type %q: read like type \"model\"", n, kind)
		}
	}
	p.b.NoteCount("%d used objects have slices and a mesh of low resolution: the mesh was read", p.lowRes)
	p.b.NoteCount("ignored %d beam lattices", p.beams)
}

// partName returns the key in archive.parts for a path from the root of the package.
func partName(target string) string {
	return strings.ToLower(path.Clean("/" + strings.ReplaceAll(target, `\`, "/")))
}

// rootModel returns the name of the model part to which _rels/.rels refers.
func (p *archive) rootModel() (string, error) {
	const rels = "/_rels/.rels"
	if p.parts[rels] == nil {
		return "", soup.AtPath("", soup.ErrUnknownFormat, "the zip archive has no %s", rels).WithHint(hintZip)
	}
	target := ""
	err := p.parse(rels, func(x *xmlPart, root xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			if e.Name.Local == "Relationship" && attr(e, "Type") == relModel && target == "" {
				if target = attr(e, "Target"); target == "" {
					return x.fail(soup.ErrSyntax, "the relationship to the model has no Target")
				}
			}
			return x.skip()
		})
	})
	if err != nil {
		return "", err
	}
	if target == "" {
		return "", soup.AtPath(rels, soup.ErrUnknownFormat, "the package has no relationship to a 3D model").WithHint(hintZip)
	}
	name := partName(target)
	if p.parts[name] == nil {
		if plain, err := url.PathUnescape(name); err == nil && p.parts[strings.ToLower(plain)] != nil {
			name = strings.ToLower(plain)
		}
	}
	return name, nil
}

// parse opens the XML part with the given name and calls a function with its root element.
func (p *archive) parse(name string, read func(*xmlPart, xml.StartElement) error) error {
	f := p.parts[name]
	if f == nil {
		return soup.AtPath(name, soup.ErrSyntax, "the part is missing from the package")
	}
	if f.Flags&zipEncrypted != 0 {
		return soup.AtPath(name, soup.ErrUnsupported, "the part is encrypted")
	}
	r, err := f.Open()
	if err != nil {
		return zipError(name, err)
	}
	defer r.Close()
	x, err := newXMLPart(p.src, name, p.src.Unpacking(r))
	var root xml.StartElement
	if err == nil {
		root, err = x.root()
	}
	if err == nil {
		err = read(x, root)
	}
	if err != nil {
		return x.place(err)
	}
	if x.undeclaredNote != "" {
		p.b.Note("%s", x.undeclaredNote)
	}
	return x.place(x.end())
}

// zipError adds the name of the part to an error of archive/zip.
func zipError(name string, err error) *soup.Error {
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		return soup.AtPath(name, soup.ErrUnsupported, "%w", err).WithHint("repack the archive with deflate")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return soup.AtPath(name, soup.ErrTruncated, "%w", err)
	}
	return soup.AtPath(name, soup.ErrSyntax, "%w", err)
}

// attr returns the value of the attribute of e with the given name and without a namespace. It
// returns "" if there is no such attribute.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
