package collide

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/pose"
)

// TestExampleScene reads the example scene, whose meshes must exist.
func TestExampleScene(t *testing.T) {
	s, err := readScene(filepath.Join("..", "..", "..", "testdata", "scene", "bars.json"), nil, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range s.bodies {
		names = append(names, b.name)
		if _, err := os.Stat(b.mesh); err != nil {
			t.Error(err)
		}
	}
	if want := []string{"bar", "crossing", "stone"}; !slices.Equal(names, want) {
		t.Errorf("bodies %v, want %v", names, want)
	}
	if want := []float64{0, 0.1, 0.2, 0.3}; !slices.Equal(s.times, want) {
		t.Errorf("times %v, want %v", s.times, want)
	}
	if got, want := s.bodies[2].poses[3].pose.Translation, (r3.Vector{X: -1.5, Z: 0.4}); got != want {
		t.Errorf("last place %v, want %v", got, want)
	}
}

// TestSceneErrors checks that each error states where the mistake is.
func TestSceneErrors(t *testing.T) {
	dir := t.TempDir()
	body := func(poses string) string { return `{"bodies": [{"mesh": "a.stl", "poses": ` + poses + `}]}` }
	table := func(text string) string {
		if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return body(`"t.csv"`)
	}
	for _, c := range []struct{ name, scene, table, want string }{
		{name: "empty", scene: "", want: "line 1, column 1: the JSON text ends too early"},
		{name: "cut off", scene: "{\"bodies\": [\n{", want: "line 2, column 2: the JSON text ends too early"},
		{name: "a list", scene: `[1]`, want: "line 1, column 1: expected an object, found a list"},
		{name: "two values", scene: "{\"bodies\": [{\"mesh\": \"a\"}]}\n {}", want: "line 2, column 2: expected the end of the file after the scene"},
		{name: "unknown name", scene: `{"bodeis": []}`, want: `unknown field "bodeis"`},
		{name: "bodies is a number", scene: `{"bodies": 7}`, want: `"bodies": expected a list, found a number`},
		{name: "no bodies", scene: `{"bodies": []}`, want: "the scene has no bodies"},
		{name: "nothing", scene: `{}`, want: "the scene has no bodies"},
		{name: "body is null", scene: `{"bodies": [null]}`, want: `bodies[0]: "mesh" is missing`},
		{name: "body is text", scene: `{"bodies": ["a.stl"]}`, want: "bodies[0]: expected an object, found a string"},
		{name: "mesh is a number", scene: `{"bodies": [{"mesh": 3}]}`, want: `bodies[0]: "mesh": expected a string, found a number`},
		{name: "misspelled", scene: `{"bodies": [{"mesh": "a"}, {"mehs": "a"}]}`, want: `bodies[1]: unknown field "mehs"`},
		{name: "bodies twice", scene: "{\"bodies\": [{\"mesh\": \"a\"}],\n \"bodies\": [{\"mesh\": \"b\"}]}", want: `line 2, column 2: field "bodies" occurs twice`},
		{name: "mesh twice", scene: `{"bodies": [{"mesh": "a", "name": "x", "mesh": "b"}]}`, want: `bodies[0]: field "mesh" occurs twice`},
		{name: "upper case", scene: `{"Bodies": [{"mesh": "a"}]}`, want: `line 1, column 2: unknown field "Bodies"`},
		{name: "both cases", scene: `{"bodies": [{"mesh": "a", "MESH": "b"}]}`, want: `bodies[0]: unknown field "MESH"`},
		{name: "empty name", scene: `{"bodies": [{"mesh": "a", "name": ""}]}`, want: `bodies[0]: "name" is empty`},
		{name: "same name", scene: `{"bodies": [{"mesh": "a", "name": "x"}, {"mesh": "b"}, {"mesh": "b", "name": "x"}]}`, want: `bodies[0] and bodies[2]: both have the name "x"`},
		{name: "poses are a number", scene: body("1"), want: `bodies[0]: "poses": expected the name of a CSV file, or rows`},
		{name: "poses are null", scene: body("null"), want: `bodies[0]: "poses": expected`},
		{name: "no rows", scene: body("[]"), want: `bodies[0]: "poses" has no rows`},
		{name: "row is a number", scene: body("[1]"), want: "bodies[0]: poses[0]: expected a list of numbers: expected a list, found a number"},
		{name: "row with text", scene: body(`[[0,0,0,0],[0,0,0,"1"]]`), want: "bodies[0]: poses[1]: expected a list of numbers: expected a number, found a string"},
		{name: "row with null", scene: body(`[[0,0,null,0]]`), want: "bodies[0]: poses[0]: expected a number, found null"},
		{name: "five numbers", scene: body(`[[0,0,0,0,1]]`), want: "bodies[0]: poses[0]: expected 4 numbers (time,x,y,z), 8"},
		{name: "times descend", scene: body(`[[1,0,0,0],[0.5,0,0,0]]`), want: "bodies[0]: poses[1]: time 0.5: must be after the time of the previous row, 1"},
		{name: "time twice", scene: body(`[[1,0,0,0],[1,0,0,0]]`), want: "time 1: must be after the time of the previous row, 1"},
		{name: "not a rotation", scene: body(`[[1,0,0,0, 1,0,0, 0,1,0, 0,0,-1]]`), want: "bodies[0]: poses[0]: bad pose: the matrix is a reflection, must be a rotation: mirror the vertices instead"},
		{name: "too large a number", scene: body(`[[1,0,0,1e999]]`), want: "bodies[0]: poses[0]: expected a list of numbers"},
		{name: "empty table", table: "# nothing\n", want: "t.csv:1: expected a header with time,x,y,z"},
		{name: "header alone", table: "time,x,y,z\n", want: "t.csv: the table has no rows"},
		{name: "no header", table: "0,1,2,3\n", want: "t.csv:1: expected a header with time,x,y,z"},
		{name: "half a quaternion", table: "# c\ntime,x,y,z,qw,qx\n", want: "t.csv:2: the header has qw, but no column qy, qz"},
		{name: "quaternion and matrix", table: "time,x,y,z,qw,qx,qy,qz,r11,r12,r13,r21,r22,r23,r31,r32,r33\n", want: "both a quaternion and a matrix"},
		{name: "column twice", table: "time,x,y,z,x\n", want: "t.csv:1: the header names the coordinates more than once: time x y z x"},
		{name: "time twice in the header", table: "time,x,y,z,Time [s]\n", want: "t.csv:1: the header has two columns with the name time"},
		{name: "not a number", table: "time,x,y,z\n0,0,0,0\n1,0,abc,0\n", want: `t.csv:3: column 3 (y): "abc" is not a number`},
		{name: "not finite", table: "time,x,y,z\n0,0,nan,0\n", want: "t.csv:2: bad pose: the translation 0,NaN,0 is not finite"},
		{name: "time not finite", table: "time,x,y,z\ninf,0,0,0\n", want: "t.csv:2: time +Inf: must be finite"},
		{name: "short row", table: "time,x,y,z\n0,0,0\n", want: "t.csv:2: the row has 3 columns, but the header in line 1 has 4: time x y z"},
		{name: "later short row", table: "x,y,z,time\n0,0,0,1\n0,0,0\n", want: "t.csv:3: the row and the header have different numbers of columns"},
		{name: "empty cell", table: "time,x,y,z\n0,,0,0\n", want: "t.csv:2: column 2 (x): expected a number, found a missing value"},
		{name: "empty cell after a tab", table: "time\tx\ty\tz\n0\t\t1\t2\n", want: "t.csv:2: column 2 (x): expected a number, found a missing value"},
		{name: "more cells, one empty", table: "time\tx\ty\tz\n0\t\t1\t2\t3\n", want: "t.csv:2: the row has 5 columns, but the header in line 1 has 4"},
		{name: "many rows without a header", table: "0,1,2,3\n1,1,2,3\n2,1,2,3\n", want: "t.csv:1: expected a header with time,x,y,z"},
		{name: "bad time", table: "time,x,y,z\n0,0,0,0\nsoon,0,0,0\n", want: `t.csv:3: column 1 (time): expected a number, found "soon"`},
		{name: "bad time, decimal commas", table: "time;x;y;z\n0,5;0;0;0\nsoon;0,5;0;0\n", want: `t.csv:3: column 1 (time): expected a number, found "soon"`},
		{name: "missing quaternion", table: "time,x,y,z,qw,qx,qy,qz\n0,0,0,0,1,0,NA,0\n", want: `t.csv:2: column 7 (qy): expected a number, found "NA"`},
		{name: "decimal commas", table: "time,x,y,z\n0,5,1,5,2,5,3,5\n", want: "if the commas of the numbers are decimal commas, use another delimiter"},
		{name: "no z", table: "time,x,y\n0,1,2\n", want: "t.csv:1: the header has x and y but no column for z"},
		{name: "other format", table: "\x89HDF", want: "t.csv: unsupported point format: this is an HDF5 file"},
		{name: "quotes", table: "time,x,y,z\n0,0,\"0,0\n", want: "t.csv:"},
		{name: "table is missing", scene: body(`"lost.csv"`), want: "lost.csv: " + syscall.ENOENT.Error()},
	} {
		text := c.scene
		if c.table != "" {
			text = table(c.table)
		}
		path := filepath.Join(dir, "scene.json")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readScene(path, nil, 0, true); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		} else if !strings.Contains(err.Error(), "scene.json: ") && !strings.Contains(err.Error(), ".csv:") {
			t.Errorf("%s: %v names no file", c.name, err)
		}
	}
}

// TestSceneNames checks the names that bodies get if the scene does not name them.
func TestSceneNames(t *testing.T) {
	s := &scene{folder: "."}
	err := s.parse([]byte(`{"bodies": [{"mesh": "a.stl.gz"}, {"mesh": "b/a.obj"}, {"mesh": "c", "name": "a_2"}, {"mesh": "-"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range s.bodies {
		got = append(got, b.name)
	}
	if want := []string{"a", "a_3", "a_2", "-"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	if s.bodies[3].mesh == "-" {
		t.Error("a mesh named - would be read from standard input")
	}
}

// TestSceneTables reads tables with empty cells in columns that have no meaning. Each table gets
// one warning about these columns, even if two bodies use the table.
func TestSceneTables(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"tabs":       "time\tnote\tx\ty\tz\tmore\n0.5\t\t1\t 2\t3 \t\n",
		"commas":     "time,note,x,y,z,more\n0.5,,1, 2,3 ,\n",
		"semicolons": "time;note;x;y;z;more\n0.5;;1; \"2\";3 ;\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s := &scene{folder: dir}
		if err := s.parse([]byte(`{"bodies": [{"mesh": "a", "poses": "t.csv"}, {"mesh": "b", "poses": "./t.csv"}]}`)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, b := range s.bodies {
			if len(b.poses) != 1 || b.poses[0].time != 0.5 || b.poses[0].pose.Translation != (r3.Vector{X: 1, Y: 2, Z: 3}) {
				t.Errorf("%s: poses %v", name, b.poses)
			}
		}
		if len(s.notes) != 1 || !strings.HasSuffix(s.notes[0], "t.csv: columns not used: note, more") {
			t.Errorf("%s: notes %q, want one", name, s.notes)
		}
	}
}

// TestPoseFormats reads the same poses in the formats of package points.
func TestPoseFormats(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("time,x,y,z\n0.5,1.5,2,3\n1.25,4,5,6\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"commas": "time,x,y,z\n0.5,1.5,2,3\n1.25,4,5,6\n", "blanks": "# rows\n time   x y z\n0.5 1.5 2 3\n\n1.25 4 5 6\n", "bars": "z|y|x|time\n3|2|1.5|0.5\n6|5|4|1.25\n",
		"decimal commas": "time;x;y;z\n0,5;1,5;2,0;3\n1,25;4;5;6\n", "tabs and decimal commas": "Time\tX\tY\tZ\r\n0,5\t1,5\t2\t3\r\n1,25\t4\t5\t6",
		"units": "Time [s],X [mm],Y [mm],Z [mm]\n0.5,1.5,2,3\n1.25,4,5,6\n", "other names": "t,x_pos,y_pos,z_pos\n0.5,1.5,2,3\n1.25,4,5,6\n",
		"Excel": "sep=;\ntime;x;y;z\n0,5;1,5;2;3\n1,25;4;5;6\n", "gzip": packed.String(),
		"quaternion": "qz;qy;qx;qw;time;x;y;z\n0;0;0;1;0,5;1,5;2;3\n0;0;0;1;1,25;4;5;6\n",
		"JSON Lines": "{\"time\":0.5,\"x\":1.5,\"y\":2,\"z\":3}\n{\"time\":1.25,\"x\":4,\"y\":5,\"z\":6}\n",
	} {
		path := filepath.Join(dir, "poses.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		rows, unused, err := readPoses(path, &budget{})
		if err != nil || len(unused) > 0 || len(rows) != 2 {
			t.Errorf("%s: %v, %q, %v", name, rows, unused, err)
			continue
		}
		for k, want := range []poseRow{{0.5, pose.At(r3.Vector{X: 1.5, Y: 2, Z: 3})}, {1.25, pose.At(r3.Vector{X: 4, Y: 5, Z: 6})}} {
			if rows[k] != want {
				t.Errorf("%s: row %d is %v, want %v", name, k, rows[k], want)
			}
		}
	}
}

func FuzzScene(f *testing.F) {
	f.Add([]byte(`{"bodies": [{"mesh": "a", "poses": [[0,0,0,0],[1,0,0,0,1,0,0,0]]}]}`))
	f.Add([]byte(`{"bodies": [{"mesh": "a", "name": "x"}, {"mesh": 1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if strings.ContainsAny(string(data), `/\`) {
			t.Skip("tables could be any file of the machine")
		}
		s := &scene{folder: t.TempDir()}
		if err := s.parse(data); err != nil {
			return
		}
		if len(s.bodies) == 0 || len(s.times) == 0 || !slices.IsSorted(s.times) {
			t.Errorf("%d bodies, times %v", len(s.bodies), s.times)
		}
		for _, b := range s.bodies {
			for _, row := range b.poses {
				if err := row.pose.Check(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// A scene can name files in and below its folder. With allowPaths it can name all files.
func TestScenePaths(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "scene")
	if err := os.MkdirAll(filepath.Join(folder, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	table := []byte("time,x,y,z\n0,1,2,3\n")
	for _, name := range []string{"outer.csv", "scene/inner.csv", "scene/sub/deep.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), table, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("inner.csv", filepath.Join(folder, "trial")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	fi, err := os.Lstat(filepath.Join(folder, "trial")) // Wine 8 has no links, but reports no error
	links := err == nil && fi.Mode()&fs.ModeSymlink != 0 && os.Symlink(filepath.Join("..", "outer.csv"), filepath.Join(folder, "out.csv")) == nil &&
		os.Symlink("inner.csv", filepath.Join(folder, "in.csv")) == nil && os.Symlink("..", filepath.Join(folder, "up")) == nil
	for name, inside := range map[string]bool{
		"inner.csv": true, "./inner.csv": true, "sub/deep.csv": true, "sub/../inner.csv": true, "in.csv": true,
		"../outer.csv": false, "sub/../../outer.csv": false, filepath.Join(dir, "outer.csv"): false,
		filepath.Join(folder, "inner.csv"): false, "out.csv": false, "up/outer.csv": false,
	} {
		if !links && strings.Contains("in.csv out.csv up/outer.csv", name) {
			continue
		}
		for _, body := range []string{`{"mesh": "a.stl", "poses": %q}`, `{"mesh": %q}`} {
			path := filepath.Join(folder, "scene.json")
			if err := os.WriteFile(path, fmt.Appendf(nil, `{"bodies": [`+body+`]}`, name), 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := readScene(path, nil, 0, false); (err == nil) != inside || err != nil && term.Hint(err) != "--allow-paths allows files in any folder" {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := readScene(path, nil, 0, true); err != nil {
				t.Errorf("%s with --allow-paths: %v", name, err)
			}
		}
	}
}

// endless is a stream that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// Scenes and tables have a limit.
func TestSceneLimits(t *testing.T) {
	for _, limit := range []int64{0, 1 << 20} {
		if _, err := readScene("-", endless{}, limit, false); !errors.Is(err, disk.ErrTooLarge) {
			t.Errorf("an endless scene with the limit %d: %v", limit, err)
		}
	}
	dir := t.TempDir()
	text := []byte("time,x,y,z\n")
	for i := range 1000 {
		text = fmt.Appendf(text, "%d,1,2,3\n", i)
	}
	path := filepath.Join(dir, "poses.csv")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int64]bool{0: true, 1 << 20: true, 1000: false, 20_000: false} {
		if rows, _, err := readPoses(path, &budget{limit: limit}); (err == nil) != want || want && len(rows) != 1000 || !want && !errors.Is(err, disk.ErrTooLarge) {
			t.Errorf("limit %d: %d rows, %v", limit, len(rows), err)
		}
	}
}
