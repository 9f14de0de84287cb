"""Nesting: what a script can nest as deep as it likes ends with a result or a message, never with the stack's guard page.

Each shape is tried at depths around the limits of the parsers and far beyond; only that nothing of the host dies is
asked for here, what is printed is the corpora's business. tests/arch/recursion.py says that no function calls itself
without asking for stack.
"""
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

DEPTHS = (60, 190, 1000, 12000)


def nest(before, middle, after, n):
    return before * n + middle + after * n


def expressions(n):
    """Scripts with an expression of a command's own language."""
    group, escaped = nest('(', 'a', ')', n), nest('\\(', 'a', '\\)', n)
    yield 'expr', 'expr ' + nest("'(' ", '1', " ')'", n)
    yield 'expr :', f"expr a : '{escaped}'"
    for name, text in (
            ('(', nest('(', '1', ')', n)), ('!', '!' * n + '1'), ('-', '- ' * n + '1'), ('^', '1^' * n + '1'), ('?', '1?' * n + '1' + ':1' * n),
            ('=', 'a=' * n + '1'), ('$', '$' * n + '0'), ('[', nest('a[', '1', ']', n)), ('call', nest('length(', '1', ')', n)),
            ('+', '1+' * n + '1'), ('concatenation', '1 ' * n), ('in', nest('(', '1', ' in a)', n)), ('getline', '"echo a" | getline ' * n),
            ('&&', '1&&' * n + '1'), ('match', f'match("a","{group}")'), ('(=', nest('(', 'a', ')', n) + '=1')):
        yield f'awk {name}', f"awk 'BEGIN{{x = {text}}}' < /dev/null"
    for name, text in (
            ('{', nest('{', 'print 1', '}', n)), ('if', 'if(1)' * n + 'print 1'), ('while', 'while(1)' * n + 'break'),
            ('do', nest('do ', 'break;', ' while(0);', n)), ('else', 'if(0);else ' * n + 'print 1')):
        yield f'awk {name}', f"awk 'BEGIN{{{text}}}'"
    yield 'awk function', f"awk 'function f(x) {{return x ? f(x - 1) + {nest('(', 'x', ')', 100)} : 0}} BEGIN {{print f({n})}}'"
    for name in ('test', '/usr/bin/test'):
        yield f'{name} (', f'{name} ' + nest('"(" ', 'a', ' ")"', n)
        yield f'{name} !', f'{name} ' + '! ' * n + 'a'
        yield f'{name} -a', f'{name} ' + 'a -a ' * n + 'a'
    for name, text in (('(', nest('"(" ', '-true', ' ")"', n)), ('!', '! ' * n + '-true'), (',', '-true , ' * n + '-true'), ('-a', '-true -a ' * n + '-true'),
                       ('-o', '-false -o ' * n + '-true'), ('mixed', nest('"(" -false -o ', '-true', ' ")" -a -true', n)),
                       ('-regex', f"-regextype posix-extended -regex '{group}'")):
        yield f'find {name}', f'find . {text}'
    yield 'sed {', f"sed -n '{nest('{', 'p', '}', n)}' <<< a"
    yield 'sed -E', f"sed -E 's/{group}/x/' <<< a"
    yield 'sed', f"sed 's/{escaped}/x/' <<< a"
    for name, text in (('(', group), ('|', 'a|' * n + 'b'), ('*', 'a' + '*' * n), ('()*', nest('(', 'a', ')*', n)), ('^$', nest('(^', 'a', '$)', n))):
        yield f'grep -E {name}', f"grep -E '{text}' <<< a"
        yield f'[[ =~ {name}', f"x='{text}'; [[ a =~ $x ]]"
    for name, text in (('(', group), ('?=', nest('(?=', 'a', ')', n)), ('?<=', nest('(?<=', 'a', ')', n)), ('()*', nest('(', 'a', ')*', n))):
        yield f'grep -P {name}', f"grep -P '{text}' <<< a"
        yield f'rg {name}', f"rg '{text}' <<< a"
    yield 'grep -P recursion', f"grep -P '(a(?1)?b)' <<< {'a' * n}{'b' * n}"
    yield 'rg [', f"rg '{nest('[a', 'b', ']', n)}' <<< a"
    yield 'rg -g', f"rg --files -g '{nest('{', 'a', '}', n)}'"
    yield '.gitignore', f"echo '{nest('{', 'a', '}', n)}' > .gitignore; : > a; rg --files"
    for name, text in (('(', nest('(', '1', ')', n)), ('{', nest('{', '1', '}', n)), ('-', '-' * n + '1'), ('^', '1^' * n + '1'), ('if', 'if(1) ' * n + '1')):
        yield f'bc {name}', f"echo '{text}' | bc"
    yield 'dc [', f"dc -e '{nest('[', '1', ']', n)}p'"
    yield 'json', f"echo '{nest('[', '1', ']', n)}' > j; file j; jq -c . j"
    for name, text in (('(', nest('(', '1', ')', n)), ('[', nest('[', '1', ']', n)), ('if', nest('if . then ', '1', ' else 2 end', n)), ('-', '-' * n + '1'),
                       ('test', f'"a" | test("{group}")')):
        yield f'jq {name}', f"jq -nc '{text}'"
    yield 'js (', f"js -e '{nest('(', '1', ')', n)}'"
    yield 'js regex', f"js -e '/{group}/.test(\"a\")'"
    yield 'sqlite3 (', f"sqlite3 :memory: 'select {nest('(', '1', ')', n)}'"
    yield 'sqlite3 select', f"sqlite3 :memory: 'select {nest('(select ', '1', ')', n)}'"
    yield 'date (', f"date -d '{nest('(', '', ')', n)} 2020-01-01'"
    yield 'tar --exclude', f": > a; tar cf x.tar a --exclude='{nest('@(', 'a', ')', n)}'"


def commands(n):
    """Shell commands, each tried in all the places a command can stand in."""
    arithmetic = {'(': nest('(', '1', ')', n), '-': '- ' * n + '1', '!': '!' * n + '1', '?': '1?' * n + '1' + ':1' * n, '=': 'a=' * n + '1',
                  '**': '1**' * n + '1', ',': '1,' * n + '1', '+': '1+' * n + '1', '&&': '1&&' * n + '1', '[': nest('a[', '1', ']', n)}
    for name, text in arithmetic.items():
        yield f'(( {name}', f'(( {text} ))'
    for name, text in (('&&', 'a && ' * n + 'a'), ('||', '! a || ' * n + 'a'), ('mixed', 'a && b || ' * n + 'a'), ('(', nest('( ', 'a', ' )', n)), ('!', '! ' * n + 'a')):
        yield f'[[ {name}', f'[[ {text} ]]'
    for name, text in (('${:-', nest('${x:-', '1', '}', n)), ('"${:-', nest('"${x:-', '1', '}"', n)), ('${/', nest('${x/', '1', '/}', n)),
                       ('${[', nest('${x[', '1', ']}', n)), ('$(', nest('$(echo ', '1', ')', n)), ('$(($(', nest('$(( $(echo ', '1', ') ))', n)),
                       ('<(', nest('<(cat ', '/dev/null', ')', min(n, 60))), ('{', nest('{a,', 'b', '}', n)), ('{}', nest('{', 'b,c', '}', n))):
        yield name, f'echo {text}'
    yield 'extglob', f"shopt -s extglob; x='{nest('@(', 'a', ')', n)}'; [[ a == $x ]]; case a in $x) ;; esac; echo ${{x//$x/}}"
    for name, text in (('( )', nest('( ', 'true', ' )', n)), ('{ }', nest('{ ', 'true', '; }', n)), ('if', nest('if true; then ', 'true', '; fi', n)),
                       ('while', nest('while true; do ', 'break 1000', '; done', n)), ('for', nest('for i in 1; do ', 'true', '; done', n)),
                       ('case', nest('case a in a) ', 'true', ';; esac', n)), ('function', nest('f(){ ', 'true', '; }', n)), ('!', '! ' * n + 'true'),
                       ('time', 'time ' * n + 'true'), ('&&', 'true ' + '&& true ' * n), ('|', 'true ' + '| true ' * min(n, 300)), (';', 'true ' + '; true ' * n),
                       ('elif', 'if false; then a; ' + 'elif false; then b; ' * n + 'fi'), ('clauses', 'case x in ' + 'a) b;; ' * n + 'esac'),
                       ('here-documents', ''.join(f'cat <<E{i}\n' for i in range(min(n, 900))) + ''.join(f'E{i}\n' for i in range(min(n, 900))))):
        yield name, text


def places(text):
    yield '', text
    yield 'a function', f'f(){{ {text}\n}}; declare -f f; export -f f; bash -c "declare -f f"; set -x; f'
    yield 'a trap', f"trap 'echo \"$BASH_COMMAND\"' DEBUG ERR; set -ET; f(){{ {text}\n}}; f; trap -p"
    yield 'a job', f'{{ {text}\n}} & jobs; wait'
    yield 'text', (f"read -rd '' s <<'EOFX'\n{text}\nEOFX\n" 'eval "$s"; bash -c "$s"; source <(echo "$s"); trap "$s" EXIT; echo "${s@Q}${s@P}"')
    # Values that name one another take up most of the stack before the text is parsed.
    yield 'arithmetic', (f"read -rd '' s <<'EOFX'\na[$({text}\n)]\nEOFX\n" 'for i in {1..60}; do declare x$i="x$((i + 1))+0"; done; x61=$s; echo $((x1)); '
                         '[[ x1 -eq 0 ]]; unset "a[$s]"; printf -v "a[$s]" x; declare "b=($s)"')


ENDLESS = {
    'x=x': 'x=x; echo $((x)); a=b; b=a; echo $((a)); c="d[c]"; echo $((c))',
    'eval': "x='eval \"$x\"'; eval \"$x\"",
    'source': "echo '. ./r' > r; . ./r",
    'bash -c': "export x='bash -c \"$x\"'; bash -c \"$x\"",
    'function': 'f() { f "$@"; }; f',
    'function in $( )': 'f() { local x=$(f); }; f',
    'function in ( )': 'f() { ( f ); }; f',
    'function in loops': 'f() { for i in 1; do while f; do { f; }; done; done; }; f',
    'function in arithmetic': 'f() { echo $(( $(f) )); }; f',
    'function by source': 'f() { . <(echo f); }; f',
    'RETURN': 'set -T; f() { :; }; trap f RETURN; f',
    'DEBUG': 'set -T; f() { g; }; g() { f; }; trap f DEBUG; f',
    'ERR': 'set -E; f() { false; }; trap f ERR; false',
    'EXIT': "trap 'trap \"exit\" EXIT; exit' EXIT; exit",
    'USR1': "trap 'kill -USR1 $$' USR1; kill -USR1 $$",
    'aliases': "shopt -s expand_aliases\nalias a='a a' b='c ' c='b '\nb b b b",
    'name references': 'declare -n a=b b=c c=a; echo $a; a=1',
    'PS4': "PS4='$(PS4=x; echo $PS4)'; set -x; echo ${PS4@P}",
    'command_not_found_handle': 'command_not_found_handle() { nosuchcmd; }; nosuchcmd',
    'directories': ('d=.; for ((i = 0; i < 1900; i++)); do d=$d/a; done; mkdir -p $d; : > $d/f; cp -r a b; diff -r a b; ls -R a; find a; tree a; du a; grep -r x a; '
                    'chmod -R u+w a; tar cf t.tar a; tar xf t.tar; zip -qr z.zip a; unzip -qo z.zip; rg x .; shopt -s globstar; echo **; rm -r a b'),
}


def dies(nacre, script, cwd):
    path = os.path.join(cwd, 'script')
    with open(path, 'w') as f:
        f.write(script)
    try:
        r = subprocess.run([nacre, '--timeout', '3s', '--memory', '256M', path], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return 'did not end'
    return None if r.returncode >= 0 else f'signal {-r.returncode}: {r.stderr[-200:]}'


def deep(nacre, check):
    jobs = [(f'endless {k}', s) for k, s in ENDLESS.items()]
    for n in DEPTHS:
        jobs += [(f'{k} {n}', s) for k, s in expressions(n)]
        jobs += [(f'{k} {n} in {where}' if where else f'{k} {n}', s) for k, text in commands(n) for where, s in places(text)]

    def one(job):
        with tempfile.TemporaryDirectory() as tmp:
            return job[0], dies(nacre, job[1], tmp)

    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for name, fault in pool.map(one, jobs):
            check(f'nesting: {name}', fault is None, fault)
