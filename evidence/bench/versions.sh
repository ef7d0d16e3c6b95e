#!/bin/sh
# Compares Embree 3 with Embree 4 and CGAL 5 with CGAL 6: their wrong answers on the meshes of
# evidence/bench/broken.sh, and their speed. It prints the table versions of bench as Markdown, in about ten minutes.
#
#   NEWER=DIR evidence/bench/versions.sh -calls 9 > evidence/bench/results/versions.md
#
# The older versions are those of Debian 12 (libembree-dev, libcgal-dev, libgmp-dev and libmpfr-dev). DIR
# holds the newer ones, which are not installed: the files of the packages of Debian 13 libembree-dev,
# libembree4-4, libcgal-dev, libtbb12, libtbbmalloc2, libc6, libstdc++6 and libgcc-s1, each unpacked with
# "dpkg-deb -x PACKAGE.deb DIR". A program with Embree 4 runs with the C library in DIR.
set -eu
cd "$(dirname "$0")/../.."
: "${NEWER:?set NEWER to the folder of the newer versions}"
newer=$(cd "$NEWER" && pwd)
dir=${BENCH_DIR:-${TMPDIR:-/tmp}/inpoly-bench}/versions
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
flags="-O3 -march=native -DNDEBUG -std=c++17 -pthread"
libraries=$newer/usr/lib/$(gcc -dumpmachine)
linker=$(ls "$libraries"/ld-linux-*)
g++ $flags evidence/bench/embree_sides/main.cpp -o "$dir/embree_sides" -lembree3 >&2
g++ $flags -DEMBREE4 -isystem "$newer/usr/include" evidence/bench/embree_sides/main.cpp -o "$dir/embree4_sides" -L"$libraries" -l:libembree4.so.4 \
  -Wl,--allow-shlib-undefined,--disable-new-dtags,-rpath,"$libraries",--dynamic-linker="$linker" >&2
g++ $flags -frounding-math evidence/bench/cgal_sides/main.cpp -o "$dir/cgal_sides" -lgmp -lmpfr >&2
g++ $flags -frounding-math -isystem "$newer/usr/include" evidence/bench/cgal_sides/main.cpp -o "$dir/cgal6_sides" -lgmp -lmpfr >&2
cd evidence/bench
GOWORK=off go run . -only versions -peers "$dir" "$@"
