#!/usr/bin/env python3
"""Policies from files: what they allow, how a mistake is told, refusals as events, `nacre explain`.

    policy.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import ROOT, NACRE, check, finish, run  # noqa: E402
tmp = None


def put(name, text):
    path = os.path.join(tmp, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text if isinstance(text, str) else json.dumps(text))
    return path


def gives(name, policy, script, out=None, status=0, err=None, before=()):
    code, stdout, stderr = run(*before, '--policy', put('p.json', policy), '-c', script)
    check(name, code == status and out in (None, stdout) and (err is None or err in stderr), code, stdout[-600:], stderr[-600:])


def mistakes():
    for text, want in (('{\n "deny": ["a", "b?"]\n}', ':2: deny[1]: only'), ('{"a": 1}', ':1: a: unknown key'), ('{', ':1: a name in'),
                       ('{"limits": {"wall": "x"}}', ':1: limits.wall: a time'), ('[]', ':1: an object is wanted'),
                       ('{"mounts": [{"host": "/none", "at": "rel"}]}', ':1: mounts[0]: ')):
        path = put('bad.json', text)
        code, out, err = run('--policy', path, '-c', 'echo ran')
        check(f'a mistake has file, line and key: {text!r}', code == 2 and out == '' and err.startswith(f'nacre: {path}{want}'), code, out, err)
    code, out, err = run('--policy', os.path.join(tmp, 'none'), '-c', 'echo ran')
    check('a policy that is not there', code == 2 and out == '' and 'No such file' in err, code, err)


SECRET = {'app/.env': 'KEY=S3CR3T\n', 'app/.env.d/x': 'S3CR3T\n', 'app/ok': 'public\n', 'keep/k': 'kept\n'}


def mounted(**more):
    for name, text in SECRET.items():
        put('ws/' + name, text)
    return {'version': 1, 'mounts': [{'host': os.path.join(tmp, 'ws'), 'at': '/home/user/ws', 'access': 'rw'}], 'cwd': '/home/user/ws', **more}


READERS = ('cat F', 'cat < F', 'head -c9 F', 'while read -r l; do echo $l; done < F', 'mapfile m < F; echo ${m[@]}', 'echo "$(<F)"', '. F; echo $KEY',
           'grep -r . app', 'sed p F', "awk 1 F", 'awk \'BEGIN { getline l < "F"; print l }\'', 'sort F', 'tac F', 'od -c F', 'xxd F', 'base64 F', 'cp F c; cat c',
           'ln F h; cat h', 'ln -s F s; cat s', 'mv F m; cat m', 'mv app b; cat b/.env', 'cp -r app c2; cat c2/.env', 'tar c app | tar xO', 'diff F app/ok',
           'dd if=F', 'cut -c1- F', 'split F x; cat xaa', 'zip -r z.zip app; unzip -p z.zip', 'cat app/./.env app//.env app/../app/.env', 'cat app/.e*',
           'find . -name .env -exec cat {} +', 'cat app/.env.d/x', 'paste F', 'nl F', 'wc F; tail F', 'strings F', 'exec 5< F; cat <&5', 'cd app; cat .env',
           'jq -R . F', 'xargs -a F echo', 'comm F app/ok', 'join F F', 'uniq F', 'tr a b < F', 'mv app/.env.d d; cat d/x', 'rev F', 'patch -o o F /dev/null; cat o',
           'file -f F', 'date -f F', 'bash F', 'sh -x F', 'gzip -c F | gzip -d', 'column F', 'fold F', 'expand F', 'tee < F', 'csplit F 1; cat xx*', 'install F i; cat i')


def deny_read():
    """FS-04, FS-05: whoever asks, however it is spelt."""
    policy = mounted(deny_read=['**/.env', '**/.env.d'])
    for how in READERS:
        code, out, err = run('--policy', put('p.json', policy), '-c', '(' + how.replace('F', 'app/.env') + '); cat app/ok || cat b/ok')
        check(f'FS-04 not read: {how}', 'S3CR' not in out + err and 'public' in out, out[-300:], err[-300:])
        mounted()
        subprocess.run(['find', os.path.join(tmp, 'ws'), '-maxdepth', '1', '-mindepth', '1', '!', '-name', 'app', '!', '-name', 'keep', '-exec', 'rm', '-rf', '{}', '+'])
    gives('FS-04 the name is still listed', policy, 'ls -A app', '.env\n.env.d\nok\n')


WRITERS = ('echo x > K', 'echo x >> K', ': >| K', 'sed -i s/kept/lost/ K', 'rm K', 'rm -rf keep', 'mv K x', 'mv keep x', 'cp app/ok K', 'chmod 000 K', 'touch K; chmod 0 keep',
           'truncate -s0 K', 'dd if=/dev/null of=K', 'ln -sf app/ok K', 'ln K h; echo x > h', 'ln -s K s; echo x > s', 'ln -s keep s; echo x > s/new', 'tee K < app/ok',
           'sort -o K app/ok', 'cd keep; echo x > k', 'mkdir keep/d', 'rmdir keep; find keep -delete', 'install app/ok K', 'split app/ok keep/x', 'mv app/ok keep/',
           'awk \'BEGIN { print "x" > "K" }\'', 'sed -n "w K" app/ok', 'tar c app | tar x -C keep', 'exec 5<> K; echo x >&5', 'cp -r app keep/', 'unlink K',
           'shred K; gzip K', 'patch K < /dev/null', 'mktemp -p keep', 'csplit -f keep/x app/ok 1', 'chown 5 K', 'touch -d 2000-01-01 K', 'mkfifo keep/f', 'find app -fprint K')


def deny_write():
    """FS-04: nothing below is changed, removed, moved or re-moded; both ends of a rename count."""
    policy = mounted(deny_write=['keep'])
    path = os.path.join(tmp, 'ws/keep')

    def state():
        return sorted((os.path.relpath(os.path.join(d, n), path), os.stat(os.path.join(d, n)).st_mode, os.stat(os.path.join(d, n)).st_mtime_ns,
                       os.stat(os.path.join(d, n)).st_uid, open(os.path.join(d, n)).read()) for d, _, names in os.walk(path) for n in names), os.listdir(path), os.stat(path).st_mode

    before = state()
    for how in WRITERS:
        code, out, err = run('--policy', put('p.json', policy), '-c', '(' + how.replace('K', 'keep/k') + '); cat keep/k')
        check(f'FS-04 not written: {how}', state() == before and out.endswith('kept\n'), out[-300:], err[-300:])
    gives('deny_write leaves reading alone', policy, 'cat keep/k; echo x > app/new; cat app/new', 'kept\nx\n')


def commands():
    allow = {'version': 1, 'commands': ['cat', 'rshell:echo', 'find', 'xargs', 'env', 'timeout', 'awk', 'sed']}
    for script in ('wc /dev/null', 'find /etc/passwd -exec wc {} +', 'echo a | xargs wc', 'env wc', 'timeout 5 wc', "awk 'BEGIN { system(\"wc\") }'", 'bash -c wc', "sed '1e wc' /etc/passwd",
                   'w=wc; $w', '/usr/bin/wc /dev/null', 'exec wc', 'command wc', "awk 'BEGIN { print | \"wc\" }'", 'printf "#!/bin/wc\\n" > s; chmod +x s; ./s', 'ln -s /bin/wc w; ./w /dev/null'):
        code, out, err = run('--policy', put('p.json', allow), '-c', script.replace('\\n', '\\\\n'))
        check(f'EXT-08 EXT-09 not run: {script}', not any(c.isdigit() for c in out), out, err)
    gives('OUT-16 blocked and missing are told apart', allow, 'wc; echo $?; nosuch; echo $?', '127\n127\n', 0, 'wc: command not allowed')
    gives('what is allowed runs', allow, 'echo a | cat', 'a\n')
    gives('two policies intersect', {'commands': ['cat', 'wc']}, 'echo a | cat; wc /dev/null', '', 127,
          before=('--policy', put('q.json', {'commands': ['cat', 'echo']})))


def events():
    policy = mounted(deny=['**/.env'])
    _, out, _ = run('--policy', put('p.json', policy), '--json', '-c', 'cat app/.env')
    r = json.loads(out)
    d = r['denials'][0] if r['denials'] else {}
    check('a refusal is an event in --json', {**d, 'time': d.get('time', 0) > 1e9} == {
        'access': 'read', 'command': 'cat', 'operation': 'open', 'path': '/home/user/ws/app/.env', 'rule': '**/.env', 'rule_id': 'deny[0]', 'proc': 3, 'time': True, 'error': 13}, d)


def explain():
    policy = put('p.json', mounted(deny_read=['**/.env'], commands=['cat']))
    for what, want, status in (('/home/user/ws/app/.env', 'read /home/user/ws/app/.env: refused by deny_read[0] **/.env: Permission denied\nwrite /home/user/ws/app/.env: allowed\n', 1),
                               ('/home/user/ws/app/ok', 'read /home/user/ws/app/ok: allowed\nwrite /home/user/ws/app/ok: allowed\n', 0),
                               ('cat', 'run cat: allowed\n', 0), ('wc', 'run wc: refused by commands: Permission denied\n', 1), ('nosuch', 'run nosuch: No such file or directory\n', 1),
                               ('https://example.org/', 'connect https://example.org/: refused by network: Permission denied\n', 1)):
        code, out, err = run('explain', '--policy', policy, what)
        check(f'explain {what}', (code, out, err) == (status, want, ''), code, out, err)
    code, _, err = run('explain', '--policy', policy)
    check('explain needs a subject', code == 2 and 'needs one' in err, code, err)


def limits():
    gives('LIM-01 wall', {'limits': {'wall': '200ms'}}, 'echo a; sleep 9', 'a\n', 124, 'timed out after 0.2s')
    gives('LIM-01 output', {'limits': {'output': 4}}, 'echo 123456789', '1234', 0, '6 bytes dropped')
    gives('LIM-01 memory', {'limits': {'memory': '20M'}}, 'x=$(yes | head -c 60000000); echo no', '', 137, 'memory')
    gives('an option after the policy overrides it', {'env': {'A': 'policy'}}, 'echo $A', 'policy\n')
    code, out, _ = run('--policy', put('p.json', {'env': {'A': 'policy'}}), '--env', 'A=option', '-c', 'echo $A')
    check('an option after the policy overrides it', out == 'option\n', out)


# Each limit of a policy file: a value, a script that is beyond it, the run's status and reason, and a part of what is said.
LIMITS = (('wall', '100ms', 'sleep 9', 124, 'time', ''), ('cpu', '5ms', 'while :; do :; done', 137, 'cpu', 'more than 500000 ticks of work'),
          ('memory', '20M', 'x=$(yes | head -c 60000000)', 137, 'memory', 'more than 20971520 bytes of memory'),
          ('processes', 4, 'sleep 1 | sleep 1 | sleep 1 | sleep 1 | sleep 1', 1, '', 'Resource temporarily unavailable'),
          ('open_files', 10, 'for i in {5..20}; do eval "exec $i< /dev/null" || exit; done', 1, '', 'Bad file descriptor'), ('output', 4, 'echo 123456789', 0, '', '1234'),
          ('open_files', 5, '/bin/true < /dev/null | cat | cat | cat', 1, '', 'Too many open files'),
          ('output_total', '1K', 'yes', 137, 'output', 'more than 1024 bytes of output'), ('pipe', '1K', 'yes | cat > /dev/null', 137, 'pipe', 'more than 1024 bytes through pipes'),
          ('file_size', 10, 'seq 100 > f', 1, '', 'File too large'), ('source', 20, 'echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 137, 'source', 'more than 20 bytes of source text'),
          ('expansion', 100, 'x=$(seq 100)', 137, 'expansion', 'more than 100 bytes in one expansion'), ('loops', 5, 'while :; do :; done', 137, 'loops', 'more than 5 turns of loops'),
          ('commands', 5, 'while :; do :; done', 137, 'commands', 'more than 5 commands'), ('nesting', 5, 'f() { f; }; f', 1, '', 'maximum function nesting level exceeded (5)'),
          ('guest_memory', '4M', 'python3 -c "x = bytes(10**8)"', 1, '', 'MemoryError'), ('jq_input', 10, 'echo "[1,2,3,4,5,6]" | jq .', 5, '', '(limit 10)'),
          ('jq_nesting', 3, 'echo "[[[[[1]]]]]" | jq -c .', 5, '', 'Exceeds depth limit'), ('jq_filter', 3, 'jq -n 1+1+1', 3, '', '(limit 3)'),
          ('jq_filter_nesting', 2, 'jq -n "(((1)))"', 3, '', '(limit 2)'), ('jq_filter_tokens', 3, 'jq -n 1+1+1', 3, '', '(limit 3)'))


def each_limit():
    """LIM-01: each has a key, a reason, words; the same run passes without it, and 0 is what docs/policy.md says."""
    for key, value, script, status, reason, text in LIMITS:
        path = put('p.json', {'limits': {key: value}})
        code, out, _ = run('--policy', path, '--json', '-c', script)
        r = json.loads(out)
        check(f'LIM-01 {key} {value}', (code, r['reason'], r['outcome']) == (status, reason, {'': 'completed', 'time': 'timed out'}.get(reason, 'limit exceeded')) and
              text in r['message'] + r['stderr'] + r['stdout'], code, out[:600])
        code, out, err = run('--policy', put('p.json', {'limits': {key: 0}}), '-c', 'exec 9< /dev/null; seq 200 | cat > f; for i in {1..20}; do :; done; wc -l < f')
        check(f'LIM-01 {key} 0', (code, out, err) == ((2, '', f'nacre: {path}:1: limits.output: the output limit must be above 0\n') if key == 'output' else (0, '200\n', '')), code, out, err)
    code, out, _ = run('--policy', put('p.json', {'limits': {'timeout_status': 137, 'wall': '100ms'}}), '-c', 'sleep 9')
    check('LIM-01 the status of a time-out is a setting', code == 137, code)
    for value in (1, 2):
        gives('LIM-01 too few open files are refused', {'limits': {'open_files': value}}, 'echo no', '', 2, 'at least 3 open files')


def adapter():
    """tools/policy_adapter.py: neutral policies."""
    ws = os.path.join(tmp, 'neutral')
    os.makedirs(ws)
    with open(os.path.join(ws, 'f'), 'w') as f:
        f.write('text\n')
    path = put('n.json', {'write': True, 'deny_write': ['kept/**', 'kept'], 'deny_read': ['g'], 'env': {'GIVEN': '1'}, 'timeout_s': 9, 'max_output_bytes': 99, 'max_processes': 9})
    r = subprocess.run([sys.executable, os.path.join(ROOT, 'tools/policy_adapter.py'), NACRE, ws, path, 'cat f; cp f g; cat g; mkdir kept; echo $GIVEN; exit 7'],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check('the adapter of neutral policies', (r.returncode, r.stdout) == (7, b'text\n1\n') and r.stderr.count(b'Permission denied') == 2, r)


def main():
    global tmp
    with tempfile.TemporaryDirectory() as tmp:
        for part in (mistakes, deny_read, deny_write, commands, events, explain, limits, each_limit, adapter):
            part()
    return finish()


if __name__ == '__main__':
    sys.exit(main())
