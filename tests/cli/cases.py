#!/usr/bin/env python3
"""Scripts that try something a policy does not allow, each under a neutral policy (tools/policy_adapter.py).

    cases.py BUILD

Beside the root there is a folder `outside` with a canary. A case says what must not come out, what must, and which status; in
all of them what is outside stays as it is, nothing of the host's environment is seen and the root's `keep` has its text.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import ROOT, NACRE, check, finish  # noqa: E402

CANARY, SECRET, HOST = 'CANARY-77aa', 'S3CR3T-55bb', 'HOSTSECRET-33cc'
FILES = {'keep/k': 'kept\n', 'app/.env': f'KEY={SECRET}\n', 'app/ok': 'public\n', 'data.csv': 'a,b\n1,2\n', '.git/config': f'token {SECRET}\n', 'tree/a/b/c': 'deep\n'}
DENY = {'write': True, 'deny_read': ['**/.env', '.git'], 'deny_write': ['keep', 'keep/**']}
RW = {'write': True}

# (name, policy, script, must come out)
CASES = (
    # Reading what is denied, by programs and guests that read in ways of their own.
    ('python reads', DENY, "python3 -c \"print(open('app/.env').read())\"; python3 -c 'import shutil; shutil.copytree(\"app\", \"c\")'; cat c/.env; echo end", 'end'),
    ('python imports', DENY, "ln -s app/.env m.py; PYTHONPATH=. python3 -c 'import m; print(m.KEY)'; python3 app/.env; echo end", 'end'),
    ('js reads', DENY, "js -e \"console.log(require('fs').readFileSync('app/.env','utf8'))\"; js -e \"require('./app/.env')\"; js app/.env; echo end", 'end'),
    ('sqlite attaches', DENY, "sqlite3 :memory: \".read app/.env\" \".import app/.env t\" 'select * from t'; sqlite3 :memory: \"select readfile('app/.env')\"; echo end", 'end'),
    ('jq slurps', DENY, "jq -n --rawfile x app/.env '$x'; jq -n --slurpfile x app/.env '$x'; jq -Rf app/.env; jq -L app -n 'import \".env\" as $x; $x'; echo end", 'end'),
    ('coded', DENY, 'uuencode app/.env x; base32 app/.env; basenc --z85 app/.env; iconv -f latin1 app/.env; od -An -c app/.env; hexdump -C app/.env; echo end', 'end'),
    ('archived', DENY, 'tar cf - . | tar tvf - | wc -l; tar czf a.tgz app .git; tar xzOf a.tgz; find . | cpio -o | strings; ar r l.a app/.env; ar p l.a; zip -q z app/.env; unzip -p z; echo end', 'end'),
    ('compared', DENY, 'cmp app/.env app/ok; diff -ru app .git; comm app/.env .git/config; sdiff app/.env app/ok; cksum app/.env; sha256sum .git/config; echo end', 'end'),
    ('patterns', DENY, 'grep -rn KEY . ; rg -uu KEY; grep -f app/.env app/ok; sed -f app/.env app/ok; awk -f app/.env; find . -newer app/.env -name ok; echo .git/*; echo end', 'end'),
    ('redirected', DENY, 'read x < .git/config; echo $x; exec 7<app/.env; cat <&7; mapfile -t v < .git/config; echo ${v[@]}; cat <<< "$(< app/.env)"; cat <(cat app/.env); echo end', 'end'),
    ('by another name', DENY, 'cd .git; cat config; cd -; cat .//.git/../.git/./config; cat $PWD/.git/config; cat /proc/self/cwd/app/.env; pushd app; cat .env; echo end', 'end'),
    ('moved first', DENY, 'mv .git g; cat g/config; mv app/.env e; cat e; mkdir n; mv app n/; cat n/app/.env; cp -a . /tmp/all; cat /tmp/all/app/.env; ln .git/config h; cat h; echo end', 'end'),
    ('as settings', DENY, 'dircolors app/.env; date -f app/.env; sort --files0-from=app/.env; wc --files0-from=app/.env; xargs -a app/.env echo; env -S "$(cat app/.env)" true; bc app/.env; dc app/.env; echo end', 'end'),
    # Writing what must stay.
    ('writers of their own', DENY, "python3 -c \"open('keep/k','w').write('x')\"; js -e \"require('fs').writeFileSync('keep/k','x')\"; sqlite3 keep/k 'create table t(x)'; sqlite3 :memory: \"select writefile('keep/k','x')\"; cat keep/k", 'kept'),
    ('extracted over', DENY, 'mkdir -p t/keep; echo x > t/keep/k; tar cf t.tar -C t keep; tar xf t.tar; (cd t && zip -qr ../t.zip keep); unzip -o t.zip; (cd t && find keep | cpio -o) > t.cpio; cpio -iu < t.cpio; cat keep/k', 'kept'),
    ('patched', DENY, "printf -- '--- keep/k\\n+++ keep/k\\n@@ -1 +1 @@\\n-kept\\n+lost\\n' | patch -p0; printf -- '--- a/keep/k\\n+++ /dev/null\\n@@ -1 +0,0 @@\\n-kept\\n' | patch -p1; cat keep/k", 'kept'),
    ('in place', DENY, 'gzip keep/k; bzip2 keep/k; xz keep/k; zstd --rm keep/k; shred -u keep/k; sponge keep/k < data.csv; rename s/k/x/ keep/k; split -n2 data.csv keep/; truncate -s0 keep/k; cat keep/k', 'kept'),
    ('the folder itself', DENY, 'mv keep k2; rmdir keep; rm -rf ./keep ../work/keep; chmod 777 keep; touch keep; ln -sfn app keep; cp -rT app keep; find . -depth -name keep -exec rm -r {} +; mv -T app keep; cat keep/k', 'kept'),
    ('through links', DENY, 'ln -s keep l; echo x > l/k; echo x > l/n; ln -s keep/k f; echo x > f; sed -i s/k/x/ f; cp data.csv f; cp --remove-destination data.csv l/k; rm l/k; cat keep/k; ls keep', 'kept'),
    # Out of the root.
    ('dots', RW, 'cat ../outside/canary; cd ..; cat outside/canary; ls ../outside; cd /; cat home/user/outside/canary; cat /../../outside/canary; cd ~/work/tree/a; cat ../../../outside/canary; cat ../a/b/c', 'deep'),
    ('links made', RW, 'ln -s ../outside/canary a; cat a; ln -s @OUTSIDE@ b; cat b/canary; ln -s /proc/self/root@OUTSIDE@ c; cat c/canary; ln -s .. d; cat d/outside/canary; echo x > a; echo x > b/new; echo end', 'end'),
    ('links that were there', RW, 'cat there/canary; cat one; echo x > there/new; echo x > one; cp app/ok one; rm -r there/; find -L . -name canary; tar ch . | strings; cp -rL . /tmp/c; cat /tmp/c/one; echo end', 'end'),
    ('names in archives', RW, 'printf x > evil; tar cPf e.tar --transform s,evil,../outside/evil, evil; tar xPf e.tar; tar xf e.tar; mkdir x; cd x; tar xf ../e.tar; tar --strip-components=1 -xf ../e.tar; echo end', 'end'),
    ('hard links', RW, 'ln ../outside/canary h; ln one h2; cat h h2; cp -l one h3; python3 -c "import os; os.link(\'one\', \'h4\')"; cat h3 h4; echo end', 'end'),
    ('the machine', RW, 'cat /etc/shadow /proc/1/environ /proc/self/maps /proc/cpuinfo /proc/1/cmdline; ls /proc/1/fd /root /sys; cat /dev/mem; mount; dmesg; ls /home; echo end', 'end'),
    # What the host's process has.
    ('environment', {**RW, 'env': {'GIVEN': 'ok-value'}}, 'env; set; export -p; cat /proc/self/environ | tr "\\0" "\\n"; python3 -c "import os; print(dict(os.environ))"; js -e "console.log(process.env)"; jq -n env; awk "BEGIN { for (k in ENVIRON) print k, ENVIRON[k] }"', 'ok-value'),
    ('descriptors', RW, 'for i in {3..30}; do cat <&$i; done; ls /dev/fd /proc/self/fd; cat /dev/fd/9; python3 -c "import os; print(os.read(9, 99))"; echo end', 'end'),
    ('no network', RW, 'exec 3<>/dev/tcp/127.0.0.1/80; echo > /dev/udp/127.0.0.1/53; curl -s http://127.0.0.1/; wget -qO- 127.0.0.1; python3 -c "import urllib.request as u; print(u.urlopen(\'http://127.0.0.1\').read())"; js -e "fetch(\'http://127.0.0.1\')"; echo end', 'end'),
    # Too much.
    ('time', {**RW, 'timeout_s': 1}, 'echo begin; trap "" TERM INT; (while :; do :; done) & python3 -c "while True: pass" & js -e "for(;;);" & wait; echo after', 'begin'),
    ('output', {**RW, 'max_output_bytes': 1000}, 'echo begin; seq 1000000; yes | head -c 10000000 >&2; cat /dev/zero | head -c 5000000', 'begin'),
    ('processes', {**RW, 'max_processes': 20, 'timeout_s': 10}, 'echo begin; f() { f | f & }; f; for i in {1..200}; do sleep 5 & done; wait; echo end', 'begin'),
    ('memory', {**RW, 'timeout_s': 20}, 'echo begin; (x=$(yes | head -c 2G)); (s=a; for i in {1..40}; do s=$s$s; done); python3 -c "x = bytearray(1 << 31)"; (mapfile x < /dev/zero); awk "BEGIN { while (1) a[i++] = i }" | head -c 9', 'begin'),
    ('nesting', {**RW, 'timeout_s': 20}, 'echo begin; (f() { f; }; f); (eval "$(printf "(%.0s" {1..5000})"); ((1)); python3 -c "exec(\'(\' * 9999)"; jq -n "[limit(99999; repeat(1))] | length"; echo "$(printf "[%.0s" {1..99999})" | jq .; echo end', 'end'),
    ('read only', {'write': False}, 'echo x > new; echo x >> app/ok; rm -rf app; mkdir d; mv app b; ln -s a b; touch app/ok; chmod 0 app/ok; sed -i 1d app/ok; cat app/ok; mount -o remount,rw .; echo x > new; ls', 'public'),
    ('only some commands', {**RW, 'commands': ['cat', 'echo', 'env', 'xargs', 'find', 'ls']}, 'rm -r app; env rm -r app; echo app | xargs rm -r; find app -exec rm {} +; bash -c "rm -r app"; python3 -c 1; $(echo rm) -r app; (exec -a ls rm -r app); cat app/ok', 'public'),
)


def snapshot(top):
    """What is in a folder: names, kinds, modes, times, text."""
    out = []
    for folder, dirs, names in os.walk(top):
        for name in dirs + names:
            path = os.path.join(folder, name)
            st = os.lstat(path)
            text = open(path, 'rb').read() if os.path.isfile(path) and not os.path.islink(path) else b''
            out.append((os.path.relpath(path, top), st.st_mode, st.st_mtime_ns, st.st_nlink, text))
    return sorted(out)


def make(tmp):
    root, outside = os.path.join(tmp, 'work'), os.path.join(tmp, 'outside')
    for name, text in FILES.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), 'w') as f:
            f.write(text)
    os.mkdir(outside)
    with open(os.path.join(outside, 'canary'), 'w') as f:
        f.write(f'{CANARY}\n')
    os.symlink('../outside', os.path.join(root, 'there'))
    os.symlink('../outside/canary', os.path.join(root, 'one'))
    return root, outside


def one(name, policy, script, wanted):
    tmp = tempfile.mkdtemp(prefix='nacre-case-')
    root, outside = make(tmp)
    with open(os.path.join(tmp, 'policy.json'), 'w') as f:
        json.dump(policy, f)
    before, protected = snapshot(outside), snapshot(os.path.join(root, 'keep'))
    argv = [sys.executable, os.path.join(ROOT, 'tools', 'policy_adapter.py'), NACRE, root, os.path.join(tmp, 'policy.json'), script.replace('@OUTSIDE@', outside)]
    begun = time.monotonic()
    # A descriptor of the host's that is open must not be one of the script's.
    with open(os.path.join(outside, 'canary')) as canary:
        os.dup2(canary.fileno(), 9)
        os.set_inheritable(9, True)
        r = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=170, close_fds=False,
                           env={**os.environ, 'HOST_TOKEN': HOST, 'GIT_DIR': HOST})
        os.close(9)
    out, err = r.stdout.decode('utf-8', 'replace'), r.stderr.decode('utf-8', 'replace')
    leaks = [s for s in (CANARY, HOST, *((SECRET, SECRET.encode().hex()) if 'deny_read' in policy else ())) if s in out + err]
    check(f'{name}: nothing leaks', not leaks, leaks, out[-600:], err[-600:])
    check(f'{name}: it goes on', wanted in out, r.returncode, out[-600:], err[-600:])
    check(f'{name}: what is outside stays', snapshot(outside) == before)
    check(f'{name}: what is kept stays', 'deny_write' not in policy or snapshot(os.path.join(root, 'keep')) == protected, out[-300:], err[-300:])
    if 'timeout_s' in policy:
        check(f'{name}: it ends', time.monotonic() - begun < policy['timeout_s'] + 60)
    if policy == {'write': False}:
        check(f'{name}: nothing was written', sorted(os.listdir(root)) == ['.git', 'app', 'data.csv', 'keep', 'one', 'there', 'tree'])
    if 'max_output_bytes' in policy:
        check(f'{name}: it is cut', len(out) <= 1200 and 'dropped' in err, len(out), err[-300:])
    shutil.rmtree(tmp)


def main():
    for case in CASES:
        one(*case)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
