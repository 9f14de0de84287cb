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

if python3 -c pass && jq -n 1 >/dev/null && js -e 0; then	# the guests that could be built
echo "== The same packages through Python with SQLite, jq and JavaScript, in one pipeline"
awk -v OFS=, "/^Package:/ { p = \$2 } /^Section:/ { s = \$2 } /^Installed-Size:/ { n = \$2 } /^\$/ && n { print p, s, n; n = 0 }" /data/dpkg/status > packages.csv
python3 - packages.csv <<"PYTHON" | jq -c "{sections: [.[] | select(.packages > 1)], mean: (map(.kib) | add / length | floor)}" |
import csv, json, sqlite3, sys
db = sqlite3.connect(":memory:")
db.execute("create table p (name text, section text, kib integer)")
with open(sys.argv[1], newline="") as f:
    db.executemany("insert into p values (?, ?, ?)", csv.reader(f))
rows = db.execute("select section, count(*), sum(kib) from p group by section order by 3 desc limit 5")
print(json.dumps([{"section": s, "packages": n, "kib": k} for s, n, k in rows]))
PYTHON
js -e "
const fs = require(\"fs\");
const { sections, mean } = JSON.parse(fs.readFileSync(0, \"utf8\"));
const lines = sections.map(s => \`| \${s.section.padEnd(16)} | \${String(s.packages).padStart(5)} | \${(s.kib / 1024).toFixed(1).padStart(8)} MiB |\`);
fs.writeFileSync(\"report/sections.md\", [...lines, \`mean of the largest sections: \${mean} KiB\`, \"\"].join(\"\\n\"));
"
cat report/sections.md
fi

echo "== What was not reachable"
for path in /etc/shadow /root/.ssh /home /var/lib/dpkg/status /sys /boot; do
	if [ -d "$path" ]; then
		echo "$path: the sandbox'"'"'s own, with $(ls -A "$path" 2>/dev/null | wc -l) entries"
	else
		cat "$path" 2>&1 || true
	fi
done
echo x > /data/dpkg/status 2>&1 || echo "writing below /data/dpkg was refused"
cat /data/dpkg/info/dpkg.md5sums 2>&1 || true
' nacre-demo
