// Package threemf reads 3MF, the 3D manufacturing format: a zip archive of XML parts.
package threemf

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

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
	parts  map[string]*zip.File  // by lower-case name with a leading slash (OPC: names do not differ by case)
	root   string                // name of the root model
	unit   string                // of the root model, in which all coordinates are given
	models map[string]*modelPart // read so far, by name

	beams  int            // beam lattices left out
	kinds  map[string]int // objects in use, by type
	lowRes int            // objects in use whose mesh is a preview of their slices
}

// relModel is the type of the relationship from the package to its model.
const relModel = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"

// zipEncrypted is the flag of an encrypted file (APPNOTE.TXT §4.4.4, bit 0).
const zipEncrypted = 1

// zipEntryBytes bounds the memory of an entry of the archive's directory, without its name: a
// zip.File (about 300 bytes), a pointer to it, and 24 bytes in the map of parts, whose table
// is at least 7/16 full.
const zipEntryBytes = 400

// read reads a 3MF package (3MF core specification 1.4, production extension 1.1). Each build
// item becomes a body: its object, with components resolved through all transforms, also from
// other model parts (p:path). Objects that no item refers to are skipped.
//
// Coordinates are in the unit of the root model, which is noted unless it is the default,
// millimeter. Parts in other units are converted. A transform that mirrors reverses its
// triangles, so volumes keep their sign (§3.3).
//
// Materials, properties, triangle sets and slices are ignored. Beam lattices are noted, and so
// are meshes that the file declares as previews of slices. A required extension that changes
// the shape is refused, and so is an object in use whose shape only an extension describes.
// Among the parts of a shape, unknown elements of the core are refused.
func read(s *soup.Source, b *soup.Builder) error {
	z, err := zip.NewReader(bytes.NewReader(s.Data), int64(len(s.Data)))
	if err != nil {
		return zipError("", err)
	}
	p := &archive{src: s, b: b, parts: map[string]*zip.File{}, models: map[string]*modelPart{}, kinds: map[string]int{}}
	if err := s.Budget.Reserve(zipEntryBytes * int64(len(z.File))); err != nil {
		return err
	}
	for _, f := range z.File {
		name := partName("/", f.Name)
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
	if err := p.build(m); err != nil {
		return err
	}
	p.note()
	return nil
}

// note notes the counts that are not zero.
func (p *archive) note() {
	for _, kind := range [...]string{"solidsupport", "support", "surface", "other"} {
		if n := p.kinds[kind]; n > 0 {
			p.b.Note("%d objects in use are of type %q", n, kind)
		}
	}
	if p.lowRes > 0 {
		p.b.Note("%d objects in use have slices and a mesh of low resolution: the mesh was read", p.lowRes)
	}
	if p.beams > 0 {
		p.b.Note("%d beam lattices left out", p.beams)
	}
}

// partName returns the key in parts of a target relative to folder.
func partName(folder, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if !strings.HasPrefix(target, "/") {
		target = folder + "/" + target
	}
	return strings.ToLower(path.Clean(target))
}

// rootModel returns the name of the model part that _rels/.rels points to.
func (p *archive) rootModel() (string, error) {
	const rels = "/_rels/.rels"
	if p.parts[rels] == nil {
		return "", soup.AtPath("", soup.ErrUnknownFormat, "a zip archive without %s", rels).
			WithHint("3MF packages are the only zip archives that are read: unpack other archives first")
	}
	target := ""
	err := p.parse(rels, func(x *xmlPart, root xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			if e.Name.Local == "Relationship" && attr(e, "Type") == relModel && target == "" {
				target = attr(e, "Target")
				if target == "" {
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
		return "", soup.AtPath(rels, soup.ErrUnknownFormat, "no relationship to a 3D model").
			WithHint("3MF packages are the only zip archives that are read: unpack other archives first")
	}
	name := partName("/", target)
	if p.parts[name] == nil {
		if plain, err := url.PathUnescape(name); err == nil && p.parts[strings.ToLower(plain)] != nil {
			name = strings.ToLower(plain)
		}
	}
	return name, nil
}

// parse reads the XML part with the given name. It calls read with the root element.
func (p *archive) parse(name string, read func(*xmlPart, xml.StartElement) error) error {
	f := p.parts[name]
	if f == nil {
		return soup.AtPath(name, soup.ErrSyntax, "the package has no such part")
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
	if err != nil {
		return x.place(err)
	}
	root, err := x.root()
	if err != nil {
		return x.place(err)
	}
	if err := read(x, root); err != nil {
		return x.place(err)
	}
	if x.undeclaredNote != "" {
		p.b.Note("%s", x.undeclaredNote)
	}
	return x.place(x.end())
}

// zipError adds the part to an error of archive/zip.
func zipError(name string, err error) *soup.Error {
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		return soup.AtPath(name, soup.ErrUnsupported, "%w", err).WithHint("repack the archive with deflate")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return soup.AtPath(name, soup.ErrTruncated, "%w", err)
	}
	return soup.AtPath(name, soup.ErrSyntax, "%w", err)
}

// attr returns the attribute of e with that name and no namespace, or "".
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// label returns the name of an object for messages and bodies.
func label(name, number string, id int64) string {
	switch {
	case name != "":
		return name
	case number != "":
		return number
	}
	return fmt.Sprintf("object %d", id)
}
