// Plain JavaScript without dependencies, like the bootstrap that it is part of.
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const mark = '# Written by Causeway for the time of an installation: no service may start. Process ';
const policyPath = '/usr/sbin/policy-rc.d';

/** Removes a policy that an installation left behind that was killed: it would keep every service from starting, for ever. */
export function removeLeftBehind(path = policyPath) {
  if (existsSync(path) && isLeftBehind(path)) rmSync(path);
}

/**
 * Runs `work` while Debian's packages start no service: their scripts ask /usr/sbin/policy-rc.d first, and 101 means no
 * (invoke-rc.d(8)). A policy that is there already stays as it is and decides. One of ours that an interrupted
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
  writeFileSync(path, `#!/bin/sh\n${mark}${process.pid}, started ${startOf(process.pid)}.\nexit 101\n`, { flag: 'wx', mode: 0o755 });
  chmodSync(path, 0o755); // whatever the umask is
  // Ctrl-C ends apt; this process must live to remove the policy.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const goOn = () => undefined;
  for (const signal of signals) process.on(signal, goOn);
  try {
    return work();
  } finally {
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
  return now === undefined || (started !== undefined && started !== now);
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
