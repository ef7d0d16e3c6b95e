package collide

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/tabular"
	"github.com/inpoly/inpoly/pose"
)

// scene is the content of a scene file and of its tables.
type scene struct {
	path   string     // name of the scene file in messages
	folder string     // folder of the scene file
	root   *disk.Root // the folder if the scene can name only files in and below it, or nil
	memory budget
	bodies []sceneBody
	meshes int       // number of different mesh files
	times  []float64 // times of all tables in ascending order; {0} if there are no tables
	notes  []string  // texts of warnings

	paths  map[string]string    // paths of the files that the scene names, by name
	tables map[string][]poseRow // rows of the tables, by path
}

type sceneBody struct {
	name, mesh string    // mesh is the path of a mesh file
	poses      []poseRow // in ascending order of time; nil if the body never moves
}

// poseRow is a pose and the time from which the body has this pose.
type poseRow struct {
	time float64
	pose pose.Pose
}

// readScene reads a scene file and its tables. If path is "-", it reads the scene from stdin. Paths
// of tables and meshes are relative to the folder of the scene. Unless allowPaths is set, they must
// be in or below this folder, also after symbolic links are followed. limit is the limit of the budget
// for the scene and its tables, or 0. For the size of the scene see disk.ReadAll.
func readScene(path string, stdin io.Reader, limit int64, allowPaths bool) (*scene, error) {
	var data []byte
	var err error
	s := &scene{path: term.InputName(path), folder: ".", memory: budget{limit: limit}}
	if path == "-" {
		data, err = disk.ReadAll(stdin, limit)
	} else {
		s.folder = filepath.Dir(path)
		data, err = disk.ReadFile(path, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, disk.Reason(err))
	}
	if formats.HasMeshName(path) {
		return nil, term.WithHint(term.Usagef("%s: expected a scene, but this is the name of a mesh", s.path),
			`a scene is a JSON file with the meshes: {"bodies": [{"mesh": "`+filepath.Base(path)+`"}, {"mesh": "other.stl"}]}; see inpoly help collide`)
	}
	if !allowPaths {
		if s.root, err = disk.OpenRoot(s.folder); err != nil {
			return nil, err
		}
		defer s.root.Close()
	}
	before := debug.SetMemoryLimit(-1)
	err = s.parse(data)
	debug.SetMemoryLimit(before) // parse sets a limit that has no room for the meshes
	var at tabular.Error
	switch {
	case errors.As(err, &at):
		return nil, at // the message of the error already names the file
	case err != nil:
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return s, nil
}

func (s *scene) parse(data []byte) error {
	s.paths, s.tables = map[string]string{}, map[string][]poseRow{}
	s.memory.read = int64(len(data))
	s.memory.limitGarbage()
	if err := s.memory.reserve(int64(len(data))); err != nil {
		return err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var file struct {
		Bodies skipped `json:"bodies"`
	}
	if err := strictJSON(data, &file, "bodies"); err != nil {
		return placed(data, err)
	}
	if err := s.parseBodies(data); err != nil {
		return err
	}
	if len(s.bodies) == 0 {
		return term.WithHint(errors.New("the scene has no bodies"), `{"bodies": [{"mesh": "part.stl"}, {"mesh": "part.stl", "poses": "poses.csv"}]}`)
	}
	slices.Sort(s.times)
	if s.times = slices.Compact(s.times); len(s.times) == 0 {
		s.times = []float64{0}
	}
	s.paths = nil
	return s.nameBodies()
}

// skipped is a JSON value that strictJSON checks but does not store.
type skipped struct{}

// UnmarshalJSON accepts any value.
func (skipped) UnmarshalJSON([]byte) error { return nil }

// parseBodies reads the bodies one by one. data is a valid scene.
func (s *scene) parseBodies(data []byte) error {
	c := &jsontext.Cursor{Text: data}
	_, err := c.Object(func(jsontext.Quoted) error { // the only key is "bodies"
		if first, err := c.Peek(); err != nil || first == 'n' {
			return cmp.Or(err, skip(c))
		} else if first != '[' {
			at := c.At
			kind, err := c.Skip()
			return cmp.Or(err, error(placedError{int64(at), fmt.Errorf(`"bodies": expected a list, found %s`, kind)}))
		}
		return c.List(func(i int) error {
			start := c.At
			if err := skip(c); err != nil {
				return err
			}
			if err := s.addBody(data[start:c.At]); err != nil {
				return fmt.Errorf("bodies[%d]: %w", i, err)
			}
			return nil
		})
	})
	var syntax *jsontext.Error
	if errors.As(err, &syntax) { // only lists and objects that are nested too deeply
		err = placedError{int64(syntax.At), syntax.Err}
	}
	var own placedError
	if errors.As(err, &own) {
		return placed(data, err)
	}
	return err
}

func skip(c *jsontext.Cursor) error {
	_, err := c.Skip()
	return err
}

// addBody reads a body and appends it to the scene.
func (s *scene) addBody(raw []byte) error {
	if err := s.memory.reserve(bodyBytes); err != nil {
		return err
	}
	b, err := s.parseBody(raw)
	if err != nil {
		return err
	}
	s.bodies = append(s.bodies, b)
	return nil
}

// addTimes adds the times of rows to the times of the scene.
func (s *scene) addTimes(rows []poseRow) error {
	if err := s.memory.reserve(timeBytes * int64(len(rows))); err != nil {
		return err
	}
	for _, row := range rows {
		s.times = append(s.times, row.time)
	}
	return nil
}

func (s *scene) parseBody(raw []byte) (sceneBody, error) {
	var file struct {
		Name  *string  `json:"name"`
		Mesh  string   `json:"mesh"`
		Poses borrowed `json:"poses"`
	}
	b := sceneBody{}
	if err := strictJSON(raw, &file, "name", "mesh", "poses"); err != nil {
		return b, plain(err)
	}
	switch {
	case file.Mesh == "":
		return b, errors.New(`"mesh" is missing: expected the name of a file`)
	case file.Name != nil && *file.Name == "":
		return b, errors.New(`"name" is empty: expected a name, or omit "name"`)
	case file.Name != nil:
		b.name = *file.Name
	}
	var err error
	if b.mesh, err = s.resolve(file.Mesh); err != nil || len(file.Poses) == 0 {
		return b, err
	}
	var table string
	switch {
	case json.Unmarshal(file.Poses, &table) == nil && table != "":
		b.poses, err = s.table(table)
	case file.Poses[0] == '[':
		if b.poses, err = inlinePoses(file.Poses, &s.memory); err == nil {
			err = s.addTimes(b.poses)
		}
	default:
		err = errors.New(`"poses": expected the name of a CSV file, or rows [[time,x,y,z], …]`)
	}
	return b, err
}

// borrowed is the text of a JSON value in the memory of its decoder. It is valid until the decoder
// reads further.
type borrowed []byte

// UnmarshalJSON sets b to the text.
func (b *borrowed) UnmarshalJSON(text []byte) error {
	*b = text
	return nil
}

// table returns the rows of a table that the scene names. It reads each table once.
func (s *scene) table(name string) ([]poseRow, error) {
	path, err := s.resolve(name)
	if err != nil {
		return nil, err
	}
	if rows, ok := s.tables[path]; ok {
		return rows, nil
	}
	rows, unused, err := readPoses(path, &s.memory)
	if err != nil {
		return nil, err
	}
	if len(unused) > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s: columns not used: %s", path, quote.Line(strings.Join(unused, ", "))))
	}
	s.tables[path] = rows
	return rows, s.addTimes(rows)
}

// resolve returns the path of a file that the scene names. The result is never "-".
func (s *scene) resolve(name string) (string, error) {
	if path, ok := s.paths[name]; ok {
		return path, nil
	}
	path, err := s.find(name)
	if err == nil {
		s.paths[name] = path
	}
	return path, err
}

// find does the work of resolve.
func (s *scene) find(name string) (path string, err error) {
	if s.root != nil {
		if !filepath.IsLocal(name) {
			err = errors.New("the path leads out of the folder of the scene")
		} else if _, err = s.root.Stat(filepath.ToSlash(filepath.Clean(name))); errors.Is(err, fs.ErrNotExist) {
			err = nil // the error of opening the file names the full path
		}
		if err != nil {
			return "", term.WithHint(fmt.Errorf("%s: %w", quote.Line(name), disk.Reason(err)), "--allow-paths allows files in any folder")
		}
	}
	if filepath.IsAbs(name) {
		return name, nil
	}
	if path = filepath.Join(s.folder, name); path == "-" {
		path = "." + string(filepath.Separator) + path
	}
	return path, nil
}

// nameBodies uses the name of the mesh file for each body without a name. Repeated names get the
// suffixes _2, _3 and so on.
func (s *scene) nameBodies() error {
	taken := map[string]int{}
	next := map[string]int{} // the next suffix of each name
	for i, b := range s.bodies {
		if other, ok := taken[b.name]; ok && b.name != "" {
			return fmt.Errorf("bodies[%d] and bodies[%d]: both have the name %s", other, i, quote.Word(b.name))
		}
		taken[b.name] = i
	}
	for i := range s.bodies {
		b := &s.bodies[i]
		if b.name != "" {
			continue
		}
		base := filepath.Base(b.mesh)
		for _, suffix := range []string{".zst", ".gz"} {
			base = strings.TrimSuffix(base, suffix)
		}
		base = strings.TrimSuffix(base, filepath.Ext(base))
		b.name = base
		for k := max(2, next[base]); ; k++ {
			if _, ok := taken[b.name]; !ok && b.name != "" {
				break
			}
			b.name, next[base] = fmt.Sprintf("%s_%d", base, k), k+1
		}
		taken[b.name] = i
	}
	return nil
}

// strictJSON decodes a JSON object like json.Unmarshal. The object can contain only the given
// names, each at most once. Nothing can follow the object.
func strictJSON(data []byte, to any, names ...string) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	end := d.InputOffset()
	if rest := bytes.TrimLeft(data[end:], " \t\r\n"); len(rest) > 0 {
		return placedError{int64(len(data) - len(rest)), errors.New("expected the end of the file after the scene")}
	}
	return checkNames(data, names)
}

// checkNames returns an error if a JSON object has a name that is not in the list, or a name that
// occurs twice. Package json accepts repeated names and names in the wrong case. checkNames accepts
// data that is not an object.
func checkNames(data []byte, names []string) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		at := len(data) - len(bytes.TrimLeft(data[d.InputOffset():], ", \t\r\n"))
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		switch {
		case !slices.Contains(names, name):
			return placedError{int64(at), fmt.Errorf("unknown field %s", quote.Word(name))}
		case seen[name]:
			return placedError{int64(at), fmt.Errorf("field %q occurs twice", name)}
		}
		seen[name] = true
		if err := d.Decode(&skipped{}); err != nil {
			return err
		}
	}
	return nil
}

type placedError struct {
	offset int64
	err    error
}

func (e placedError) Error() string { return e.err.Error() }

// placed adds the line and the column to a JSON error, if the error has an offset.
func placed(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var own placedError
	offset := int64(-1)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset - 1 // syntax.Offset is the offset after the invalid byte
	case errors.As(err, &kind):
		offset = kind.Offset - 1
	case errors.As(err, &own):
		offset = own.offset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		offset, err = int64(len(data)), errors.New("the JSON text ends too early")
	}
	if offset < 0 || offset > int64(len(data)) {
		return plain(err)
	}
	before := data[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := int(offset) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %w", line, column, plain(err))
}

// plain rewrites the message of a JSON error without the names of Go types and packages.
func plain(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		want := map[string]string{"slice": "a list", "struct": "an object", "string": "a string", "float64": "a number"}[kind.Type.Kind().String()]
		// Since Go 1.27, Field can be the index of an element.
		if _, bad := strconv.Atoi(kind.Field); kind.Field == "" || bad == nil {
			return fmt.Errorf("expected %s, found %s", want, article(kind.Value))
		}
		return fmt.Errorf("%q: expected %s, found %s", kind.Field, want, article(kind.Value))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// article returns the words for a JSON type in an error message.
func article(value string) string {
	switch value {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a " + quote.Line(value)
}
