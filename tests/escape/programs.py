"""SEC-03: commands that can run other programs, write elsewhere or read by a second path, each tried for it.

Every try runs over a mount that holds an executable script `evil` and a file `f`; OUT stands for a path of the host
beside the mount, which no command may make, and SECRET for a file of the host, whose text nobody may see. What a
try prints has to hold the text given with it, if any: that what is allowed runs inside the sandbox (its user is 1000
there), and that what is refused says so.
"""
import os
import re
import shutil
import subprocess
import tempfile

INSIDE = 'in:1000'

RUNS = [
    # (script, what its output or messages have to hold)
    ("""awk 'BEGIN { system("echo in:$UID; ./evil") }'""", INSIDE),
    ("""awk 'BEGIN { print "x" | "cat; echo in:$UID; ./evil" }'""", INSIDE),
    ("""awk 'BEGIN { "echo in:$UID; ./evil" | getline x; print x }'""", INSIDE),
    (r"find . -name f -exec ./evil {} \;", 'ran'),
    (r"find . -name f -execdir sh -c 'echo in:$UID' \;", INSIDE),
    ("find . -name f -exec ./evil {} +", 'ran'),
    ("""tar -cf t.tar f; tar -xf t.tar --to-command='cat; echo in:$UID; ./evil'""", INSIDE),
    ("tar -cf t.tar --checkpoint=1 --checkpoint-action=exec=./evil f", 'ran'),
    ("tar -cf t.tar -I ./evil f", ''),
    ("echo f | xargs ./evil", 'ran'),
    ("echo x | xargs -I{} sh -c 'echo in:$UID'", INSIDE),
    ("env ./evil", 'ran'), ("env -S ./evil", 'ran'), ("env -i sh -c 'echo in:$UID'", INSIDE),
    ("""split -l1 --filter='sh -c "echo in:$UID; cat > /dev/null; ./evil"' f""", INSIDE),
    ("timeout 1 ./evil", 'ran'), ("nice ./evil", 'ran'), ("nohup ./evil", 'ran'), ("command ./evil", 'ran'), ("exec ./evil", 'ran'),
    ("sh ./evil", 'ran'), ("bash -c ./evil", 'ran'), ("trap ./evil EXIT", 'ran'), ("coproc ./evil; wait", ''),
    ("mapfile -C './evil #' -c 1 a < f", 'ran'), ("BASH_ENV=./evil bash -c 'echo in:$UID'", INSIDE),
    ("PS4='$(./evil)' bash -xc true", ''), (": $((a[$(./evil)]))", ''), ("test -v 'a[$(./evil)]'", ''),
    ("echo 'echo in:$UID; ./evil' | sh", INSIDE), ("zgrep x ./evil", ''), ("zdiff evil f", ''), ("echo '!./evil' | dc", 'not supported'),
]

REFUSED = [
    ("sed '1e ./evil' f", 'not supported'), ("sed 's/b/.\\/evil/e' f", 'not supported'), ("""awk '@load "x"; BEGIN { print 1 }'""", 'not supported'),
    ("awk -i inplace 1 f", 'not supported'), ("""awk 'BEGIN { s = "/inet/tcp/0/127.0.0.1/22"; s |& getline x }'""", 'not supported'),
    ("tar -cf t.tar --rsh-command=./evil f", 'not supported'), ("tar -cf t.tar -F ./evil f", 'not supported'), ("tar -cf host:t.tar f", 'no remote archives'),
    ("xargs -p ./evil < f", "failed to open /dev/tty"), ("zip -T t.zip f", 'not supported'), ("sort --compress-program=./evil f", 'not supported'),
    ("enable -f ./evil x", 'not available'), ("file -m evil f", 'not supported'),
    ("sudo ./evil", 'no other user'), ("su -c ./evil", 'no other user'), ("vi -c ':!./evil' f", 'no terminal'), ("git -c core.pager=./evil log", 'no version control'),
    ("make -f f", 'nothing can be compiled'), ("perl -e 'system(\"./evil\")'", 'not in the sandbox'), ("ssh -o ProxyCommand=./evil x", 'no network'),
    ("nc -e /bin/sh 127.0.0.1 1", 'no network'), ("docker run x", 'containers'), ("apt install x", 'nothing can be installed'), ("npm i", 'nothing can be installed'),
    ("chroot / ./evil", 'not found'), ("unshare ./evil", 'not found'), ("gdb -ex '!./evil'", 'not found'), ("busybox sh", 'not found'),
]

# Neither a pager nor a preprocessor is run, whatever a variable says.
VARIABLES = ["PAGER=./evil man ls", "MANPAGER=./evil man ls", "LESSOPEN='|./evil %s' less f", "ENV=./evil sh -c true", "PROMPT_COMMAND=./evil bash -ic true",
             "LD_PRELOAD=./evil ls f", "GZIP=--evil gzip -c f", "GREP_OPTIONS=-f/etc/passwd grep -c . f", "TAR_OPTIONS='--to-command=./evil' tar -cf t.tar f",
             "POSIXLY_CORRECT=./evil ls f", "TZ=:./evil date", "LESS='-o OUT' less f", "AWKPATH=./evil awk 1 f", "TMPDIR=OUT mktemp"]

WRITES = ["sed -n 'w OUT' f", "sed 's/b/x/w OUT' f", "sed -i.bak 1d f && mv f.bak OUT", """awk 'BEGIN { print "x" > "OUT" }'""", """awk 'BEGIN { print "x" | "cat > OUT" }'""",
          "find . -fprintf OUT %p", "find . -fprint OUT", "find . -fls OUT", "find . -fprint0 OUT", "sort -o OUT f", "sort -T OUT f", "tee OUT < f", "dd if=f of=OUT",
          "split f OUT", "csplit -f OUT f 2", "cp f OUT", "mv f OUT", "install -m 4755 f OUT", "ln f OUT", "ln -s f OUT", "patch OUT f < f", "xxd f OUT", "shuf -o OUT f",
          "uniq f OUT", "mkfifo OUT", "mkdir OUT", "touch OUT", "truncate -s 1 OUT", "tar -cf OUT f", "zip OUT f", "gzip -c f > OUT", "zstd f -o OUT", "base64 f > OUT",
          "mktemp OUT.XXXX", "patch -o OUT f < f", "diff f f > OUT", "tar -cf t.tar f; tar -xf t.tar -C OUT", "tar -cf t.tar f; tar -xPf t.tar --transform=s,f,OUT,",
          "unzip -d OUT t.zip", "cat f >> OUT", "exec 3<>OUT", "history -w OUT", "set -o noclobber; echo x >| OUT", "curl -o OUT file://f", "tput -T ../../OUT bold"]

READS = ["sed r\\ SECRET f", "sed -f SECRET f", "awk -f SECRET f", """awk 'BEGIN { while ((getline l < "SECRET") > 0) print l }'""", "xargs -a SECRET echo", "sort --files0-from=SECRET",
         "wc --files0-from=SECRET", "du --files0-from=SECRET", "grep -f SECRET f", "grep . SECRET", "comm SECRET f", "join SECRET f", "paste SECRET f", "diff SECRET f",
         "cmp -l SECRET f", "date -f SECRET", "date -r SECRET", "base64 SECRET", "file -f SECRET", "look T SECRET", "strings SECRET", "od -c SECRET", "tac SECRET", "rev SECRET",
         "nl SECRET", "cut -c1- SECRET", "tr a b < SECRET", "shuf SECRET", "expand SECRET", "fmt SECRET", "pr SECRET", "column SECRET", "tar -cf - SECRET", "tar -T SECRET -cf -",
         "tar -X SECRET -cf - f", "zip -r - SECRET", "gzip -c SECRET", "xz -c SECRET", "cpio -o < SECRET", "md5sum -c SECRET", "install SECRET x", "cp SECRET x; cat x", "ln -s SECRET l; cat l",
         "ln SECRET h; cat h", "dd if=SECRET", "head -c99 SECRET", "tail SECRET", "less SECRET", "more SECRET", "zless SECRET", "bc SECRET", "dc -f SECRET", "jq -n --rawfile a SECRET '$a'",
         "jq -f SECRET f", "source SECRET", "bash SECRET", "mapfile x < SECRET; echo $x", "cat /proc/self/root/SECRET", "cat /proc/1/root/SECRET", "patch f SECRET; cat f", "touch -r SECRET n",
         "tail -f --pid=1 SECRET", "split SECRET x; cat xaa", "getopt -o SECRET", "man -l SECRET", "man ./SECRET", "find / -newer SECRET", "test -s SECRET && echo TOPSECRET", "chmod --reference=SECRET f"]


def strange(text, out, secret):
    return text.replace('OUT', out).replace('SECRET', secret)


def sweep(nacre, run, check):
    with tempfile.TemporaryDirectory() as tmp:
        root, out, secret = (os.path.join(tmp, name) for name in ('root', 'out', 'secret'))
        os.mkdir(root)

        def fresh():
            for name in os.listdir(root):
                path = os.path.join(root, name)
                shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)
            with open(os.path.join(root, 'f'), 'w') as f:
                f.write('b\na\n')
            with open(os.path.join(root, 'evil'), 'w') as f:
                f.write(f'#!/bin/sh\ntouch {out} 2> /dev/null\necho ran\n')
            os.chmod(os.path.join(root, 'evil'), 0o755)

        with open(secret, 'w') as f:
            f.write('TOPSECRET\n')
        everything = [(s, want) for s, want in RUNS + REFUSED] + [(s, '') for s in VARIABLES + WRITES + READS]
        for script, want in everything:
            fresh()
            script = strange(script, out, secret)
            code, text, err = run('--mount', f'{root}:/w', '--cwd', '/w', '--timeout', '5s', '-c', script)
            check(f'SEC-03 {script}', want in text + err, code, text, err)
            check(f'SEC-03 {script}: nothing outside', sorted(os.listdir(tmp)) == ['root', 'secret'], os.listdir(tmp))
            check(f'SEC-03 {script}: nothing seen', 'TOPSECRET' not in text + err and open(secret).read() == 'TOPSECRET\n', text, err)
            check(f'SEC-03 {script}: ended by itself', code != 124, code)
            if (script, want) in [(strange(s, out, secret), w) for s, w in REFUSED]:
                check(f'SEC-03 {script}: fails', code != 0, code, text, err)
            for name in os.listdir(tmp):
                if name not in ('root', 'secret'):
                    path = os.path.join(tmp, name)
                    shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        if shutil.which('strace'):
            fresh()
            trace = os.path.join(tmp, 'trace')
            lines = ''.join(f'( {strange(s, out, secret)}\n) < /dev/null > /dev/null 2>&1\n' for s, _ in RUNS + REFUSED)
            subprocess.run(['strace', '-f', '-e', 'trace=process', '-o', trace, nacre, '--mount', f'{root}:/w', '--cwd', '/w', '--timeout', '60s', '-c', lines],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
            with open(trace) as f:
                calls = re.findall(r'^\d+ +(\w+)\(', f.read(), re.M)
            started = [c for c in calls if c in ('execve', 'execveat', 'fork', 'vfork', 'clone', 'clone3')]
            check('SEC-03 no program of the host was started', started == ['execve'], started)
        else:
            check('strace is there', False)
