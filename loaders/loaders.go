// Package loaders reads triangle meshes from files and writes them. Most users call Load, or Read for a stream. The
// package reads STL (binary and ASCII), OBJ, PLY (ASCII, little-endian and big-endian), OFF and its variants, glTF,
// GLB, 3MF, MSH of Gmsh, VTK (legacy files, .vtp, .vtu, .vts, .vtr and .vti) and CityJSON, also compressed with gzip or
// zstandard. In glTF, it reads instances (EXT_mesh_gpu_instancing) and meshopt compression, but not Draco compression.
// The package writes binary STL, PLY and GLB. MSH and VTK files can have volume cells, such as tetrahedra. Then the
// mesh is the outer surface of the cells, and surface cells are skipped.
//
// The result is a mesh.Soup with the corners that the file stores. The package does not weld or
// repair the mesh. Info.Notes lists everything that the package interpreted or deliberately
// skipped, such as line elements and trailing bytes. If a file cannot be read, the error is an
// *Error with the file, the place and the reason. Each coordinate is the float64 number nearest to
// the number in the file; VTK image data has no coordinates, so they are computed in float64. A vertex that is beyond mesh.MaxCoordinate or not finite is refused even
// if no face uses the vertex.
//
// The format is recognized from the content. If the content is not clear, the suffix of the file
// name decides. Common formats that the package does not read, such as STEP or FBX, are named in the
// error, with advice in Error.Hint. Options.MaxMemory bounds the memory. If a file declares a number of elements, the
// package compares the number with the size of the file before it allocates memory.
//
//	soup, info, err := loaders.Load(ctx, "part.obj.gz", loaders.Options{})
//	if errors.Is(err, loaders.ErrNoTriangles) {
//		return nil // points or lines only
//	}
//	if err != nil {
//		return err // part.obj.gz: line 17: a vertex has 2 numbers, must have 3, 4, 6 or 7
//	}
//	for _, note := range info.Notes {
//		fmt.Println(info.Format, note)
//	}
//	fmt.Println(len(soup.Faces), "triangles in", len(soup.Bodies), "bodies")
package loaders

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/weld"
	"github.com/inpoly/inpoly/loaders/internal/gltf"
	"github.com/inpoly/inpoly/loaders/internal/obj"
	"github.com/inpoly/inpoly/loaders/internal/ply"
	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/loaders/internal/stl"
	"github.com/inpoly/inpoly/mesh"
)

// Options configures Load and Read. The zero value is ready to use.
type Options struct {
	// Format is the format of the file. With Auto, the zero value, the format is recognized.
	Format Format

	// MaxMemory limits the number of bytes that Load or Read has in memory at the same time. The
	// mesh that a caller builds from the soup does not count.
	//
	// 0 means 56 MB + 16 × (decompressed bytes + bytes of external files). The decompressed bytes include
	// compressed parts of a file, such as buffer views of glTF. Instances of a mesh do not
	// raise this limit, so a small file with many instances can need a larger MaxMemory. A stream or
	// pipe, whose size is unknown, can have at most 4 GB. A positive MaxMemory replaces these limits.
	//
	// One limit always applies. The unpacked size of packed content is at most 256 MB or 200 times the
	// packed size, whichever is more.
	MaxMemory int64

	// FS opens external files, such as buffers of glTF. Their paths are relative to the folder of
	// the mesh. If FS is nil, Load opens files in and below this folder, and Read refuses external
	// files.
	FS fs.FS

	// AllParts means that all parts of a 3MF file of a slicer are solid, whatever their types are. The
	// bodies are then the build items, as in a file without types of parts. By default, negative parts are
	// negative bodies, and modifiers, support blockers and support enforcers are left out; see Load.
	AllParts bool

	// Progress, if not nil, is called with the number of parsed bytes and the total number of
	// bytes. The calls never overlap, but can come from different goroutines.
	Progress func(done, total int64)
}

// Info describes a file that Load or Read has read.
type Info struct {
	Format         Format
	Compression    string   // "", "gzip" or "zstd"
	Bytes          int64    // number of bytes of decompressed content, of decompressed parts, and of external files
	Polygons       int      // number of faces before triangulation, including each instance of a face
	Externals      []string // other files that were read; paths relative to the folder of the mesh, with slashes
	StoredVertices int      // number of vertices in the file, including unused vertices
	Notes          []string // interpreted or skipped content: at most 32 notes, and the number of further notes
}

// Load reads the mesh in the file at path. It recognizes the format from the content, or else from
// the suffix. It recognizes content in gzip or zstandard and decompresses it. Load refuses devices,
// except the standard input of the process. It fails if the size or the modification time of a file
// changes while Load reads it.
//
// Faces keep their order. If the fan around the first corner of a polygon covers the polygon
// exactly, and no three corners of a triangle of this fan are on a line, the polygon becomes this
// fan. Other polygons are projected along the largest component of the area vector and triangulated
// by exact ear clipping, which avoids triangles of zero area. A face without area becomes a fan. If a
// face crosses itself, the part that remains after ear clipping becomes a fan. Each hole of a polygon is
// joined to another ring by two opposite edges before ear clipping. Info.Notes counts concave polygons,
// polygons with holes, polygons without area, and polygons that cross themselves. The boundary of the
// triangles is always the boundary of the face. Soup.Polygons lists the triangles of each polygon,
// so that mesh.Diagnose does not take diagonals of polygons for edges of the file.
//
// PrusaSlicer, SuperSlicer, Bambu Studio and OrcaSlicer give types to the parts of objects in a 3MF file.
// The types are in the settings of the slicer: Metadata/Slic3r_PE_model.config, SuperSlicer_model.config,
// Slic3r_model.config or model_settings.config. The readers 3mf.cpp and bbs_3mf.cpp in
// src/libslic3r/Format of the slicers define their meaning. Each part becomes a body with the name of the
// part. A part of an unknown type is solid, as in the slicers. A negative part becomes a body whose field
// Negative is set. Such a body is cut out of the bodies with the same Object, because a slicer prints
// each object alone. Modifiers, support blockers and support enforcers are left out, because they are not
// printed. Info.Notes counts the parts of each type. Load refuses settings that are damaged, and volumes
// that overlap or have triangles that do not exist. Options.AllParts ignores the settings.
//
// The indices of the soup are valid, and its vertices are finite. The result does not depend on the
// number of processors. Time and memory are O(n) for n bytes. A concave polygon of k corners
// usually takes O(k log k) time. Load is safe for concurrent use.
//
// Errors: an *Error that wraps one of these: a reason of this package, such as ErrEmpty;
// mesh.ErrTooLarge; an error of the operating system; the error of ctx.
func Load(ctx context.Context, path string, opt Options) (*mesh.Soup, Info, error) {
	content, info, err := loadFile(ctx, path, opt, false)
	return content.soup, info, placed(err, path, info.Format)
}

// Content is the content of a mesh file before welding, in a compact form.
type Content struct {
	soup      *mesh.Soup
	triangles weld.Soup // in place of the vertices and faces of soup; nil if there are none
}

// Mesh welds the triangles. The mesh is equal to the mesh that mesh.New returns for the soup of Load.
// Mesh can be called only once. Errors: those of mesh.New.
func (c *Content) Mesh(ctx context.Context, opt mesh.Options) (*mesh.Mesh, error) {
	soup, triangles := c.soup, c.triangles
	*c = Content{}
	if triangles == nil {
		return mesh.NewOwned(ctx, *soup, opt)
	}
	return mesh.Weld(ctx, triangles, soup.Bodies, opt)
}

// LoadContent loads a mesh file like Load. It takes less time and less memory than Load if the file
// stores no shared vertices, as STL does. Errors: those of Load.
func LoadContent(ctx context.Context, path string, opt Options) (*Content, Info, error) {
	content, info, err := loadFile(ctx, path, opt, true)
	if err != nil {
		return nil, info, placed(err, path, info.Format)
	}
	return &content, info, nil
}

// ReadContent reads a mesh like Read, and returns it like LoadContent. Errors: those of Read.
func ReadContent(ctx context.Context, name string, r io.Reader, opt Options) (*Content, Info, error) {
	content, info, err := read(ctx, name, r, -1, opt, true)
	if err != nil {
		return nil, info, placed(err, name, info.Format)
	}
	return &content, info, nil
}

func loadFile(ctx context.Context, path string, opt Options, chunked bool) (Content, Info, error) {
	f, err := disk.Open(path)
	if err != nil {
		return Content{}, Info{}, systemReason(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return Content{}, Info{}, systemReason(err)
	}
	if st.IsDir() {
		return Content{}, Info{}, fmt.Errorf("cannot read a mesh: %w", syscall.EISDIR)
	}
	if opt.FS == nil {
		// A disk.Root refuses files outside the folder, even through symbolic links.
		root, err := disk.OpenRoot(filepath.Dir(path))
		if err != nil {
			opt.FS = noFolder{err}
		} else {
			defer root.Close()
			opt.FS = root
		}
	}
	content, info, err := readFile(ctx, path, f, opt, chunked)
	if !soup.Placed(err) {
		err = systemReason(err)
	}
	return content, info, err
}

// readFile reads an open file. It reads binary STL in sections, and all other files as a whole.
func readFile(ctx context.Context, path string, f *disk.File, opt Options, chunked bool) (Content, Info, error) {
	header := make([]byte, stl.HeaderSize)
	if (opt.Format != Auto && opt.Format != STL) || opt.MaxMemory < 0 || f.Size() < stl.HeaderSize {
		return read(ctx, path, f, f.Size(), opt, chunked)
	}
	if _, err := f.ReadAt(header, 0); err != nil {
		return Content{}, Info{Format: opt.Format}, err
	}
	if !stl.Plain(header, f.Size()) {
		return read(ctx, path, f, f.Size(), opt, chunked)
	}
	opt.Format = STL
	src := newSource(ctx, f.Size(), opt)
	src.OpenAt(f, f.Size())
	return parse(src, opt, chunked, func(src *soup.Source, b *soup.Builder) error {
		return cmp.Or(stl.ReadPlain(src, b), f.Unchanged())
	})
}

// noFolder is a folder that cannot be opened. The error matters only if the mesh has external files.
type noFolder struct{ err error }

func (f noFolder) Open(string) (fs.File, error) { return nil, f.err }

// systemReason removes the path from an error of package os, because Error.File holds the path.
func systemReason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("cannot %s: %w", p.Op, p.Err)
	}
	return err
}

// Read is like Load, but reads the mesh from r until the end of the stream. Errors contain the
// given name, and its suffix helps to recognize the format.
func Read(ctx context.Context, name string, r io.Reader, opt Options) (*mesh.Soup, Info, error) {
	content, info, err := read(ctx, name, r, -1, opt, false)
	return content.soup, info, placed(err, name, info.Format)
}

func newSource(ctx context.Context, size int64, opt Options) *soup.Source {
	return soup.NewSource(ctx, soup.Options{Size: size, MaxMemory: opt.MaxMemory, FS: opt.FS, Progress: opt.Progress, AllParts: opt.AllParts})
}

func read(ctx context.Context, name string, r io.Reader, size int64, opt Options, chunked bool) (Content, Info, error) {
	info := Info{Format: opt.Format}
	if opt.MaxMemory < 0 {
		return Content{}, info, soup.AtPath("", ErrTooLarge, "the memory limit is negative")
	}
	if int(opt.Format) >= len(formats) {
		return Content{}, info, soup.AtPath("", ErrUnknownFormat, "%v", opt.Format)
	}
	src := newSource(ctx, size, opt)
	err := src.Open(r)
	info.Compression, info.Bytes = src.Compression, src.Bytes
	if err != nil {
		return Content{}, info, err
	}
	if info.Format == Auto {
		var other *foreign
		if info.Format, other = detect(name, src.Data); other != nil {
			return Content{}, info, other.refuse()
		}
	}
	if info.Format == Auto {
		list := names()
		return Content{}, info, soup.AtPath("", ErrUnknownFormat, "neither content nor suffix is known").
			WithHint(fmt.Sprintf("inpoly reads %s and %s, also packed as .gz or .zst",
				strings.Join(list[:len(list)-1], ", "), list[len(list)-1]))
	}
	opt.Format = info.Format
	return parse(src, opt, chunked, formats[info.Format].Read)
}

// parse reads src, which is open, with the given function.
func parse(src *soup.Source, opt Options, chunked bool, read func(*soup.Source, *soup.Builder) error) (Content, Info, error) {
	b := soup.NewBuilder(src)
	b.Chunked = chunked
	soup, err := build(src, b, read)
	info := Info{
		Format: opt.Format, Compression: src.Compression, Bytes: src.Bytes, Polygons: b.Polygons,
		Externals: src.Externals, StoredVertices: b.StoredVertices, Notes: b.Notes,
	}
	if err == nil && opt.Progress != nil {
		opt.Progress(info.Bytes, info.Bytes)
	}
	return Content{soup, b.Triangles}, info, err
}

// build reads src with the given function and returns the soup.
func build(src *soup.Source, b *soup.Builder, read func(*soup.Source, *soup.Builder) error) (*mesh.Soup, error) {
	if err := read(src, b); err != nil {
		return nil, err
	}
	if err := src.Err(); err != nil {
		return nil, err
	}
	return b.Finish()
}

// WriteSTL writes m as binary STL. It rounds coordinates to float32, because the format has no
// other type. The file has neither bodies nor shared corners. Degenerate faces have a zero normal.
//
// Errors: ErrNotFinite with the number of a vertex that is beyond float32; an error of w.
func WriteSTL(w io.Writer, m *mesh.Mesh) error { return stl.Write(w, m) }

// WritePLY writes m as binary little-endian PLY. If all coordinates are float32 numbers, it writes
// floats, otherwise doubles. Therefore a reader gets the same mesh. The file has no bodies.
//
// Errors: an error of w.
func WritePLY(w io.Writer, m *mesh.Mesh) error { return ply.Write(w, m) }

// WriteOBJ writes m as OBJ. It writes the fewest decimal digits from which a reader gets the same
// float64, so a reader gets the same mesh. The file has no bodies.
//
// Errors: an error of w.
func WriteOBJ(w io.Writer, m *mesh.Mesh) error { return obj.Write(w, m) }

// WriteGLB writes m as GLB, the binary form of glTF 2.0. Each body becomes a node with a mesh, also a
// negative body. All
// meshes share the vertices. Faces outside all bodies become nodes without a name. If bodies
// overlap, all faces become one body.
//
// Coordinates are stored as float32, the only type of unscaled positions in glTF. If all
// coordinates are float32 numbers, a reader gets the same mesh. Otherwise they are stored relative
// to the middle of the bounding box, which becomes the translation of the nodes. Each coordinate
// then changes by at most 2⁻²⁴ times half the longest box edge, and close vertices can coincide.
// WriteGLB allocates 12 bytes for each vertex and 6 or 12 bytes for each face.
//
// Errors: ErrNotFinite with the number of a vertex that is beyond float32; ErrTooLarge if the file
// would have more than 4 GB; an error of w.
func WriteGLB(w io.Writer, m *mesh.Mesh) error { return gltf.WriteBinary(w, m) }
