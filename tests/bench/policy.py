#!/usr/bin/env python3
"""What 20 deny patterns cost a metadata-heavy workload, in instructions (callgrind): under 5 %.

    policy.py [BUILD] [FILES]      FILES: how many the tree has (default 50000)

Counted is what two `find` add to making the tree, with the patterns and without.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

BUILD = sys.argv[1] if len(sys.argv) > 1 else 'build'
FILES = int(sys.argv[2]) if len(sys.argv) > 2 else 50000
PATTERNS = ['**/.env', '.git/config', '/etc/shadow', 'secrets', '**/*.pem', '**/id_rsa*', '/root/**', 'node_modules/.cache', '**/private/**', '*.key',
            '/w/d1000', '/w/vendor/*/secret', '**/.aws/credentials', '.ssh', '**/.npmrc', '/home/*/.bash_history', '/w/**/token.txt', '**/*.p12', '/var/lib/x',
            '**/passwords.*']
MAKE = ('cd /workspace; for d in {1..%d}; do mkdir d$d d$d/s; done; for d in {1..%d}; do echo d$d/f{1..250}.txt d$d/s/g{1..250}.c; done | xargs touch; '
        % (FILES // 500, FILES // 500))
FIND = 'find . -newer /etc -type f | wc -l; find . -size +1 | wc -l; '


def instructions(tmp, deny, script):
    policy = os.path.join(tmp, 'p.json')
    with open(policy, 'w', encoding='utf-8') as f:
        json.dump({'deny': deny, 'limits': {'wall': 0, 'memory': 0}, 'deterministic': {'seed': 1}}, f)
    r = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={tmp}/out', os.path.join(BUILD, 'nacre'), '--policy', policy, '-c', script],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    if script.endswith(FIND) and r.stdout.split()[0] != b'%d' % FILES:
        sys.exit(f'find found {r.stdout!r}')
    return int(re.search(rb'Collected : (\d+)', r.stderr).group(1))


def main():
    with tempfile.TemporaryDirectory() as tmp:
        cost = [instructions(tmp, deny, MAKE + FIND) - instructions(tmp, deny, MAKE) for deny in ([], PATTERNS)]
    more = 100 * (cost[1] / cost[0] - 1)
    print(f'two find over {FILES} files: {cost[0]:,} instructions, with {len(PATTERNS)} deny patterns {cost[1]:,}: {more:+.1f} %')
    return 0 if more < 5 else 1


if __name__ == '__main__':
    sys.exit(main())
