#!/bin/sh
# Installs what building, testing and measuring need, where it is missing. Debian 12; root or sudo.
#   tools/deps.sh build | guests | test | bench
set -e
case ${1:-build} in
build) want="gcc make meson ninja-build python3 pkg-config binutils libc6-dev libedit-dev libpcre2-dev zlib1g-dev libbz2-dev liblzma-dev libzstd-dev" ;;
test) want="gcc make meson ninja-build python3 pkg-config binutils libc6-dev libedit-dev libpcre2-dev zlib1g-dev libbz2-dev liblzma-dev libzstd-dev clang-14 libclang-rt-14-dev
	strace gawk bash coreutils grep sed findutils diffutils util-linux bsdextrautils tree file bc dc ncal procps
	tar gzip bzip2 xz-utils zstd zip unzip cpio ripgrep moreutils gettext-base libarchive-zip-perl git tzdata sharutils libc-bin" ;;
guests) want="gcc binutils python3 dpkg apt clang-22 lld-22 libclang-rt-22-dev-wasm32 llvm-22 wabt xz-utils tcl" ;;
bench) want="gcc make meson ninja-build python3 pkg-config binutils libc6-dev libedit-dev libpcre2-dev zlib1g-dev libbz2-dev liblzma-dev libzstd-dev valgrind busybox-static|busybox mawk gawk jq ripgrep" ;;
*) echo "usage: deps.sh build|guests|test|bench" >&2; exit 2 ;;
esac

have() { dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }

missing=
for p in $want; do
	found=
	for q in $(echo "$p" | tr '|' ' '); do
		if have "$q"; then found=1; fi
	done
	[ -n "$found" ] || missing="$missing ${p%%|*}"
done
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
	echo "deps.sh: not a Debian system; please install:$missing" >&2
	exit 1
fi
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get -o DPkg::Lock::Timeout=300 update -qq
# shellcheck disable=SC2086
$as_root apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends $missing >/dev/null
