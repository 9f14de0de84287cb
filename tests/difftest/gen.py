#!/usr/bin/env python3
"""Writes random but meaningful shell scripts: what an agent would write, in odd combinations.

A script is a list of chunks; each chunk is a whole statement over variables that earlier chunks
have (mostly) set. The same seed gives the same script. Nothing a script does depends on time,
process ids, randomness or the order of concurrent writers, and it names no path outside the
directory it runs in; that directory holds TREE.

    gen.py SEED [SEED...]     prints the scripts of these seeds
"""
import random
import sys

TREE = {
    'a.txt': 'alpha\nbeta\ngamma\n', 'b.txt': 'one 1\ntwo 2\nthree 3\n', 'c.log': 'x=1\ny=2\n\nz=3',
    'data.csv': 'id,name,qty\n1,apple,10\n2,"pear tree",20\n3,fig,5\n', 'sp ace.txt': 'has space\n',
    'sub/d.txt': 'delta\n', 'sub/deep/e.md': '# title\ntext\n', 'sub/.hid': 'hidden\n', '.dot': 'dot\n',
    'empty': '', 'B.TXT': 'upper\n', 'f1': '3\n1\n2\n', 'f2': '10\n9\n1\n', 'f10': 'z\n', '[x]': 'odd\n',
}

WORDS = ['foo', 'bar', 'baz', 'hello world', 'a  b', 'x', '', 'path/to/file.tar.gz', 'key=value', 'a:b:c', '  lead', 'trail  ',
         '*', '?', '*.txt', '[ab]*', 'it\'s', 'say "hi"', 'back\\slash', '$notvar', '`tick`', '-n', '-e', '--', '-x', 'tab\there',
         'two\nlines', 'é', 'naïve', 'ABC', 'MixedCase', '~', '~/x', '#hash', '!', '{a,b}', 'a&b', '(x)', ';', '%s', '%d\\n', '\\n', '007', '10',
         '3.14', '-5', 'a,b,,c', 'foo.bar.baz', '/usr/lib/x.so', 'a\\tb', 'end\n', '\n']
PATTERNS = ['*', '?', 'a*', '*a', '*.txt', '[a-c]*', '*[0-9]', '*/*', '*.*', '?o*', '[!a]*', '[[:upper:]]*', '[[:space:]]', 'o', 'b?r',
            '*:', ':*', '\\*', '"*"', '@(foo|bar)', '+([0-9])', '!(x)', '?(a)*', '*(a|b)c', '[[:alpha:]]', '/', '*=', '""', '$s1', '"$s2"', '[^o]', '[]]', '[a']
REGEXES = ['^a', 'o+', '^[a-z]+$', '([a-z]+)=([a-z]+)', '^(.*)/([^/]*)$', '[0-9]+', '(a|b)(:)?', '^$', '\\.', '^[[:space:]]*', '(foo|bar)', '.{3}',
           '([^.]+)\\.(.+)', '^-', '(x)?(a)?']
SCALARS = ['s1', 's2', 's3', 'name', 'path']
INTS = ['i', 'j', 'n', 'count']
ARRAYS = ['arr', 'list']
ASSOCS = ['map']
FILES = ['a.txt', 'b.txt', 'c.log', 'data.csv', 'f1', 'f2', 'sub/d.txt', 'empty', 'missing', '"sp ace.txt"']
GLOBS = ['*.txt', '*', 'f*', 'f[0-9]', 'sub/*', '*/', '*.none', '[ab].txt', '?.*', '.*', 'sub/*/*', '*" "*', '"*".txt', '[[:upper:]]*', '*.{txt,log}',
         '{a,b,zz}.txt', 'f?', '[!a-c]*', '\\[x\\]', '[x]', '*[x]*', './*.log']


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.funcs = []
        self.depth = self.made = 0

    # small helpers

    def pick(self, *options):
        return self.r.choice(options)

    def some(self, make, low, high, sep=' '):
        return sep.join(make() for _ in range(self.r.randint(low, high)))

    def chance(self, p):
        return self.r.random() < p

    def serial(self):
        """A number for a name: loops and functions of their own never run for ever."""
        self.made += 1
        return self.made

    # words

    def quoted(self, text):
        """text as a shell word, in one of the ways there are."""
        style = self.r.random()
        if '\n' in text or '\t' in text:
            if style < .6:
                return "$'" + text.replace('\\', '\\\\').replace("'", "\\'").replace('\n', '\\n').replace('\t', '\\t') + "'"
        if style < .5 and "'" not in text:
            return "'" + text + "'"
        out = ''.join('\\' + c if c in '"\\$`' else c for c in text)
        return '"' + out + '"'

    def literal(self):
        text = self.r.choice(WORDS)
        if text and all(c.isalnum() or c in '/.=:,' for c in text) and self.chance(.7):
            return text
        return self.quoted(text)

    def scalar(self):
        return self.r.choice(SCALARS)

    def number(self):
        return self.pick('0', '1', '2', '3', '5', '10', '-1', '7', '42', '0x1f', '010', '2#101', '100')

    def index(self):
        return self.pick('0', '1', '2', '-1', 'i', 'i+1', '$i', '5', '@', '*')

    def pattern(self):
        return self.r.choice(PATTERNS)

    def param(self, quoted=False):
        """A ${...} of any shape. Without quotes it may split and glob."""
        r = self.r.random()
        v = self.scalar() if r < .6 else self.pick('arr[1]', 'map[k1]', 'list[0]', '1', 'unset_v', 'empty_v', 'i', 'arr[-1]')
        if self.chance(.15):
            v = self.pick('arr[@]', 'arr[*]', 'list[@]', '@', '*', 'map[k2]', 'list[*]', 'none[@]')
        word = lambda: self.pick('def', '$s2', 'a b', '"q w"', "'x y'", '${name:-deep}', '$(echo sub  x)', '"$s1"', '*', '\\$x', '', '~', '$((i+1))',
                                 '"$@"', '{x,y}')
        kinds = [lambda: f'${{{v}}}'] * 4 + [
            lambda: f'${{{v}:-{word()}}}', lambda: f'${{{v}-{word()}}}', lambda: f'${{{v}:+{word()}}}', lambda: f'${{{v}+{word()}}}',
            lambda: f'${{{self.scalar()}:={self.pick("dflt", "a b", "$name")}}}', lambda: f'${{#{v}}}',
            lambda: f'${{{v}#{self.pattern()}}}', lambda: f'${{{v}##{self.pattern()}}}', lambda: f'${{{v}%{self.pattern()}}}',
            lambda: f'${{{v}%%{self.pattern()}}}',
            lambda: f'${{{v}/{self.pick("", "/", "#", "%")}{self.pick(*PATTERNS)}/{self.pick("R", "", "$s2", "a b", "&", "[&]", "x/y")}}}',
            lambda: f'${{{v}//{self.pick("o", "a", "[aeiou]", "?", "/", " ", ":", "*", ".")}/{self.pick("_", "", "(&)", "$name")}}}',
            lambda: f'${{{v}:{self.pick("0", "1", "2", " -2", "i", "(-3)", "3")}}}',
            lambda: f'${{{v}:{self.pick("0", "1", "2", " -3", "$i")}:{self.pick("1", "2", "3", "-1", "0", "n", "10")}}}',
            lambda: f'${{{v}{self.pick("^", "^^", ",", ",,", "^^[a-m]", "~~", "^[f]")}}}',
            lambda: f'${{{v}@{self.pick("Q", "U", "L", "u", "E", "a", "A", "Q", "K")}}}',
            lambda: f'${{!{self.pick("ref", "ref2")}}}', lambda: f'${{!{self.pick("arr", "list")}[{self.pick("@", "*")}]}}', lambda: '${#arr[@]}',
            lambda: f'${{arr[{self.index()}]}}', lambda: f'${{list[{self.index()}]}}', lambda: '${arr[@]:1:2}', lambda: '${arr[*]}', lambda: '${!s@}',
            lambda: '${!na*}', lambda: f'${{{v}:-${{{self.scalar()}:-{word()}}}}}', lambda: '${@:2}', lambda: '${@:1:2}', lambda: '${*:1}',
            lambda: '${arr[@]: -1}', lambda: '${#*}', lambda: '${list[@]/#/p-}', lambda: '${arr[@]%a*}', lambda: f'${{{v}?gone}}' if self.chance(.1) else '$#']
        return self.r.choice(kinds)()

    def simple_var(self):
        return '$' + self.pick(*SCALARS, *INTS, '1', '2', '#', '@', '*', '?', 'unset_v', 'empty_v', 'arr', 'list', 'map', 'ref')

    def expansion(self, quoted=False):
        r = self.r.random()
        if r < .3:
            return self.simple_var()
        if r < .75:
            return self.param(quoted)
        if r < .87:
            return f'$(({self.arith()}))'
        return self.substitution()

    def substitution(self):
        self.depth += 1
        body = self.pipeline() if self.depth < 3 else f'echo {self.literal()}'
        self.depth -= 1
        if self.chance(.1) and '`' not in body and '\\' not in body and '"' not in body:
            return f'`{body}`'
        return f'$( {body})' if body.startswith('(') else f'$({body})'

    def word(self):
        r = self.r.random()
        if r < .3:
            return self.literal()
        if r < .6:
            return f'"{self.expansion(True)}"'
        if r < .75:
            return self.expansion()
        if r < .85:
            parts = [self.literal(), f'"{self.expansion(True)}"', self.expansion(), self.pick('x', '-', '/', ':', 'pre', '.')]
            self.r.shuffle(parts)
            return ''.join(parts[:self.r.randint(2, 3)])
        if r < .9:
            return f'"{self.pick("pre ", "[", "a", "")}{self.expansion(True)}{self.pick(" mid ", "", ":", " ")}{self.expansion(True)}{self.pick("]", " post", "")}"'
        if r < .95:
            return self.pick('{1..3}', '{a,b}x', 'x{1,2}{a,b}', '{c..a}', '{01..03}', '{1..10..3}', '{a,}', '{a}', '{,x}y', 'p{$i,q}', '{a,"b c"}', '{1..$i}',
                             '{{a,b},c}', '"{a,b}"', '{a..e..2}', '{-1..1}', '{x,$s1}')
        return self.r.choice(GLOBS)

    def args(self, low=0, high=4):
        return self.some(self.word, low, high)

    # arithmetic

    def arith(self, depth=0):
        r = self.r.random()
        if depth > 2 or r < .35:
            return self.pick(*INTS, *INTS, self.number(), self.number(), '$i', '${n}', '${#s1}', '${#arr[@]}', 'arr2[1]', 'unset_v', '$#')
        if r < .75:
            op = self.pick('+', '-', '*', '/', '%', '<', '>', '<=', '>=', '==', '!=', '&', '|', '^', '&&', '||', '<<', '>>', ',', '+', '-', '**')
            right = self.pick('1', '2', '3', '5') if op in ('/', '%', '<<', '>>', '**') and self.chance(.93) else self.arith(depth + 1)
            space = self.pick('', ' ')
            return f'{self.arith(depth + 1)}{space or " "}{op}{space or " "}{right}'
        if r < .82:
            return f'({self.arith(depth + 1)})'
        if r < .88:
            return f'{self.pick("-", "!", "~", "+")} {self.arith(depth + 1)}'
        if r < .93:
            return f'{self.arith(depth + 1)} ? {self.arith(depth + 1)} : {self.arith(depth + 1)}'
        if r < .97:
            return f'({self.r.choice(INTS)} {self.pick("=", "+=", "-=", "*=", "|=")} {self.arith(depth + 1)})'
        return self.pick('i++', '++i', 'j--', '--j', 'i++ + ++j')

    # conditions

    def test(self):
        w = lambda: f'"{self.expansion(True)}"' if self.chance(.7) else self.literal()
        r = self.r.random()
        unary = self.pick('-z', '-n', '-f', '-d', '-e', '-s', '-r', '-L')
        target = self.r.choice(FILES) if unary in ('-f', '-d', '-e', '-s', '-r', '-L') else w()
        if r < .25:
            return f'[ {self.pick("", "! ")}{unary} {target} ]'
        if r < .4:
            return f'[ {w()} {self.pick("=", "!=", "==")} {w()} ]'
        if r < .5:
            return f'[ "${self.r.choice(INTS)}" {self.pick("-eq", "-ne", "-lt", "-le", "-gt", "-ge")} {self.pick("0", "1", "$j", "5", "x", "")} ]'
        if r < .55:
            return f'test {w()} {self.pick("-a", "-o")} {w()}'
        if r < .85:
            return f'[[ {self.cond()} ]]'
        return f'(( {self.arith()} ))'

    def cond(self, depth=0):
        r = self.r.random()
        if depth < 2 and r < .2:
            return f'{self.cond(depth + 1)} {self.pick("&&", "||")} {self.cond(depth + 1)}'
        if r < .25:
            return f'! {self.cond(depth + 1)}'
        if r < .3:
            return f'( {self.cond(depth + 1)} )'
        left = self.pick(self.simple_var(), f'"{self.expansion(True)}"', self.expansion())
        if r < .55:
            return f'{left} {self.pick("==", "!=", "=")} {self.pick(self.pattern(), self.literal(), self.expansion())}'
        if r < .65:
            return f'{left} =~ {self.r.choice(REGEXES)}'
        if r < .75:
            return f'{self.pick("$i", "n", "j+1", "3", "$count")} {self.pick("-eq", "-ne", "-lt", "-le", "-gt", "-ge")} {self.pick("1", "j", "i*2", "${#s1}")}'
        if r < .82:
            return f'{left} {self.pick("<", ">")} {self.literal()}'
        if r < .9:
            return f'{self.pick("-v", "-n", "-z")} {self.pick("s1", "unset_v", "arr[1]", "map[k1]", "empty_v")}'
        return f'{self.pick("-f", "-d", "-e", "-s")} {self.r.choice(FILES)}'

    # commands

    def output(self):
        """A command that prints."""
        r = self.r.random()
        if r < .35:
            return f'echo {self.pick("", "", "", "-n ", "-e ", "-E ")}{self.args()}'
        if r < .6:
            return f'printf {self.pick(*FORMATS)} {self.args(0, 4)}'
        if r < .75:
            return f'show {self.args(1, 4)}'
        if r < .82 and self.funcs:
            return f'{self.r.choice(self.funcs)} {self.args(0, 3)}'
        if r < .88:
            return f'declare -p {self.pick(*SCALARS, *INTS, "arr", "list", "unset_v", "empty_v")}'
        if r < .94:
            return f'cat {self.r.choice(FILES)}'
        return self.pick('pwd | sed "s,.*/,,"', 'type -t echo cd if nosuch show', 'echo "${PIPESTATUS[@]}"', 'echo "$?"', 'echo "$- " | tr -d "bcmisHBh"',
                         'echo "${FUNCNAME[0]-none} $#"', 'set -o | grep -E "pipefail|errexit|nounset"', 'ls', 'ls sub', 'echo "${BASH_REMATCH[@]}"',
                         'seq 3', 'type show', 'echo $LINENO', 'declare -f show', 'shopt nullglob extglob', 'trap', 'dirs -p | wc -l')

    def source(self):
        r = self.r.random()
        if r < .4:
            return f'cat {self.r.choice(FILES)}'
        if r < .6:
            return f'printf "%s\\n" {self.args(1, 4)}'
        if r < .7:
            return f'seq {self.pick("5", "3 7", "10 -3 1", "0")}'
        if r < .8:
            return f'echo {self.args(1, 3)}'
        return self.pick('ls', 'find . -type f | sort', 'find . -name "*.txt" | sort', '{ echo b; echo a; }', '( echo x; echo y )', 'ls -a sub', 'grep -rn a sub',
                         'cat a.txt b.txt', 'sort f1 f2', 'for x in c a b; do echo $x; done')

    def filter(self):
        return self.pick('sort', 'sort -r', 'sort -n', 'sort -u', 'uniq -c', 'wc -l', 'wc -w', 'wc -c', 'tail -n 2', 'cat -n', 'cat', 'tr a-z A-Z', 'tr -d "\\n"',
                         'cut -d" " -f1', 'cut -d, -f2', 'grep a', 'grep -v a', 'grep -c .', 'grep -o "[a-z]*"', 'sed "s/a/X/g"', 'sed -n 2p', 'sed 1d', "awk '{print $1}'",
                         "awk -F, '{s+=$3} END {print s}'", "awk 'NR>1'", 'xargs', 'xargs -n1 echo got', 'tac', 'rev', 'paste -sd,', 'nl', "awk '{print NR\": \"$0}'",
                         'while read -r line; do echo "<$line>"; done', 'while IFS= read -r l; do printf "[%s]\\n" "$l"; done', "while IFS=, read -r a b c; do echo \"$b|$a|$c\"; done",
                         '{ read -r first; echo "first=$first"; cat; }', 'while read a b; do echo "$b-$a"; done', '( cat; echo end )', 'tee out.txt', 'sed -E "s/([a-z]+) (.*)/\\2 \\1/"',
                         'mapfile -t list', 'grep -q zzz', 'head -n 1 f1 -')

    def pipeline(self):
        r = self.r.random()
        if r < .45:
            return self.output()
        if r < .52:
            return f'{self.pick("! ", "")}{self.test()}'
        p = self.source() + ''.join(f' | {self.filter()}' for _ in range(self.r.randint(1, 3)))
        return p

    def redirected(self):
        cmd = self.pick(self.output, self.source, self.pipeline)()
        f = self.pick('out.txt', 'new.txt', '"${#s1}.out"', 'sub/n.txt', 'nodir/x', '"q r"')
        kind = self.pick(f'> {f}', f'>> {f}', '2>&1', '2>/dev/null', '>/dev/null 2>&1', '&> both.txt', '3>&1 1>&3', '< a.txt', '<<< "$s1"', '2> err.txt', '>| out.txt', f'> {f} 2>&1')
        return f'{cmd} {kind}'

    def heredoc(self):
        tag = self.pick('EOF', "'EOF'", '"END"', '-EOF', "-'X'")
        end = tag.strip('-').strip('\'"')
        cmd = self.pick('cat', 'cat -n', 'read -r s1', 'while read -r l; do echo "got $l"; done', 'mapfile -t list', 'sort', 'show "$(cat)"', 'cat > out.txt', 'IFS=: read s1 s2 s3', 'wc')
        body = '\n'.join(('\t' if tag[0] == '-' else '') + self.pick(f'text {self.expansion()}', 'plain line', '"quoted" \'single\'', 'a:b:c', '\\$esc \\\\ \\x', '  indented', '',
                                                                  'it\'s $s1', '$(echo in sub)', 'x\\\ny', '`echo tick`') for _ in range(self.r.randint(0, 4)))
        if "'" in body and '`' in body:
            body = body.replace('`', '')
        return f'{cmd} <<{tag}\n{body}{chr(10) if body else ""}{end if tag[0] != "-" else chr(9) + end}'

    def assign(self):
        r = self.r.random()
        v = self.scalar()
        if r < .3:
            return f'{v}={self.word()}'
        if r < .42:
            return f'{self.r.choice(INTS)}=$(({self.arith()}))'
        if r < .5:
            return f'{v}+={self.word()}'
        if r < .6:
            return f'{self.r.choice(ARRAYS)}{self.pick("=", "+=")}({self.args()})'
        if r < .66:
            return f'arr[{self.pick("0", "1", "5", "i", "n+1", "-1")}]{self.pick("=", "+=")}{self.word()}'
        if r < .74:
            return f'map[{self.pick("k1", "k2", "a b", "$s1", chr(34) + "$name" + chr(34))}]{self.pick("=", "+=")}{self.word()}'
        if r < .8:
            return f'{v}={self.substitution()}'
        if r < .84:
            return f'declare {self.pick("-i", "-u", "-l", "-r", "-x", "-a", "-A", "")} {self.pick("d1", "d2", "d3")}={self.word()}; declare -p d1 d2 d3'
        if r < .88:
            ifs = self.pick(':', ',', '" "', '""', "$' :\\n'")
            return f'IFS={ifs}; show {self.args(1, 3)}; unset IFS'
        if r < .92:
            return f'unset {self.pick(v, "arr", "arr[0]", "map[k1]", "list", "n", "s1", "-f nosuch", "-v name", "ref")}'
        if r < .95:
            return f'(( {self.arith()} ))'
        if r < .97:
            return f'let {self.pick("i+=1", chr(34) + "j = i * 2" + chr(34), "n++", "i=5 j=6")}'
        return f'printf -v {v} {self.pick(*FORMATS)} {self.args(0, 2)}'

    def read(self):
        source = self.pick('<<< "$s1"', '< b.txt', '< data.csv', '<<< " a  b  c "', '<<< "x:y::z"', '< <(echo p q r)', "<<< 'a\\ b c'", '< empty', "< <(printf 'no newline')")
        opts = self.pick('', '-r ', '-r -a list ', '-d : ', '-n 2 ', '-r -N 3 ', '-ra arr ', "-r -d '' ")
        names = '' if '-a' in opts or '-ra' in opts else self.pick('s1', 's1 s2', 's1 s2 s3', '')
        return f'{self.pick("", "IFS=: ", "IFS=, ", "IFS= ")}read {opts}{names} {source}; echo "rc=$?"; show "$s1" "$s2" "$s3" "${{REPLY-}}" "${{list[@]}}"'

    def block(self, indent='  '):
        self.depth += 1
        body = self.some(lambda: self.statement(), 1, 3, '\n')
        self.depth -= 1
        return body

    def compound(self):
        r = self.r.random()
        if r < .2:
            other = self.pick('', f'\nelif {self.test()}; then\n{self.block()}', f'\nelse\n{self.block()}')
            return f'if {self.test()}; then\n{self.block()}{other}\nfi'
        if r < .4:
            items = self.pick(self.args(1, 3), '"$@"', '"${arr[@]}"', '${list[*]}', '{1..3}', self.r.choice(GLOBS), '$s1', '"${!arr[@]}"', '$(seq 3)', 'a b c')
            extra = self.pick('', '', f'\n{self.test()} && {self.pick("break", "continue")}')
            return f'for it in {items}; do\necho "it=$it"{extra}\n{self.block()}\ndone'
        if r < .48:
            return f'for ((i=0; i<{self.pick("2", "3", "${#arr[@]}")}; i++)); do\n{self.pick("echo $i", "echo " + chr(34) + "${arr[i]}" + chr(34))}\n{self.block_noint()}\ndone'
        if r < .56:
            k = f'k{self.serial()}'
            head = self.pick(f'while (({k} < 3))', f'until [ ${k} -ge 2 ]', f'while [[ ${k} -lt 2 ]]', 'while :')
            return f'{k}=0\n{head}; do\n{k}=$(({k}+1))\n(({k} > 4)) && break\n{self.block()}\ndone'
        if r < .76:
            arms = ''.join(f'{self.pick("", "(")}{self.some(self.pattern, 1, 2, "|")}) {self.output()} {self.pick(";;", ";;", ";;", ";&", ";;&")}\n' for _ in range(self.r.randint(1, 4)))
            return f'case {self.word_one()} in\n{arms}*) echo default;;\nesac'
        if r < .86:
            name = f'{self.pick("f", "g", "helper")}{self.serial()}'
            body = self.block()
            self_local = self.pick('', f'local s1={self.word()}\n', 'local i=1 n\n', 'local -a arr=(x "y z")\n', 'local name\n', 'local IFS=,\n')
            end = self.pick('', f'\nreturn {self.pick("0", "1", "3", "$i", "")}', '\necho "in: $# $1"')
            head = self.pick(f'{name}() {{', f'function {name} {{', f'{name} ()\n{{')
            self.funcs.append(name)
            return f'{head}\n{self_local}{body}{end}\n}}\n{name} {self.args(0, 3)}; echo "rc=$?"'.replace(f'\n{name} \n', '\n')
        if r < .92:
            return f'( {self.block()}\n)'
        if r < .96:
            return f'{{ {self.block()}\n}} {self.pick("> out.txt", "2>&1", "| cat", "< a.txt", "")}'
        return (f'set -- {self.pick("-a -b val x", "-ab", "-b", "-z q", "-a -- -b", "-bval -a r")}\nOPTIND=1\nwhile getopts {self.pick("ab:", ":ab:")} o; do\n'
                'case $o in a) echo a;; b) echo "b=$OPTARG";; :) echo "need $OPTARG";; \\?) echo "bad ${OPTARG-}";; esac\ndone\nshift $((OPTIND-1)); echo "rest: $*"')

    def block_noint(self):
        return self.output()

    def word_one(self):
        return self.pick(f'"{self.expansion(True)}"', self.literal(), self.expansion(), '$s1', '"$1"')

    def options(self):
        return self.pick('set -e', 'set -u', 'set -o pipefail', 'set -euo pipefail', 'set +e', 'set +u', 'set -f', 'set +f', 'shopt -s nullglob', 'shopt -s extglob', 'shopt -u nullglob',
                         'shopt -s dotglob', 'shopt -s nocasematch', 'shopt -s globstar', 'shopt -s failglob', 'set -C', 'set -a', 'shopt -s lastpipe', 'set -x', 'shopt -s nocaseglob', 'set -E', 'set +x')

    def trap(self):
        return f'trap {self.quoted(self.pick("echo bye", "echo exit $?", "echo s1=$s1", "echo err $?"))} {self.pick("EXIT", "ERR", "EXIT", "DEBUG" if self.chance(.2) else "EXIT", "RETURN", "USR1")}'

    def misc(self):
        return self.pick('shift', 'shift 2', f'set -- {self.args()}', '(cd sub && pwd | sed "s,.*/,,")', 'cd nodir', '(cd sub; ls)', 'true', 'false', 'false || echo alt', 'true && echo yes',
                         'eval "echo $s1"', f'eval echo {self.word()}', 'eval \'s1=evaled; echo "$s1"\'', 'export s1; env | grep ^s1=', 'nosuchcmd', 'nosuchcmd 2>/dev/null || echo "rc $?"', 'mkdir -p x/y && ls x',
                         'rm -f out.txt', 'touch t1 t2; ls t*', 'cp a.txt copy.txt', 'mv f10 moved 2>/dev/null; ls', f'{self.scalar()}=tmp show "$s1"', 's1=x env | grep ^s1', 'local q=1', 'readonly ro=1; ro=2; echo after',
                         'return 3', '(exit 3); echo $?', 'wait', 'true & wait $!; echo $?', '{ exit 4; } | true; echo "${PIPESTATUS[*]}"', 'false | true; echo "$? ${PIPESTATUS[*]}"', ': ${s3:=assigned}; echo "$s3"',
                         'command echo hi', 'builtin echo hi', 'declare -p map', 'for k in "${!map[@]}"; do echo "$k=${map[$k]}"; done | sort', 'echo "${!map[@]}"', 'echo "${map[@]}"', 'echo ${#map[@]}', 'source ./a.txt',
                         'cat <(echo ps) -', 'echo to err >&2', 'exec 3> fd3; echo three >&3; exec 3>&-; cat fd3', 'exec 4< b.txt; read -r l <&4; echo "$l"; exec 4<&-', 'unset -f show; show x', 'mapfile -t list < a.txt; echo "${#list[@]}"', 'time true',
                         'printf "%s\\n" "$(< a.txt)"', 'hash -r', 'alias ll=ls; ll', 'echo "$(echo "nested $(echo "deep")")"', 'kill -USR1 $$', 'exit 7', 'exit', 'echo ${x?msg}', 'umask', 'wait -n', 'test -f a.txt -a -d sub; echo $?', 'echo $((1/0)); echo next',
                         'bash -c \'echo "$0 $1"\' a b', 'sh -c "exit 5"; echo $?', 'printf "%q\\n" "$s1" "$s2" "$name"', 'echo "${arr[@]@Q}"', 'a=(1 2 3); echo "${a[@]/2/two}"', 'while read -r w; do list+=("$w"); done < a.txt; echo "${list[@]}"',
                         'set -- a b c; for x; do echo $x; done', 'select_=1; echo $select_', 'echo a; # comment', 'if ! false; then echo n; fi', 'caller; echo $?', 'shift 99; echo $?', 'echo "$@" | wc -w', 'test; echo $?', '[ a b ]; echo $?', '[ ; echo $?', 'arr=(); echo "${arr[@]}" "${#arr[@]}"')

    def statement(self):
        r = self.r.random()
        if self.depth < 3 and r < .2:
            return self.compound()
        if r < .42:
            return self.assign()
        if r < .62:
            return self.pipeline()
        if r < .68:
            return self.redirected()
        if r < .72 and self.depth < 2:
            return self.heredoc()
        if r < .77:
            return self.read()
        if r < .84:
            return f'{self.test()} {self.pick("&&", "||")} {self.output()}' + self.pick('', f' || {self.output()}')
        if r < .96:
            return self.misc()
        if r < .98:
            return self.trap()
        return self.options()

    def chunks(self):
        head = ['shopt -s extglob', 'show() { printf "%s:" "$#"; printf "<%s>" "$@"; echo; }', 'set -- ' + self.pick('one "two words" three', 'a b', '', '"" x "*"'),
                f's1={self.literal()} s2={self.literal()} s3={self.literal()} name={self.literal()} path=path/to/file.tar.gz',
                f'i={self.pick("0", "1", "3")} j=2 n=5 count=0 empty_v= ref=s1 ref2=arr[1]', f'arr=({self.some(self.literal, 0, 4)}); list=(x "y z" w); declare -A map=([k1]=v1 [k2]="v 2"); arr2=(4 5 6)']
        if self.chance(.5):
            head.append(self.options())
        if self.chance(.15):
            head.append(self.trap())
        return head + [self.statement() for _ in range(self.r.randint(2, 9))] + ['echo "end $?"', 'show "$s1" "$s2" "$s3" "$i" "$n" "${arr[@]}"']


FORMATS = ['"%s\\n"', "'[%s]\\n'", '"%d\\n"', '"%5s|%-5s|\\n"', "'%03d %x\\n'", '"%q\\n"', "'%b\\n'", '"%s %s\\n"', "'%c.\\n'", "'%.2f\\n'", "'%5.1s|\\n'", "'%*d\\n'", "'%%\\n'", "'\\x41\\101\\n'", "'%o %X\\n'", "'%i,%u\\n'",
           "'%(%Y)T\\n' 0", "'%e\\n'", "'%z\\n'", "'%+d\\n'", "'no newline'", "-- '-%s\\n'", "'%g\\n'"]


def script(seed):
    return Gen(seed).chunks()


if __name__ == '__main__':
    for s in sys.argv[1:]:
        print('\n'.join(script(int(s))))
