package collide

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/internal/cli/term"
)

// scene is the content of a scene file and of its tables.
type scene struct {
	path   string // name of the scene file in messages
	folder string // folder of the scene file
	bodies []sceneBody
	meshes int       // number of different mesh files
	times  []float64 // times of all tables in ascending order; only 0 without tables
	notes  []string  // warnings
	tables []string  // paths of the tables
}

// sceneBody is a body of a scene.
type sceneBody struct {
	name, mesh string    // mesh is a path
	poses      []poseRow // in ascending order of time; nil if the body never moves
}

// poseRow is a pose and the time at which it begins.
type poseRow struct {
	time float64
	pose collide.Pose
}

// readScene reads a scene file and its tables. If path is "-", it reads the scene from stdin. Paths
// of tables and meshes are relative to the folder of the scene.
func readScene(path string, stdin io.Reader) (*scene, error) {
	var data []byte
	var err error
	s := &scene{path: term.InputName(path), folder: "."}
	if path == "-" {
		data, err = io.ReadAll(stdin)
	} else {
		s.folder = filepath.Dir(path)
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	err = s.parse(data)
	var at tableError
	switch {
	case errors.As(err, &at):
		return nil, at // the error names the table
	case err != nil:
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return s, nil
}

// parse parses the JSON text of a scene and reads the tables.
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

// parseBody parses one body and reads its table.
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
	b.mesh = s.resolve(file.Mesh)
	if len(file.Poses) == 0 {
		return b, nil
	}
	var table string
	var rows []json.RawMessage
	var err error
	switch {
	case json.Unmarshal(file.Poses, &table) == nil && table != "":
		var unused []string
		path := s.resolve(table)
		b.poses, unused, err = readPoses(path)
		if again := slices.Contains(s.tables, path); !again && len(unused) > 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s: columns not used: %s", path, strings.Join(unused, ", ")))
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
func (s *scene) resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	if path = filepath.Join(s.folder, path); path == "-" {
		path = "." + string(filepath.Separator) + path
	}
	return path
}

// nameBodies names each body without a name after its mesh. Repeated names get the suffixes _2, _3
// and so on.
func (s *scene) nameBodies() error {
	taken := map[string]int{}
	next := map[string]int{} // the next suffix of each name
	for i, b := range s.bodies {
		if other, ok := taken[b.name]; ok && b.name != "" {
			return fmt.Errorf("bodies[%d] and bodies[%d]: both have the name %q", other, i, b.name)
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
