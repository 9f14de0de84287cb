#!/bin/sh
# The main job on real input: an agent's investigation over this machine's own package
# database, mounted read-only, with a report written to a file that exists only in memory.
#   usage: demo.sh NACRE
set -eu
nacre=${1:-build/nacre}
mounts="--mount /var/lib/dpkg:/data/dpkg:ro"
[ -d /var/log ] && mounts="$mounts --mount /var/log:/data/log:ro"
# shellcheck disable=SC2086
exec "$nacre" $mounts --deny-path '/data/dpkg/info/dpkg.md5sums' --timeout 60s -c '
set -euo pipefail
echo "== The ten sections with the most installed packages"
grep -h "^Section:" /data/dpkg/status | sed "s/^Section: //" | sort | uniq -c | sort -rn | head -n 10

echo "== The largest packages"
awk_free() {	# without awk: pair up Package and Installed-Size lines
	grep -E "^(Package|Installed-Size):" /data/dpkg/status |
	while read -r key value; do
		case $key in
		Package:) name=$value ;;
		Installed-Size:) printf "%s\t%s\n" "$value" "$name" ;;
		esac
	done
}
awk_free | sort -rn | head -n 5 | while IFS=$(printf "\t") read -r size name; do
	printf "%-40s %8d KiB\n" "$name" "$size"
done

echo "== What the package scripts do"
scripts=$(find /data/dpkg/info -name "*.postinst" | wc -l)
users=$(find /data/dpkg/info -name "*.postinst" -print0 | xargs -0 grep -l -E "adduser|useradd" | wc -l)
echo "$scripts post-installation scripts, $users of them add users"

if [ -f /data/log/dpkg.log ]; then
	echo "== Days with the most package actions"
	cut -d" " -f1 /data/log/dpkg.log | sort | uniq -c | sort -rn | head -n 3
fi

mkdir -p report
cat > report/summary.txt <<REPORT
packages:  $(grep -c "^Package:" /data/dpkg/status)
configured: $(grep -c "^Status: install ok installed" /data/dpkg/status)
longest description: $(grep "^Description:" /data/dpkg/status | wc -L) columns
written:   $(date -u +%Y-%m-%d) in $(pwd)
REPORT
echo "== The report (a file in memory)"
cat report/summary.txt

echo "== What was not reachable"
for path in /etc/shadow /root/.ssh /home /proc/self/environ /var/lib/dpkg/status /sys /boot; do
	if [ -d "$path" ]; then
		echo "$path: the sandbox'"'"'s own, with $(ls -A "$path" 2>/dev/null | wc -l) entries"
	else
		cat "$path" 2>&1 || true
	fi
done
echo x > /data/dpkg/status 2>&1 || echo "writing below /data/dpkg was refused"
cat /data/dpkg/info/dpkg.md5sums 2>&1 || true
' nacre-demo
