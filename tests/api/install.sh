#!/bin/sh
# An installed nacre serves a host program: shared and static, C and C++, by pkg-config.
#   usage: install.sh BUILD
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
DESTDIR=$tmp/root meson install -C "$build" --no-rebuild >/dev/null
pc=$(find "$tmp/root" -name nacre.pc)
root=$tmp/root
PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
lib=$(dirname "$(find "$root" -name libnacre.a)")
flags=$(pkg-config --cflags --libs nacre)
# A host with names of its own that nacre uses inside: they must not clash.
cat >"$tmp/host.c" <<'C'
#include <nacre/nacre.h>
#include <stdio.h>
int arena_init = 1, regex_compile = 2, pipe_new = 3, u_alloc = 4, sys_read = 5;
int main(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_runtime *rt;
	nacre_sandbox *sb;
	nacre_result *res;
	if (!cfg || nacre_runtime_new(&rt) < 0 || nacre_sandbox_new(&sb, rt, cfg) < 0)
		return 1;
	req.script = "echo a b c | wc -w";
	if (nacre_exec(&res, sb, &req) < 0)
		return 1;
	fputs(nacre_result_stdout(res, NULL), stdout);
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	return 0;
}
C
cp "$tmp/host.c" "$tmp/host.cc"
# shellcheck disable=SC2086
gcc -Wall -Werror "$tmp/host.c" -o "$tmp/shared" $flags
# shellcheck disable=SC2086
gcc -Wall -Werror "$tmp/host.c" -o "$tmp/static" $(pkg-config --cflags nacre) "$lib/libnacre.a" -lpcre2-8 -lz -lbz2 -llzma -lzstd -lm -lpthread
[ "$(LD_LIBRARY_PATH=$lib "$tmp/shared")" = 3 ]
[ "$("$tmp/static")" = 3 ]
if command -v g++ >/dev/null; then
	# shellcheck disable=SC2086
	g++ -Wall -Werror "$tmp/host.cc" -o "$tmp/shared++" $flags
	[ "$(LD_LIBRARY_PATH=$lib "$tmp/shared++")" = 3 ]
fi
[ "$("$root$(pkg-config --variable=prefix nacre | sed "s|^$root||")/bin/nacre" -c 'echo installed')" = installed ]
echo "1 passed, 0 failed"
