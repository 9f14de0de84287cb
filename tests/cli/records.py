#!/usr/bin/env python3
"""Metrics of a run and its commands: in --json, as a trace, as an audit log (OUT-13, OUT-14).

    records.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import NACRE, check, finish, run  # noqa: E402


SCRIPT = 'seq 1000 | sort -r | head -n 2; cat /etc/shadow; sh -c "kill -9 \\$\\$"; exit 3'


def commands(tmp):
    _, out, _ = run('--json', '--deny-path', '/etc/shadow', '-c', SCRIPT)
    r = json.loads(out)
    by = {c['name']: c for c in r['commands']}
    check('OUT-13 each command', set(by) == {'bash', 'seq', 'sort', 'head', 'cat', 'sh'} and r['commands_dropped'] == 0, r['commands'])
    check('OUT-13 status', (by['bash']['exit_code'], by['cat']['exit_code'], by['sh']['exit_code'], by['seq']['exit_code']) == (3, 1, 137, 0), by)
    check('OUT-13 bytes', by['seq']['written'] == 3893 and by['head']['written'] == 8, by)
    check('OUT-13 times', all(0 <= c['start_ns'] <= r['metrics']['wall_ns'] and c['wall_ns'] >= 0 and c['ticks'] > 0 and c['memory_peak'] > 0 for c in by.values()), by)
    check('OUT-13 pipes', r['metrics']['pipe_bytes'] >= 3893, r['metrics'])
    check('OUT-13 each pipe, from left to right', r['pipes'] == [3893, 3893] and r['pipes_dropped'] == 0, r['pipes'])
    check('OUT-13 memory of guests', r['metrics']['guest_memory_peak'] == 0, r['metrics'])
    _, out, _ = run('--json', '-c', 'for i in {1..10100}; do /bin/true; done')
    r = json.loads(out)
    check('OUT-13 what is not recorded is counted', (len(r['commands']), r['commands_dropped']) == (10000, 101), len(r['commands']), r['commands_dropped'])


def endings(tmp):
    """OUT-14: a signal, a deadline, a cancel: one of them at most, and null or false for the others."""
    for args, want in ((['-c', 'exit 3'], (3, None, False, False, 30000)), (['-c', 'kill -9 $$'], (137, 9, False, False, 30000)),
                       (['--timeout', '50ms', '-c', 'sleep 9'], (124, None, True, False, 50)), (['--timeout', '0', '-c', ':'], (0, None, False, False, None)),
                       (['--timeout', '1.5s', '-c', 'sh -c "kill -15 \\$\\$"; exit 5'], (5, None, False, False, 1500))):
        _, out, _ = run('--json', *args)
        r = json.loads(out)
        has = (r['exit_code'], r['signal'], r['timed_out'], r['aborted'], r['timeout_ms'])
        check(f'OUT-14 {args}', has == want and r['denied'] is False, has)
    p = subprocess.Popen([NACRE, '--json', '--mount', tmp + ':/m', '-c', 'echo > /m/ready; sleep 100'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    while not os.path.exists(os.path.join(tmp, 'ready')):
        time.sleep(0.01)
    p.terminate()
    r = json.loads(p.communicate(timeout=60)[0])
    check('OUT-14 aborted', (r['exit_code'], r['signal'], r['timed_out'], r['aborted']) == (130, None, False, True), r)
    for script, denied in (('cat /etc/passwd', True), ('cat /etc/passwd; true', False), ('false', False)):
        _, out, _ = run('--json', '--deny-path', '/etc/passwd', '-c', script)
        check(f'OUT-14 denied: {script}', json.loads(out)['denied'] is denied, out)
    _, out, _ = run('--json', '--spill', tmp, '--output-limit', '10', '-c', 'seq 100; echo x >&2')
    r = json.loads(out)
    check('OUT-14 each stream', r['stdout_dropped'] == 282 and os.path.dirname(r['stdout_spill']) == tmp and 'stderr_spill' not in r, r)


    for place, why in (('none', 'No such file or directory'), ('plain', 'Not a directory')):
        open(f'{tmp}/plain', 'w').close()
        code, out, err = run('--json', '--spill', f'{tmp}/{place}', '-c', 'echo ran')
        check(f'OUT-14 nothing can be written: {place}', code == 2 and out == '' and err == f"nacre: cannot write output to files in '{tmp}/{place}': {why}\n", code, out, err)
    for args, text in ((['--spill', tmp], '--spill needs --json or --text'), (['--keep', 'tail'], '--keep needs --json or --text'), (['--json', '--text'], 'two forms')):
        code, out, err = run(*args, '-c', 'echo ran')
        check(f'what would not be honoured is refused: {args}', code == 2 and out == '' and text in err, code, out, err)


def homes(tmp):
    """A session whose overlay is not mounted is not run, and so not written without what was changed there."""
    host, file = os.path.join(tmp, 'home'), os.path.join(tmp, 'session')
    os.mkdir(host)
    with open(os.path.join(host, 'f'), 'w') as f:
        f.write('old\n')
    over = ['--session', file, '--mount', host + ':/w:overlay']
    check('a change', run(*over, '-c', 'echo new > /w/f')[0] == 0)
    for args in ([], ['--mount', host + ':/w:ro'], ['--mount', host + ':/elsewhere:overlay']):
        code, out, err = run('--session', file, *args, '-c', 'echo ran')
        check(f'a session without its overlay: {args}', code != 0 and out == '' and 'has files in /w, where there is no overlay now' in err, code, out, err)
    check('it is there yet', run(*over, '--commit', '-c', 'cat /w/f')[1] == 'new\n' and open(os.path.join(host, 'f')).read() == 'new\n')
    check('a session of no changes needs no overlay', run('--session', file, '-c', 'echo ran')[1] == 'ran\n')


def quotas(tmp):
    """OUT-13 FS-09: what a mount may hold, on the command line and in a policy."""
    def at(access):
        where = tempfile.mkdtemp(dir=tmp)
        return ['--mount', f'{where}:/m:{access}', '--cwd', '/m', '-c']
    had = run(*at('rw,bytes=1K'), 'seq 1000 > a; wc -c < a; echo x > b')
    check('bytes', had[:2] == (1, '1024\n') and had[2].count('write error: No space left on device\n') == 2, had)
    check('files', run(*at('rw,files=3'), 'touch a b; mkdir c; touch d')[0] == 1)
    check('file size', run(*at('overlay,file-size=2K,bytes=1M'), 'head -c 3000 /dev/zero > a')[2].endswith('File too large\n'))
    check('none', run(*at('rw'), 'seq 1000 > a; wc -c < a')[:2] == (0, '3893\n'))
    for access, text in (('rw,bytes=0', 'above 0'), ('rw,size=1K', 'a quota is'), ('rw,', 'a quota is'), ('overlay,bytes=x', 'a quota is'), ('rw,bytes=1K,bytes=2K', 'each once'), ('ro,bytes=1K', 'read-only')):
        code, out, err = run(*at(access), ':')
        check(f'refused: {access}', code == 2 and text in err and "Try 'nacre --help'" in err, code, err)
    policy = os.path.join(tmp, 'policy')
    with open(policy, 'w') as f:
        f.write('{"version": 1, "mounts": [\n{"host": "%s", "at": "/m", "access": "rw", "max_bytes": "1M", "max_file_size": 100}]}' % tempfile.mkdtemp(dir=tmp))
    check('in a policy', run('--policy', policy, '-c', 'seq 1000 > /m/a')[2] == 'seq: write error: File too large\n')
    with open(policy, 'w') as f:
        f.write('{"version": 1, "mounts": [\n{"host": "/srv", "at": "/m", "max_bytes": "1X"}]}')
    check('... that is wrong', 'policy:2: mounts[0].max_bytes: ' in run('--policy', policy, '-c', ':')[2], run('--policy', policy, '-c', ':'))
    with open(policy, 'w') as f:
        f.write('{"version": 1, "mounts": [\n{"host": "/srv", "at": "/m", "max_files": 3}]}')
    check('... of what cannot be written', 'read-only' in run('--policy', policy, '-c', ':')[2], run('--policy', policy, '-c', ':'))


def prompts(tmp):
    """API-10 on the command line."""
    code, out, err = run('prompt', '--allowed-commands', 'rshell:cat,rshell:ls', 'commands')
    check('API-10 a subject', code == 0 and out.split('\n')[1:] == ['cat ls', ''], out, err)
    check('API-10 all', run('prompt')[1].startswith('You have a shell in a sandbox'))
    check('API-10 none', run('prompt', 'nothing')[0] == 2 and run('prompt', 'a', 'b')[0] == 2)


def trace(tmp):
    path = os.path.join(tmp, 'trace.json')
    code, out, err = run('--trace', path, '--deny-path', '/etc/shadow', '-c', SCRIPT)
    events = json.load(open(path))['traceEvents']
    check('a trace leaves the run as it is', (code, out) == (3, '999\n998\n'), code, out, err)
    check('a trace has the commands', {e['name'] for e in events if e.get('cat') == 'command'} == {'bash', 'seq', 'sort', 'head', 'cat', 'sh'}, events)
    check('complete events', all(e['ph'] == 'X' and e['dur'] >= 0 and e['ts'] >= 0 and 'tid' in e for e in events if e.get('cat') != 'refusal'), events)
    check('a trace has refusals', [e['args']['path'] for e in events if e.get('cat') == 'refusal'] == ['/etc/shadow'], events)
    code, _, err = run('--trace', '/nonexistent/x', '-c', ':')
    check('a trace that cannot be written', code == 1 and 'No such file' in err, code, err)


def audit(tmp):
    path = os.path.join(tmp, 'audit')
    run('--audit', path, '--deny-path', '/etc/shadow', '-c', SCRIPT)
    run('--audit', path, '-c', 'echo "\n\x01"')
    lines = [json.loads(s) for s in open(path)]
    check('an audit log is appended, a line an event', [e['event'] for e in lines].count('run') == 2 and [e['event'] for e in lines].count('end') == 2, lines)
    check('it says what ran', lines[0]['script'] == SCRIPT and {e['name'] for e in lines if e['event'] == 'command'} >= {'seq', 'sort', 'cat'}, lines)
    check('and what was refused', [(e['command'], e['path'], e['rule_id']) for e in lines if e['event'] == 'refusal'] == [('cat', '/etc/shadow', 'deny[0]')], lines)
    check('and how it ended', [(e['exit_code'], e['outcome']) for e in lines if e['event'] == 'end'] == [(3, 'completed'), (0, 'completed')], lines)
    times = [e['time'] for e in lines]
    check('times are real', all(abs(t - os.stat(path).st_mtime) < 60 for t in times), times)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        for part in (commands, endings, homes, quotas, prompts, trace, audit):
            part(tmp)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
