package collide

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/tabular"
	"github.com/inpoly/inpoly/pose"
)

// scene is the content of a scene file and of its tables.
type scene struct {
	path   string     // name of the scene file in messages
	folder string     // folder of the scene file
	root   *disk.Root // the folder if the scene can name only files in and below it, or nil
	limit  int64      // maximum memory for the scene or a table in bytes; 0 means the default
	bodies []sceneBody
	meshes int       // number of different mesh files
	times  []float64 // times of all tables in ascending order; {0} if there are no tables
	notes  []string  // texts of warnings
	tables []string  // paths of the tables
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
// be in or below this folder, also after symbolic links are followed. For limit see disk.ReadAll.
func readScene(path string, stdin io.Reader, limit int64, allowPaths bool) (*scene, error) {
	var data []byte
	var err error
	s := &scene{path: term.InputName(path), folder: ".", limit: limit}
	if path == "-" {
		data, err = disk.ReadAll(stdin, limit)
	} else {
		s.folder = filepath.Dir(path)
		data, err = disk.ReadFile(path, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, disk.Reason(err))
	}
	if !allowPaths {
		if s.root, err = disk.OpenRoot(s.folder); err != nil {
			return nil, err
		}
		defer s.root.Close()
	}
	err = s.parse(data)
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
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var file struct {
		Bodies []json.RawMessage `json:"bodies"`
	}
	if err := strictJSON(data, &file, "bodies"); err != nil {
		return placed(data, err)
	}
	if len(file.Bodies) == 0 {
		return term.WithHint(errors.New("the scene has no bodies"), `{"bodies": [{"mesh": "part.stl"}, {"mesh": "part.stl", "poses": "poses.csv"}]}`)
	}
	for i, raw := range file.Bodies {
		b, err := s.parseBody(raw)
		if err != nil {
			return fmt.Errorf("bodies[%d]: %w", i, err)
		}
		s.bodies = append(s.bodies, b)
		for _, row := range b.poses {
			s.times = append(s.times, row.time)
		}
	}
	slices.Sort(s.times)
	if s.times = slices.Compact(s.times); len(s.times) == 0 {
		s.times = []float64{0}
	}
	return s.nameBodies()
}

func (s *scene) parseBody(raw []byte) (sceneBody, error) {
	var file struct {
		Name  *string         `json:"name"`
		Mesh  string          `json:"mesh"`
		Poses json.RawMessage `json:"poses"`
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
	var rows []json.RawMessage
	switch {
	case json.Unmarshal(file.Poses, &table) == nil && table != "":
		var unused []string
		path, err := s.resolve(table)
		if err != nil {
			return b, err
		}
		if b.poses, unused, err = readPoses(path, s.limit); err != nil {
			return b, err
		}
		if again := slices.Contains(s.tables, path); !again && len(unused) > 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s: columns not used: %s", path, quote.Line(strings.Join(unused, ", "))))
		}
		s.tables = append(s.tables, path)
	case file.Poses[0] == '[' && json.Unmarshal(file.Poses, &rows) == nil:
		b.poses, err = inlinePoses(rows)
	default:
		err = errors.New(`"poses": expected the name of a CSV file, or rows [[time,x,y,z], …]`)
	}
	return b, err
}

// resolve returns the path of a file that the scene names. The result is never "-".
func (s *scene) resolve(name string) (path string, err error) {
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
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
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
