package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/inpoly/inpoly/side"
)

// peer is the line that the program of a peer prints.
type peer struct {
	Build    float64 `json:"build"` // time of the build in seconds, median of three
	Query    float64 `json:"query"` // time of the queries in seconds, median of three
	MQPS     float64 `json:"mqps"`  // rate in million points per second, median of three
	Faces    int     `json:"nt"`
	Points   int     `json:"np"`
	Threads  int     `json:"threads"`
	Inside   int     `json:"inside"`
	Boundary int     `json:"boundary"`
}

// ask runs the program of a peer on all threads. It returns the measurements and one byte per
// point: 0 outside, 1 inside, 2 on the surface. It fails if the peer reports a wrong number of
// points or threads, or if the bytes contradict the counts that the peer prints.
func (b *bench) ask(name, stl, f64 string, points int, mode ...string) (peer, []byte, error) {
	p, answers, err := b.askUpTo(name, stl, f64, points, mode...)
	if err == nil && p.Points != points {
		err = fmt.Errorf("%s wrote %d answers for %d points", name, p.Points, points)
	}
	return p, answers, err
}

// askUpTo is like ask, but the peer may answer only the first points, and at least one.
func (b *bench) askUpTo(name, stl, f64 string, points int, mode ...string) (peer, []byte, error) {
	file := filepath.Join(b.tmp, "answers")
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return peer{}, nil, err // do not read the answers of an earlier call
	}
	args := append([]string{stl, f64, file, strconv.Itoa(b.threads)}, mode...)
	out, err := execute(b.peerPath(name), args...)
	if err != nil {
		return peer{}, nil, err
	}
	var p peer
	if err := json.Unmarshal(out, &p); err != nil {
		return p, nil, fmt.Errorf("%s printed %q: %w", name, out, err)
	}
	answers, err := os.ReadFile(file)
	if err != nil {
		return p, nil, err
	}
	if p.Points < 1 || p.Points > points || len(answers) != p.Points || p.Threads != b.threads {
		return p, nil, fmt.Errorf("%s on %d threads wrote %d answers for %d points; expected up to %d points on %d threads",
			name, p.Threads, len(answers), p.Points, points, b.threads)
	}
	if in, on := bytes.Count(answers, []byte{1}), bytes.Count(answers, []byte{2}); in != p.Inside || on != p.Boundary {
		return p, nil, fmt.Errorf("%s printed %d inside and %d on the surface, but wrote %d and %d", name, p.Inside, p.Boundary, in, on)
	}
	return p, answers, nil
}

func execute(name string, args ...string) ([]byte, error) {
	var out, stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, stderr.String())
	}
	return out.Bytes(), nil
}

// codes maps a side to the byte that the peers write. The peers have no byte for Unknown.
var codes = [...]byte{side.Unknown: 255, side.Outside: 0, side.Inside: 1, side.OnSurface: 2}

// differing returns the indices of the points where the answers of a peer differ from sides.
func differing(answers []byte, sides []side.Side) []int {
	var at []int
	for i, s := range sides {
		if codes[s] != answers[i] {
			at = append(at, i)
		}
	}
	return at
}

// maxJudged is the largest number of points that the referee gets. For each point, the referee
// tests every triangle.
const maxJudged = 50

// verdict counts points where inpoly and a peer differ: all judged points (looked), wrong answers
// of inpoly (ours) and of the peer (theirs), and points that the referee does not decide (open).
type verdict struct{ looked, ours, theirs, open int }

func (v verdict) String() string {
	s := fmt.Sprintf("of %d judged: %d of ours wrong, %d of the peer", v.looked, v.ours, v.theirs)
	if v.open > 0 {
		s += fmt.Sprintf(", %d undecided", v.open)
	}
	return s
}

// judge compares the answers of inpoly and of a peer with the answers of the exact referee, at the
// points with the given indices. It uses only the first maxJudged indices.
func (b *bench) judge(stl, f64 string, indices []int, answers []byte, sides []side.Side) (verdict, error) {
	indices = indices[:min(len(indices), maxJudged)]
	file := filepath.Join(b.tmp, "judge.i32")
	if err := os.WriteFile(file, indexBytes(indices), 0o644); err != nil {
		return verdict{}, err
	}
	out, err := execute(b.peerPath("refexact"), stl, f64, file)
	if err != nil {
		return verdict{}, err
	}
	return readVerdict(out, indices, answers, sides)
}

// indexBytes returns the list of indices that the referee reads.
func indexBytes(indices []int) (list []byte) {
	for _, i := range indices {
		list = binary.LittleEndian.AppendUint32(list, uint32(i))
	}
	return list
}

// readVerdict reads the lines that the referee prints. A line has the index of the point, the exact
// answer (0 outside, 1 inside, 2 on the surface, 3 undecided), and other fields, which are ignored.
func readVerdict(out []byte, at []int, answers []byte, sides []side.Side) (verdict, error) {
	var v verdict
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var i int
		var truth byte
		if _, err := fmt.Sscan(lines.Text(), &i, &truth); err != nil {
			return v, fmt.Errorf("referee printed %q: %w", lines.Text(), err)
		}
		if v.looked == len(at) || i != at[v.looked] {
			return v, fmt.Errorf("referee returned point %d, which is not the next point of the list", i)
		}
		v.looked++
		if truth > 2 {
			v.open++
			continue
		}
		if codes[sides[i]] != truth {
			v.ours++
		}
		if answers[i] != truth {
			v.theirs++
		}
	}
	if v.looked != len(at) {
		return v, fmt.Errorf("referee returned %d of %d points", v.looked, len(at))
	}
	return v, lines.Err()
}
