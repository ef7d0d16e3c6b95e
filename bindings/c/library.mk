# The C library. `make c-library` builds it in build/c, `make install` copies it below PREFIX.
#
#   make install PREFIX=$HOME/.local
#   make install PREFIX=/usr DESTDIR=/tmp/package

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include

C_BUILD := build/c
# The version is VERSION, or the tag of the commit, or the newest version of CHANGELOG.md.
C_VERSION = $(or $(VERSION),$(shell git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null),$(shell sed -n 's/^## \(v[0-9][^ ]*\).*/\1/p' CHANGELOG.md | head -n 1))
# The number in the name of the shared library. It changes if programs must be compiled again.
C_SONAME := 0
# The defaults of GODEBUG. The linker takes one value, so godebug.tmpl appends to the value of the go command.
C_GODEBUG = $(or $(shell CGO_ENABLED=1 go list -f "$$(cat bindings/c/godebug.tmpl)" ./bindings/c),$(error go list does not describe ./bindings/c))
C_STAMP = -s -w -X github.com/inpoly/inpoly/internal/version.version=$(C_VERSION) -X runtime.godebugDefault=$(C_GODEBUG)

ifeq ($(shell uname -s),Darwin)
C_SHARED = libinpoly.$(C_VERSION:v%=%).dylib
C_LINKS = libinpoly.$(C_SONAME).dylib libinpoly.dylib
C_LINK_FLAGS = -Wl,-install_name,$(LIBDIR)/libinpoly.$(C_SONAME).dylib
C_LIBS_PRIVATE = -lpthread -lresolv -framework CoreFoundation -framework Security
else
C_SHARED = libinpoly.so.$(C_VERSION:v%=%)
C_LINKS = libinpoly.so.$(C_SONAME) libinpoly.so
C_LINK_FLAGS = -Wl,-soname,libinpoly.so.$(C_SONAME) -Wl,--version-script=$(CURDIR)/bindings/c/libinpoly.map
C_LIBS_PRIVATE = -lpthread
endif

.PHONY: c-library install uninstall c-test

c-library:
	CGO_ENABLED=1 go build -trimpath -buildmode=c-shared -ldflags "$(C_STAMP) -extldflags '$(C_LINK_FLAGS)'" -o $(C_BUILD)/$(C_SHARED) ./bindings/c
	CGO_ENABLED=1 go build -trimpath -buildmode=c-archive -ldflags "$(C_STAMP)" -o $(C_BUILD)/libinpoly.a ./bindings/c
	sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|; s|@VERSION@|$(C_VERSION:v%=%)|; s|@LIBS_PRIVATE@|$(C_LIBS_PRIVATE)|' \
	  bindings/c/inpoly.pc.in > $(C_BUILD)/inpoly.pc

install: c-library
	install -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(INCLUDEDIR)"
	install -m 755 $(C_BUILD)/$(C_SHARED) "$(DESTDIR)$(LIBDIR)"
	install -m 644 $(C_BUILD)/libinpoly.a "$(DESTDIR)$(LIBDIR)"
	install -m 644 $(C_BUILD)/inpoly.pc "$(DESTDIR)$(LIBDIR)/pkgconfig"
	install -m 644 bindings/c/inpoly.h "$(DESTDIR)$(INCLUDEDIR)"
	@set -e; for l in $(C_LINKS); do ln -sf $(C_SHARED) "$(DESTDIR)$(LIBDIR)/$$l"; done

uninstall:
	rm -f $(foreach f,$(C_SHARED) $(C_LINKS) libinpoly.a pkgconfig/inpoly.pc,"$(DESTDIR)$(LIBDIR)/$(f)") "$(DESTDIR)$(INCLUDEDIR)/inpoly.h"

# Builds the library, the examples of docs/c.md and hostile programs, and runs them.
DOORS += c-test
c-test:
	@if ! command -v gcc >/dev/null; then echo "c-test: skipped: gcc is missing"; \
	else INPOLY_DOORS=1 go test -count=1 -v -run '^TestC' ./bindings/c; fi
