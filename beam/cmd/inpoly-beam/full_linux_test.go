package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inpoly/inpoly/internal/cli/merge"
	"github.com/inpoly/inpoly/internal/testmesh"
)

type measured struct {
	wall, cpu time.Duration
	memory    int64 // maximum resident memory in bytes
}

func (m measured) String() string {
	return fmt.Sprintf("%6.2f s, %6.2f CPU-s, %4d MB", m.wall.Seconds(), m.cpu.Seconds(), m.memory>>20)
}

// measure runs c and returns the resources that it used. c must succeed.
func measure(t testing.TB, c *exec.Cmd) measured {
	t.Helper()
	var stderr strings.Builder
	c.Stderr = &stderr
	if os.Getenv("INPOLY_FULL") != "" {
		settle(t)
	}
	from := time.Now()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	most := make(chan int64)
	go func() { most <- watch(c.Process.Pid, ended) }()
	err := c.Wait()
	wall := time.Since(from)
	close(ended)
	memory := <-most
	if err != nil {
		t.Fatalf("%q: %v: %s", c.Args, err, &stderr)
	}
	return measured{wall, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), memory}
}

// settle makes the times of runs comparable. It waits until the files of earlier runs are on the
// disk, and then allocates memory for the file cache. A virtual machine returns free memory to its
// host. Getting this memory back is slow and can double the time of a run.
func settle(t testing.TB) {
	t.Helper()
	syscall.Sync()
	const room = 2 << 30 // twice the bytes that a run writes
	data, err := syscall.Mmap(-1, 0, room, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(data); i += os.Getpagesize() {
		data[i] = 1
	}
	if err := syscall.Munmap(data); err != nil {
		t.Fatal(err)
	}
}

// watch returns the maximum resident memory of a running process. watch polls /proc, because the
// maximum that the system reports for an ended process includes the memory of the test process.
func watch(pid int, ended <-chan struct{}) (most int64) {
	for {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, text, ok := strings.Cut(string(data), "VmHWM:"); err == nil && ok {
			var kb int64
			if _, err := fmt.Sscan(text, &kb); err == nil {
				most = max(most, kb<<10)
			}
		}
		select {
		case <-ended:
			return most
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// writeSphere writes a sphere of 8·4^levels triangles.
func writeSphere(t testing.TB, path string, levels int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	m := testmesh.Sphere(levels)
	for _, v := range m.Vertices {
		fmt.Fprintln(w, "v", v.X, v.Y, v.Z)
	}
	for _, face := range m.Faces {
		fmt.Fprintln(w, "f", face[0]+1, face[1]+1, face[2]+1)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

func digest(t testing.TB, path string) [32]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		t.Fatal(err)
	}
	return [32]byte(h.Sum(nil))
}

// TestTwelveFiles measures the times that the README lists. It queries the points of twelve files
// in three formats, first with inpoly and then with inpoly-beam. It compares the outputs byte for
// byte and prints the times. With INPOLY_FULL=1 it uses 20 million points. Otherwise it uses 60,000
// points, which are too few for meaningful times.
func TestTwelveFiles(t *testing.T) {
	n, levels, turns, sizes := 60_000, 4, 1, []int{1_000, 4_000, 100_000}
	if os.Getenv("INPOLY_FULL") != "" {
		n, levels, turns, sizes = 20_000_000, 7, 5, []int{100_000, 1_000_000, 10_000_000}
	}
	dir := t.TempDir()
	sphere := filepath.Join(dir, "sphere.obj")
	writeSphere(t, sphere, levels)
	var files []string
	for k := range 12 {
		pts := cloud(uint64(k), n/12)
		for i := range pts {
			for a := range 3 {
				pts[i][a] = 2*pts[i][a] - 1 // the points then fill the box from −2 to 2
			}
		}
		name := fmt.Sprintf("p%02d", k)
		switch k % 3 {
		case 0:
			files = append(files, put(t, dir, name+".csv", csvOf(pts, "\n")))
		case 1:
			files = append(files, put(t, dir, name+".npy", npyOf(pts, 64)))
		default:
			files = append(files, put(t, dir, name+".ply", plyOf(pts)))
		}
	}
	command := inpolyAt(t)
	want := make([][32]byte, len(files))
	one := func(cores int) (sum measured) {
		for k, path := range files {
			out := filepath.Join(dir, "one"+filepath.Ext(path))
			c := exec.Command(command, "-q", sphere, path, "--out", out)
			c.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", cores))
			m := measure(t, c)
			sum.wall, sum.cpu, sum.memory = sum.wall+m.wall, sum.cpu+m.cpu, max(sum.memory, m.memory)
			want[k] = digest(t, out)
		}
		return sum
	}
	merged, out := filepath.Join(dir, "merged"), filepath.Join(dir, "out", "o")
	joined := map[int][]string{} // checksums of the shards of the first run, by shard size
	many := func(cores, size int, flags ...string) measured {
		args := append([]string{"-q", "--mesh", sphere, "--points", filepath.Join(dir, "p*"), "--out", out, "--shard-points", fmt.Sprint(size)}, flags...)
		c := child("command", args...)
		c.Env = append(c.Env, fmt.Sprintf("GOMAXPROCS=%d", cores))
		took := measure(t, c)
		m, err := merge.Read(merge.ManifestName(out))
		if err != nil {
			t.Fatal(err)
		}
		var sums []string
		for _, in := range m.Inputs {
			for _, s := range in.Shards {
				sums = append(sums, s.SHA256)
			}
		}
		if joined[size] == nil {
			inpoly(t, "merge", "-q", merge.ManifestName(out), "--out-dir", merged)
			for k, path := range files {
				if digest(t, filepath.Join(merged, filepath.Base(path))) != want[k] {
					t.Errorf("shards of %d points, %d cores, %q: %s differs", size, cores, flags, filepath.Base(path))
				}
			}
			joined[size] = sums
		} else if !slices.Equal(sums, joined[size]) {
			t.Errorf("shards of %d points, %d cores, %q: not those of the first run", size, cores, flags)
		}
		wantWhole(t, out)
		return took
	}
	t.Logf("%d points in %d files", n/12*12, len(files))
	one(2) // this run writes the expected files
	// Each turn makes every run once. Other load then affects all runs alike.
	const usual = 4_000_000
	runs := []struct {
		name string
		run  func() measured
		list []measured
	}{
		{name: "inpoly, a process a file, 2 cores", run: func() measured { return one(2) }},
		{name: "inpoly, a process a file, 1 core", run: func() measured { return one(1) }},
		{name: "shards of 4000000 points, 2 cores", run: func() measured { return many(2, usual) }},
		{name: "… 2 cores, --workers 1", run: func() measured { return many(2, usual, "--workers", "1") }},
		{name: "… 2 cores, --workers 2", run: func() measured { return many(2, usual, "--workers", "2") }},
	}
	for _, size := range sizes {
		runs = append(runs, runs[2])
		r := &runs[len(runs)-1]
		r.name = fmt.Sprintf("shards of %d points, 2 cores", size)
		r.run = func() measured { return many(2, size) }
	}
	for range turns {
		for i := range runs {
			runs[i].list = append(runs[i].list, runs[i].run())
		}
	}
	for i := range runs {
		list := runs[i].list
		slices.SortFunc(list, func(a, b measured) int { return cmp.Compare(a.wall, b.wall) })
		t.Logf("%-34s %v", runs[i].name, list[len(list)/2])
	}
	ratios := make([]float64, 3*turns)
	for i := range ratios {
		var took [3]measured
		for _, cores := range [][]int{{1, 2}, {2, 1}}[i%2] {
			took[cores] = many(cores, usual)
		}
		ratios[i] = took[1].wall.Seconds() / took[2].wall.Seconds()
	}
	slices.Sort(ratios)
	t.Logf("shards of 4000000 points, 1 core over 2 cores: %.2f, the median of %d turns (%.2f to %.2f)", ratios[len(ratios)/2], len(ratios), ratios[0], ratios[len(ratios)-1])
	address := startPrism(t)
	t.Logf("… Prism server, 2 worker processes  %v (of the driver)", many(2, sizes[1], onServer(t, address)...))
}
