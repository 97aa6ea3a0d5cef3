// Plain JavaScript without dependencies, like the bootstrap that it is part of.
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';

const mark = '# Written by Causeway for the time of an installation: no service may start. Process ';
/** In the environment of everything that an installation starts: the policy is about that alone. */
const token = 'CAUSEWAY_INSTALLATION';
const policyPath = '/usr/sbin/policy-rc.d';

/** Removes a policy that an installation left behind that was killed. One whose apt or dpkg goes on still needs it. */
export function removeLeftBehind(path = policyPath) {
  if (existsSync(path) && isLeftBehind(path)) rmSync(path);
}

/**
 * Runs `work` while Debian's packages start no service: their scripts ask /usr/sbin/policy-rc.d first, and 101 means no
 * (invoke-rc.d(8)). The policy refuses what `work` started, and nothing else, so that one that a killed installation left
 * behind harms no other. A policy that is there already stays as it is and decides. One of ours that an interrupted
 * installation left behind is removed.
 *
 * @param {() => T} work synchronous
 * @returns {T} what `work` returns
 * @template T
 */
export function withoutServices(work, path = policyPath) {
  removeLeftBehind(path);
  if (existsSync(path)) return work();
  // Never over a file that somebody makes in this moment.
  const started = startOf(process.pid);
  const name = `${process.pid}.${started}`;
  writeFileSync(
    path,
    `#!/bin/sh\n${mark}${process.pid}, started ${started}.\n[ "$${token}" = "${name}" ] && exit 101\nexit 0\n`,
    { flag: 'wx', mode: 0o755 },
  );
  chmodSync(path, 0o755); // whatever the umask is
  // Ctrl-C ends apt; this process must live to remove the policy.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const goOn = () => undefined;
  for (const signal of signals) process.on(signal, goOn);
  process.env[token] = name;
  try {
    return work();
  } finally {
    delete process.env[token];
    rmSync(path, { force: true });
    for (const signal of signals) process.removeListener(signal, goOn);
  }
}

function isLeftBehind(path) {
  const text = readFileSync(path, 'utf8');
  const at = text.indexOf(mark);
  if (at < 0) return false;
  const [, pid = '', started] = /^(\d+)(?:, started (\d+))?/.exec(text.slice(at + mark.length)) ?? [];
  const now = startOf(pid);
  // A process of the same number may be another one by now, above all after a restart of the machine.
  if (now !== undefined && (started === undefined || started === now)) return false;
  return started === undefined || !goesOn(`${pid}.${started}`);
}

/** Whether a package manager of that installation still runs: it goes on when the process that started it is killed. */
function goesOn(name) {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .some((pid) => {
      try {
        const isManager = /^(?:apt|apt-get|dpkg)$/.test(readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
        return isManager && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${token}=${name}`);
      } catch {
        return false; // it has just ended
      }
    });
}

/** When a process started, in ticks since the machine did; undefined when there is none. */
function startOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
