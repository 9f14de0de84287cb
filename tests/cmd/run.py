#!/usr/bin/env python3
"""Runs the cases of tests/cmd/*.test: scripts whose output was recorded from the real tools.

A .test file is a list of cases:

    # a comment
    @ name of the case
    : env LC_ALL=C
    printf 'a\\nb\\n' | head -n1
    > a
    ! head: what is expected on standard error
    = 1

Lines after "@" are the script, up to the first line that starts with "> ", "! " or "= ": the
expected standard output, standard error and exit status (0 when there is none). There
"\\\\" is a backslash, "\\xNN" a byte, and "\\c" at the end of a line says that no newline
follows. ": env NAME=VALUE" sets a variable. A script line that would start with one of the marks
is indented by a blank.

    run.py                                   checks all cases with build/nacre
    run.py --shell 'bash -c {script}'        checks the recordings with the real tools ({env}: the
                                             variables as --env NAME=VALUE options; {dir}: where it runs)
    run.py --tries N ...                     a case that differs is run again, alone, up to N times in all: bash
                                             itself races where jobs and signals are concerned
    run.py --record FILE...                  records FILEs from the real tools again
    run.py -k WORD FILE...                   only cases with WORD in their names

Every case runs in an empty directory of its own with LC_ALL=C.UTF-8 and TZ=UTC. Typographic
quotes in messages, which the real tools print in this locale, count as plain ones.
"""

import argparse
import concurrent.futures
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REAL = "bash -c {script}"
TIMEOUT = 20


class Case:
    def __init__(self, name, line):
        self.name, self.line = name, line
        self.head = []  # comments and blank lines before the case
        self.directives, self.script = [], []
        self.out, self.err, self.status = [], [], 0

    def env(self):
        pairs = [d[4:].strip() for d in self.directives if d.startswith("env ")]
        return dict(pair.split("=", 1) for pair in pairs)


def parse(path):
    cases, head, case = [], [], None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            mark = line[:2]
            if line.startswith("@ "):
                case = Case(line[2:].strip(), number)
                case.head, head = head, []
                cases.append(case)
            elif line.startswith("#") or (not line and (case is None or case.done)):
                head.append(line)
            elif case is None:
                sys.exit(f"{path}:{number}: text before the first case")
            elif mark == ": ":
                case.directives.append(line[2:])
            elif mark in ("> ", ">"):
                case.out.append(line[2:])
            elif mark in ("! ", "!"):
                case.err.append(line[2:])
            elif mark == "= ":
                case.status = int(line[2:])
            else:
                case.script.append(line)
                head = []
            if case:
                case.done = bool(case.out or case.err or case.status) or not line
    for c in cases:
        while c.script and not c.script[-1]:
            c.script.pop()
    return cases, head


def encode(data):
    """Bytes as lines of a .test file."""
    lines = []
    for piece in re.findall(rb"[^\n]*\n|[^\n]+\Z", data):
        ended = piece.endswith(b"\n")
        text = piece.rstrip(b"\n") if ended else piece
        shown = ""
        for ch in text.decode("utf-8", "surrogateescape"):
            code = ord(ch)
            if ch == "\\":
                shown += "\\\\"
            elif 0xDC80 <= code <= 0xDCFF:
                shown += f"\\x{code - 0xDC00:02x}"
            elif ch == "\t" or ch.isprintable():
                shown += ch
            else:
                shown += "".join(f"\\x{b:02x}" for b in ch.encode())
        if ended and shown.endswith((" ", "\t")):
            last = shown[-1]
            shown = shown[:-1] + f"\\x{ord(last):02x}"
        lines.append(shown if ended else shown + "\\c")
    return lines


def run(case, shell, path):
    work = tempfile.mkdtemp(prefix="nacre-cmd-")
    env = {"PATH": path, "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": work, "LANG": "C.UTF-8"}
    env.update(case.env())
    script = "\n".join(case.script)
    given = {"LC_ALL": env["LC_ALL"], "TZ": env["TZ"], **case.env()}
    argv = []
    for a in shlex.split(shell):
        if a == "{env}":
            argv += [w for k, v in given.items() for w in ("--env", f"{k}={v}")]
        else:
            argv.append(a.replace("{script}", script).replace("{dir}", work))
    r = subprocess.Popen(argv, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = r.communicate(timeout=TIMEOUT)
        status = r.returncode
    except subprocess.TimeoutExpired:
        os.killpg(r.pid, signal.SIGKILL)
        r.communicate()
        out, err, status = b"", b"[timed out]\n", 124
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", work], stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(work, ignore_errors=True)
    err = err.replace("\u2018".encode(), b"'").replace("\u2019".encode(), b"'")
    return encode(out), encode(err), status


def write(path, cases, tail):
    with open(path, "w", encoding="utf-8") as f:
        for c in cases:
            for line in c.head:
                f.write(line + "\n")
            f.write(f"@ {c.name}\n")
            f.writelines(f": {d}\n" for d in c.directives)
            f.writelines(f"{line}\n" for line in c.script)
            f.writelines(f"> {line}".rstrip(" ") + "\n" for line in c.out)
            f.writelines(f"! {line}".rstrip(" ") + "\n" for line in c.err)
            if c.status:
                f.write(f"= {c.status}\n")
        f.writelines(line + "\n" for line in tail)


def show(what, want, got):
    if want == got:
        return
    print(f"    {what}:")
    for line in want if isinstance(want, list) else [want]:
        print(f"      - {line}")
    for line in got if isinstance(got, list) else [got]:
        print(f"      + {line}")


def main():
    ap = argparse.ArgumentParser(description="runs tests/cmd/*.test")
    ap.add_argument("files", nargs="*")
    ap.add_argument("--shell", default=os.path.join(HERE, "../../build/nacre") + " {env} -c {script}")
    ap.add_argument("--path", help="directories to put in front of PATH")
    ap.add_argument("--record", action="store_true")
    ap.add_argument("--tries", type=int, default=1)
    ap.add_argument("-k", dest="word", default="")
    ap.add_argument("-j", dest="jobs", type=int, default=os.cpu_count() or 2)
    ap.add_argument("-q", dest="quiet", action="store_true", help="name failing cases only")
    args = ap.parse_args()
    names = args.files or sorted(f for f in os.listdir(HERE) if f.endswith(".test"))
    files = [f if os.path.exists(f) else os.path.join(HERE, f) for f in names]
    files = [f if os.path.exists(f) else f + ".test" for f in files]
    shell = REAL if args.record else args.shell
    path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    path = args.path + ":" + path if args.path else path
    passed, failed = 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name in files:
            cases, tail = parse(name)
            chosen = [c for c in cases if args.word in c.name]
            results = list(pool.map(lambda c: run(c, shell, path), chosen))
            for c, got in zip(chosen, results):
                if args.record:
                    c.out, c.err, c.status = got
                    continue
                for _ in range(1, args.tries):
                    if (c.out, c.err, c.status) == got:
                        break
                    got = run(c, shell, path)
                if (c.out, c.err, c.status) == got:
                    passed += 1
                    continue
                failed += 1
                print(f"FAILED {os.path.basename(name)}:{c.line}: {c.name}")
                if not args.quiet:
                    print("    " + "\n    ".join(c.script))
                    show("stdout", c.out, got[0])
                    show("stderr", c.err, got[1])
                    show("status", c.status, got[2])
            if args.record:
                write(name, cases, tail)
    if args.record:
        print(f"{len(files)} files recorded")
        return 0
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
