#!/usr/bin/env python3
"""/proc as programs that look around see it: the shape of Linux's, the truth about the sandbox.

    proc.py BUILD
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import check, finish, run_script  # noqa: E402


def gives(script, want, *flags):
    _, out, err = run_script(script, *flags)
    check(script, re.fullmatch(want, out + err), out + err, want)


def shapes():
    """Every file that both have is parsed by the same rule in both."""
    rules = {'/proc/meminfo': r'(\w+(\(\w+\))?: +\d+( kB)?\n)+', '/proc/uptime': r'\d+\.\d\d \d+\.\d\d\n', '/proc/loadavg': r'(\d+\.\d\d ){3}\d+/\d+ \d+\n',
             '/proc/version': r'Linux version \S+ .*\n', '/proc/self/statm': r'(\d+ ){6}\d+\n', '/proc/self/stat': r'\d+ \(\w+\) [RS]( -?\d+){49}\n',
             '/proc/self/comm': r'cat\n', '/proc/self/status': r'(\w+:\t.*\n)+', '/proc/self/mounts': r'(\S+ /\S* \S+ r[wo]\S* 0 0\n)+',
             '/proc/mounts': r'(\S+ /\S* \S+ r[wo]\S* 0 0\n)+', '/proc/cpuinfo': r'(\S[^\t:]*\t*:.*\n|\n)+', '/proc/filesystems': r'((nodev)?\t\w+\n)+'}
    for path, rule in rules.items():
        with open(path.replace('self/comm', 'version') if 'comm' in path else path) as f:
            real = f.read()
        if 'comm' not in path:
            check(f'the rule for {path} is true of the real one', re.fullmatch(rule, real), real[:200])
        gives(f'cat {path}', rule)


def main():
    shapes()
    gives('grep MemTotal /proc/meminfo', 'MemTotal: +65536 kB\n', '--memory', '64M')
    gives('free -k | sed -n "s/Mem: *\\([0-9]*\\) .*/\\1/p"; nproc; grep -c ^processor /proc/cpuinfo', '65536\n1\n1\n', '--memory', '64M')
    gives("tr '\\0' , < /proc/$$/cmdline | head -c 8; echo; sh -c 'tr \"\\0\" , < /proc/$$/cmdline' a b | head -c 6; echo", 'bash,-c,\nsh,-c,\n')
    gives('cd /tmp; readlink /proc/self/cwd /proc/self/exe /proc/$$/exe /proc/self/root; realpath /proc/self/cwd', '/tmp\n/usr/bin/readlink\n/usr/bin/bash\n/\n/tmp\n')
    gives('A=1 B="x y" cat /proc/self/environ | tr "\\0" "\\n" | grep -E "^(A|B)=" | sort', 'A=1\nB=x y\n')
    gives('sed -n "s/^PPid:\t//p" /proc/self/status | (read p; [ $p = $$ ] && echo parent)', 'parent\n')
    gives('exec 7< /etc/passwd; ls /proc/self/fd | tr "\\n" " "; head -n1 /proc/self/fd/7', '0 1 2 3 7 root:x:0:0:root:/root:/bin/bash\n')
    gives('sleep 5 & cat /proc/$!/comm; kill $!; wait $! 2>/dev/null; ls /proc/$! 2>&1 | sed "s/[0-9][0-9]*/N/"', "sleep\nls: cannot access '/proc/N': No such file or directory\n")
    gives('cat /proc/self/maps; cat /proc/self/mem; cat /proc/1/environ; cat /proc/kcore',
          'cat: /proc/self/maps: Permission denied\ncat: /proc/self/mem: Permission denied\n'
          'cat: /proc/1/environ: No such file or directory\ncat: /proc/kcore: No such file or directory\n')
    gives('{ echo x > /proc/self/comm; echo 1 > /proc/new; mkdir /proc/d; rm /proc/version; } 2>&1 | sed "s/.*: //"',
          'Permission denied\nNo such file or directory\nNo such file or directory\nOperation not permitted\n')
    gives('ls /proc | grep -v "^[0-9]" | tr "\\n" " "', 'cpuinfo filesystems loadavg meminfo mounts self stat uptime version ')
    # Another sandbox's procs, or the host's, are not there.
    gives('for p in /proc/[0-9]*; do cat $p/comm; done | sort -u', '(bash\n|cat\n|sort\n)+')
    gives('cd /proc/self; cat comm; stat -c "%F %s" status; wc -c < ../meminfo | grep -c "[1-9]"; find /proc/self -maxdepth 1 -type l',
          'bash\nregular empty file 0\n1\n/proc/self\n')
    return finish()


sys.exit(main())
