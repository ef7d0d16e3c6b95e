// Package intersect finds the pairs of faces of a mesh that cross, overlap or touch each other.
//
// The result is exact. A pair of faces is listed if the faces share more than their common vertices
// and the edge between two common vertices. Kind classifies these pairs. Neighbors in a regular
// mesh share only an edge or a vertex, so a closed mesh that does not cross itself has no listed
// pair.
//
// Pairs do not include faces of zero area, which are segments or points. mesh.Diagnosis counts
// these faces. Pairs that meet only because polygons of the file were divided into triangles are
// omitted (see mesh.Mesh.ByDivision). So the triangles of one polygon form no pair, even if the
// polygon is not planar or crosses itself.
//
// Find builds a tree over the faces and compares the tree with itself. Float filters with proved
// bounds reject most pairs whose boxes overlap. Package predicates decides the rest.
//
//	report, err := intersect.Find(ctx, m, intersect.Options{Limit: 10})
//	if err != nil {
//		return err
//	}
//	fmt.Println(report.Crossing, "pairs of faces cross")
//	for _, p := range report.Pairs {
//		fmt.Println(p.A, p.B, p.Kind, "at", p.From)
//	}
package intersect

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/oriented"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// Kind says how two faces meet.
type Kind = mesh.IntersectionKind

// Pair is two faces that meet.
type Pair = mesh.Intersection

// Report is the result of Find.
type Report = mesh.Intersections

// These are the kinds of pairs.
const (
	Duplicate   = mesh.DuplicateFaces
	Overlapping = mesh.OverlappingFaces
	Crossing    = mesh.CrossingFaces
	Touching    = mesh.TouchingFaces
)

// kinds is the number of kinds.
const kinds = 4

// Options configures Find. The zero value counts pairs and lists none.
type Options struct {
	Limit int  // largest number of pairs of each kind in Report.Pairs; negative means 0
	Faces bool // list Report.Faces
	// Stop ends the search soon after it has found this number of pairs. 0 means no limit. Each pair
	// takes about half a microsecond, so a soup of 500,000 large random triangles, with 3.5·10¹⁰ pairs,
	// would take hours.
	Stop    int64
	Workers int // number of goroutines; ≤ 0 means one for each processor
	// Progress, if not nil, is called with the number of finished tasks and the number of tasks. Its
	// calls do not overlap. A search that changes to oriented boxes begins again at 1, with another total.
	Progress func(done, total int64)
}

const (
	// taskCount is the number of tasks into which the search is divided. The largest task of a
	// regular mesh of two million faces takes a few milliseconds. // tuning
	taskCount = 2048
	// checkPairs is the number of pairs of leaves between two checks of the context. // tuning
	checkPairs = 1 << 12
	// wastePerFace is the number of pairs for each face whose boxes may meet although the faces do not. A
	// regular mesh has about 10 such pairs for each face, few real meshes more than 20. If an eighth of
	// this number meets before an eighth of the tasks is done, the search expects more than that. // tuning
	wastePerFace = 64
)

// Find finds all pairs of faces of m that share more than their common vertices and edges. The
// result does not depend on Options.Workers. Find takes O(n log n + p) time, where n is the number
// of faces and p is the number of pairs of faces whose bounding boxes share a point. p is about 10n
// for a regular mesh, and up to n²/2 for random large triangles. If p is above about 64n and most of
// these faces do not meet, Find uses oriented boxes instead. They separate long thin faces that are
// oblique to the axes, and the faces of fans, if these are narrow seen from the center. p is about 10n
// again for them. Besides the listed pairs, Find allocates about 300 bytes for each face, and up to 550
// more for oriented boxes.
//
// Errors: mesh.ErrNil if m is nil; the error of ctx if ctx ends first.
func Find(ctx context.Context, m *mesh.Mesh, opt Options) (Report, error) {
	x, err := m.Index(ctx, bvh.Options{Workers: opt.Workers})
	if err != nil {
		return Report{}, err
	}
	return FindIndexed(ctx, x, opt)
}

// FindIndexed does the work of Find for a mesh that already has a tree. Errors: the error of ctx if
// ctx ends first.
func FindIndexed(ctx context.Context, x *mesh.Indexed, opt Options) (Report, error) {
	s := search{x: x, waste: wastePerFace * int64(x.Mesh().NumFaces())}
	return s.find(ctx, opt)
}

// find does the work of FindIndexed. The caller sets x and waste.
func (s *search) find(ctx context.Context, opt Options) (Report, error) {
	x := s.x
	s.limit, s.stop = min(max(0, opt.Limit), math.MaxInt/2), opt.Stop // half of MaxInt prevents an overflow in list.add
	if err := s.gather(ctx, opt.Workers); err != nil {
		return Report{}, err
	}
	if opt.Faces {
		s.marked = make([]atomic.Uint64, x.Mesh().NumFaces()/64+1)
	}
	tasks := x.Tree().PairTasks(taskCount)
	workers, err := s.all(ctx, opt, len(tasks), func(w *worker, i int) { s.run(ctx, w, tasks[i]) })
	if err != nil {
		return Report{}, err
	}
	if s.hopeless.Load() && !s.enough() {
		// Boxes along the axes do not separate the faces. Begin again with oriented boxes.
		clear(s.marked)
		s.found.Store(0)
		s.hopeless.Store(false)
		s.waste = math.MaxInt64
		if s.oriented, err = oriented.New(ctx, x.Triangles(), s.faces, len(x.Mesh().Vertices)); err != nil {
			return Report{}, err
		}
		tasks := s.oriented.Tasks(taskCount)
		if workers, err = s.all(ctx, opt, len(tasks), func(w *worker, i int) { s.runOriented(ctx, w, tasks[i]) }); err != nil {
			return Report{}, err
		}
	}
	return s.merge(ctx, workers, opt.Workers)
}

// all runs n tasks. It returns the states of the workers.
func (s *search) all(ctx context.Context, opt Options, n int, run func(w *worker, i int)) ([]worker, error) {
	workers := make([]worker, par.Workers(opt.Workers))
	s.done.Store(0)
	s.tasks = int64(n)
	var mu sync.Mutex
	err := par.Blocks(ctx, n, 1, opt.Workers, func(k, lo, _ int) {
		run(&workers[k], lo)
		if opt.Progress == nil {
			s.done.Add(1)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		opt.Progress(s.done.Add(1), s.tasks)
	})
	return workers, err
}

// search is the state of one call of Find.
type search struct {
	x     *mesh.Indexed
	limit int
	stop  int64        // Options.Stop
	found atomic.Int64 // number of pairs so far
	// wasted is the number of pairs of faces so far whose boxes meet, but not the faces. If it exceeds
	// waste, or probably will, the search is hopeless. It begins again with the oriented tree.
	wasted   atomic.Int64
	waste    int64
	hopeless atomic.Bool
	oriented *oriented.Tree
	done     atomic.Int64 // number of tasks done
	tasks    int64
	faces    [][3]int32 // vertices of the faces in the order of the leaves; the first is −1 for faces without area
	// Bit f%64 of marked[f/64] is set if face f crosses or overlaps another face. marked is nil if
	// the caller does not want the faces.
	marked []atomic.Uint64
}

// worker is the state of one goroutine.
type worker struct {
	walk    bvh.PairWalk
	k       kernel
	count   [kinds]int64
	first   [kinds]list
	stopped bool  // a task was left out or left early
	seen    int64 // pairs of faces whose boxes meet, since the last count
	found   int64 // pairs among them
	stack   []oriented.Pair
	nodes   []int32
	steps   int // of the oriented search since the last count
	face    oriented.Face
}

// gather copies the vertices of the faces in the order of the leaves.
func (s *search) gather(ctx context.Context, workers int) error {
	m, index := s.x.Mesh(), s.x.Tree().Index()
	flat := make([]uint64, len(m.Faces)/64+1)
	for _, f := range m.Degenerate() {
		flat[f/64] |= 1 << (f % 64)
	}
	s.faces = make([][3]int32, len(index))
	const block = 1 << 15 // tuning
	return par.Blocks(ctx, len(index), block, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			f := index[i]
			s.faces[i] = m.Faces[f]
			if flat[f/64]>>(f%64)&1 == 1 {
				s.faces[i][0] = -1
			}
		}
	})
}

// run searches one task with the tree of x.
func (s *search) run(ctx context.Context, w *worker, task bvh.PairTask) {
	tris := s.x.Triangles()
	w.walk.Start(s.x.Tree(), task)
	for ok := s.proceeds(ctx, w); ok; ok = s.proceeds(ctx, w) {
		for range checkPairs {
			a, na, b, nb, more := w.walk.Next()
			if !more {
				s.count(w)
				return
			}
			for i := a; i < a+na; i++ {
				j := b
				if a == b {
					j = i + 1
				}
				for ; j < b+nb; j++ {
					if boxesMeet(&tris[i], &tris[j]) {
						s.pair(w, i, j)
					}
				}
			}
		}
	}
}

// runOriented searches one task with the oriented tree.
func (s *search) runOriented(ctx context.Context, w *worker, task oriented.Pair) {
	t := s.oriented
	w.stack = append(w.stack[:0], task)
	for s.proceeds(ctx, w) {
		for w.steps < checkPairs {
			w.steps++
			if len(w.stack) == 0 {
				s.count(w)
				return
			}
			p := w.stack[len(w.stack)-1]
			w.stack = w.stack[:len(w.stack)-1]
			var parts [3]oriented.Pair
			if k := t.Split(&p, &parts); k >= 0 {
				w.stack = append(w.stack, parts[:k]...)
				continue
			}
			a := &t.Nodes[p.A]
			for i, f := range t.Faces[a.First : a.First+a.Count] {
				switch {
				case p.A == p.B:
					s.pairs(w, f, t.Faces[int(a.First)+i+1:a.First+a.Count])
				case p.SameFan(t):
					b := &t.Nodes[p.B]
					s.pairs(w, f, t.Faces[b.First:b.First+b.Count])
				default:
					s.below(ctx, w, f, p.B)
				}
			}
		}
	}
}

// below searches the pairs of face f and the faces below a node.
func (s *search) below(ctx context.Context, w *worker, f, node int32) {
	t := s.oriented
	w.face = oriented.Face{Corners: &s.x.Triangles()[f]}
	w.nodes = append(w.nodes[:0], node)
	for len(w.nodes) > 0 {
		if w.steps++; w.steps >= checkPairs && !s.proceeds(ctx, w) {
			return
		}
		n := &t.Nodes[w.nodes[len(w.nodes)-1]]
		w.nodes = w.nodes[:len(w.nodes)-1]
		switch {
		case w.face.Apart(&n.Box):
		case n.Count > 0:
			s.pairs(w, f, t.Faces[n.First:n.First+n.Count])
		default:
			w.nodes = append(w.nodes, n.First, n.First+1)
		}
	}
}

// pairs records the pairs that face f forms with others.
func (s *search) pairs(w *worker, f int32, others []int32) {
	tris := s.x.Triangles()
	w.steps += len(others)
	for _, g := range others {
		if boxesMeet(&tris[f], &tris[g]) {
			s.pair(w, f, g)
		}
	}
}

// pair records the pair of the faces at places i and j, if they form one.
func (s *search) pair(w *worker, i, j int32) {
	w.seen++
	if s.faces[i][0] < 0 || s.faces[j][0] < 0 {
		return
	}
	tris, index := s.x.Triangles(), s.x.Tree().Index()
	kind := w.k.classify(&tris[i], &tris[j], &s.faces[i], &s.faces[j])
	if kind == none {
		return
	}
	f, g := index[i], index[j]
	if s.x.Mesh().ByDivision(f, g) {
		return
	}
	w.found++
	w.count[kind-1]++
	w.first[kind-1].add(key(min(f, g), max(f, g)), s.limit)
	if s.marked != nil && (kind == Crossing || kind == Overlapping) {
		s.marked[f/64].Or(1 << (f % 64))
		s.marked[g/64].Or(1 << (g % 64))
	}
}

// proceeds reports whether the search goes on.
func (s *search) proceeds(ctx context.Context, w *worker) bool {
	s.count(w)
	if s.enough() {
		w.stopped = true
		return false
	}
	if wasted := s.wasted.Load(); wasted > s.waste || wasted > s.waste/8 && s.done.Load() < s.tasks/8 {
		s.hopeless.Store(true)
	}
	return ctx.Err() == nil && !s.hopeless.Load()
}

// count adds what a worker has seen to the counts of all workers.
func (s *search) count(w *worker) {
	s.found.Add(w.found)
	s.wasted.Add(w.seen - w.found)
	w.seen, w.found, w.steps = 0, 0, 0
}

// boxesMeet reports whether the bounding boxes of two triangles share a point.
func boxesMeet(t, u *mesh.Triangle) bool {
	return min(t[0].X, t[1].X, t[2].X) <= max(u[0].X, u[1].X, u[2].X) && min(u[0].X, u[1].X, u[2].X) <= max(t[0].X, t[1].X, t[2].X) &&
		min(t[0].Y, t[1].Y, t[2].Y) <= max(u[0].Y, u[1].Y, u[2].Y) && min(u[0].Y, u[1].Y, u[2].Y) <= max(t[0].Y, t[1].Y, t[2].Y) &&
		min(t[0].Z, t[1].Z, t[2].Z) <= max(u[0].Z, u[1].Z, u[2].Z) && min(u[0].Z, u[1].Z, u[2].Z) <= max(t[0].Z, t[1].Z, t[2].Z)
}

// enough reports whether the search has found as many pairs as the caller wants.
func (s *search) enough() bool { return s.stop > 0 && s.found.Load() >= s.stop }

// merge adds up the counts of the workers. It lists the first pairs and locates each one.
func (s *search) merge(ctx context.Context, workers []worker, goroutines int) (r Report, err error) {
	r.Incomplete = s.hopeless.Load() // workers left tasks early, and then others found enough pairs
	for i := range workers {
		r.Incomplete = r.Incomplete || workers[i].stopped
	}
	var count [kinds]int64
	for kind := range count {
		var all list
		for i := range workers {
			count[kind] += workers[i].count[kind]
			all.keys = append(all.keys, workers[i].first[kind].keys...)
			workers[i].first[kind] = list{}
		}
		all.cut(s.limit)
		for _, key := range all.keys {
			r.Pairs = append(r.Pairs, Pair{A: int32(key >> 32), B: int32(key & 0xffffffff), Kind: Kind(kind + 1)})
		}
	}
	r.Duplicate, r.Overlapping, r.Crossing, r.Touching = count[0], count[1], count[2], count[3]
	for i := range s.marked {
		for word := s.marked[i].Load(); word != 0; word &= word - 1 {
			r.Faces = append(r.Faces, int32(64*i+bits.TrailingZeros64(word)))
		}
	}
	const block = 256 // tuning
	err = par.Blocks(ctx, len(r.Pairs), block, goroutines, func(_, lo, hi int) {
		for i := range r.Pairs[lo:hi] {
			p := &r.Pairs[lo+i]
			t, u := s.x.Mesh().Triangle(p.A), s.x.Mesh().Triangle(p.B)
			p.From, p.To = locate(&t, &u, p.Kind)
		}
	})
	return r, err
}

// key returns a number that orders pairs by a, then b.
func key(a, b int32) uint64 { return uint64(a)<<32 | uint64(b) }

// list holds the smallest keys of a stream. It drops keys that are larger than enough others, so
// the list stays short. The result does not depend on the order of the stream.
type list struct {
	keys []uint64
	full bool   // whether the list has had at least limit keys, so that most is set
	most uint64 // largest of the limit smallest keys at the last cut
}

// add adds a key to a list of the limit smallest keys.
func (l *list) add(key uint64, limit int) {
	if limit == 0 || l.full && key >= l.most {
		return
	}
	if l.keys = append(l.keys, key); len(l.keys) >= 2*limit {
		l.cut(limit)
	}
}

// cut sorts the keys and drops all but the limit smallest ones.
func (l *list) cut(limit int) {
	slices.Sort(l.keys)
	if limit > 0 && len(l.keys) >= limit {
		l.keys = l.keys[:limit]
		l.full, l.most = true, l.keys[limit-1]
	}
}
