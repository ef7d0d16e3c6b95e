package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
)

// bulletFrames is the number of positions of the boxes: the first one, and one for each step.
const bulletFrames = 7

// bulletTable compares package neighbor with the dynamic tree of boxes of Bullet (btDbvt), which uses
// one thread, and with box_self_intersection_d of CGAL on one thread. The first comparison finds all
// pairs from scratch. The second comparison moves all boxes by a share of the smallest radius in each
// step; CGAL starts from scratch in each step. In the second comparison, Auto competes with
// btDbvtBroadphase, which keeps larger boxes and their pairs.
func (b *bench) bulletTable() error {
	for _, peer := range []string{"bullet_boxes", "cgal_boxes"} {
		if _, err := os.Stat(b.peerPath(peer)); errors.Is(err, fs.ErrNotExist) {
			log.Printf("bullet: %s is missing", peer)
			return nil
		}
	}
	header("bodies", "ratio", "fraction", "step", "pairs", "ours, first ms", "<min–max", "Bullet, tree and pairs ms", "Bullet, pairs alone ms", "Bullet / first", "CGAL ms", "CGAL / first",
		"ours, moving ms", "<min–max", "Bullet, moving ms", "<min–max", "Bullet / moving", "pairs differ")
	jobs := []neighborsJob{{10_000, 50, .62}, {125_001, 1, .62}, {125_001, 50, .62}, {125_001, 50, .1}}
	shares := []float64{.01, .1}
	if b.quick {
		jobs, shares = []neighborsJob{{1000, 50, .62}}, shares[:1]
	}
	for _, j := range jobs {
		for _, share := range shares {
			if err := b.bulletRow(j, share); err != nil {
				return fmt.Errorf("%d bodies: %w", j.n, err)
			}
		}
	}
	return nil
}

// movingBoxes returns the frames of boxes around balls. Each step moves each ball by the share of the
// smallest radius, which is 1, in its own direction.
func (j neighborsJob) movingBoxes(share float64) [][]bvh.Box {
	balls, random := j.balls(), rand.New(rand.NewPCG(3, 4))
	moves := make([]r3.Vector, len(balls))
	for i := range moves {
		moves[i] = r3.Vector{X: random.NormFloat64(), Y: random.NormFloat64(), Z: random.NormFloat64()}.Normalize().Mul(share)
	}
	frames := make([][]bvh.Box, bulletFrames)
	for f := range frames {
		for i, s := range balls {
			c, r := s.Center.Add(moves[i].Mul(float64(f))), r3.Vector{X: s.Radius, Y: s.Radius, Z: s.Radius}
			frames[f] = append(frames[f], bvh.Box{Min: c.Sub(r), Max: c.Add(r)})
		}
	}
	return frames
}

func (b *bench) bulletRow(j neighborsJob, share float64) error {
	frames := j.movingBoxes(share)
	file := filepath.Join(b.tmp, "frames.f64")
	if err := writeBoxes(file, slices.Concat(frames...)); err != nil {
		return err
	}
	var first, moving, tree, search, step, cgal []float64
	var pairs [2][]neighbor.Pair
	differ := 0
	boxes, one := filepath.Join(b.tmp, "boxes.f64"), *b
	one.threads = 1
	if err := writeBoxes(boxes, frames[0]); err != nil {
		return err
	}
	for range b.calls {
		s, err := seconds(func() error {
			m := neighbor.NewHierarchicalGrid[bvh.Box](neighbor.GridOptions{Workers: 1})
			err := m.Update(b.ctx, frames[0])
			pairs[0] = m.Pairs()
			return err
		})
		if err != nil {
			return err
		}
		first = append(first, 1e3*s)
		m := neighbor.NewAuto[bvh.Box](neighbor.AutoOptions{Workers: 1})
		var times []float64
		for _, boxes := range frames {
			s, err := seconds(func() error { return m.Update(b.ctx, boxes) })
			if err != nil {
				return err
			}
			times = append(times, 1e3*s)
		}
		pairs[1] = m.Pairs()
		moving = append(moving, median(times[1:]))
		p, theirs, err := b.askBullet(file, j.n)
		if err != nil {
			return err
		}
		tree, search, step = append(tree, 1e3*p.Tree), append(search, 1e3*p.Search), append(step, 1e3*p.Step)
		c, others, err := one.askBoxes(boxes, j.n)
		if err != nil {
			return err
		}
		cgal = append(cgal, 1e3*c.Sequential)
		differ = differingPairs(pairs[0], theirs[0]) + differingPairs(pairs[1], theirs[1]) + differingPairs(pairs[0], others)
	}
	fmt.Printf("| %d | %g | %g | %g | %d | %.3g | %s | %.3g | %.3g | %.1f | %.3g | %.1f | %.3g | %s | %.3g | %s | %.1f | %d |\n",
		j.n, j.ratio, j.fraction, share, len(pairs[0]), median(first), rates(first).spread(), median(tree), median(search), median(tree)/median(first), median(cgal), median(cgal)/median(first),
		median(moving), rates(moving).spread(), median(step), rates(step).spread(), median(step)/median(moving), differ)
	return nil
}

// bulletPeer is the line that bullet_boxes prints. Times are medians in seconds.
type bulletPeer struct {
	Boxes  int     `json:"boxes"`
	Frames int     `json:"frames"`
	Pairs  int     `json:"pairs"` // in the first frame
	Last   int     `json:"last"`  // in the last frame
	Tree   float64 `json:"tree"`
	Search float64 `json:"search"`
	Step   float64 `json:"step"`
}

// askBullet runs bullet_boxes. It returns the measurements, and the sorted pairs of the first and of
// the last frame.
func (b *bench) askBullet(boxes string, n int) (p bulletPeer, pairs [2][]neighbor.Pair, err error) {
	file := filepath.Join(b.tmp, "pairs")
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return p, pairs, err // do not read the answers of an earlier call
	}
	out, err := execute(b.peerPath("bullet_boxes"), boxes, strconv.Itoa(bulletFrames), file)
	if err != nil {
		return p, pairs, err
	}
	if err := json.Unmarshal(out, &p); err != nil {
		return p, pairs, fmt.Errorf("bullet_boxes printed %q: %w", out, err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return p, pairs, err
	}
	if p.Boxes != n || p.Frames != bulletFrames || len(raw) != 8*(p.Pairs+p.Last) {
		return p, pairs, fmt.Errorf("bullet_boxes wrote %d bytes for %d and %d pairs of %d boxes, expected %d boxes", len(raw), p.Pairs, p.Last, p.Boxes, n)
	}
	for k, count := range []int{p.Pairs, p.Last} {
		for range count {
			pairs[k] = append(pairs[k], neighbor.Pair{A: int32(binary.LittleEndian.Uint32(raw)), B: int32(binary.LittleEndian.Uint32(raw[4:]))})
			raw = raw[8:]
		}
		slices.SortFunc(pairs[k], comparePairs)
	}
	return p, pairs, nil
}
