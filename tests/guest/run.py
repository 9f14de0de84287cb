#!/usr/bin/env python3
"""What the guests do, and what they cannot do.

    run.py BUILD
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import check, finish, matches, run_script  # noqa: E402


def gives(script, out, status=0, err='', flags=(), stdin=b''):
    """The exact output; err is a regular expression, '' for none at all."""
    got = run_script(script, *flags, stdin=stdin)
    ok = got[0] == status and got[1] == out and matches(err, got[2])
    check(script if len(script) < 100 else script[:100] + '...', ok, got)


def jq():
    """jq 1.7.1's manual and habits; what it computes is its own code's affair."""
    gives('jq --version', 'jq-1.7.1\n')
    gives("""echo '{"a":[1,2,{"b":3}]}' | jq -c '.a[2].b, .'""", '3\n{"a":[1,2,{"b":3}]}\n')
    gives("""echo '{"b":1,"a":2}' > f; jq . f; jq -S -c . f; jq --tab . f""", '{\n  "b": 1,\n  "a": 2\n}\n{"a":2,"b":1}\n{\n\t"b": 1,\n\t"a": 2\n}\n')
    gives("""printf '1 2\\n3' | jq -s -c ., ; printf 'a\\nb\\n' | jq -R .; printf 'x' | jq -Rs .""", '"a"\n"b"\n"x"\n', err='unexpected end of file')
    gives("""jq -n --arg a 'x y' --argjson b '{"c":1}' '$a, $b.c, $ARGS.named.a' """, '"x y"\n1\n"x y"\n')
    gives("""jq -nr '$ARGS.positional[]' --args a "b c" """, 'a\nb c\n')
    gives("""echo '[3,1,2]' | jq -c 'sort, map(.*2), (group_by(.%2)|length), add, (.[1:]|first)'""", '[1,2,3]\n[6,2,4]\n2\n6\n1\n')
    gives("""jq -rn '[1,"a,b",null]|@csv, @tsv, @sh "\\(2)", @base64 "x\\("é")"'""", '1,"a,b",\n1\ta,b\t\n2\nxw6k=\n')
    gives("""jq -n '"abcabc"|test("B";"i"), sub("b";"X";"g"), [match("(?<n>c)").captures[].name], ([scan(".c")]|length)' -c""",
          'true\n"aXcaXc"\n["n"]\n2\n')
    gives("""jq -n '"2015-03-05T23:51:47Z"|fromdate, (1425599507|todate), (1425599507|strftime("%A %j"))' -r""",
          '1425599507\n2015-03-05T23:51:47Z\nThursday 064\n')
    gives("""echo null | jq -e .; echo $?; echo false | jq -e .; echo $?; echo '{' | jq . 2>/dev/null; echo $?; jq -n '}' 2>/dev/null; echo $?; jq -n '"a"|error' 2>/dev/null; echo $?""",
          'null\n1\nfalse\n1\n5\n3\n5\n')
    gives('jq . nosuch', '', 2, r'jq: error: Could not open file nosuch: No such file or directory')
    gives("""echo '[1,[2]]' | jq -c --stream .; echo '{"a":1}' | jq 'paths' -c""", '[[0],1]\n[[1,0],2]\n[[1,0]]\n[[1]]\n["a"]\n')
    gives('echo \'def f: . + 1; [.[]|f]\' > p.jq; echo "[1,2]" | jq -c -f p.jq; mkdir m; echo "def g: 7;" > m/l.jq; jq -n -L m \'import "l" as l; l::g\'', '[2,3]\n7\n')
    gives("""A=b jq -n 'env.A, $ENV.A, (env|has("HOME"))'""", '"b"\n"b"\ntrue\n')
    gives("""jq -n '100000000000000000000, 1.000, [.1,3.0]' -c""", '100000000000000000000\n1.000\n[0.1,3.0]\n')
    gives('seq 100000 | jq -s "add, length"', '5000050000\n100000\n')
    gives("""jq -n 'input' <<< '1 2'; jq -n '[inputs]' -c <<< '1 2'; jq 'input_line_number' <<< '1'""", '1\n[1,2]\n1\n')
    gives("""jq -n -c '[range(5)]' | jq -c 'map(.+1)' | jq -c 'map(.*2)' | jq -c add; echo ${PIPESTATUS[*]}""", '30\n0 0 0 0\n')
    gives("""cd /tmp; echo '{"a":1}' > x; { (sleep 0.1; jq .a x) & (cd /; sleep 0.1; jq -n '"b"') | (jq .; jq . x -c); wait; } | sort""",
          '"b"\n1\n{"a":1}\n')
    gives('mkdir d; cd d; echo 5 > x; jq . x ./x ../d/x; cd /; jq . workspace/d/x', '5\n5\n5\n5\n')
    gives('for i in 1 2 3 4 5 6 7 8; do jq -n "$i" > o$i & done; wait; cat o?', '1\n2\n3\n4\n5\n6\n7\n8\n')
    gives('jq -n --rawfile a /etc/hostname --slurpfile b <(echo 1 2) \'($a|type), $b\' -c', '"string"\n[1,2]\n')
    gives('jq -n \'"x"|halt_error(3)\'', '', 3, '^x$')


def limits():
    """However a guest goes on for ever or eats, it ends, and its sandbox goes on."""
    for program in ('[range(1e12)]|length', 'def f: f; f', 'last(repeat(1))', '[limit(1e12;repeat("x"))]', '"a"*1e9|test("(a*)*b")'):
        code, out, err = run_script(f"timeout 1 jq -n '{program}' >/dev/null 2>&1; echo $?; jq -n 1", '--timeout', '60s', '--memory', '200M')
        check(f'{program} is stopped', code == 0 and out.split()[-1] == '1' and out.split()[0] in ('124', '134', '137', '5'), code, out, err)
    code, out, err = run_script("jq -n 'last(repeat(1))'", '--timeout', '300ms')
    check('the deadline holds inside', code == 124 and 'timed out' in err, code, out, err)
    code, out, err = run_script("jq -n '[range(1e9)]|length'; echo $?", '--memory', '64M')
    check('the memory budget holds inside', code == 0 and out == '5\n' and err == 'jq: error: memory limit exceeded\n', code, out, err)
    for program in ('def f: 1+f; f', 'reduce range(100000) as $i (null;[.])|tojson|length', '[range(100000)|"["]|add|fromjson',
                    '("("*50000+")"*50000)|test("a";"x")', '"(" * 100000 | test(.)'):
        code, out, err = run_script(f"jq -n '{program}' >/dev/null; echo $?; jq -n 1", '--memory', '300M')
        check(f'{program}: nesting ends in a result or an error', code == 0 and out.endswith('1\n'), code, out, err)
    code, out, err = run_script('printf "%s" "$(yes "[" | head -n 50000 | tr -d "\\n")" | jq -c . >/dev/null; echo $?; jq -n 1')
    check('deep JSON is refused', code == 0 and out == '5\n1\n', code, out, err)
    with tempfile.TemporaryDirectory() as tmp:
        for name in ('open', 'secret'):
            with open(os.path.join(tmp, name), 'w') as f:
                f.write('1')
        mount = ('--mount', f'{tmp}:/w:ro', '--deny-path', 'secret')
        gives('jq . /w/open; jq . /w/secret', '1\n', 2, 'Could not open file /w/secret: Permission denied', flags=mount)
        gives('jq -n --rawfile a /w/secret \'$a\'', '', 2, 'Permission denied', flags=mount)
        gives('jq -n -L /w \'include "secret"; 1\'', '', 3, 'module not found', flags=mount)


def isolation():
    """Nothing of a run is there in the next one: all its cage's memory is searched by jq's own means."""
    secret = 'S3CR3T' * 1000
    script = f'jq -n --arg a {secret} \'[range(300)|$a]|length\' >/dev/null; jq -n \'[range(5000)|tostring]|add|contains("S3CR3T")\'; jq -n \'$ENV|tostring|contains("S3CR3T")\''
    gives(script, 'false\nfalse\n')
    for _ in range(3):
        gives('A=1 jq -n env.A; jq -n env.A; B=2 jq -n "env.A, env.B"', '"1"\nnull\nnull\n"2"\n')


def python():
    """PY-01: what is ours of it. What it computes is in python.test and python_lib.test."""
    gives('python3 -c "import sys, zlib; print(sys.version_info[:2] >= (3, 13), sys.executable, sys.prefix, zlib.ZLIB_VERSION[0])"',
          'True /usr/bin/python3 /usr 1\n')
    gives('python -c "print(1)"; /usr/bin/python3 -c "print(2)"; command -v python3; echo "print(3)" > x; printf "#!/usr/bin/env python3\nprint(4)\n" > y; '
          'chmod +x y; ./y', '1\n2\n/usr/bin/python3\n4\n')
    gives('ls /usr/lib/python3.13/json; echo x > /usr/lib/python3.13/json/tool.py; python3 -c "import json; print(json.__file__)"; '
          'head -n 1 /usr/lib/python3.13/this.py',
          '__init__.py\n__pycache__\ndecoder.py\nencoder.py\nscanner.py\ntool.py\n/usr/lib/python3.13/json/__init__.py\n'
          's = """Gur Mra bs Clguba, ol Gvz Crgref\n', err='Read-only file system')
    gives("""python3 -c 'import threading; threading.Thread(target=print).start()'""", '', 1, "can't start new thread")
    gives("""python3 -c 'import socket; socket.create_connection(("example.org", 80))'""", '', 1, 'no network')
    gives("""python3 -c 'import urllib.request; urllib.request.urlopen("http://127.0.0.1/")'""", '', 1, 'no network')
    gives('python3 -m http.server', '', 1, 'no network')
    gives('python3 -m pip install x; pip install x; pip3 list', '', 127, '(?s)packages cannot be installed.*packages cannot be installed')
    gives("""python3 -c 'import fcntl; fcntl.flock(0, fcntl.LOCK_EX)'""", '', 1, 'there are no file locks')
    gives("""python3 -c 'import subprocess; subprocess.run("true", preexec_fn=print)'""", '', 1, 'preexec_fn is not supported')
    gives("""python3 -c 'import pwd, grp, os; print(pwd.getpwuid(os.getuid()).pw_name == os.popen("id -un").read().strip(), grp.getgrgid(os.getgid()).gr_gid == os.getgid())'""",
          'True True\n')
    gives("""python3 -c 'import os, platform; print(os.uname().sysname, platform.system(), platform.machine() == os.popen("uname -m").read().strip())'""",
          'Linux Linux True\n')
    gives("""python3 -c 'import signal, os
def f(s, frame): print("caught", s, flush=True)
signal.signal(signal.SIGUSR1, f); os.kill(os.getpid(), signal.SIGUSR1); signal.raise_signal(signal.SIGTERM)'; echo $?""",
          'caught 10\n143\n', err='^Terminated$')
    gives("""python3 -c 'import random; print(random.random())' > a; python3 -c 'import random; print(random.random())' > b; cmp -s a b; echo $?
python3 -c 'import uuid; print(uuid.uuid4())' > a; python3 -c 'import uuid; print(uuid.uuid4())' > b; cmp -s a b; echo $?""", '1\n1\n')


def python_packages():
    """PY-02: a mount at /lib/python/site-packages is importable, its .pth files count, other places do not. PY-03."""
    with tempfile.TemporaryDirectory() as tmp:
        os.makedirs(os.path.join(tmp, 'site', 'pure'))
        os.makedirs(os.path.join(tmp, 'site', 'extra'))
        os.makedirs(os.path.join(tmp, 'other'))
        for name, text in (('site/pure/__init__.py', 'from . import part\nvalue = part.x\n'), ('site/pure/part.py', 'x = 42\n'),
                           ('site/more.pth', 'extra\n'), ('site/extra/deep.py', 'y = 7\n'), ('other/apart.py', 'z = 1\n'),
                           ('site/hidden.py', 'h = 1\n'), ('site/binary.cpython-313-x86_64-linux-gnu.so', 'ELF')):
            with open(os.path.join(tmp, name), 'w') as f:
                f.write(text)
        flags = ('--mount', f'{tmp}/site:/lib/python/site-packages:ro', '--mount', f'{tmp}/other:/other:ro', '--deny-path', 'hidden.py')
        gives('python3 -c "import pure, deep; print(pure.value, deep.y, pure.__file__)"', '42 7 /lib/python/site-packages/pure/__init__.py\n', flags=flags)
        gives('python3 -O -c "import pure, deep; print(pure.value, deep.y)"', '42 7\n', flags=flags)
        gives('python3 -c "import apart"', '', 1, "No module named 'apart'", flags=flags)
        gives('python3 -I -c "import pure; print(pure.value)"; python3 -S -c "import pure"', '42\n', 1, "No module named 'pure'", flags=flags)
        gives('python3 -c "import binary"', '', 1, "ModuleNotFoundError: No module named 'binary'", flags=flags)
        gives('python3 -c "import hidden"', '', 1, '(ModuleNotFoundError: No module named|PermissionError).*hidden', flags=flags)
        gives('python3 -c "import pure"', '', 1, "No module named 'pure'")


def python_limits():
    """PY-04: however it goes on for ever or eats, it ends, and its sandbox goes on."""
    endless = ('while True: pass', 'sum(iter(int, 1))', '9**9**9**9', 'x = [1]\nwhile 1: x = sorted(range(10**6), key=lambda a: -a)',
               '"a" * 10**6 in ("b" * 10**8)\nwhile 1: pass', 'import re; re.match("(a*)*b", "a" * 64)', 'int("1" * 4300) ** 10**7',
               'def f():\n while 1:\n  try: f()\n  except BaseException: pass\nf()', 'import time; time.sleep(1e6)', 'input()',
               'while 1:\n try:\n  while 1: pass\n except BaseException: pass')
    for program in endless:
        code, out, err = run_script(f"sleep 100 | timeout 1 python3 -c '{program}' >/dev/null 2>&1; echo ${{PIPESTATUS[1]}}; python3 -c 'print(1)'; kill %1 2>/dev/null",
                             '--timeout', '20s', '--memory', '400M') if program == 'input()' else \
            run_script(f"timeout 1 python3 -c '{program}' >/dev/null 2>&1; echo $?; python3 -c 'print(1)'", '--timeout', '60s', '--memory', '400M')
        if program != 'input()':
            check(f'{program} is stopped', code == 0 and out.split()[-1] == '1' and out.split()[0] in ('124', '137', '1'), code, out, err)
    code, out, err = run_script("python3 -c 'while True: pass'", '--timeout', '300ms')
    check('the deadline holds inside Python', code == 124 and 'timed out' in err, code, out, err)
    gives("""python3 -c '
try: x = bytearray(10**9)
except MemoryError: print("MemoryError")
x = []
try:
    while True: x.append(bytes(10**6))
except MemoryError: n = len(x); x = None; print("MemoryError", n < 300)
print("goes on")'; python3 -c 'print(2)'""", 'MemoryError\nMemoryError True\ngoes on\n2\n', flags=('--memory', '256M'))
    for program in ('x = None\nfor i in range(10**6): x = [x]\nprint(x)', 'x = ()\nfor i in range(10**5): x = (x,)\nhash(x)',
                    'eval("-" * 10**6 + "1")', 'compile("(" * 10**5, "x", "eval")', 'import pickle; x = []\nfor i in range(10**5): x = [x]\npickle.dumps(x)',
                    'class A:\n def __getattr__(s, n): return getattr(s, n + "x")\nA().y', 'import sys; sys.setrecursionlimit(10**9)\ndef f(): f()\nf()',
                    'import copy; x = []\nfor i in range(10**5): x = [x]\ncopy.deepcopy(x)', 'import re; re.compile("(" * 10**5)',
                    'import json; json.loads("[" * 10**6)', 'f = lambda: 0\nfor i in range(10**5): f = __import__("functools").partial(f)\nf()'):
        code, out, err = run_script(f"timeout 20 python3 -c '{program}' >/dev/null; echo $?; python3 -c 'print(1)'", '--memory', '400M')
        check(f'{program}: nesting ends in a result or an error', code == 0 and out.endswith('1\n') and 'bounds' not in err, code, out, err[-300:])


def python_bytecode():
    """CPython believes its bytecode: what is none leads anywhere in the cage, and no further."""
    program = """import random, sys
random.seed(int(sys.argv[1]))
f = lambda a=1: [a, {}, "x"]
f.__code__ = f.__code__.replace(co_code=f.__code__.co_code[:2] + random.randbytes(2 * random.randrange(1, 40)), co_stacksize=20)
try: f()
except BaseException: pass
"""
    script = f"cat > h.py <<'E'\n{program}E\nfor i in $(seq 40); do timeout 5 python3 h.py $i > o 2> e; echo $?; grep -h . e | tail -n 1; done | sort | uniq; python3 -c 'print(\"goes on\")'"
    code, out, err = run_script(script, '--timeout', '240s', '--memory', '400M')
    statuses = {line for line in out.split('\n') if line.isdigit()}
    check('bytecode that is none', code == 0 and out.endswith('goes on\n') and {'0', '134'} <= statuses <= {'0', '1', '124', '134', '137', '143'} and
          'python3: memory access out of bounds\n' in out, code, out, err)


def python_policy():
    """PY-04: every way to a file obeys mounts, deny patterns and quotas."""
    with tempfile.TemporaryDirectory() as tmp:
        for name in ('ro', 'rw'):
            os.makedirs(os.path.join(tmp, name))
            for f in ('open', 'secret'):
                with open(os.path.join(tmp, name, f), 'w') as out:
                    out.write('text')
        with open(os.path.join(tmp, 'ro', 'mod.py'), 'w') as f:
            f.write('x = 1\n')
        with open(os.path.join(tmp, 'ro', 'secretmod.py'), 'w') as f:
            f.write('x = 1\n')
        flags = ('--mount', f'{tmp}/ro:/ro:ro', '--mount', f'{tmp}/rw:/rw:rw', '--deny-path', 'secret*')
        gives("""python3 - <<'EOF'
import os, shutil, sqlite3, sys, zipfile, tarfile, pathlib
def refused(name, f, *kinds):
    try: f()
    except (OSError, sqlite3.Error) as e: print(name, type(e).__name__)
    else: print(name, 'ALLOWED')
print(open('/ro/open').read(), sorted(os.listdir('/ro')))
for name, f in dict(open=lambda: open('/ro/secret'), os_open=lambda: os.open('/rw/secret', os.O_RDONLY), path=lambda: pathlib.Path('/ro/secret').read_text(),
                    copy=lambda: shutil.copy('/ro/secret', '/tmp/x'), link=lambda: os.link('/rw/secret', '/rw/l'), rename=lambda: os.rename('/rw/secret', '/rw/n'),
                    unlink=lambda: os.unlink('/rw/secret'), chmod=lambda: os.chmod('/rw/secret', 0o777), create=lambda: open('/rw/secret2', 'w'),
                    rename_to=lambda: os.rename('/rw/open', '/rw/secret3'), attach=lambda: sqlite3.connect('/tmp/a.db').execute("attach '/rw/secret' as s").execute('select * from s.sqlite_master'),
                    vacuum=lambda: sqlite3.connect('/tmp/a.db').execute("vacuum into '/rw/secret4'"), truncate=lambda: os.truncate('/rw/secret', 0)).items():
    refused(name, f)
os.symlink('/rw/secret', '/tmp/link'); refused('through a link', lambda: open('/tmp/link'))
with zipfile.ZipFile('/tmp/z.zip', 'w') as z: z.writestr('secret5', 'x'); z.writestr('fine', 'y')
refused('zip', lambda: zipfile.ZipFile('/tmp/z.zip').extractall('/rw'))
for name, f in dict(write=lambda: open('/ro/open', 'a'), new=lambda: open('/ro/new', 'w'), mkdir=lambda: os.mkdir('/ro/d'), rm=lambda: os.unlink('/ro/open'),
                    utime=lambda: os.utime('/ro/open'), mv=lambda: os.rename('/ro/open', '/ro/x'), db=lambda: sqlite3.connect('/ro/a.db').execute('create table t(a)')).items():
    refused('read-only ' + name, f)
sys.path.insert(0, '/ro')
import mod
print(mod.x)
try: import secretmod
except (ImportError, OSError) as e: print('import', type(e).__name__ in ('ModuleNotFoundError', 'PermissionError'))
EOF""", """text ['mod.py', 'open', 'secret', 'secretmod.py']
open PermissionError
os_open PermissionError
path PermissionError
copy PermissionError
link PermissionError
rename PermissionError
unlink PermissionError
chmod PermissionError
create PermissionError
rename_to PermissionError
attach OperationalError
vacuum OperationalError
truncate PermissionError
through a link PermissionError
zip PermissionError
read-only write OSError
read-only new OSError
read-only mkdir OSError
read-only rm OSError
read-only utime OSError
read-only mv OSError
read-only db OperationalError
1
import True
""", flags=flags)


def python_isolation():
    """Nothing of a run is there in the next one."""
    fill = "x = [b'S3CR' + b'3T%d' % i for i in range(200000)]; y = bytearray(b'S3CR'+b'3T!')*1000000; import os; os.environ['LEAK']='1'; import json; json.leak = 1; import sys; sys.leak = 2; import builtins; builtins.leak = 3"
    search = "import os, sys, json, builtins; z = [bytearray(n) for n in (100, 1000, 10**5, 10**7)]; print(any(any(b) for b in z), 'LEAK' in os.environ, hasattr(json, 'leak'), hasattr(sys, 'leak'), hasattr(builtins, 'leak'))"
    gives(f'for i in 1 2 3; do python3 -c "{fill}"; python3 -c "{search}"; done', 'False False False False False\n' * 3, flags=('--memory', '400M'))
    gives('for i in 1 2 3 4 5 6; do python3 -c "import sys; print(sys.stdin.read())" <<< $i & done | sort; wait', ''.join(f'{w}\n' for w in sorted([''] * 6 + list('123456'))))


def main():
    for part in (jq, limits, isolation, python, python_packages, python_limits, python_bytecode, python_policy, python_isolation):
        part()
    return finish()


sys.exit(main())
