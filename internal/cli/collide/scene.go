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

// scene is a scene file: bodies and their poses.
type scene struct {
	path   string // for messages
	bodies []sceneBody
	times  []float64 // of all tables, ascending; only 0 if there are none
	notes  []string  // warnings
	tables []string  // paths of the tables
}

// sceneBody is a body of a scene.
type sceneBody struct {
	name, mesh string    // mesh is the path of the file
	poses      []poseRow // ascending in time; nil if the body stays at the origin
}

// poseRow is a pose and the time from which it holds.
type poseRow struct {
	time float64
	pose collide.Pose
}

// readScene reads a scene file, "-" being standard input, and the tables that it names. The paths
// of tables and meshes are relative to the folder of the scene.
func readScene(path string, stdin io.Reader) (*scene, error) {
	var data []byte
	var err error
	folder := "."
	if path == "-" {
		data, err = io.ReadAll(stdin)
	} else {
		folder = filepath.Dir(path)
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	s, err := parseScene(data, folder)
	var at tableError
	switch {
	case errors.As(err, &at):
		return nil, at // it names its own file
	case err != nil:
		return nil, fmt.Errorf("%s: %w", term.InputName(path), err)
	}
	s.path = term.InputName(path)
	return s, nil
}

// parseScene reads the JSON text of a scene.
func parseScene(data []byte, folder string) (*scene, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var file struct {
		Bodies []json.RawMessage `json:"bodies"`
	}
	if err := strictJSON(data, &file, "bodies"); err != nil {
		return nil, placed(data, err)
	}
	if len(file.Bodies) == 0 {
		return nil, term.WithHint(errors.New("no bodies"), `{"bodies": [{"mesh": "part.stl"}, {"mesh": "part.stl", "poses": "poses.csv"}]}`)
	}
	s := &scene{}
	for i, raw := range file.Bodies {
		b, err := s.parseBody(raw, folder)
		if err != nil {
			return nil, fmt.Errorf("bodies[%d]: %w", i, err)
		}
		s.bodies = append(s.bodies, b)
	}
	if err := s.nameBodies(); err != nil {
		return nil, err
	}
	s.collectTimes()
	return s, nil
}

// parseBody reads one body, with its table.
func (s *scene) parseBody(raw []byte, folder string) (sceneBody, error) {
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
		return b, errors.New(`"mesh" is missing: want the name of a file`)
	case file.Name != nil && *file.Name == "":
		return b, errors.New(`"name" is empty`)
	case file.Name != nil:
		b.name = *file.Name
	}
	b.mesh = below(folder, file.Mesh)
	if len(file.Poses) == 0 {
		return b, nil
	}
	var table string
	var rows []json.RawMessage
	var err error
	switch {
	case json.Unmarshal(file.Poses, &table) == nil && table != "":
		var unused []string
		path := below(folder, table)
		b.poses, unused, err = readPoses(path)
		if again := slices.Contains(s.tables, path); !again && len(unused) > 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s: columns not used: %s", path, strings.Join(unused, ", ")))
		}
		s.tables = append(s.tables, path)
	case file.Poses[0] == '[' && json.Unmarshal(file.Poses, &rows) == nil:
		b.poses, err = inlinePoses(rows)
	default:
		err = errors.New(`"poses": want the name of a CSV file, or rows [[time,x,y,z], …]`)
	}
	return b, err
}

// below returns the path of a file in a folder. It is never "-".
func below(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	if path = filepath.Join(folder, path); path == "-" {
		path = "." + string(filepath.Separator) + path
	}
	return path
}

// nameBodies gives the bodies without a name the names of their meshes. Equal names get _2, _3
// and so on.
func (s *scene) nameBodies() error {
	taken := map[string]int{}
	next := map[string]int{} // next number for a name
	for i, b := range s.bodies {
		if other, ok := taken[b.name]; ok && b.name != "" {
			return fmt.Errorf("bodies[%d] and bodies[%d] are both named %q", other, i, b.name)
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

// collectTimes collects the times of all tables.
func (s *scene) collectTimes() {
	for _, b := range s.bodies {
		for _, row := range b.poses {
			s.times = append(s.times, row.time)
		}
	}
	slices.Sort(s.times)
	if s.times = slices.Compact(s.times); len(s.times) == 0 {
		s.times = []float64{0}
	}
}
