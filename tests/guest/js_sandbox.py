#!/usr/bin/env python3
"""JavaScript in the sandbox: limits, isolation, policy; what it says that is ours, not Node's.

    js_sandbox.py BUILD
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


def ours():
    """What is said of what is not there, and how it is called."""
    gives('js --version; node -v; js --help | head -n 1', 'v20.20.2\nv20.20.2\nUsage: js [options] [ script.js | -e script | - ] [arguments]\n')
    gives('js -e "fetch(\'http://x/\').catch((e) => console.log(e.message, \'|\', e.cause.message, e.cause.code))"',
          'fetch failed | network unavailable: the network is not granted in this sandbox ENETUNREACH\n')  # JS-05
    for code in ("require('http').get('http://x/')", "require('net').connect(80)", "require('https').request({})", "require('dns').lookup('x', () => {})",
                 "new (require('worker_threads').Worker)('x')", "require('zlib').gzipSync('x')", "require('fs').watch('.')", "require('child_process').fork('x')"):
        got = run_script(f'js -e "{code}"')
        check(f'{code} says that it is not there', got[0] == 1 and 'is not available in this sandbox' in got[2], got)
    gives("echo 'module.exports = 6' > m.js; cp m.js n; js -p 'require(\"./m\") + require(\"./n\")'; printf '#!/usr/bin/env node\\nconsole.log(process.argv.length)' > s; chmod +x s; ./s a b",
          '12\n4\n')
    gives("js -e 'setTimeout(() => {}, 100000)' & sleep 0.1; kill $!; wait $!; echo $?", '143\n')
    gives("js -e 'console.log(1)' | js -e 'process.stdin.pipe(process.stdout)' | js -p 'require(\"fs\").readFileSync(0, \"utf8\").trim()'", '1\n')
    gives("for i in 1 2 3 4 5 6 7 8; do js -p $i > o$i & done; wait; cat o?", '1\n2\n3\n4\n5\n6\n7\n8\n')
    gives("js -e 'const {execSync} = require(\"child_process\"); console.log(execSync(\"js -p \\\"1+1\\\"; node -p 3\").toString(), execSync(\"cd / && pwd\").toString().trim(), process.cwd() !== \"/\")'",
          '2\n3\n / true\n')


LOOPS = ['while (true) {}', 'for (;;) setTimeout', 'const f = () => f(); for (;;) try { f(); } catch {}', '/(a*)*b/.test("a".repeat(40))', 'let a = 3n; for (;;) a = a * a',
         '(3n ** 5000000n).toString()', '"x".repeat(1 << 28).indexOf("y")  + [...Array(99)].map(() => "x".repeat(1 << 28).lastIndexOf("yy"))', 'const p = () => Promise.resolve().then(p); p()',
         'const t = () => process.nextTick(t); t()', 'new Array(1e8).fill(1).sort(() => Math.random() - .5)', 'for (;;) JSON.parse("[".repeat(1e5) + "]".repeat(1e5))',
         'setInterval(() => {}, 1)', 'for (;;) new Uint8Array(1e6)', 'const s = new Set(); for (;;) s.add({})', 'for (;;) require("fs").existsSync("/")',
         'require("child_process").spawnSync("sleep", ["100"])', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1e9)', 'await new Promise((r) => setTimeout(r, 1e6))',
         'for (;;) Buffer.alloc(1e6).toString("base64")', 'structuredClone', 'let x = []; for (;;) x = [x]']

RECURSIONS = ['function f() { f(); } f()', 'function f(a) { return f([a]) + 1; } f()', 'const o = {get x() { return this.x; }}; o.x', 'const o = {toString() { return `${this}`; }}; `${o}`',
              'const p = new Proxy({}, {get: (t, k, r) => r[k]}); p.x', 'class A { constructor() { new A(); } } new A()', 'const a = []; a[0] = a; a.flat(Infinity)',
              'let a = []; for (let i = 0; i < 2e5; i++) a = [a]; JSON.stringify(a)', 'JSON.parse("[".repeat(2e5) + "]".repeat(2e5))', 'eval("(".repeat(2e5) + ")".repeat(2e5))',
              'new RegExp("(".repeat(2e5) + ")".repeat(2e5))', 'new Function("x" + "=>x".repeat(2e5))', 'let f = () => 1; for (let i = 0; i < 2e5; i++) { const g = f; f = f.bind(null); } f()',
              'let p = {}; for (let i = 0; i < 2e5; i++) p = new Proxy(p, {}); p.x', 'let o = null; for (let i = 0; i < 2e5; i++) o = Object.create(o); "x" in o', 'const s = "a".repeat(1e6); s.replace(/(?:a|b)*/g, "")',
              '[..."x"].map(function f(x) { return [x].map(f); })', 'function* g() { yield* g(); } [...g()]', 'async function f() { await f(); } f()', 'Reflect.apply(function f() { Reflect.apply(f, null, []); }, null, [])',
              '[3, 2, 1].sort(function f() { return [2, 1].sort(f); })', '"a".replace(/a/, function f() { return "a".replace(/a/, f); })', 'eval("[".repeat(1e5) + "]".repeat(1e5))', 'eval("1" + "+1".repeat(3e5))', 'eval("a" + ".a".repeat(1e5))',
              'let t = "1"; for (let i = 0; i < 1e5; i++) t = `(${t})`; eval(t)', 'eval("{".repeat(1e5) + "}".repeat(1e5))', 'eval("if(1)".repeat(1e5) + ";")', 'eval("!".repeat(2e5) + "1")', 'eval("x=>".repeat(1e5) + "1")', 'eval("function f(){".repeat(3e4) + "}".repeat(3e4))',
              'structuredClone((() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a; })())', 'console.log(util.inspect((() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a; })(), {depth: Infinity}).length)',
              'let a = {}; for (let i = 0; i < 1e5; i++) a = {a}; assert.deepStrictEqual(a, a)', 'let e = new Error("x"); for (let i = 0; i < 1e5; i++) e = new Error("y", {cause: e}); throw e', 'JSON.stringify({toJSON() { return JSON.stringify(this); }})',
              'Object.defineProperty(globalThis, "zz", {get() { return zz; }}); zz', 'class B extends (class { constructor() { new B(); } }) {} new B()']


def limits():
    """JS-01: however it goes on for ever or eats, it ends, and its sandbox goes on."""
    for code in LOOPS:
        name = code
        flags = '--input-type=module ' if 'await' in code else ''
        code = code.replace("'", "'\\''")
        got = run_script(f"timeout 1 js {flags}-e '{code}' > /dev/null 2>&1; echo $?; js -p 1", '--timeout', '100s', '--memory', '400M')
        check(f'{name} is stopped', got[0] == 0 and got[1].split()[-1] == '1' and got[1].split()[0] in ('124', '134', '137', '1', '0'), got)
    for code in RECURSIONS:
        quoted = code.replace("'", "'\\''")
        got = run_script(f"timeout 20 js -e '{quoted}' > o 2> e; echo $?; js -p 1; grep -c 'stack overflow\\|Segm\\|out of bounds' e", '--timeout', '100s', '--memory', '400M')
        check(f'{code}: nesting ends in a result or an error', got[0] in (0, 1) and got[1].split()[0] in ('0', '1', '124') and got[1].split()[1:] == ['1', '0'], got)
    got = run_script("js -e 'while (true) {}'", '--timeout', '300ms')
    check('the deadline holds inside', got[0] == 124 and 'timed out' in got[2], got)
    gives("js -e 'try { const a = []; for (;;) a.push(new Array(1000).fill({})); } catch (e) { console.log(\"caught\", e === null || e.message === \"out of memory\"); }'", 'caught true\n')
    got = run_script("js -e 'const a = []; for (;;) a.push(\"x\".repeat(1e5) + a.length)'; echo $?; js -p 2")
    check('out of memory is reported', got[0] == 0 and got[1] == '1\n2\n' and 'out of memory' in got[2], got)
    gives("js -e 'try { Buffer.alloc(1e9); } catch (e) { console.log(\"caught\"); } console.log(Buffer.alloc(1e7).length)'", 'caught\n10000000\n')
    gives("js --max-old-space-size=300 -p '\"x\".repeat(1e8).length'; js -e 'try { \"x\".repeat(1e8); console.log(1); } catch { console.log(\"too much\"); }'", '100000000\ntoo much\n')


def policy():
    """Deny patterns and read-only mounts hold for every way that leads to a file."""
    with tempfile.TemporaryDirectory() as tmp:
        for name in ('open', 'secret'):
            with open(os.path.join(tmp, name), 'w') as f:
                f.write('module.exports = "S3CR3T"')
        flags = ('--mount', f'{tmp}:/w:ro', '--deny-path', 'secret')
        ways = ["fs.readFileSync('/w/secret')", "fs.openSync('/w/secret')", "fs.copyFileSync('/w/secret', '/tmp/x')", "fs.cpSync('/w/secret', '/tmp/x')", "require('/w/secret')",
                "fs.linkSync('/w/secret', '/tmp/x')", "(fs.symlinkSync('/w/secret', '/tmp/l'), fs.readFileSync('/tmp/l'))", "fs.renameSync('/w/secret', '/tmp/x')", "process.loadEnvFile('/w/secret')",
                "child_process.execSync('cat /w/secret', {stdio: 'pipe'})", "fs.readFileSync('/w/../w/./secret')", "fs.readFileSync(new URL('file:///w/secret'))", "fs.readFileSync('/proc/self/root/w/secret')"]
        for way in ways:
            got = run_script(f'js -e "try {{ console.log(String({way})); }} catch (e) {{ console.log(e.code ?? e.status ?? e.message); }}"', *flags)
            check(f'{way} is refused', got[0] == 0 and 'S3CR3T' not in got[1] + got[2] and got[1].strip() not in ('', 'undefined'), got)
        for way in ("await import('/w/secret')", "await fs.promises.readFile('/w/secret')", "await require('stream/consumers').text(fs.createReadStream('/w/secret'))"):
            way = way.replace('require', "(await import('module')).createRequire('/x')")
            got = run_script(f'js --input-type=module -e "import fs from \'fs\'; try {{ console.log({way}); }} catch (e) {{ console.log(e.code); }}"', *flags)
            check(f'{way} is refused', got[0] == 0 and 'S3CR3T' not in got[1] + got[2] and got[1].strip() != '', got)
        for way in ("fs.writeFileSync('/w/open', '')", "fs.appendFileSync('/w/open', 'x')", "fs.unlinkSync('/w/open')", "fs.truncateSync('/w/open')", "fs.mkdirSync('/w/d')", "fs.renameSync('/w/open', '/w/o')",
                    "fs.chmodSync('/w/open', 0)", "fs.utimesSync('/w/open', 0, 0)", "fs.symlinkSync('a', '/w/l')", "fs.rmSync('/w/open')", "fs.openSync('/w/open', 'r+')", "fs.mkdtempSync('/w/t')"):
            got = run_script(f'js -e "try {{ {way}; console.log(0); }} catch (e) {{ console.log(e.code); }}"', *flags)
            check(f'{way} is refused', got[:2] == (0, 'EROFS\n'), got)
        with open(os.path.join(tmp, 'open')) as f:
            check('the file is as it was', f.read() == 'module.exports = "S3CR3T"')


def isolation():
    """Nothing of a run is there in the next one."""
    secret = 'S3CR3T' * 1000
    gives(f"js -e 'const k = \"{secret}\"; const a = []; for (let i = 0; i < 300; i++) a.push(k + i, Buffer.from(k)); globalThis.x = a; Object.prototype.y = a; console.log(a.length)';"
          "js -e 'console.log(typeof x, {}.y); let n = 0; for (let i = 0; i < 200; i++) { const b = Buffer.allocUnsafe(100000); if (b.includes(\"S3CR3T\") || new Uint8Array(100000).some(Boolean)) n++; } console.log(n)'",
          '600\nundefined undefined\n0\n')
    for _ in range(3):
        gives("A=1 js -p process.env.A; js -p process.env.A; cd /tmp; js -p 'process.cwd()'; js -p 'process.argv.length' x", '1\nundefined\n/tmp\n2\n')
    got = run_script('for i in 1 2 3 4 5 6; do js -p "Math.random()"; js -p "crypto.randomUUID()"; done | sort | uniq -d')
    check('chance is new in every run', got == (0, '', ''), got)
    got = run_script("js -p 'Date.now()'; sleep 0.05; js -p 'Date.now()'; date +%s%3N")
    t = list(map(int, got[1].split()))
    check('so is the time', t[1] - t[0] >= 50 and 0 <= t[2] - t[1] < 60000, got)


def main():
    for part in (ours, limits, policy, isolation):
        part()
    return finish()


sys.exit(main())
