// needs: native workers, slirp4netns
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectOnWorker, morphLinuxGuest } from '../../electron/engine/osmorphing/index.ts';
import { GuestFiles } from '../rigs/guests/guest-files.ts';
import { debianGuest, startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';
import { run } from '../rigs/machines/child-process.ts';
import { contentDigest } from '../rigs/sparse-files.ts';

const never = new AbortController().signal;
const nics = [{ macAddress: '52:54:00:00:00:77', sourceMacAddress: '52:54:00:12:34:56' }];
const secret = 'only the worker knows this';

/**
 * Everything of the worker's own system: files with mode, owner and content, mounts, processes but for SSH sessions, host
 * name and kernel settings that root could change. Not in it: what every session over SSH and every sudo leaves
 * behind, and the empty folder of the preparation's sessions.
 */
const stateScript = `
import hashlib, os, stat
lines = []
for top in ('/', '/run', '/dev', '/dev/shm'):
    device = os.lstat(top).st_dev
    for here, folders, names in os.walk(top):
        folders[:] = [name for name in folders if os.lstat(os.path.join(here, name)).st_dev == device]
        for name in folders + names:
            path = os.path.join(here, name)
            if path == '/run/causeway-osmorphing' or path.startswith(('/run/sudo', '/var/lib/sudo', '/var/log/lastlog', '/var/log/wtmp', '/var/log/btmp', '/run/utmp', '/dev/pts/')):
                continue
            status = os.lstat(path)
            content = ''
            if stat.S_ISREG(status.st_mode):
                content = hashlib.sha256(open(path, 'rb').read()).hexdigest()
            elif stat.S_ISLNK(status.st_mode):
                content = os.readlink(path)
            lines.append('%s %o %d:%d %s' % (ascii(path), status.st_mode, status.st_uid, status.st_gid, content))
lines += sorted('mount ' + ' '.join(line.split()[3:]) for line in open('/proc/self/mountinfo'))
for pid in filter(str.isdigit, os.listdir('/proc')):
    try:
        told = open('/proc/%s/cmdline' % pid, 'rb').read().decode('utf-8', 'replace').replace(chr(0), ' ').strip()
    except OSError:
        continue
    if told and not any(word in told for word in ('sshd: ', 'sshd -D', 'sudo ', 'python3 -')):
        lines.append('process ' + told)
lines.append('name ' + os.uname().nodename)
for path in ('/proc/sys/kernel/core_pattern', '/proc/sys/kernel/sysrq', '/proc/sys/kernel/modprobe'):
    lines.append(path + ' ' + (open(path).read().strip() if os.path.exists(path) else 'none'))
print('\\n'.join(sorted(lines)))
`;

describe('a guest that attacks the worker that prepares it', () => {
  let lab: MorphLab;
  let guest: { readonly device: string; readonly path: string };
  let other: { readonly device: string; readonly path: string };
  let before: readonly string[];
  let otherBefore: string;

  const onWorker = (script: string): Promise<string> => lab.worker.ssh.text('sudo python3 -', { input: script });
  const state = async (): Promise<readonly string[]> => (await onWorker(stateScript)).split('\n');
  const root = (command: string): Promise<string> => lab.worker.ssh.text('sudo sh -s', { input: command });

  beforeAll(async () => {
    lab = await startMorphLab('native', { outbound: true });
    other = await lab.volume(1, (path) => promisify(execFile)('mkfs.ext4', ['-q', path]));
    await root(`mkdir -p /srv/worker; echo '${secret}' > /srv/worker/secret`);
    const numbers = await root('for d in /dev/loop*; do stat -c "%t:%T" $d; done');
    const disks = numbers.split('\n').map((pair) =>
      pair
        .split(':')
        .map((hex) => Number.parseInt(hex, 16))
        .join(':'),
    );
    guest = await lab.volume(2, async (path) => {
      await debianGuest(path);
      await run(join(import.meta.dirname, '../rigs/guests/hostile-guest.sh'), [path, ...disks]);
    });
    before = await state();
    otherBefore = await contentDigest(other.path);
  });
  afterAll(async () => lab?.close());

  const unharmed = async (): Promise<void> => {
    const after = await state();
    expect(
      after.filter((line) => !before.includes(line)),
      'new or changed on the worker',
    ).toEqual([]);
    expect(
      before.filter((line) => !after.includes(line)),
      'gone from the worker',
    ).toEqual([]);
    expect(await contentDigest(other.path)).toBe(otherBefore);
    expect(await lab.traces()).toBe('');
  };

  it('is looked into without harm', async () => {
    const found = await inspectOnWorker({ ssh: lab.ssh, devices: [guest.device], options: {}, signal: never });
    expect(found).toMatchObject({ supported: true, dossier: { distribution: 'debian', hostname: '' } });
    expect(JSON.stringify(found)).not.toContain(secret);
    await unharmed();
  });

  it('is prepared, and nothing of the worker is read, changed, mounted over, killed or left running', async () => {
    const lines: string[] = [];
    const scripts = { inGuest: [{ name: 'kill', content: '/usr/local/sbin/attack; kill -9 -1; exit 0' }] };
    const outcome = await morphLinuxGuest({
      ssh: lab.ssh,
      devices: [guest.device],
      options: { nics, scripts },
      signal: never,
      onLog: (line) => lines.push(line),
    });
    expect(outcome.steps.map(({ step }) => step)).toContain('rebuild-initramfs');
    const told = JSON.stringify([outcome, lines]);
    expect(told).not.toContain(secret);
    // A name or a line with control characters reaches no terminal as it is.
    expect(lines.join('\n')).toContain('hook \\x1b]0;owned\\x07');
    expect(told).not.toMatch(/\\u001b|\\u0007/);
    const log = (await new GuestFiles(guest.path).text('/srv/attack.log')).trim().split('\n');
    expect(
      log.filter((line) => !line.startsWith('ran as 0')),
      'attempts that worked',
    ).toEqual([]);
    expect(log.length).toBeGreaterThan(1);
    await unharmed();
  });

  it('is let go after it replaced its own folders by links while it was mounted', async () => {
    const scripts = {
      inGuest: [
        {
          name: 'links',
          content:
            'mv /usr/sbin /usr/sbin-away; ln -s /../../../../../srv /usr/sbin; mv /etc /away; ln -s /srv/worker /etc; mv /boot /boot-away; exit 1',
        },
      ],
    };
    await expect(
      morphLinuxGuest({ ssh: lab.ssh, devices: [guest.device], options: { nics, scripts }, signal: never }),
    ).rejects.toMatchObject({ code: 'osmorphing.script-failed' });
    await unharmed();
  });
});
