// os: what the sandbox is.
const { signals } = require('internal/process');
const { byCode, notHere } = require('internal/errors');

const read = (path) => {
  try {
    return require('fs').readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
const kB = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(read('/proc/meminfo'))?.[1] ?? 0) * 1024;

module.exports = {
  EOL: '\n', devNull: '/dev/null',
  arch: () => process.arch, platform: () => process.platform, type: () => 'Linux', machine: () => 'x86_64', endianness: () => 'LE',
  release: () => '6.1.0-nacre', version: () => '#1 nacre', hostname: () => read('/etc/hostname').trim() || process.env.HOSTNAME || 'localhost',
  homedir: () => process.env.HOME || userInfo().homedir, tmpdir: () => (process.env.TMPDIR || process.env.TMP || process.env.TEMP || '/tmp').replace(/(?!^)\/$/, ''),
  cpus: () => [{ model: 'cpu', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }], availableParallelism: () => 1, loadavg: () => [0, 0, 0],
  totalmem: () => kB('MemTotal') || 64 << 20, freemem: () => kB('MemAvailable') || 64 << 20, uptime: () => Number(read('/proc/uptime').split(' ')[0]) || host.now(1) / 1000,
  networkInterfaces: () => ({}), userInfo, getPriority: () => 0, setPriority() { throw notHere('os.setPriority', 'there are no priorities'); },
  constants: { signals: { ...signals }, errno: Object.fromEntries(byCode), priority: { PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20 }, dlopen: {} },
};

function userInfo() {
  const uid = host.id(3), gid = host.id(4);
  const line = read('/etc/passwd').split('\n').find((l) => l.split(':')[2] === String(uid))?.split(':');
  return { uid, gid, username: line?.[0] ?? process.env.USER ?? 'user', homedir: line?.[5] ?? process.env.HOME ?? '/', shell: line?.[6] ?? null };
}
