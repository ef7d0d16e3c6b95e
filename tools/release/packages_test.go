package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// linuxBuilt lists the Linux platforms of the release under test.
func linuxBuilt() []platform {
	return slices.DeleteFunc(built(), func(p platform) bool { return p.os != "linux" })
}

// need skips the test if a program is missing.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("not tested: %s is missing", program)
	}
}

// Each Debian package is installed into an empty folder, runs there, and is removed without a trace.
func TestDeb(t *testing.T) {
	for _, p := range linuxBuilt() {
		t.Run(p.arch, func(t *testing.T) {
			path := find(t, "inpoly_0.9.0~test.1-1_"+p.arch+".deb")
			need(t, "dpkg-deb")
			fields, err := output(exec.CommandContext(t.Context(), "dpkg-deb", "--show",
				"--showformat=${Package} ${Version} ${Architecture} ${Section} ${Depends}", path))
			if want := "inpoly 0.9.0~test.1-1 " + p.arch + " science "; err != nil || string(fields) != want {
				t.Errorf("%q, %v; want %q", fields, err, want)
			}
			if os.Geteuid() != 0 {
				t.Skip("not installed: dpkg needs root")
			}
			root := t.TempDir()
			for _, dir := range []string{"updates", "info", "triggers"} {
				if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, file := range []string{"status", "available"} {
				if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg", file), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			dpkg := func(args ...string) {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "dpkg", append([]string{"--root=" + root, "--force-architecture", "--force-unsafe-io", "--log=/dev/null"}, args...)...)
				cmd.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
				if _, err := output(cmd); err != nil {
					t.Fatal(err)
				}
			}
			dpkg("--install", path)
			names := installed(t, root)
			want := []string{"usr/bin/inpoly", "usr/share/bash-completion/completions/inpoly",
				"usr/share/doc/inpoly/THIRD_PARTY_NOTICES.txt.gz", "usr/share/doc/inpoly/changelog.Debian.gz",
				"usr/share/doc/inpoly/changelog.gz", "usr/share/doc/inpoly/copyright",
				"usr/share/fish/vendor_completions.d/inpoly.fish", "usr/share/lintian/overrides/inpoly",
				"usr/share/man/man1/inpoly.1.gz", "usr/share/zsh/vendor-completions/_inpoly"}
			if !slices.Equal(names, want) {
				t.Errorf("installed %q, want %q", names, want)
			}
			dpkg("--verify", "inpoly")
			copyright, err := os.ReadFile(filepath.Join(root, "usr/share/doc/inpoly/copyright"))
			if err != nil || !bytes.Contains(copyright, []byte("License: Expat\n Permission is hereby granted")) ||
				!bytes.Contains(copyright, []byte("github.com/spf13/cobra")) {
				t.Errorf("copyright %v:\n%s", err, copyright)
			}
			t.Run("run", func(t *testing.T) { runOn(t, p, filepath.Join(root, "usr/bin/inpoly")) })
			dpkg("--remove", "inpoly")
			if names := installed(t, root); len(names) > 0 {
				t.Errorf("left after removal: %q", names)
			}
		})
	}
}

// installed lists the files in root that are not dpkg's.
func installed(t *testing.T, root string) []string {
	t.Helper()
	names, err := walk(root)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(names, func(s string) bool { return strings.HasPrefix(s, "var/lib/dpkg/") })
}

// Lintian, Debian's checker of packages, finds nothing.
func TestLintian(t *testing.T) {
	need(t, "lintian")
	for _, p := range linuxBuilt() {
		path := find(t, "inpoly_*_"+p.arch+".deb")
		args := []string{"--fail-on", "error,warning", "--tag-display-limit", "0"}
		if os.Geteuid() == 0 {
			args = append(args, "--allow-root")
		}
		if out, err := exec.CommandContext(t.Context(), "lintian", append(args, path)...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", p, err, out)
		}
	}
}

// The image layout is valid, has the platforms, and the command in it answers the README's example
// as the user of the image, with the image as its only files.
func TestImage(t *testing.T) {
	dir := unpack(t, find(t, "inpoly_*_oci.tar"))
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(manifest.Manifests); n != 1 || manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != testVersion[1:] {
		t.Fatalf("index.json: %+v", manifest)
	}
	inner, err := index.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if manifest, err = inner.IndexManifest(); err != nil {
		t.Fatal(err)
	}
	var found []platform
	for _, m := range manifest.Manifests {
		found = append(found, platform{m.Platform.OS, m.Platform.Architecture})
		image, err := inner.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(m.Platform.Architecture, func(t *testing.T) { checkImage(t, image, found[len(found)-1]) })
	}
	if want := linuxBuilt(); !slices.Equal(found, want) {
		t.Errorf("platforms %v, want %v", found, want)
	}
}

func checkImage(t *testing.T, image v1.Image, p platform) {
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	if config.OS != p.os || config.Architecture != p.arch || c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/usr/bin/inpoly"}) ||
		c.WorkingDir != "/data" || c.Labels["org.opencontainers.image.version"] != testVersion {
		t.Errorf("config %+v", config)
	}
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	r, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	root := t.TempDir()
	unpackTar(t, root, r)
	names, err := walk(root)
	if want := []string{"licenses/LICENSE", "licenses/THIRD_PARTY_NOTICES.txt", "usr/bin/inpoly"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("files %q, %v; want %q", names, err, want)
	}
	if p != native {
		runOn(t, p, filepath.Join(root, "usr/bin/inpoly"))
		return
	}
	for _, name := range readmeExample.args {
		data, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, root, "data/"+name, 0o644, bytes.NewReader(data))
	}
	cmd := exec.CommandContext(t.Context(), c.Entrypoint[0], readmeExample.args...)
	if !enter(cmd, root, c.WorkingDir) {
		t.Skip("not run: only root can enter the image")
	}
	cmd.Env = c.Env
	checkOutput(t, cmd)
}

// Skopeo, which does not use the library that wrote the image, copies all of it.
func TestSkopeo(t *testing.T) {
	path := find(t, "inpoly_*_oci.tar")
	need(t, "skopeo")
	to := t.TempDir()
	source := "oci-archive:" + path + ":" + testVersion[1:]
	if _, err := output(exec.CommandContext(t.Context(), "skopeo", "--insecure-policy", "copy", "--all", source, "dir:"+to)); err != nil {
		t.Fatal(err)
	}
	if files, err := walk(to); err != nil || len(files) < 5 {
		t.Errorf("copied %q, %v", files, err)
	}
	for _, p := range linuxBuilt() {
		out, err := output(exec.CommandContext(t.Context(), "skopeo", "--insecure-policy", "--override-arch="+p.arch, "--override-os=linux", "inspect", source))
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Architecture string
			Labels       map[string]string
		}
		if err := json.Unmarshal(out, &got); err != nil || got.Architecture != p.arch || got.Labels["org.opencontainers.image.version"] != testVersion {
			t.Errorf("%s: %+v, %v", p, got, err)
		}
	}
}

// Each bill of materials conforms to CycloneDX's schema and lists what the command says of itself.
func TestSBOM(t *testing.T) {
	schema := cycloneSchema(t)
	sums, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range built() {
		t.Run(p.os+"_"+p.arch, func(t *testing.T) {
			base := "inpoly_" + testVersion[1:] + "_" + p.os + "_" + p.arch
			data, err := os.ReadFile(find(t, base+".cdx.json"))
			if err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Error(err)
			}
			value.(map[string]any)["components"].([]any)[0].(map[string]any)["type"] = "nothing"
			if schema.Validate(value) == nil {
				t.Error("the schema accepts a component of an unknown type")
			}
			var bom cdx.BOM
			if err := cdx.NewBOMDecoder(bytes.NewReader(data), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
				t.Fatal(err)
			}
			info, err := buildinfo.ReadFile(filepath.Join(unpack(t, find(t, base+".[tz]*")), base, p.name()))
			if err != nil {
				t.Fatal(err)
			}
			if c := bom.Metadata.Component; c.Version != testVersion || c.PackageURL != "pkg:golang/github.com/inpoly/inpoly@"+testVersion {
				t.Errorf("component %+v", c)
			}
			got := map[string]cdx.Component{}
			for _, c := range *bom.Components {
				got[c.Name] = c
				if c.Licenses == nil || len(*c.Licenses) == 0 {
					t.Errorf("%s has no license", c.Name)
				}
			}
			if len(got) != len(info.Deps)+1 || got["std"].Version != info.GoVersion[2:] {
				t.Errorf("%d components, want %d and std %s, found %q", len(got), len(info.Deps), info.GoVersion, got["std"].Version)
			}
			for _, d := range info.Deps {
				c := got[d.Path]
				if c.Version != d.Version || c.Properties == nil || (*c.Properties)[0].Value != d.Sum {
					t.Errorf("%s %s %s: component %+v", d.Path, d.Version, d.Sum, c)
				}
				if line := d.Path + " " + d.Version + " " + d.Sum + "\n"; !strings.Contains(string(sums), line) {
					t.Errorf("go.sum does not have %q", line)
				}
			}
			if deps := *bom.Dependencies; len(deps) != 1 || len(*deps[0].Dependencies) != len(got) {
				t.Errorf("dependencies %+v", deps)
			}
		})
	}
}

// cycloneSchema returns the schema of CycloneDX 1.6, which the library has in its module.
func cycloneSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := output(exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go"))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	for name, file := range map[string]string{"bom-1.6.schema.json": "", "spdx.schema.json": "", "jsf-0.82.schema.json": "jsf-0.82.schemax.json"} {
		if file == "" {
			file = name
		}
		f, err := os.Open(filepath.Join(strings.TrimSpace(string(dir)), "schema", file))
		if errors.Is(err, fs.ErrNotExist) && file != name {
			f, err = os.Open(filepath.Join(strings.TrimSpace(string(dir)), "schema", name))
		}
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		doc, err := jsonschema.UnmarshalJSON(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource("http://cyclonedx.org/schema/"+name, doc); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := c.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// goFrom returns a go command whose modules come from the built proxy, and from a copy of the files
// that the go command has downloaded for the repository. It uses no network.
func goFrom(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cache, err := output(exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := "file://" + filepath.ToSlash(filepath.Join(dist(t), "goproxy"))
	downloaded := "file://" + filepath.ToSlash(filepath.Join(strings.TrimSpace(string(cache)), "cache", "download"))
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY="+proxy+","+downloaded, "GONOSUMDB="+modulePath, "GONOPROXY=none", "GOPRIVATE=", "GOSUMDB=off",
		"GOFLAGS=-modcacherw -trimpath", "GOMODCACHE="+filepath.Join(dir, "mod"), "GOBIN="+filepath.Join(dir, "bin"), "CGO_ENABLED=0")
	return cmd
}

// go install of the version works, and the installed command knows its version.
func TestInstall(t *testing.T) {
	dir := t.TempDir()
	if _, err := output(goFrom(t, dir, "install", modulePath+"/cmd/inpoly@"+testVersion)); err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(dir, "bin", native.name())
	out, err := output(exec.CommandContext(t.Context(), command, "version"))
	if err != nil || !strings.HasPrefix(string(out), "inpoly "+testVersion+" go1.") {
		t.Errorf("version %q, %v", out, err)
	}
	checkExample(t, command)

	// A program of another module uses the library.
	for name, text := range map[string]string{
		"go.mod": "module example.com/consumer\n\ngo 1.26.0\n",
		"main.go": `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly"
)

func main() {
	solid, err := inpoly.Open(context.Background(), os.Args[1], inpoly.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(solid.Side(r3.Vector{X: 100, Y: 100, Z: 100}) == inpoly.Outside)
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"get", modulePath + "@latest"}, {"build", "-o", "bin/consumer", "."}} {
		if _, err := output(goFrom(t, dir, args...)); err != nil {
			t.Fatal(err)
		}
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !strings.Contains(string(mod), modulePath+" "+testVersion) {
		t.Errorf("go.mod %v:\n%s", err, mod)
	}
	knot := absolute(t, filepath.Join(repository, readmeExample.args[0]))
	if out, err := output(exec.CommandContext(t.Context(), filepath.Join(dir, "bin", "consumer"), knot)); err != nil || string(out) != "true\n" {
		t.Errorf("the program prints %q, %v", out, err)
	}
}

// The module zip is valid, and has no nested module.
func TestModuleZip(t *testing.T) {
	path := find(t, "goproxy/github.com/inpoly/inpoly/@v/"+testVersion+".zip")
	files, err := zip.CheckZip(module.Version{Path: modulePath, Version: testVersion}, path)
	if err != nil || files.Err() != nil {
		t.Fatal(err, files.Err())
	}
	nested := regexp.MustCompile(`^(beam|dem|evidence|tools)/`)
	prefix := modulePath + "@" + testVersion + "/"
	for _, name := range files.Valid {
		if name = strings.TrimPrefix(name, prefix); nested.MatchString(name) {
			t.Errorf("%s belongs to a nested module", name)
		}
	}
	for _, name := range []string{"go.mod", "LICENSE", "cmd/inpoly/main.go", "testdata/knot.stl"} {
		if !slices.Contains(files.Valid, prefix+name) && !slices.Contains(files.Valid, name) {
			t.Errorf("%s is missing", name)
		}
	}
}
