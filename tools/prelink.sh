#!/bin/sh
# Joins the layers into one object whose hidden symbols are local, so that short internal
# names never clash with a host's.   usage: prelink.sh OUT.a LAYER.a...
set -e
out=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ld -r -o "$tmp/nacre.o" --whole-archive "$@"
objcopy --localize-hidden "$tmp/nacre.o"
rm -f "$out"
ar rcsD "$out" "$tmp/nacre.o"
