#!/usr/bin/env python3
"""Generated command lines in the real tools and in nacre: families of commands × options × inputs.

    commands.py [--family NAME] [--count N] [--seed S] [--jobs J] [--stderr] [--nacre PROGRAM] [--list]

Each family writes random calls of its commands, weighted to the options that scripts use, over inputs that are
plain, empty, without a last newline, with CRLF, NUL, invalid UTF-8, tabs, long lines, numbers. Every batch of calls
runs twice in a directory of its own with the same files, in bash with the real tools and in nacre. Compared are
standard output and the exit status of every call; with --stderr its messages too. A seed always gives the same
calls. The last line is "N passed, N failed".
"""
import argparse
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENV = {'LC_ALL': 'C.UTF-8', 'TZ': 'UTC', 'PATH': '/usr/local/bin:/usr/bin:/bin', 'HOME': '/tmp', 'TERM': 'dumb'}
BATCH = 25
LIMIT = 120

WORDS = ['apple', 'Banana', 'cherry', 'date', 'fig', 'grape', 'kiwi', 'Apple', 'apples', 'x', 'The quick brown fox', 'foo bar', 'foo  baz']
FILES = {
    'plain': b'banana\napple\ncherry\napple\ndate\nApple\nfig\n\nkiwi\n',
    'nonl': b'one two three\nfour five\nsix',
    'empty': b'',
    'nl': b'\n',
    'crlf': b'alpha beta\r\ngamma\r\n\r\ndelta\r\n',
    'nul': b'a\0b\nc\0\0d\ne\n',
    'bad': b'caf\xc3\xa9\nbad\xff\xfebytes\n\xc3\nend\xe2\x82\n',
    'utf8': 'grüße\nnaïve café\n日本語 テキスト\nemoji 😀 x\nÄÖÜ äöü\n'.encode(),
    'tabs': b'a\tb\tc\n\tindent\n  two\tx\nlast\t\n',
    'nums': b'10\n9\n-3\n2.5\n1e3\n007\n10\n+7\n\nabc\n0x1F\n1,000\n',
    'human': b'1K\n2M\n512\n1.5G\n900K\n3k\n1M\n',
    'fields': b'k1 a:1,x 100\nk2 b:2,y 20\nk3 c:3,z 3\nk1 d:4,w 45\nk10 e:5,v 5\n',
    'colon': b'root:x:0:0:root:/root:/bin/bash\nuser:x:1000:1000::/home/user:/bin/sh\nnobody:x:65534\n:::\nnocolon\n',
    'sorted': b'a 1\nb 2\nc 3\nd 4\nf 6\n',
    'sorted2': b'a x\nc y\ne z\nf w\nf v\n',
    'dup': b'a\na\nb\nB\nb\nc c\nc c\nd\n\n\nd\n',
    'long': b'x' * 3000 + b' ' + b'y' * 2000 + b'\nshort\n' + b'word ' * 700 + b'\n',
    'paras': b'first line\nsecond line\n\n\npara two is here\nwith two lines\n\nthird\n',
    'code': b'int main(void) {\n\tif (x == 1)\n\t\treturn f(a, "b c");\n\telse { y++; }\n}\n// TODO: fix 3 things\n',
    'mib': b'ab cd,ef ' * 116509 + b'\n',
    'log': b'2024-01-02 10:00:01 ERROR [db] timeout after 30s id=17\n2024-01-02 10:00:02 INFO [web] GET /a?x=1 200 12ms\n'
           b'2024-01-03 11:10:09 WARN [db] retry 2\n2024-01-03 23:59:59 ERROR [web] GET /b 500 7ms\n',
}

SHORT = [name for name in FILES if name != 'mib']  # all but one line of 1 MiB


class Call:
    """One command line being written."""

    def __init__(self, rng):
        self.r = rng

    def q(self, s):
        return "'" + s.replace("'", "'\\''") + "'"

    def pick(self, *items):
        return self.r.choice(items)

    def maybe(self, p, *items):
        return self.r.choice(items) if self.r.random() < p else ''

    def some(self, options, most=3):
        """Up to `most` different options."""
        n = self.r.choice([0, 1, 1, 2, 2, 3][:most * 2])
        return ' '.join(self.r.sample(options, min(n, len(options))))

    def file(self, *names):
        if names:
            return self.r.choice(names)
        return 'mib' if self.r.random() < 0.02 else self.r.choice(SHORT)

    def source(self, *names):
        """A file, several, or standard input."""
        f = self.file(*names)
        return self.r.choice([f, f, f, f'- < {f}', f'< {f}', f'{f} {self.file(*names)}'])

    def n(self, low=0, high=12):
        return str(self.r.randint(low, high))


def text_sort(c):
    key = c.maybe(0.4, '-k2', '-k2,2', '-k1,1', '-k2n', '-k3,3nr', '-k1.2', '-k1.2,1.3', '-k2b,2', '-k1,1 -k3,3n', '-k2,2r -k1', '-t: -k3,3n', '-t: -k7',
                  "-t' ' -k2", '-k 1,1f', '-k2.3b')
    return f"sort {c.some(['-r', '-n', '-u', '-f', '-h', '-V', '-b', '-d', '-i', '-g', '-M', '-s', '-z', '-c', '-C', '-m'])} {key} {c.source()}"


def text_uniq(c):
    return f"uniq {c.some(['-c', '-d', '-u', '-i', '-D', '-f 1', '-s 1', '-w 2', '-z', '--group', '--group=both', '--all-repeated=separate', '--all-repeated=prepend'])} {c.file()}"


def text_cut(c):
    what = c.pick('-f1', '-f2', '-f2-', '-f-2', '-f1,3', '-f 3-4', '-c1', '-c1-3', '-c2-', '-c -4', '-c1,3,5-', '-b2-4', '-b1', '-f1-2,4')
    extra = c.some(["-d' '", "-d:", '-s', '--complement', "--output-delimiter='|'", '-z', "-d ''", "-d,"]) if what.startswith('-f') else \
        c.some(['--complement', "--output-delimiter='|'", '-n', '-z'])
    return f'cut {what} {extra} {c.source()}'


def text_tr(c):
    sets = c.pick("a-z A-Z", "'[:lower:]' '[:upper:]'", "-d a", "-d '\\n'", "-s ' '", "-s a-z", "-c a-z '\\n'", "-cd '[:alnum:]\\n'", "-d '\\r'",
                  "'\\n' ' '", "' ' '\\n'", "-s '\\n'", "-cs '[:alpha:]' '\\n'", "a-c x", "-t abc xy", "'[:space:]' _", "-d '[:punct:]'", "'\\000' X",
                  "a-z b-za", "'[a*3]' xyz", "abc '[x*]'", "-d '\\200-\\377'", "'\\t' ' '", "-s '[:space:]' ' '", "-ds a b", "-C '[:print:]\\n' '?'")
    return f'tr {sets} < {c.file()}'


def text_join(c):
    return (f"join {c.some(['-a1', '-a2', '-v1', '-v2', '-i', '-e X', '-o 1.1,2.2', '-o auto', '-o 0,1.2,2.2', '-j1', '-1 1', '-2 1', '--header', '--nocheck-order', '-t:'])}"
            f" {c.file('sorted', 'sorted2', 'plain', 'empty')} {c.file('sorted', 'sorted2', 'fields', 'nonl')}")


def text_comm(c):
    return f"comm {c.some(['-1', '-2', '-3', '-12', '-23', '--total', '--output-delimiter=,', '-z', '--nocheck-order', '--check-order'])} {c.file('sorted', 'sorted2', 'plain', 'empty', 'dup')} {c.file()}"


def text_paste(c):
    return f"paste {c.some(['-s', '-d,', '-d ab', '-z', chr(45) + 'd ' + c.q(chr(92) + 'n'), '-d ' + c.q('')])} {' '.join(c.file() for _ in range(c.r.randint(1, 3)))}"


def text_head_tail(c):
    name = c.pick('head', 'tail')
    o = c.pick('', '-n 2', '-n1', '-n -1', '-n +2', '-c 5', '-c -3', '-c +4', '-2', '-q', '-v', '-z', '-n 0', '-n 100', '-c 0', '-n 2 -q', '-qn1', '-c2b', '-n 1k')
    return f'{name} {o} {c.source()}'


def text_nl(c):
    return f"nl {c.some(['-ba', '-bt', '-bn', '-w3', '-s: ', '-nln', '-nrz', '-nrn', '-v10', '-i5', '-p', '-l2', '-ha', '-fa', '-d ::', '-bp^[a-c]', '-b a'])} {c.source()}"


def text_fold(c):
    return f"fold {c.some(['-w10', '-w 20', '-s', '-b', '-5', '-w1'])} {c.source()}"


def text_wc(c):
    return f"wc {c.some(['-l', '-w', '-c', '-m', '-L', '--total=always', '--total=never', '--total=only'][:5])} {c.source()}"


def text_od(c):
    return f"od {c.some(['-c', '-An', '-tx1', '-t x1z', '-v', '-j2', '-N8', '-w8', '-b', '-x', '-d', '-Ad', '-Ax', '-tu2', '-td4', '-tc', '-ta', '-w5', '-tx8', '--endian=big'])} {c.source()}"


def text_other(c):
    return c.pick(
        f"tac {c.some(['-b', '-s a', '-r -s ' + c.q('[ab]')])} {c.source()}", f'rev {c.file()}', f"cat {c.some(['-n', '-b', '-s', '-A', '-E', '-T', '-v', '-e', '-t'])} {c.source()}",
        f"expand {c.some(['-t4', '-i', '-t 2,5', '-t1'])} {c.source()}", f"unexpand {c.some(['-a', '-t4', '--first-only', '-t 3,9'])} {c.source()}",
        f"fmt {c.some(['-w30', '-s', '-u', '-c', '-20', '-t'])} {c.file('plain', 'paras', 'code', 'empty', 'nonl', 'tabs', 'crlf')}",
        f"base64 {c.some(['-w0', '-w 20'])} {c.file()}", f'base64 {c.file()} | base64 -d', f'base32 {c.file()}', f'{c.pick("md5sum", "sha256sum", "sha1sum", "cksum", "sum", "b2sum", "sha512sum")} {c.source()}',
        f"column {c.some(['-t', '-s:', '-o _', '-c 40', '-x'])} {c.file('plain', 'fields', 'colon', 'sorted', 'tabs', 'empty')}",
        f"pr {c.some(['-t', '-2', '-3', '-n', '-d', '-o 4', '-w 40', '-a', '-m'])} -h H -D D {c.file('plain', 'fields', 'sorted', 'tabs', 'nonl')}",
        f"split -l 2 {c.file()} out. && cat out.* | cksum && ls out.* && rm -f out.*", f"xxd {c.some(['-p', '-u', '-l 9', '-s 2', '-c 8', '-g1', '-b', '-i'])} {c.file()}",
        f"strings {c.some(['-n 3', '-t x', '-a'])} {c.file()}", f"shuf -n 0 {c.file()}", f"csplit -s -f cs. {c.file('plain', 'paras', 'log')} {c.pick('2', '/a/', '3 4', '/e/+1')} ; cat cs.* | cksum; ls cs.* ; rm -f cs.*")


RES = ['a', 'an', '^a', 'e$', '^$', '[a-c]', '[^a-z]', 'o.', 'a*', 'x*y', '[[:digit:]]', '[[:upper:]]', r'\.', 'ERROR', 'foo', r'\bfoo\b', r'\<f', r'\w\w\w', r'[0-9][0-9]*', '.', '$', 'é', 'ü', '日', r'\s']
ERES = RES + ['a|b', '(an)+', 'a{2}', 'o{1,2}', '[0-9]+', '(a|b)c?', '^(.)(.).*', r'(.)\1', 'x?', '(ERROR|WARN) ', r'[0-9]{4}-[0-9]{2}', '()', r'\w+', 'a+?']


def grep_grep(c):
    ext = c.pick('', '', '-E', '-E', '-F')
    pat = c.r.choice(ERES if ext == '-E' else RES)
    return (f"grep {ext} {c.some(['-i', '-v', '-c', '-n', '-o', '-w', '-x', '-l', '-L', '-q', '-s', '-h', '-H', '-b', '-m1', '-m 2', '-A1', '-B1', '-C1', '-a', '-z', '--color=always', '-e b', '-I', '--no-group-separator'])}"
            f" {c.q(pat)} {c.source()}")


def grep_perl(c):
    pat = c.pick(r'\d+', r'(?i)apple', r'a(?=p)', r'(?<=id=)\d+', r'\bfoo\b', r'o+?', r'^(?!.*INFO)', r'(\w)\1', r'\x61', r'[[:alpha:]]+', r'\S+$', r'a|b', r'\d{4}-\d\d', r'(?<y>\d{4})', r'\R?$', r'\K\w+')
    return f"grep -P {c.some(['-o', '-i', '-v', '-c', '-n', '-w', '-h', '-l'])} {c.q(pat)} {c.source('plain', 'log', 'code', 'fields', 'crlf', 'empty', 'nonl', 'colon')}"


SEDS = ['s/a/X/', 's/a/X/g', 's/a/X/2', 's/[aeiou]/<&>/g', r's/\(.\)\(.\)/\2\1/', '1d', '$d', '2,3d', '/a/d', '/^$/d', '2q', 'p', '=', '1!d', '/a/,/c/d', 'y/abc/xyz/', 'G', 'N;s/\\n/+/', '$!N;P;D', '1~2d', '2~3p',
        '/a/s/p/P/gp', 'a\\\nadded', 'i\\\nbefore', 'c\\\nchanged', '$a end', '1i top', '2c mid', 'l', 'l 20', 'n;d', '1!G;h;$!d', 's/.*/\\U&/', 's/\\w\\+/\\u&/g', 's/x*/-/g', 's/a/b/I', 's/^/> /', 's/$/ </', 's/ *$//',
        ':a;N;$!ba;s/\\n/,/g', '/ERROR/!d', 's/[0-9]\\+/N/g', 'x;p;x', '0,/a/d', '/a/I{p}', '2{p;q}', '/a/,+1d', '3,1p', 's/\\t/TAB/g', 's/[^,]*,//', '$=', 'w out', 's|a|/|w out', 'e', 'Q', 'q5', 's/a\\|b/_/g', 'z;s/^$/empty/', 's/\\s\\+/ /g',
        's/./&\\n/2', 's/b*/x/2', '/one/{s//1/;h};${x;p}', 'b;d', 's/a/b/;t;s/$/ no/', 's/a/b/;T;s/$/ yes/', 'F', 'R plain', 'r nonl', '2r empty', 'W out', '/x/c\\', "s/'/Q/g", 's/a.b/&&/g']
ESEDS = ['s/(a|b)+/<&>/g', r's/(.)(.)/\2\1/g', 's/[0-9]{2,}/N/', r's/^(\w+) (\w+)/\2 \1/', 's/a?/x/g', r's/(^|[^a])b/\1_/g', '/(ERROR|WARN)/!d', 's/()/x/2', r's/\b/|/g', r's/(a)(b)?/[\1\2]/g']


def sed_sed(c):
    o = c.some(['-n', '-s', '-z', '-u', '--posix'][:4], 2)
    if c.r.random() < 0.25:
        return f"sed -E {o} {c.q(c.r.choice(ESEDS))} {c.source()}; cat out 2>/dev/null; rm -f out"
    script = c.r.choice([s for s in SEDS if s != 'e'])
    more = f" -e {c.q(c.r.choice(['p', 's/a/A/', '$d', '1d']))}" if c.r.random() < 0.2 and '\n' not in script else ''
    return f"sed {o} -e {c.q(script)}{more} {c.source()}; cat out 2>/dev/null; rm -f out"


AWKS = ['{print}', '{print $1}', '{print $NF}', '{print NF, NR, $0}', 'NR==2', '/a/', '!/a/', 'END{print NR}', '{s+=$1}END{print s}', '{c[$1]++}END{for(k in c)n++;print n}', '{print length($0)}', '{print toupper($0)}',
        '{print substr($0,2,3)}', '{gsub(/a/,"X");print}', '{n=gsub(/[aeiou]/,"<&>");print n,$0}', '{print index($0,"a")}', '{$1="";print}', '{$2="x";print NF}', 'BEGIN{OFS="-"}{$1=$1;print}', '{printf "%s|%5d|%-5s|%05.1f\\n",$1,$2,$1,$1}',
        'NR%2', 'NR==1,/c/', '{split($0,a,"");print a[1],length(a)}', '{print match($0,/[0-9]+/),RSTART,RLENGTH}', '$1>5', '$1=="10"', '$1==10', '{print $1+0}', '{print -$1, !$1}', 'BEGIN{printf "%c%c",65,"hello"}', '{print $1 $2}',
        '{NF=2;print}', '{print NR": "$0}', 'length>5', '{a[NR]=$0}END{for(i=NR;i>0;i--)print a[i]}', '{print tolower($1)~/^a/}', 'BEGIN{while((getline l < "plain")>0)n++;print n}', '{print substr($0,0,2) "|" substr($0,-1) "|" substr($0,3)}',
        '{sub(/^[ \\t]+/,"");print}', '{print $1*2, $1/3, $1%3, $1^2}', '{printf "%d %x %o %e %g\\n",$1,$1,$1,$1,$1}', 'BEGIN{RS=""}{print NR,NF}', 'BEGIN{RS=";"}{print}', 'BEGIN{FS=","}{print $2}', 'BEGIN{FS="[:,]"}{print $2,NF}',
        '{print gensub(/(.)(.)/,"\\\\2\\\\1","g")}', 'END{print $0,NF}', '{print (NR==1?"first":"other")}', 'function f(x){return x*2}{print f($1)}', '{print length()}', '{x=$1;x++;print x}', 'BEGIN{print 1e6,1e16,0.1+0.2,100000*100000,2^53}',
        'BEGIN{print substr("hello",2,100),index("abc","c"),1==1.0,"a"<"b","10"<"9",10<9}', '{print > "out"}END{close("out");while((getline l<"out")>0)print "r",l}', '{print | "sort"}', 'BEGIN{"echo hi"|getline x;print x}', '{delete a;a[$1];print length(a)}',
        'BEGIN{printf "%5.2f|%-8s|%+d|% d|%%|%i\\n",3.14159,"ab",5,6,7.9}', 'BEGIN{print length("日本"),toupper("é"),substr("日本語",2,1)}', '{print ($1 in a); a[$1]=1}', 'BEGIN{for(i=0;i<3;i++){if(i==1)continue;print i}}', 'BEGIN{print strftime("%Y",0,1)}']


def awk_awk(c):
    o = c.maybe(0.35, '-F:', "-F' '", '-F,', '-F "\\t"', "-F '[:,]'", '-v x=1', '-v OFS=_', "-F ''", '-F a', "-F '|'", "-F '.'", '-F x')
    return f"awk {o} {c.q(c.r.choice(AWKS))} {c.source()}; rm -f out"


def tree(c):
    return c.pick('d', 'd', 'd/sub', './d', 'd/a.txt', 'd none', 'd/link')


def files_find(c):
    tests = ['-type f', '-type d', '-type l', "-name '*.txt'", "-iname 'A*'", '-maxdepth 1', '-mindepth 1', '-empty', '-size +1c', '-size 0', '-size -2', "-path '*sub*'", '! -name a.txt', "-regex '.*[ab].*'", '-newermt 2001-01-01',
             "-name '*.c' -o -name '*.txt'", '-perm 644', '-perm -100', "\\( -name sub -prune \\) -o -print", '-depth', '-not -type d', '-links 1', '-executable', "-name '.*'", "-name '[a-c]*'", '-xtype f', '-samefile d/a.txt', '-false -o -true']
    acts = ['', '', '-print', '-print0 | tr "\\0" "\\n"', "-printf '%p %y %s\\n'", "-printf '%f %h %d %m\\n'", '-exec echo {} \\;', '-exec echo {} +', "-printf '%P|%l\\n'", '-execdir echo {} \\;', "-exec sh -c 'echo $1' x {} \\;", '-quit', '-ls | wc -l']
    return f"find {tree(c)} {' '.join(c.r.sample(tests, c.r.choice([0, 1, 1, 2])))} {c.r.choice(acts)} | sort"


def files_ls(c):
    return f"ls {c.some(['-a', '-A', '-1', '-r', '-S', '-F', '-p', '-R', '-d', '-m', '-x', '-C', '-Q', '-b', '-w 30', '-X', '-v', '-B', '-I a*', '--color=always', '-U | sort', '--group-directories-first'])} {tree(c)}"


def files_stat(c):
    return c.pick(f"stat -c {c.q(c.pick('%n %s', '%F', '%a %A', '%N', '%h', '%s %f', '%u:%g', '%B', '%%|%10s|%-10n|', '%t,%T'))} {c.pick('d/a.txt', 'd/sub', 'd/link', 'none', 'd/empty')}",
                  f"readlink {c.some(['-f', '-e', '-m', '-n', '-v'])} {c.pick('d/link', 'd/a.txt', 'd/none/x', 'd/broken')} | sed \"s|$PWD|W|\"",
                  f"realpath {c.some(['-m', '-e', '-s', '--relative-to=d', '-q', '-z'])} {c.pick('d/link', 'd/a.txt', 'd/none/x', 'd/../plain')} | sed \"s|$PWD|W|\"",
                  f"basename {c.some(['-a', '-s .txt', '-z'])} {c.pick('d/a.txt', '/', 'a//', 'a.txt .txt', 'x/y.c .c')}", f"dirname {c.some(['-z'])} {c.pick('d/a.txt', '/', 'a', '//a//b', 'a/b/c d/e')}",
                  f"du {c.pick('-b', '-ab', '-sb', '-b --max-depth=1', '-cb', '-bS', '-b -d0')} d | sort", f"test {c.pick('-e', '-f', '-d', '-L', '-s', '-x', '-r', '-w', '-h')} {c.pick('d', 'd/a.txt', 'd/link', 'd/broken', 'd/empty', 'none')}",
                  f"tree {c.some(['-a', '-d', '-f', '-L 1', '-i', '-F', '--noreport', '-P *.txt', '-I sub', '-p', '--dirsfirst', '-r'])} d",
                  f"cp -r {c.some(['-v', '-p', '-L', '-n', '-u', '--parents'])} {c.pick('d', 'd/a.txt', 'd/link')} new | sort; ls -R new; rm -rf new", f"mkdir {c.some(['-p', '-v', '-m 700'])} {c.pick('n1/n2', 'n3', 'd')}; ls -d n1 n1/n2 n3; rm -rf n1 n3",
                  f"touch t; mv {c.some(['-v', '-n', '-f', '-b'])} t {c.pick('d/', 'u', 'd/a.bak', 'none/x')}; ls t u d/t 2>&1; rm -f t u u~ d/t d/a.bak", f"ln {c.pick('-s', '-sf', '-sv', '-sr', '')} {c.pick('plain', 'd/a.txt')} lnk; readlink lnk; rm -f lnk",
                  f"rm {c.some(['-v', '-f', '-r', '-d', '-i < /dev/null'])} {c.pick('none', 'none2', 'd')} ; ls d | wc -l; cp -r .d/. d 2>/dev/null", f"chmod {c.pick('-v', '-c', '')} {c.pick('600', 'u+x', 'a-w', 'go=r', '+x', '1777', 'u=rwx,g=rx,o=')} d/a.txt; stat -c %a d/a.txt; chmod 644 d/a.txt")


DATES = ['2024-01-31', '2024-02-29 12:34:56', '@0', '@1700000000', '2024-01-31 +1 month', '2023-12-25 -1 year', '2024-03-10 02:30', '1 Jan 2024', 'Jan 5, 2024 3pm', '2024-06-15T10:20:30Z', '2024-06-15T10:20:30+02:00', '2024-01-01 next monday',
         '2024-01-01 3 weeks ago', '2024-01-01 yesterday', '20240102', '20240102 1530', '12/25/2023', 'Mon, 15 Jan 2024 10:00:00 +0000', '2024-01-01 noon', 'bogus', '2024-13-01', '2024-01-01 10:00 EST', '2024-01-01 1 day 2 hours ago', '1970-01-01 UTC 86400 sec']
FORMATS = ['%F', '%F %T', '%s', '%Y-%m-%dT%H:%M:%S%z', '%A %B %d', '%a %b %e', '%j %U %V %W', '%G-W%V-%u', '%I:%M %p', '%-d/%-m/%y', '%c', '%D %R', '%^a %#b', '%10Y|%_5d|%03d', '%C %y %k %l', '%Z %:z %::z', '%N %3N', '%n%t%%', '%q %w', '%e', '%x %X', '%h %r', '%P', '%+4Y', '%E', '%Q']


def time_date(c):
    tz = c.maybe(0.3, 'TZ=America/New_York ', 'TZ=Asia/Kolkata ', 'TZ=Europe/Berlin ', 'TZ=EST5EDT ', 'TZ=JST-9 ')
    how = c.pick('+' + c.q(c.r.choice(FORMATS)), '-I', '-Iseconds', '-R', '--rfc-3339=seconds', '-u', '-Ins', '', '-u +%F_%T')
    return f"{tz}date -d {c.q(c.r.choice(DATES))} {how}"


def time_printf(c):
    fmt = c.pick('%s\\n', '%5s|%-5s|\\n', '%d %i\\n', '%05d\\n', '%x %X %o\\n', '%e %f %g\\n', '%.2f\\n', '%c\\n', '%b\\n', '%q\\n', '%%\\n', '%s %s\\n', '%+d % d\\n', '%10.3f|\\n', '%.3s|\\n', '%-10s|%5d\\n', '\\x41\\101\\t|\\n', '%u\\n', '%#x %#o\\n', '%s', '%a\\n', '%.0f\\n', "%'d\\n", '%5%\\n', '%z\\n', '%G\\n')
    args = ' '.join(c.q(c.pick('1', '42', '-7', 'abc', '3.14159', '0x1f', '010', '', "'a", '1e3', '99999999999999999999', 'a b', '\\n', 'é', '1.5x', '-0', '.5')) for _ in range(c.r.randint(0, 4)))
    return f"{c.pick('printf', 'env printf')} {c.q(fmt)} {args}"


EXPRS = ['1 + 2', r'5 \* 3', '7 / 2', '7 % 3', 'abc : a', 'length hello', 'substr hello 2 3', 'index hello l', r'3 \< 5', 'a = a', r'1 \| 0', r'0 \& 1', '1 + a', '7 / 0',
         r"abc : '\(.\)'", r"abc : 'a\(b\)*'", r'\( 1 + 2 \) \* 3', '', 'a', '+ 5', r'10 \>= 9', r'b \> a', "'' : x", '-1 + -1']


def time_seq(c):
    return c.pick(f"seq {c.some(['-w', '-s,', '-f %03g', '-f %.2f', '-s :', '-f x%gy'])} {c.pick('5', '0', '3 6', '1 2 9', '5 -1 1', '0 0.1 0.5', '1 0.5 3', '-3 3', '10 1', '1e1', '0x5', '1.0 3', '9 11', '-1 -1 -4', 'a', '1 0 2', '08 10', '1.50 2.5')}",
                  f"expr {c.r.choice(EXPRS)}",
                  f"factor {c.pick('12', '97', '0', '1', '1000000007', '18446744073709551615', '2 3 4', 'x', '-3', '360360')}",
                  f"echo {c.q(c.pick('1+2*3', '10/3', 'scale=3;10/3', '2^10', 'x=5;x*x', 'sqrt(2)', 'scale=5;4*a(1)', '7%3', '-5/2', 'ibase=16;FF', 'obase=2;10', 'if(1<2) 5', 'for(i=0;i<3;i++) i', '1.5+.25', 'length(12.34)'))} | bc {c.maybe(0.4, '-l')}",
                  f"cal {c.pick('1 2024', '2 2023', '9 1752', '-m 3 2024', '2024', '13 2024', '-3 6 2024')}")


def time_numfmt(c):
    return f"numfmt {c.some(['--to=iec', '--to=si', '--from=iec', '--from=si', '--from=auto', '--to=iec-i', '--padding=8', '--suffix=B', '--round=up', '--format=%.2f', '--grouping', '--invalid=ignore', '--header', '--field=2', '-d,', '--from-unit=512', '--to-unit=1000'])} {c.pick('1024', '1500000', '1K', '2.5M', '1Ki', '-5', '0', 'abc', '1000 2000', '999999', '1.5', '10G 3k', '< nums', '< human')}"


def diff_diff(c):
    return (f"diff {c.some(['-u', '-c', '-i', '-w', '-b', '-B', '-q', '-s', '-U1', '-U 0', '-n', '-e', '-y -W 40', '--normal', '-r', '-N', '-a', '--strip-trailing-cr', '-E', '-Z', '--suppress-common-lines', '-t', '-T', '-d', '-p', '--left-column', '-I ^a'])}"
            f" --label L --label M {c.file()} {c.file()}")


def diff_random(c):
    """Two lists of few different lines: what GNU shows of many equally short ways, and where it puts each change."""
    alphabet = c.r.sample(['', 'a', 'b', ' a', 'a ', 'A', '{', '}', 'x y', 'x\ty', 'x  y', '\ta', '    a', 'return'], c.pick(1, 2, 3, 5, 14))
    left = [c.r.choice(alphabet) for _ in range(c.pick(0, 1, 4, 8, 15, 30, 60))]
    right = [x for x in left for _ in range(c.pick(0, 1, 1, 1, 1, 1, 1, 2))]
    for _ in range(c.pick(0, 1, 3, 8)):
        right.insert(c.r.randrange(len(right) + 1), c.r.choice(alphabet))
    write = lambda lines, to: f"printf '{c.r.choice(['%s', '%s|'])}' {c.q('|'.join(lines))} | tr '|' '\\n' > {to}"
    options = c.some(['-u', '-u', '-c', '-y', '-w', '-b', '-B', '-i', '-Z', '-E', '-U0', '-U1', '-C 1', '-d', '-n', '-I ^a', '-q', '-y -W 40', '--left-column', '--suppress-common-lines', '-p', '-F ret'])
    return f"{write(left, 'L')}; {write(right, 'R')}; touch -d @0 L R; diff {options} L R; rm L R"


def diff_plain(c):
    return f"diff {c.some(['-i', '-w', '-b', '-B', '-q', '-s', '-n', '-e', '-a', '-E'])} {c.file()} {c.file()}"


def diff_patch(c):
    a, b = c.file('plain', 'nonl', 'paras', 'code', 'log', 'fields'), c.file('plain', 'nonl', 'paras', 'sorted', 'log', 'crlf', 'empty')
    return (f"cp {a} A; diff {c.pick('-u', '-c', '', '-U1', '-u')} {a} {b} > P; patch {c.some(['-s', '--dry-run', '-R', '-p0', '-b', '-o N', '-N', '-F0', '-f'])} A P;"
            " cat A; cat N A.orig A.rej 2>/dev/null | grep -v '^\\(---\\|+++\\|\\*\\*\\*\\)'; rm -f A A.* N P")


def diff_cmp(c):
    return c.pick(f"cmp {c.some(['-s', '-l', '-b', '-n 5', '-i 2', '-lb'])} {c.file()} {c.file()}", f"comm {c.file('sorted', 'sorted2')} {c.file('sorted', 'sorted2')}",
                  f"cmp {c.file()} {c.file()}")


def rg_rg(c):
    pattern = c.pick('a', 'apple', 'e$', '^[a-c]', '\\d+', '\\w+', '\\bb', 'o{2}', '(a|an)+', 'x|y', 'ERROR', 'é', '.', '', 'a.e', '[[:upper:]]', '\\s+$', 'id=(\\d+)', '(?i)apple', 'b|', '\\W', '[^a-z ]')
    opts = c.some(['-n', '-i', '-v', '-c', '-o', '-l', '-w', '-x', '-F', '-S', '-H', '-I', '-A1', '-B1', '-C1', '-m1', '-b', '--column', '--vimgrep', "-r '<$0>'", '--trim', '-a', '-N',
                   '--count-matches', '--files-without-match', '--heading', '--passthru', '-M 20', '-e q', '-U', '-0', '-q', '--include-zero', '-P', '--no-context-separator'])
    a, b = c.file(*SHORT), c.file(*SHORT)
    where = c.pick(a, b, a, f'{a} {b}', 'd', f'd {a}', f'< {a}', "-g '*.txt' d", '-t c d', '--hidden d')
    return f'rg --no-config --sort path {opts} {c.q(pattern)} {where}'


FAMILIES = {
    'text': [text_sort, text_sort, text_uniq, text_cut, text_cut, text_tr, text_tr, text_join, text_comm, text_paste, text_head_tail, text_head_tail, text_nl, text_fold, text_wc, text_wc, text_od, text_other, text_other, text_other],
    'grep': [grep_grep, grep_grep, grep_grep, grep_perl],
    'sed': [sed_sed],
    'awk': [awk_awk],
    'files': [files_find, files_find, files_ls, files_ls, files_stat],
    'time': [time_date, time_date, time_printf, time_seq, time_numfmt],
    'rg': [rg_rg],
    'diff': [diff_diff, diff_diff, diff_random, diff_random, diff_plain, diff_patch, diff_cmp],
}

# Differences that docs/differences.md explains: the call, as a regular expression.
EXPLAINED = [
    r"sed .*'s/x\*/|sed .*'s/b\*/|sed -E.*(a\?|s/\(\))",           # empty matches of sed are between characters
    r"grep .*-[ABC]1.* bad|sed .*'s/.b/.*bad",                  # what is between bytes that are no UTF-8
    r"^rg .*('.*\||'').*(utf8|bad)|^rg .*-U.*('.*\||'')",        # rg: empty matches are between characters
    r'^rg .*--vimgrep.* -r|^rg .* -r.*--vimgrep',               # refused
    r'^rg .*-[Pw].*\bbad|^rg .*-e q.*-P|^rg .*-P.*-e q',        # ripgrep's -P shows bytes that are no UTF-8 as U+FFFD
    r'^rg .*--column.*-v|^rg .*-v.*--column',                   # the column of context
    r"^rg .*-w.*('.d.'|''|\|)",                                  # ripgrep 13 -w: a match may begin within a word after another
    r'toupper.*\bbad|\\U&.*\bnul',                              # gawk: U+FFFD for such bytes; sed: the case of what follows a NUL stays
    r'mv .*-n.*-b|mv .*-b.*-n',                                 # GNU mv moves the file before it refuses the options
    r"sed .*-z.*\{x;p",                                        # x with -s -z where a file does not end in NUL
    r'^rev .*bad|\|.*rev',                                      # bytes that are no UTF-8
    r'^awk .*printf.* (nul|bad)\b',                             # gawk cuts %-5s at a NUL or bad byte
    r'patch .*--dry-run.*-o N|patch .*-o N.*--dry-run',         # GNU patch writes the output file of a dry run
    r'diff .* (\w+) \1 > P; patch .*-o N',                      # an empty patch: GNU patch copies the file
    r'diff (-c|) .*patch|diff .* nonl .*patch|nonl > P; patch', # rejects are unified, and say where a newline is missing
]


def plant(where):
    for name, data in FILES.items():
        with open(os.path.join(where, name), 'wb') as f:
            f.write(data)
    for base in ('d', '.d'):
        for path, data in {'a.txt': b'hello\n', 'B.txt': b'HELLO world\n', 'c.c': b'int x;\n', 'empty': b'', 'sub/deep/e.txt': b'deep\n', 'sub/f g.txt': b'blank\n', '.hidden': b'h\n', 'run.sh': b'#!/bin/sh\n'}.items():
            path = os.path.join(where, base, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'wb') as f:
                f.write(data)
            os.utime(path, (1700000000 + len(data), 1700000000 + len(data)))
        os.chmod(os.path.join(where, base, 'run.sh'), 0o755)
        os.symlink('a.txt', os.path.join(where, base, 'link'))
        os.symlink('nowhere', os.path.join(where, base, 'broken'))


def run(calls, program):
    """What each call printed, said and returned."""
    where = tempfile.mkdtemp(prefix='cmds-')
    try:
        work = os.path.join(where, 'w')
        os.mkdir(work)
        plant(work)
        script = 'mkdir .o\n'
        for i, call in enumerate(calls):
            script += f"{{ {call}\n}} < empty > .o/o{i} 2> .o/e{i}; echo $? > .o/s{i}\n"
        if program == 'bash':
            argv = ['bash', '-c', script]
        else:
            argv = [program, '--mount', f'{work}:/w', '--cwd', '/w']
            for k, v in ENV.items():
                argv += ['--env', f'{k}={v}']
            argv += ['-c', script]
        p = subprocess.run(argv, cwd=work, env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
        out = []
        for i in range(len(calls)):
            got = []
            for kind in 'ose':
                try:
                    with open(os.path.join(work, '.o', f'{kind}{i}'), 'rb') as f:
                        got.append(f.read().replace(work.encode(), b'/w'))
                except OSError:
                    got.append(b'(nothing: ' + p.stderr[:200] + b')')
            out.append(got)
        return out
    finally:
        subprocess.run(['chmod', '-R', 'u+rwx', where], check=False)
        shutil.rmtree(where, ignore_errors=True)


def loose(err):
    text = err.decode('utf-8', 'replace').replace('‘', "'").replace('’', "'")
    return re.sub(r'(?m)^(bash: )?(line \d+: )?(/usr/bin/)?', '', text)


def batch(args):
    family, seed, count, nacre, stderr = args
    rng = random.Random(f'{family} {seed}')
    calls = [rng.choice(FAMILIES[family])(Call(rng)) for _ in range(count)]
    calls = [' '.join(c.split(' ')).strip() for c in calls]
    try:
        want, got = run(calls, 'bash'), run(calls, nacre)
    except subprocess.TimeoutExpired:
        return count, [(f'a batch of seed {seed}', 'time-out', '', '')]
    bad = []
    for call, w, g in zip(calls, want, got):
        if any(re.search(x, call) for x in EXPLAINED):
            continue
        if any(x.startswith(b'(nothing') for x in w + g):
            bad.append((call, 'not run', w, g))
        elif w[:2] != g[:2]:
            bad.append((call, 'stdout' if w[0] != g[0] else 'status', w, g))
        elif stderr and loose(w[2]) != loose(g[2]):
            bad.append((call, 'stderr', w, g))
    return count, bad


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--family', action='append', choices=list(FAMILIES))
    ap.add_argument('--count', type=int, default=500, help='calls of each family')
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--jobs', type=int, default=2)
    ap.add_argument('--stderr', action='store_true')
    ap.add_argument('--nacre', default=os.path.join(ROOT, 'build', 'nacre'))
    ap.add_argument('--list', action='store_true', help='print the calls of the first batch only')
    a = ap.parse_args()
    nacre, passed, failed = os.path.abspath(a.nacre), 0, 0
    work = [(f, a.seed + i, BATCH, nacre, a.stderr) for f in a.family or FAMILIES for i in range(-(-a.count // BATCH))]
    if a.list:
        rng = random.Random(f'{work[0][0]} {a.seed}')
        print('\n'.join(rng.choice(FAMILIES[work[0][0]])(Call(rng)) for _ in range(BATCH)))
        return 0
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for (family, seed, *_), (count, bad) in zip(work, pool.map(batch, work)):
            passed, failed = passed + count - len(bad), failed + len(bad)
            for call, what, w, g in bad:
                print(f'FAILED {family}, seed {seed}: {what}\n    {call}')
                if w:
                    for name, x, y in zip(('stdout', 'status', 'stderr'), w, g):
                        if x != y:
                            print(f'      {name} wanted {x[:400]!r}\n      {name} got    {y[:400]!r}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
