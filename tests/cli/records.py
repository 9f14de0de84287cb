#!/usr/bin/env python3
"""Metrics of a run and its commands: in --json, as a trace, as an audit log (OUT-13, OUT-14).

    records.py BUILD
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import check, finish, run  # noqa: E402


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
    _, out, _ = run('--json', '-c', 'for i in {1..10100}; do /bin/true; done')
    r = json.loads(out)
    check('OUT-13 what is not recorded is counted', (len(r['commands']), r['commands_dropped']) == (10000, 101), len(r['commands']), r['commands_dropped'])


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
        for part in (commands, trace, audit):
            part(tmp)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
