package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nobody is the user and group of the image, as in the distroless images: not root, and no user of
// common systems.
const nobody = 65532

// writeImage writes a container image for all builds as a tar of an OCI image layout. The image has
// the command, its licenses, and the folder /data as its working folder.
func writeImage(dist, work string, src *source, builds []*build) error {
	labels := map[string]string{
		"org.opencontainers.image.title":       "inpoly",
		"org.opencontainers.image.description": summary,
		"org.opencontainers.image.version":     src.version,
		"org.opencontainers.image.revision":    src.commit,
		"org.opencontainers.image.source":      "https://" + modulePath,
		"org.opencontainers.image.licenses":    "MIT",
		"org.opencontainers.image.created":     src.time.Format("2006-01-02T15:04:05Z07:00"),
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range builds {
		image, err := platformImage(src, b, labels)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: b.os, Architecture: b.arch}},
		})
	}
	index = mutate.Annotations(index, labels).(v1.ImageIndex)
	path, err := layout.Write(work, empty.Index)
	if err != nil {
		return err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": src.number()})); err != nil {
		return err
	}
	names, err := walk(work)
	if err != nil {
		return err
	}
	var entries []entry
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(work, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		entries = append(entries, entry{name: name, data: data})
	}
	var buf bytes.Buffer
	if err := writeTar(&buf, entries, src.time); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dist, "inpoly_"+src.number()+"_oci.tar"), buf.Bytes(), 0o644)
}

func platformImage(src *source, b *build, labels map[string]string) (v1.Image, error) {
	command, err := os.ReadFile(b.path)
	if err != nil {
		return nil, err
	}
	license, err := src.read("LICENSE")
	if err != nil {
		return nil, err
	}
	var files bytes.Buffer
	err = writeTar(&files, []entry{
		{name: "data", mode: fs.ModeDir | 0o755, uid: nobody},
		{name: "tmp", mode: fs.ModeDir | fs.ModeSticky | 0o777},
		{name: "usr", mode: fs.ModeDir | 0o755},
		{name: "usr/bin", mode: fs.ModeDir | 0o755},
		{name: "usr/bin/inpoly", mode: 0o755, data: command},
		{name: "licenses", mode: fs.ModeDir | 0o755},
		{name: "licenses/LICENSE", data: license},
		{name: "licenses/THIRD_PARTY_NOTICES.txt", data: notices(b.licenses)},
	}, src.time)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	created := v1.Time{Time: src.time}
	if image, err = mutate.Append(image, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: created, CreatedBy: "make release", Comment: "inpoly " + src.version},
	}); err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = b.os, b.arch, created
	config.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", nobody, nobody), Entrypoint: []string{"/usr/bin/inpoly"}, WorkingDir: "/data", Labels: labels,
		Env: []string{"PATH=/usr/bin", "HOME=/data"},
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return nil, err
	}
	return mutate.Annotations(image, labels).(v1.Image), nil
}
