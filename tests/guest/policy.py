#!/usr/bin/env python3
"""Policy, through every way in which a guest can reach a file: each line of a table is one way, tried on a denied file, below a
read-only mount, and in a mount with a quota. One run of an engine goes through all of its ways.

    policy.py BUILD
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import check, finish, run_script  # noqa: E402

SECRET = 'S3CR3T'

# {D} is a directory with the files open, secret (denied), secretmod.py, and the directories sub and secretdir (denied); {T} is a place that may be written.
PY_READ = {
    'open': "open('{D}/secret').read()", 'os.open': "os.open('{D}/secret', os.O_RDONLY)", 'io.FileIO': "io.FileIO('{D}/secret').read()", 'io.open_code': "io.open_code('{D}/secret').read()",
    'pathlib': "pathlib.Path('{D}/secret').read_text()", 'through ..': "open('{D}/sub/../secret').read()", 'through a link': "(os.symlink('{D}/secret', '{T}/l1'), open('{T}/l1').read())",
    'through a link to its directory': "(os.symlink('{D}', '{T}/l2'), open('{T}/l2/secret').read())", 'dir_fd': "os.open('secret', os.O_RDONLY, dir_fd=os.open('{D}', os.O_RDONLY))",
    'relative': "(os.chdir('{D}'), open('secret').read())", '/proc/self/root': "open('/proc/self/root{D}/secret').read()", '/proc/self/cwd': "(os.chdir('{D}'), open('/proc/self/cwd/secret').read())",
    'stat of what is below': "os.stat('{D}/secretdir/in')", 'listdir': "os.listdir('{D}/secretdir')", 'scandir': "list(os.scandir('{D}/secretdir'))", 'glob': "glob.glob('{D}/secretdir/*')[0]",
    'fchdir': "os.fchdir(os.open('{D}/secretdir', os.O_RDONLY))", 'below fchdir': "(os.fchdir(os.open('{D}', os.O_RDONLY)), open('secret').read())", 'fwalk': "next(os.fwalk('{D}/secretdir'))",
    'sendfile': "os.sendfile(1, os.open('{D}/secret', os.O_RDONLY), 0, 9)", 'mmap': "mmap.mmap(os.open('{D}/secret', os.O_RDONLY), 0, access=mmap.ACCESS_READ)[:]", 'listdir of a descriptor': "os.listdir(os.open('{D}/secretdir', os.O_RDONLY))",
    'walk': "[f for _, _, f in os.walk('{D}/secretdir')][0]", 'chdir': "os.chdir('{D}/secretdir')", 'copy': "shutil.copy('{D}/secret', '{T}/c1')", 'copytree': "shutil.copytree('{D}', '{T}/c2')",
    'link': "(os.link('{D}/secret', '{T}/c3'), open('{T}/c3').read())", 'rename away': "(os.rename('{D}/secret', '{T}/c4'), open('{T}/c4').read())", 'rename its directory': "(os.rename('{D}/secretdir', '{T}/c5'), open('{T}/c5/in').read())",
    'import': "importlib.import_module('secretmod')", 'runpy': "runpy.run_path('{D}/secretmod.py')", 'zipimport': "zipimport.zipimporter('{D}/secret.zip')", 'exec': "exec(open('{D}/secretmod.py').read())",
    'importlib.util': "importlib.util.spec_from_file_location('m', '{D}/secretmod.py').loader.load_module()", 'linecache': "linecache.getlines('{D}/secret')[0]", 'fileinput': "list(fileinput.input(['{D}/secret']))",
    'configparser': "configparser.ConfigParser().read_file(open('{D}/secret'))", 'zipfile.write': "zipfile.ZipFile('{T}/a.zip', 'w').write('{D}/secret')", 'tarfile.add': "tarfile.open('{T}/a.tar', 'w').add('{D}/secret')",
    'sqlite connect': "sqlite3.connect('{D}/secret').execute('select * from sqlite_master').fetchall()", 'sqlite attach': "sqlite3.connect(':memory:').execute(\"attach '{D}/secret' as s\").execute('select * from s.sqlite_master')",
    'sqlite uri': "sqlite3.connect('file:{D}/secret?mode=ro', uri=True).execute('select * from sqlite_master').fetchall()", 'subprocess': "subprocess.run(['cat', '{D}/secret'], capture_output=True, check=True)",
    'os.system': "1 / (1 - (os.system('cat {D}/secret 2>/dev/null') != 0))", 'stdin of a child': "subprocess.run('cat', stdin=open('{D}/secret'))",
    'tempfile beside': "tempfile.mkstemp(dir='{D}/secretdir')", 'dbm': "dbm.open('{D}/secret')", 'shelve': "shelve.open('{D}/secret', 'r')", 'gzip': "gzip.open('{D}/secret').read()", 'codecs': "codecs.open('{D}/secret').read()",
    'execv': "1 / 0 if not os.access('{D}/secret', os.R_OK) else 0", 'hashlib': "hashlib.file_digest(open('{D}/secret', 'rb'), 'md5')",
}
# To be refused in a read-only mount: {O} is the file open there.
PY_WRITE = {
    'w': "open('{O}', 'w')", 'a': "open('{O}', 'a')", 'r+': "open('{O}', 'r+')", 'x': "open('{D}/n1', 'x')", 'os.open': "os.open('{O}', os.O_WRONLY)", 'O_TRUNC': "os.open('{O}', os.O_RDONLY | os.O_TRUNC)",
    'creat': "os.open('{D}/n2', os.O_CREAT | os.O_RDONLY)", 'truncate': "os.truncate('{O}', 0)", 'unlink': "os.unlink('{O}')", 'remove': "pathlib.Path('{O}').unlink()", 'rename': "os.rename('{O}', '{D}/n3')",
    'rename out': "os.rename('{O}', '{T}/n')", 'rename in': "(open('{T}/in', 'w').close(), os.rename('{T}/in', '{D}/n4'))", 'replace': "os.replace('{T}/in', '{O}')", 'link': "os.link('{O}', '{D}/n5')",
    'symlink': "os.symlink('x', '{D}/n6')", 'mkdir': "os.mkdir('{D}/n7')", 'makedirs': "os.makedirs('{D}/n8/x')", 'rmdir': "os.rmdir('{D}/sub')", 'rmtree': "shutil.rmtree('{D}/sub')", 'mkfifo': "os.mkfifo('{D}/n9')",
    'chmod': "os.chmod('{O}', 0o777)", 'chown': "os.chown('{O}', os.getuid(), os.getgid())", 'utime': "os.utime('{O}')", 'utime ns': "os.utime('{O}', ns=(1, 1))", 'touch': "pathlib.Path('{O}').touch()",
    'copy in': "shutil.copy('{O}', '{D}/n10')", 'move': "shutil.move('{O}', '{T}/m')", 'mkstemp': "tempfile.mkstemp(dir='{D}')", 'TemporaryDirectory': "tempfile.TemporaryDirectory(dir='{D}')",
    'zip': "(zipfile.ZipFile('{T}/z.zip', 'w').writestr('a', 'b'), zipfile.ZipFile('{T}/z.zip').extractall('{D}'))", 'tar': "((t := tarfile.open('{T}/t.tar', 'w')).add('/etc/hostname'), t.close(), tarfile.open('{T}/t.tar').extractall('{D}', filter='data'))",
    'sqlite create': "sqlite3.connect('{D}/n.db').execute('create table t(a)')", 'sqlite attach': "sqlite3.connect(':memory:').execute(\"attach '{D}/n2.db' as s\").execute('create table s.t(a)')",
    'sqlite vacuum into': "sqlite3.connect('{T}/v.db').execute(\"vacuum into '{D}/v.db'\")", 'sqlite backup': "sqlite3.connect(':memory:').backup(sqlite3.connect('{D}/b.db'))", 'subprocess': "subprocess.run(['touch', '{D}/n11'], check=True, capture_output=True)",
    'fchmod': "os.fchmod(os.open('{O}', os.O_RDONLY), 0o777)", 'chmod fd': "os.chmod(os.open('{O}', os.O_RDONLY), 0o777)", 'fchown': "os.fchown(os.open('{O}', os.O_RDONLY), os.getuid(), os.getgid())",
    'utime fd': "os.utime(os.open('{O}', os.O_RDONLY), (1, 1))", 'fchmod of a directory': "os.fchmod(os.open('{D}', os.O_RDONLY), 0o777)", 'fchmod below fchdir': "(os.fchdir(os.open('{D}', os.O_RDONLY)), os.chmod('open', 0))",
    'openat': "os.open('n12', os.O_WRONLY | os.O_CREAT, dir_fd=os.open('{D}', os.O_RDONLY))", 'sendfile': "os.sendfile(os.open('{O}', os.O_WRONLY), os.open('{O}', os.O_RDONLY), 0, 1)",
    'rmtree by descriptors': "shutil.rmtree('{D}/sub')", 'fwalk': "[os.unlink(f, dir_fd=d) for _, _, fs, d in os.fwalk('{D}') for f in fs]",
    'logging': "logging.FileHandler('{D}/log')", 'shelve': "shelve.open('{D}/shelf')", 'compileall': "1 / compileall.compile_file('{D}/mod.py', quiet=2, force=True)", 'gzip': "gzip.open('{D}/n.gz', 'w')",
}
IMPORTS = ('codecs compileall configparser dbm fileinput glob gzip hashlib importlib importlib.util io linecache logging mmap os pathlib runpy shelve shutil sqlite3 subprocess sys tarfile tempfile zipfile '
           'zipimport').replace(' ', ', ')
PY_RUN = f'''
import json, {IMPORTS}
sys.path.insert(0, sys.argv[2])
for name, code in json.load(open(sys.argv[1])).items():
    os.chdir('/tmp')
    try: print(json.dumps([name, 'ALLOWED', repr(eval(code))[:100]]))
    except BaseException as e: print(json.dumps([name, type(e).__name__, str(e)]))
'''

JS_READ = {
    'readFileSync': "fs.readFileSync('{D}/secret')", 'openSync': "fs.openSync('{D}/secret')", 'promises': "fs.promises.readFile('{D}/secret')", 'promises.open': "fs.promises.open('{D}/secret')",
    'stream': "require('stream/consumers').text(fs.createReadStream('{D}/secret'))", 'url': "fs.readFileSync(new URL('file://{D}/secret'))", 'require': "require('{D}/secretmod.js')", 'require json': "require('{D}/secret.json')",
    'import': "import('{D}/secretmod.js')", 'createRequire': "require('module').createRequire('{D}/x.js')('./secretmod')", 'node_modules': "require('secretpkg')", 'copy': "fs.copyFileSync('{D}/secret', '{T}/j1')",
    'cp': "fs.cpSync('{D}/secret', '{T}/j2')", 'promises.copyFile': "fs.promises.copyFile('{D}/secret', '{T}/j3')", 'link': "(fs.linkSync('{D}/secret', '{T}/j4'), fs.readFileSync('{T}/j4'))",
    'symlink': "(fs.symlinkSync('{D}/secret', '{T}/j5'), fs.readFileSync('{T}/j5'))", 'rename': "(fs.renameSync('{D}/secret', '{T}/j6'), fs.readFileSync('{T}/j6'))", 'readdir': "fs.readdirSync('{D}/secretdir')",
    'opendir': "fs.opendirSync('{D}/secretdir').readSync()", 'promises.readdir': "fs.promises.readdir('{D}/secretdir')", 'chdir': "(process.chdir('{D}/secretdir'), fs.readFileSync('in'))", 'relative': "(process.chdir('{D}'), fs.readFileSync('secret'))",
    'proc': "fs.readFileSync('/proc/self/root{D}/secret')", 'loadEnvFile': "process.loadEnvFile('{D}/secret')", 'execSync': "child_process.execSync('cat {D}/secret', {stdio: 'pipe'})", 'stat below': "fs.statSync('{D}/secretdir/in')",
    'buffer path': "fs.readFileSync(Buffer.from('{D}/secret'))", 'rm': "fs.rmSync('{D}/secret')", 'truncate': "fs.truncateSync('{D}/secret')", 'write': "fs.writeFileSync('{D}/secret', 'x')", 'realpath below': "fs.realpathSync('{D}/secretdir/in')",
}
JS_WRITE = {
    'writeFile': "fs.writeFileSync('{O}', '')", 'append': "fs.appendFileSync('{O}', 'x')", 'new': "fs.writeFileSync('{D}/k1', '')", 'promises.writeFile': "fs.promises.writeFile('{O}', '')", 'promises.appendFile': "fs.promises.appendFile('{O}', 'x')",
    'stream': "require('stream/promises').pipeline(['x'], fs.createWriteStream('{D}/k2'))", 'r+': "fs.openSync('{O}', 'r+')", 'truncate': "fs.truncateSync('{O}')", 'unlink': "fs.unlinkSync('{O}')", 'rm': "fs.rmSync('{D}/sub', {recursive: true})",
    'promises.rm': "fs.promises.rm('{O}')", 'rename': "fs.renameSync('{O}', '{D}/k3')", 'rename out': "fs.renameSync('{O}', '{T}/k')", 'link': "fs.linkSync('{O}', '{D}/k4')", 'symlink': "fs.symlinkSync('a', '{D}/k5')",
    'mkdir': "fs.mkdirSync('{D}/k6')", 'recursive': "fs.mkdirSync('{D}/k7/x', {recursive: true})", 'rmdir': "fs.rmdirSync('{D}/sub')", 'chmod': "fs.chmodSync('{O}', 0)", 'utimes': "fs.utimesSync('{O}', 0, 0)", 'copy': "fs.copyFileSync('{O}', '{D}/k8')",
    'fchmod': "fs.fchmodSync(fs.openSync('{O}'), 0o777)", 'fchown': "fs.fchownSync(fs.openSync('{O}'), process.getuid(), process.getgid())", 'futimes': "fs.futimesSync(fs.openSync('{O}'), 0, 0)",
    'handle.chmod': "fs.promises.open('{O}').then((h) => h.chmod(0))", 'fchmod of a directory': "fs.fchmodSync(fs.openSync('{D}'), 0o777)",
    'cp': "fs.cpSync('{O}', '{D}/k9')", 'mkdtemp': "fs.mkdtempSync('{D}/t')", 'execSync': "child_process.execSync('touch {D}/k10', {stdio: 'pipe'})", 'chown': "fs.chownSync('{O}', process.getuid(), process.getgid())",
}
JS_RUN = '''
const fs = require('fs'), child_process = require('child_process'), table = JSON.parse(fs.readFileSync(process.argv[2]));
(async () => { for (const [name, code] of Object.entries(table)) {
  process.chdir('/tmp');
  try { console.log(JSON.stringify([name, 'ALLOWED', String(await eval(code)).slice(0, 100)])); } catch (e) { console.log(JSON.stringify([name, e.code ?? e.status ?? e.name, e.message])); }
} })();
'''

# The shell of SQLite: lines that are fed to it; jq: command lines.
SQL_READ = ["attach '{D}/secret' as s; select * from s.sqlite_master;", '.open {D}/secret\nselect * from sqlite_master;', '.read {D}/secret', ".import {D}/secret t", "select readfile('{D}/secret');",
            "select * from fsdir('{D}/secretdir');", '.shell cat {D}/secret', '.import "|cat {D}/secret" t', ".restore {D}/secret"]
SQL_WRITE = ["attach '{D}/n.db' as s; create table s.t(a);", "vacuum into '{D}/n2.db';", '.output {D}/n3\nselect 1;', '.once {D}/n4\nselect 1;', '.backup {D}/n5', ".save {D}/n6", "select writefile('{D}/n7', 'x');", '.log {D}/n8',
             '.shell touch {D}/n9', '.open {D}/n10\ncreate table t(a);', '.excel']
JQ_READ = ["jq . {D}/secret", "jq -n --rawfile a {D}/secret '$a'", "jq -n --slurpfile a {D}/secret '$a'", "jq -n -f {D}/secret", "jq -n -L {D} 'include \"secret\"; 1'", "jq -n -L {D}/secretdir 'import \"in\" as $a; $a'",
           "jq . < {D}/secret", "jq -R . {D}/sub/../secret"]

PY_ERRORS = {'PermissionError', 'ModuleNotFoundError', 'ImportError', 'OSError', 'OperationalError', 'ZipImportError', 'CalledProcessError', 'ZeroDivisionError', 'IndexError', 'Error', 'FileNotFoundError', 'error'}


def lines(out):
    return [json.loads(line) for line in out.split('\n') if line.startswith('[')]


def filled(table, d, t):
    return {k: v.replace('{D}', d).replace('{T}', t).replace('{O}', d + '/open') for k, v in table.items()}


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as f:
        f.write(text)


def through(engine, table, flags, tmp, where):
    """{name: (what, message)} of all ways of one engine."""
    put(f'{tmp}/in/table.json', json.dumps(filled(table, where, '/tmp')))
    put(f'{tmp}/in/run', PY_RUN if engine == 'python3' else JS_RUN)
    got = run_script(f'cd /tmp; NODE_PATH={where}/node_modules {engine} /in/run /in/table.json {where}', '--mount', f'{tmp}/in:/in:ro', *flags)
    found = {name: (what, text) for name, what, text in lines(got[1])}
    check(f'{engine} tries all {len(table)} ways', set(found) == set(table), sorted(set(table) - set(found)), got[2][-1500:])
    check(f'{engine}: nothing of the secret comes out', SECRET not in got[1] + got[2], got[1], got[2])
    return found


def tree(at):
    for name, text in (('open', 'text'), ('secret', SECRET), ('secretmod.py', f'x = "{SECRET}"'), ('mod.py', 'x = 1'), ('secretmod.js', f'module.exports = "{SECRET}"'), ('secret.json', f'"{SECRET}"'), ('secretdir/in', SECRET),
                       ('secretdir/in.json', f'"{SECRET}"'), ('secret.jq', f'def a: "{SECRET}";'), ('secret.zip', SECRET), ('sub/x', 'x'), ('node_modules/secretpkg/index.js', f'module.exports = "{SECRET}"')):
        put(os.path.join(at, name), text)


def listing(at):
    return sorted((os.path.relpath(os.path.join(w, n), at), os.stat(os.path.join(w, n)).st_mtime_ns, os.stat(os.path.join(w, n)).st_mode) for w, d, f in os.walk(at) for n in d + f)


def denied(tmp):
    tree(f'{tmp}/d')
    flags = ('--mount', f'{tmp}/d:/d:rw', '--deny-path', 'secret*')
    before = listing(f'{tmp}/d')
    for engine, table, good in (('python3', PY_READ, PY_ERRORS), ('js', JS_READ, None)):
        for name, (what, text) in through(engine, table, flags, tmp, '/d').items():
            ok = what != 'ALLOWED' and (good is None or what in good) and (good is not None or what in ('EACCES', 'MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ENOENT', 1, 'EPERM'))
            check(f'{engine}, denied, {name}', ok, what, text)
    for sql in SQL_READ:
        got = run_script(f'cd /tmp; sqlite3 x.db <<"EOF"\n{filled({0: sql}, "/d", "/tmp")[0]}\nEOF', *flags)
        check(f'sqlite3, denied, {sql}', SECRET not in got[1] + got[2], got)
    for line in JQ_READ:
        got = run_script(filled({0: line}, '/d', '/tmp')[0], *flags)
        check(f'jq, denied, {line}', got[0] != 0 and SECRET not in got[1] + got[2] and got[2] != '', got)
    check('denied files are as they were', [x for x in listing(f'{tmp}/d') if 'secret' in x[0]] == [x for x in before if 'secret' in x[0]])


def read_only(tmp):
    tree(f'{tmp}/r')
    before = listing(f'{tmp}/r')
    flags = ('--mount', f'{tmp}/r:/r:ro')
    for engine, table in (('python3', PY_WRITE), ('js', JS_WRITE)):
        for name, (what, text) in through(engine, {k: v for k, v in table.items()}, flags, tmp, '/r').items():
            ok = what != 'ALLOWED' and ('Read-only' in text or 'read-only' in text or 'EROFS' in str(what) + text or what in ('CalledProcessError', 'ZeroDivisionError', 'OperationalError', 'error', 1) or 'cross-device' in text.lower())
            check(f'{engine}, read-only, {name}', ok, what, text)
    for sql in SQL_WRITE:
        run_script(f'cd /tmp; sqlite3 x.db <<"EOF"\n{filled({0: sql}, "/r", "/tmp")[0]}\nEOF', *flags)
        check(f'sqlite3, read-only, {sql}', listing(f'{tmp}/r') == before)
    check('the mount is as it was', listing(f'{tmp}/r') == before)


QUOTA_PY = {
    'write': "open('/q/big', 'wb').write(bytes(10**6))", 'append': "[os.write(os.open('/q/more', os.O_APPEND | os.O_CREAT | os.O_WRONLY), bytes(1000)) for i in range(200)]", 'truncate': "open('/q/t', 'wb').truncate(10**6)", 'copy': "shutil.copy('/in/big', '/q/c')",
    'sqlite': "sqlite3.connect('/q/s.db').executescript('create table t(a); insert into t values (randomblob(1000000));')", 'vacuum into': "(c := sqlite3.connect(':memory:')).executescript(\"create table t(a); insert into t values (randomblob(1000000)); vacuum into '/q/v.db'\")",
    'zip': "(zipfile.ZipFile('/tmp/q.zip', 'w').writestr('a', bytes(10**6)), zipfile.ZipFile('/tmp/q.zip').extractall('/q'))", 'tar': "((t := tarfile.open('/tmp/q.tar', 'w')).add('/in/big'), t.close(), tarfile.open('/tmp/q.tar').extractall('/q', filter='data'))",
    'files': "[open(f'/q/f{i}', 'w').close() for i in range(1000)]", 'mkdir': "[os.mkdir(f'/q/d{i}') for i in range(1000)]", 'symlink': "[os.symlink('x', f'/q/l{i}') for i in range(1000)]",
}
QUOTA_JS = {
    'writeFile': "fs.writeFileSync('/q/jb', Buffer.alloc(1e6))", 'append': "(() => { for (let i = 0; i < 1000; i++) fs.appendFileSync('/q/ja', Buffer.alloc(1000)); })()", 'truncate': "fs.ftruncateSync(fs.openSync('/q/jt', 'w'), 1e6)",
    'copy': "fs.copyFileSync('/in/big', '/q/jc')", 'promises': "fs.promises.writeFile('/q/jp', Buffer.alloc(1e6))", 'stream': "require('stream/promises').pipeline([Buffer.alloc(1e6)], fs.createWriteStream('/q/js'))",
    'files': "(() => { for (let i = 0; i < 1000; i++) fs.writeFileSync('/q/jf' + i, ''); })()",
}


def quotas(tmp):
    """ENOSPC is OSError 28, EFBIG is 27; what there is stays within its bound."""
    os.makedirs(f'{tmp}/q')
    put(f'{tmp}/in/big', 'x' * 10**6)
    put(f'{tmp}/p.json', json.dumps({'version': 1, 'mounts': [{'host': f'{tmp}/q', 'at': '/q', 'access': 'rw', 'max_bytes': 100000, 'max_files': 60}]}))
    flags = ('--policy', f'{tmp}/p.json')
    for name, (what, text) in through('python3', QUOTA_PY, flags, tmp, '/q').items():
        check(f'python3, quota, {name}', (what == 'OSError' and '[Errno 28]' in text) or (what == 'OperationalError' and 'full' in text), what, text)
        size = sum(os.lstat(os.path.join(w, n)).st_size for w, _, f in os.walk(f'{tmp}/q') for n in f)
        check('within the quota', size <= 100000, size)
    for w, d, f in os.walk(f'{tmp}/q', topdown=False):
        for n in f:
            os.unlink(os.path.join(w, n))
        for n in d:
            p = os.path.join(w, n)
            os.unlink(p) if os.path.islink(p) else os.rmdir(p)
    for name, (what, text) in through('js', QUOTA_JS, flags, tmp, '/q').items():
        check(f'js, quota, {name}', what == 'ENOSPC', what, text)
    for n in os.listdir(f'{tmp}/q'):
        os.unlink(f'{tmp}/q/{n}')
    got = run_script("sqlite3 /q/x.db 'create table t(a); insert into t values (zeroblob(1000000))'; echo $?", *flags)
    check('sqlite3, quota', got[1] == '13\n' and 'full' in got[2], got)
    put(f'{tmp}/p2.json', json.dumps({'version': 1, 'limits': {'file_size': 1000, 'open_files': 20}}))
    got = run_script("""python3 -c "
import os
try: open('f', 'wb', buffering=0).write(bytes(2000))
except OSError as e: print(e.errno, e.strerror)
v = []
try:
  while True: v.append(open('/etc/hostname'))
except OSError as e: print(e.errno, len(v) < 20)" ; js -e "
try { fs.writeFileSync('g', Buffer.alloc(2000)) } catch (e) { console.log(e.code) }
try { for (;;) fs.openSync('/etc/hostname') } catch (e) { console.log(e.code) }" """, '--policy', f'{tmp}/p2.json')
    check('budgets of files', got[1] == '27 File too large\n24 True\nEFBIG\nEMFILE\n', got)


def imports(tmp):
    """GUEST-02: of WASI's functions a guest imports those that src/guest has, on top of sys_*; nothing else of the machine's."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    import glob
    import subprocess
    have = set()
    for path in glob.glob(os.path.join(root, 'src', 'guest', '*.h')):
        with open(path) as f:
            import re
            have |= set(re.findall(r'\bguest_(?:wasi|env)_\w+', f.read()))
    objects = sorted(glob.glob(os.path.join(root, 'build-guests', '*-*', '*.o')))
    check('there are guests', len(objects) >= 4, objects)
    allowed = {'memcpy', 'memset', 'memmove', 'memcmp', '_GLOBAL_OFFSET_TABLE_'} | {'guest_trap', 'guest_grow', 'guest_pause', 'guest_stack'} | set(
        'fmod trunc truncf floor floorf ceil ceilf rint rintf nearbyint nearbyintf sqrt sqrtf copysign copysignf fabs fabsf __stack_chk_fail __popcountdi2'.split())
    for o in objects:
        names = {line.split()[-1] for line in subprocess.run(['nm', '-u', o], stdout=subprocess.PIPE, text=True).stdout.split('\n') if line.strip()}
        other = {n for n in names if n not in have and n not in allowed}
        check(f'{os.path.basename(o)} calls nothing else', not other, sorted(other))
    symbols = {'open', 'openat', 'read', 'write', 'unlink', 'rename', 'stat', 'mmap', 'fopen', 'socket', 'fork', 'execve'}
    for path in glob.glob(os.path.join(root, 'src', 'guest', '*.c')):
        with open(path) as f:
            text = f.read()
        check(f'{os.path.basename(path)} includes nothing of the machine', not re.search(r'#include <(?!string\.h|stddef\.h|stdint\.h|stdlib\.h)', text) and not re.search(r'(?<![\w>.])(' + '|'.join(symbols) + r')\(', re.sub(r'/\*.*?\*/|"[^"]*"', '', text, flags=re.S)))


def main():
    with tempfile.TemporaryDirectory() as tmp:
        denied(tmp)
        read_only(tmp)
        quotas(tmp)
        imports(tmp)
    return finish()


sys.exit(main())
