#!/usr/bin/env python3
"""Runs a script under a neutral policy: makes nacre's policy file of it.

    policy_adapter.py NACRE ROOT POLICY.json SCRIPT

The neutral keys: write, deny_read, deny_write, net_allow, env, timeout_s, max_output_bytes, max_processes.
ROOT is shown at /home/user/work, where the script starts. Network entries are left out: nothing is reachable.
"""
import json
import os
import sys
import tempfile

KNOWN = {'root', 'write', 'deny_read', 'deny_write', 'net_allow', 'env', 'timeout_s', 'max_output_bytes', 'max_processes', 'commands'}


def translate(neutral, root):
    unknown = set(neutral) - KNOWN
    if unknown:
        sys.exit(f'policy_adapter: unknown keys: {" ".join(sorted(unknown))}')
    limits = {}
    if 'timeout_s' in neutral:
        limits['wall'] = f'{int(neutral["timeout_s"] * 1000)}ms'
    if 'max_output_bytes' in neutral:
        limits['output'] = neutral['max_output_bytes']
    if 'max_processes' in neutral:
        limits['processes'] = neutral['max_processes']
    policy = {
        'version': 1,
        'mounts': [{'host': root, 'at': '/home/user/work', 'access': 'rw' if neutral.get('write') else 'ro'}],
        'cwd': '/home/user/work',
        'deny_read': neutral.get('deny_read', []),
        'deny_write': [p[:-3] if p.endswith('/**') else p for p in neutral.get('deny_write', [])],
        'env': neutral.get('env', {}),
        'limits': limits,
    }
    if 'commands' in neutral:
        policy['commands'] = neutral['commands']
    return policy


def main():
    nacre, root, path, script = sys.argv[1:]
    with open(path, encoding='utf-8') as f:
        policy = translate(json.load(f), root)
    fd, name = tempfile.mkstemp(suffix='.json')
    with os.fdopen(fd, 'w') as f:
        json.dump(policy, f, indent=1)
    # The file is read before anything runs; its name may go then.
    pid = os.fork()
    if pid == 0:
        os.execv(nacre, [nacre, '--policy', name, '-c', script])
    _, status = os.waitpid(pid, 0)
    os.unlink(name)
    sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


if __name__ == '__main__':
    main()
