#!/usr/bin/env python3
"""What the guests do, and what they cannot do.

    run.py BUILD
"""
import os
import re
import subprocess
import sys
import tempfile

NACRE = os.path.abspath(os.path.join(sys.argv[1] if len(sys.argv) > 1 else 'build', 'nacre'))
passed = failed = 0


def check(name, ok, *facts):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f'FAIL {name}', *[f'\n    {f!r}' for f in facts])


def run(script, *flags, stdin=b''):
    r = subprocess.run([NACRE, *flags, '-c', script], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    return r.returncode, r.stdout.decode('utf-8', 'replace'), r.stderr.decode('utf-8', 'replace')


def gives(script, out, status=0, err='', flags=(), stdin=b''):
    """The exact output; err is a regular expression, '' for none at all."""
    got = run(script, *flags, stdin=stdin)
    ok = got[0] == status and got[1] == out and (re.search(err, got[2]) if err else got[2] == '')
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
        code, out, err = run(f"timeout 1 jq -n '{program}' >/dev/null 2>&1; echo $?; jq -n 1", '--timeout', '60s', '--memory', '200M')
        check(f'{program} is stopped', code == 0 and out.split()[-1] == '1' and out.split()[0] in ('124', '134', '137', '5'), code, out, err)
    code, out, err = run("jq -n 'last(repeat(1))'", '--timeout', '300ms')
    check('the deadline holds inside', code == 124 and 'timed out' in err, code, out, err)
    code, out, err = run("jq -n '[range(1e9)]|length'; echo $?", '--memory', '64M')
    check('the memory budget holds inside', code == 0 and out == '134\n' and 'cannot allocate memory' in err, code, out, err)
    for program in ('def f: 1+f; f', 'reduce range(100000) as $i (null;[.])|tojson|length', '[range(100000)|"["]|add|fromjson',
                    '("("*50000+")"*50000)|test("a";"x")', '"(" * 100000 | test(.)'):
        code, out, err = run(f"jq -n '{program}' >/dev/null; echo $?; jq -n 1", '--memory', '300M')
        check(f'{program}: nesting ends in a result or an error', code == 0 and out.endswith('1\n'), code, out, err)
    code, out, err = run('printf "%s" "$(yes "[" | head -n 50000 | tr -d "\\n")" | jq -c . >/dev/null; echo $?; jq -n 1')
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


def main():
    for part in (jq, limits, isolation):
        part()
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


sys.exit(main())
