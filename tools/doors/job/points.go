package job

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly/pose"
)

// ReadVectors reads a file of coordinates, which are float32 if the suffix is .f32.
func ReadVectors(path string) ([]r3.Vector, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	size := 8
	at := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])) }
	if filepath.Ext(path) == ".f32" {
		size = 4
		at = func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))) }
	}
	if len(data)%(3*size) != 0 {
		return nil, fmt.Errorf("%s: %d bytes are not a multiple of %d", path, len(data), 3*size)
	}
	pts := make([]r3.Vector, len(data)/(3*size))
	for i := range pts {
		pts[i] = r3.Vector{X: at(3 * i), Y: at(3*i + 1), Z: at(3*i + 2)}
	}
	return pts, nil
}

// WriteVectors writes the file that ReadVectors reads.
func WriteVectors(path string, pts []r3.Vector) error {
	var data []byte
	for _, p := range pts {
		for _, c := range [3]float64{p.X, p.Y, p.Z} {
			if filepath.Ext(path) == ".f32" {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(c)))
			} else {
				data = binary.LittleEndian.AppendUint64(data, math.Float64bits(c))
			}
		}
	}
	return os.WriteFile(path, data, 0o644)
}

// ReadFaces reads a file of indexes of vertices. For "-", it returns the faces 0 1 2, 3 4 5 and so on
// of n vertices.
func ReadFaces(path string, n int) ([][3]int32, error) {
	if path == "-" {
		faces := make([][3]int32, n/3)
		for i := range faces {
			k := int32(3 * i)
			faces[i] = [3]int32{k, k + 1, k + 2}
		}
		return faces, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data)%12 != 0 {
		return nil, fmt.Errorf("%s: %d bytes are not a multiple of 12", path, len(data))
	}
	faces := make([][3]int32, len(data)/12)
	for i := range faces {
		for k := range 3 {
			faces[i][k] = int32(binary.LittleEndian.Uint32(data[12*i+4*k:]))
		}
	}
	return faces, nil
}

// WriteFaces writes the file that ReadFaces reads.
func WriteFaces(path string, faces [][3]int32) error {
	var data []byte
	for _, f := range faces {
		for _, v := range f {
			data = binary.LittleEndian.AppendUint32(data, uint32(v))
		}
	}
	return os.WriteFile(path, data, 0o644)
}

// ReadPoses reads a file of poses.
func ReadPoses(path string) ([]pose.Pose, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	const size = 7 * 8
	if len(data)%size != 0 {
		return nil, fmt.Errorf("%s: %d bytes are not a multiple of %d", path, len(data), size)
	}
	poses := make([]pose.Pose, len(data)/size)
	for i := range poses {
		var n [7]float64
		for k := range n {
			n[k] = math.Float64frombits(binary.LittleEndian.Uint64(data[size*i+8*k:]))
		}
		poses[i] = pose.Pose{
			Rotation:    quat.Number{Real: n[0], Imag: n[1], Jmag: n[2], Kmag: n[3]},
			Translation: r3.Vector{X: n[4], Y: n[5], Z: n[6]},
		}
	}
	return poses, nil
}

// WritePoses writes the file that ReadPoses reads.
func WritePoses(path string, poses []pose.Pose) error {
	var data []byte
	for _, p := range poses {
		q, t := p.Rotation, p.Translation
		for _, x := range [7]float64{q.Real, q.Imag, q.Jmag, q.Kmag, t.X, t.Y, t.Z} {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
		}
	}
	return os.WriteFile(path, data, 0o644)
}
