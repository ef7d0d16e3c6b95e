# Checks beyond `go test ./...`. They need Go alone; the linter is fetched as a
# module of its own, at the version below. `bench` builds its peers from
# INPOLY_PEERS.

# Every module builds against the versions that its own go.mod names, as users get them.
export GOWORK := off

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
# Errors are compared by errors.Is and wrapped by %w; exported names have comments
# (.revive.toml); one spelling.
ERRORLINT := github.com/polyfloyd/go-errorlint@v1.8.0
REVIVE := github.com/mgechev/revive@v1.12.0
DEADCODE := golang.org/x/tools/cmd/deadcode@v0.52.0
VULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
MISSPELL := github.com/golangci/misspell/cmd/misspell@v0.8.0
# Misspell also finds typing errors; the test of words in internal/arch is stricter about spelling.
TEXTS := -name '*.go' -o -name '*.md' -o -name '*.s' -o -name '*.sh' -o -name '*.js' -o -name '*.txtar'
# Modules of their own below the root, and those of them that lint covers too; verify adds bench.
MODULES := $(patsubst %/go.mod,%,$(wildcard */go.mod */*/go.mod */*/*/go.mod))
LINTED ?= .
RACE_ALL := ./internal/binding ./internal/par ./internal/lazy ./internal/engine/locate ./internal/engine/intersect ./internal/engine/raytree ./rays ./section ./measure ./proof ./assembly ./bvh ./mesh ./loaders ./points/... ./internal/engine/nearest ./neighbor ./collide ./raycross ./internal/engine/cells ./fmm ./voxels ./view ./cmd/inpoly ./internal/cli/... ./internal/apitest .
# Packages of RACE_ALL in which goroutines meet; verify takes all.
RACE ?= ./internal/binding ./internal/par ./internal/lazy ./internal/engine/locate ./assembly ./internal/engine/nearest ./internal/apitest
# Modules of their own that verify also tests.
RACE_MODULES ?=
# Tests in which goroutines meet; verify takes all.
RACE_TESTS ?= Stress|Worker|Concurrent|Interrupt|Cancel|Deterministic|Batch|SameBits|AtOnce|TestRefine|TestValue[^s]|TestUpgrade
# A number of inputs a target, not a time: before Go 1.27 a fuzzer whose time is
# up may report that as a failure (golang.org/issue/75804).
FUZZTIME ?= 200x
# A tenth of the seeded cases where the same tests run a second time; verify takes all.
SHORT ?= -short

# The types of the root module are checked for these platforms; verify builds it for all of them. On js/wasm only
# the libraries build; the doors build most of them for it.
PLATFORMS := linux/arm64 linux/386 linux/arm windows/386 windows/amd64 windows/arm64 darwin/amd64 darwin/arm64 freebsd/amd64
# What computes: the tests that must pass with 32-bit integers and with fused multiplications.
PORTABLE := ./internal/predicates ./bem ./bvh ./mesh ./raycross ./fmm ./internal/engine/cells/... ./internal/engine/nearest ./internal/engine/intersect

# The longest first.
CHECKS := modules doors race fuzz lint noasm platforms

.PHONY: check checks verify experiments portable vulnerabilities bench gallery pictures release release-test sizes windows $(CHECKS)

check: $(CHECKS)

# Their names, for the gate.
checks:
	@echo $(CHECKS)

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt would change these files"; exit 1; }
	go vet ./...
	@find . -type f \( $(TEXTS) \) ! -name words_test.go -print0 | \
	  xargs -0 go run $(MISSPELL) -locale US -i infinit,cancelled -error
	@set -e; root=$$PWD; for m in $(LINTED); do echo "staticcheck, errorlint, revive $$m"; \
	  (cd $$m && go run $(STATICCHECK) ./... && go run $(ERRORLINT) ./... && \
	    go run $(REVIVE) -config $$root/.revive.toml -set_exit_status ./...); done

# Functions that neither a program nor a test of the root module reaches. The C library exports its functions to C;
# only these reach some methods of package binding. Beam, a module of its own, uses the other functions of package disk.
.PHONY: unreached
unreached:
	@set -e; list=$$(go run $(DEADCODE) -test ./...); \
	  ! printf '%s\n' "$$list" | grep -v '^bindings/c/\|^internal/binding/\|^internal/disk/'

race:
	env -u INPOLY_CORPUS go test -timeout 1h -vet=off -race -short -run '$(RACE_TESTS)' $(RACE)
	@set -e; for m in $(RACE_MODULES); do (cd $$m && go test -timeout 1h -vet=off -race -short -run '$(RACE_TESTS)' ./...); done

# Packages with assembly, without it; verify takes all packages.
NOASM ?= ./bvh ./internal/motion ./internal/engine/nearest ./raycross ./internal/engine/cells/internal/layout
noasm:
	env -u INPOLY_CORPUS go test -tags noasm $(SHORT) $(NOASM)

platforms:
	cd tools && go run ./platforms $(PLATFORMS)

# Builds for all platforms, without optimization, which takes half of the time.
QUICKLY := -gcflags=all='-N -l'
.PHONY: builds
builds:
	@set -e; for p in $(PLATFORMS); do echo "build $$p"; GOOS=$${p%/*} GOARCH=$${p#*/} go build $(QUICKLY) ./...; done; \
	  echo "build js/wasm"; GOOS=js GOARCH=wasm go build $(QUICKLY) $$(GOOS=js GOARCH=wasm go list -f '{{if .GoFiles}}{{.ImportPath}}{{end}}' ./... | grep -v /cmd/)

# 386 runs natively on amd64; arm64, where the compiler fuses x*y + z, in an emulator.
portable:
	@command -v qemu-aarch64 >/dev/null || { echo "portable: qemu-aarch64 is missing: apt-get install qemu-user"; exit 1; }
	env -u INPOLY_CORPUS GOARCH=386 go test -short -timeout 2h $(PORTABLE)
	env -u INPOLY_CORPUS GOARCH=arm64 go test -short -timeout 4h -exec qemu-aarch64 $(PORTABLE)

# The fuzz targets below these folders, FUZZTIME each: those of the readers of files; verify takes
# all targets. All targets of a package run in one binary. GUIDED=-fuzz=. builds it with counters of coverage, which
# choose the next inputs but need another build of all dependencies; verify does so.
FUZZED ?= loaders points
GUIDED ?=
fuzz:
	@set -e; out=$$(mktemp -d); trap 'rm -r "$$out"' EXIT; found=$$(go env GOCACHE)/fuzz; \
	for d in $$(grep -rl --include='*_test.go' '^func Fuzz' $(FUZZED) | xargs -n 1 dirname | sort -u); do \
	  (cd $$d; name=$$(go list); go test -c $(GUIDED) -o "$$out/fuzz" .; \
	  for t in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' *_test.go); do \
	    echo "$$name $$t"; "$$out/fuzz" -test.run '^$$' -test.fuzz "^$$t$$" -test.fuzztime $(FUZZTIME) \
	      -test.fuzzminimizetime 10x -test.fuzzcachedir "$$found/$$name"; \
	  done); done

# All proof files of the tests, about 20 minutes of CPU time. INPOLY_TABLE can name the file of a table.
.PHONY: proofs
proofs:
	INPOLY_FULL=1 go test -count=1 -timeout 3h -v ./proof

# Beam has hundreds of dependencies, which take minutes of CPU time to build, and to vet: vet reads all dependencies,
# too. So the gate only checks the types of beam, and vets only the root module, in lint; verify does all.
TESTED ?= $(filter-out beam,$(MODULES))
VETTED ?=
modules:
	@set -e; for m in $(VETTED); do echo "vet $$m"; (cd $$m && go vet ./...); done; \
	  for m in $(TESTED); do echo "module $$m"; (cd $$m && go test -vet=off ./...); done
	cd tools && go run ./platforms -dir ../beam "$$(go env GOOS)/$$(go env GOARCH)"

# The lists of options, answers and words in the libraries, the help and the documents, from bindings/api.json.
.PHONY: api
api:
	INPOLY_UPDATE=1 go test -count=1 -run '^TestGenerated$$' ./internal/api

# The proofs of error bounds in the files *.gappa. Needs Gappa.
.PHONY: filters
filters:
	@command -v gappa >/dev/null || { echo "filters: gappa is missing: apt-get install gappa"; exit 1; }
	cd tools && go run ./filters && INPOLY_FULL=1 go test -count=1 ./filters

# The experiments of the papers at their small sizes, about a minute of CPU time.
experiments:
	@set -e; out=$$(mktemp -d); cd evidence/repro && go run . all --size small --out "$$out" --cache "$$out/cache"; rm -r "$$out"

# Five runs of the experiments: no verdict may change, whatever else the machine does.
.PHONY: verdicts
verdicts:
	cd evidence/repro && go run . verify-verdicts

# The libraries for other languages and the page. A check skips, and says so, if its language is missing.
DOORS := page-test js-test same-answers

# All doors answer bit for bit as the Go packages do: a sample, or all cases with INPOLY_FULL=1.
.PHONY: same-answers
same-answers:
	cd tools/doors && INPOLY_DOORS=1 go test -count=1 -timeout 2h -v -run '^Test(Same|Posed)Answers$$' .

# The npm package in dist/. VERSION is the newest of CHANGELOG.md, unless it is given. Needs Node.
.PHONY: npm
npm:
	node bindings/js/build/npm.mjs dist $(VERSION)

# Builds the npm package, installs it to a temporary folder and tests it in Node and in Chromium; with INPOLY_FULL also in
# a bundle of esbuild. bundlers-test only tests bundles, of all bundlers.
.PHONY: js-test bundlers-test
js-test:
	@if command -v node >/dev/null; then node bindings/js/test/run.mjs; else echo "js-test: skipped: node is missing"; fi

bundlers-test:
	@if command -v node >/dev/null; then node bindings/js/test/run.mjs --bundlers all; else echo "bundlers-test: skipped: node is missing"; fi

# The Python wheel for this platform, and the source archive, in dist/. They need Python 3.9 or newer.
.PHONY: wheel sdist python-test
wheel sdist:
	$(or $(PYTHON),python3) bindings/python/backend/inpoly_build.py $@ dist

# Builds the wheel, installs it to a temporary folder and tests it there. PYTHON is the first python3
# with NumPy and pytest, unless it is given.
DOORS += python-test
python-test:
	PYTHON="$(PYTHON)" bindings/python/test.sh

include bindings/c/library.mk

# The page dist/inpoly.html; see docs/page.md.
.PHONY: page
page:
	cd bindings/js/page && go run . -out ../../../dist/inpoly.html

# The page in Chromium. INPOLY_SHOTS can name a folder for screenshots.
.PHONY: page-test
page-test:
	@set -e; if ! command -v chromium chromium-browser google-chrome >/dev/null; then echo "skipped: page-test: chromium is missing"; exit 0; fi; \
	  if ! (cd bindings/js/page/browser && go list -deps -test . >/dev/null); then echo "skipped: page-test: modules of bindings/js/page/browser are missing"; exit 0; fi; \
	  out=$$(mktemp -d); trap 'rm -r "$$out"' EXIT; go build -buildvcs=false -o "$$out/inpoly" ./cmd/inpoly; (cd bindings/js/page && go run . -out "$$out/inpoly.html"); \
	  (cd tools && go run ./sizes page="$$out/inpoly.html"); \
	  cd bindings/js/page/browser && go vet . && INPOLY_PAGE="$$out/inpoly.html" INPOLY_COMMAND="$$out/inpoly" go test -count=1 -timeout 1h -v .

doors: $(DOORS)

# Everything in full: all seeded cases, the whole corpus, one minute for each fuzz target. Takes hours. Each part can be run
# alone; the loop prints the time of each. In FUZZ_GO, golang.org/issue/75804 is mended.
FUZZ_GO := go1.27.1
PARTS := tests checks doors release fuzz
.PHONY: $(PARTS:%=verify-%)
verify:
	@set -e; for p in $(PARTS); do begin=$$(date +%s); $(MAKE) verify-$$p; \
	  echo "verify-$$p: $$(( $$(date +%s) - begin )) s"; done
verify-tests:
	INPOLY_FULL=1 go test -timeout 4h ./...
	cd dem && INPOLY_FULL=1 go test -timeout 4h ./...
verify-checks:
	$(MAKE) $(filter-out fuzz doors,$(CHECKS)) builds portable SHORT= RACE='$(RACE_ALL)' RACE_TESTS= RACE_MODULES=dem \
	  NOASM=./... LINTED='. evidence/bench dem' TESTED='$(MODULES)' VETTED='$(MODULES)'
verify-doors:
	INPOLY_FULL=1 $(MAKE) doors
verify-release:
	$(MAKE) experiments release-test filters bundlers-test unreached
verify-fuzz:
	GOTOOLCHAIN=$(FUZZ_GO) $(MAKE) fuzz FUZZED=. FUZZTIME=1m GUIDED=-fuzz=.

# The files of a release in dist/release/, from the last commit (docs/releasing.md). VERSION is the tag of
# the commit or the newest version of CHANGELOG.md, unless it is given. SIGN_KEY is a private SSH key.
release:
	cd tools/release && go run . -out ../../dist/release $(if $(VERSION),-version "$(VERSION)") $(if $(SIGN_KEY),-sign-key "$(abspath $(SIGN_KEY))")

# The sizes of the last commit as users download it: as an archive and as a Go module. Fails above the limits. Then
# the sizes of built files, which it writes to docs/sizes.md.
sizes: npm page c-library
	cd tools/release && go run . -sizes
	cd tools && go run ./sizes -update npm="$$(ls -t ../dist/inpoly-*.tgz | head -n 1)" page=../dist/inpoly.html library=../$(C_BUILD)/$(C_SHARED)

# Builds a release for all platforms, installs each file and runs it. Without qemu-aarch64, wine,
# dpkg, lintian or skopeo, the output names what is not run.
release-test:
	cd tools/release && INPOLY_FULL=1 go test -count=1 -v -timeout 1h .

# The tests of paths, locks, atomic replacement and failing calls on Windows, in Wine.
WINDOWS := ./internal/disk ./internal/atomicfile ./internal/unpack ./internal/pointio ./internal/cli/...
windows:
	tools/release/windows.sh $(WINDOWS)

# Known vulnerabilities of the dependencies. VULNDB can name a copy of the database (file:///…);
# without it, the public database is used.
vulnerabilities:
	@set -e; for m in . $(MODULES) bindings/js/page/browser; do echo "govulncheck $$m"; (cd $$m && go run $(VULNCHECK) $(if $(VULNDB),-db $(VULNDB)) ./...); done

# The pictures and charts of the documentation, the same as before unless code or data change.
pictures:
	INPOLY_UPDATE=1 go test -count=1 -run '^TestDrawings$$' ./view
	@set -e; out=$$(mktemp -d); trap 'rm -r "$$out"' EXIT; cd dem; \
	  go run ./example -out "$$out"; \
	  go run ./example -out "$$out" -scene tower -color force -time .3; \
	  go run ./example -out "$$out" -scene wall -time .3; \
	  cd ../docs/pictures; cp "$$out/pour-03000.png" dem-falling.png; cp "$$out/pour-15000.png" dem-rest.png; \
	  cp "$$out/tower-06000.png" dem-tower.png; cp "$$out/wall-06000.png" dem-wall.png
	cd evidence/repro && go run . draw ../../docs/results/[A-Z]*.csv ../bench/results/*.csv

# The pictures of docs/gallery.md and the table of docs/comparison.md; evidence/bench/broken.sh names the
# libraries that it needs.
gallery:
	evidence/bench/broken.sh -plots docs/pictures/gallery > evidence/bench/results/broken.md

bench:
	evidence/bench/run.sh
