import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bootstrap, type BootstrapWorld } from './bootstrap.js';
import { removeLeftBehind, withoutServices } from './without-services.js';

/** A Debian system without two packages, and everything that happens to it. */
function debian(
  more: {
    readonly isRoot?: boolean;
    readonly answer?: boolean;
    readonly isTerminal?: boolean;
    readonly env?: { readonly CI?: string };
  } = {},
) {
  const happened: string[] = [];
  const world: BootstrapWorld = {
    isRoot: () => more.isRoot ?? true,
    isTerminal: () => more.isTerminal ?? false,
    env: more.env ?? {},
    ask: async (question: string) => (happened.push(`asked: ${question.split('\n')[0]}`), more.answer ?? false),
    missingOf: () => ['python3', 'cpio'],
    listsAreStale: () => false,
    apt: (...args: string[]) => (happened.push(`apt ${args.join(' ')}`), true),
    withoutServices: (work) => (happened.push('services held'), work()),
    removeLeftBehind: () => {},
    say: (text: string) => void happened.push(text),
    complain: (text: string) => void happened.push(text),
  };
  return { world, happened };
}
const installed = [
  'Installing 2 Debian packages: python3 cpio',
  'services held',
  'apt install -y --no-install-recommends python3 cpio',
];

describe('Debian packages', () => {
  test.each([
    ['with --yes', ['--yes', 'demo'], {}, []],
    ['in continuous integration', ['demo'], { env: { CI: 'true' } }, []],
    [
      'after a yes on the terminal',
      ['demo'],
      { isTerminal: true, answer: true },
      ['asked: Install 2 Debian packages as root? python3 cpio'],
    ],
  ])('are installed %s, and no service starts', async (_name, args, more, first) => {
    const { world, happened } = debian(more);
    expect(await bootstrap(args, world)).toBe(0);
    expect(happened).toEqual([...first, ...installed]);
  });

  test.each([
    ['without a terminal', {}],
    ['after a no', { isTerminal: true, answer: false }],
    ['with CI set to something else', { env: { CI: '1' } }],
    ['by an ordinary user, even with consent', { isRoot: false, env: { CI: 'true' } }],
  ])('are not installed %s; one line names what is missing', async (_name, more) => {
    const { world, happened } = debian(more);
    expect(await bootstrap(['demo'], world)).toBe(1);
    expect(happened.filter((each) => each.startsWith('apt'))).toEqual([]);
    const lines = happened.filter((each) => !each.startsWith('asked'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^Missing Debian packages \(.*node scripts\/bootstrap\.js --yes demo\): python3 \(.+\), cpio \(.+\)\.$/,
    );
  });

  test('are only named with --check, whoever asks', async () => {
    const { world, happened } = debian({ env: { CI: 'true' } });
    expect(await bootstrap(['--check', '--yes'], world)).toBe(1);
    expect(happened).toHaveLength(1);
  });
});

describe('services', () => {
  let folder: string;
  let policy: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-policy-'));
    policy = join(folder, 'policy-rc.d');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const answer = () => spawnSync(policy, ['ssh', 'start']).status;

  test('are refused during an installation, and only then', () => {
    const umask = process.umask(0o077);
    try {
      expect(withoutServices(answer, policy)).toBe(101);
    } finally {
      process.umask(umask);
    }
    expect(existsSync(policy)).toBe(false);
  });

  test('are allowed again after an installation that failed', () => {
    expect(() =>
      withoutServices(() => {
        throw new Error('no space');
      }, policy),
    ).toThrow('no space');
    expect(existsSync(policy)).toBe(false);
  });

  test('are left to a policy that is there already', () => {
    writeFileSync(policy, '#!/bin/sh\nexit 104\n');
    chmodSync(policy, 0o755);
    expect(withoutServices(answer, policy)).toBe(104);
    expect(readFileSync(policy, 'utf8')).toContain('exit 104');
  });

  test('are not held for ever by an installation that was killed', () => {
    const ended = spawnSync(process.execPath, ['--eval', '']).pid;
    writeFileSync(
      policy,
      `#!/bin/sh\n# Written by Causeway for the time of an installation: no service may start. Process ${ended}.\nexit 101\n`,
      { mode: 0o755 },
    );
    expect(withoutServices(answer, policy)).toBe(101);
    expect(existsSync(policy)).toBe(false);
  });

  test('are not held for ever when the killed installation left nothing missing', async () => {
    const ended = spawnSync(process.execPath, ['--eval', '']).pid;
    const leave = () =>
      writeFileSync(
        policy,
        `#!/bin/sh\n# Written by Causeway for the time of an installation: no service may start. Process ${ended}.\nexit 101\n`,
        { mode: 0o755 },
      );
    const world = { ...debian().world, missingOf: () => [], removeLeftBehind: () => removeLeftBehind(policy) };
    leave();
    expect(await bootstrap(['demo'], world)).toBe(0);
    expect(existsSync(policy)).toBe(false);
    leave();
    expect(await bootstrap(['--check', 'demo'], world)).toBe(0);
    expect(existsSync(policy)).toBe(true);
  });

  test('are not held for ever when the number of the killed process is now that of another one', () => {
    writeFileSync(
      policy,
      `#!/bin/sh\n# Written by Causeway for the time of an installation: no service may start. Process ${process.ppid}, started 1.\nexit 101\n`,
      { mode: 0o755 },
    );
    expect(withoutServices(answer, policy)).toBe(101);
    expect(existsSync(policy)).toBe(false);
  });

  test('stay refused while apt or dpkg of a killed installation goes on, and only to what that starts', async () => {
    const manager = join(folder, 'dpkg');
    copyFileSync('/bin/sleep', manager);
    // Killed in the middle, as by the kernel for want of memory; what it started goes on.
    const program = `import { spawn } from 'node:child_process'; import { withoutServices } from ${JSON.stringify(new URL('without-services.js', import.meta.url).href)};
      withoutServices(() => { process.stdout.write(String(spawn(${JSON.stringify(manager)}, ['600'], { stdio: 'ignore', detached: true }).pid)); process.kill(process.pid, 'SIGKILL'); }, ${JSON.stringify(policy)});`;
    const killed = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
    expect(killed.signal, killed.stderr).toBe('SIGKILL');
    const pid = Number(killed.stdout);
    try {
      expect(existsSync(policy)).toBe(true);
      removeLeftBehind(policy);
      expect(existsSync(policy)).toBe(true);
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .find((entry) => entry.startsWith('CAUSEWAY_INSTALLATION='));
      expect(spawnSync(policy, [], { env: { CAUSEWAY_INSTALLATION: environment?.split('=')[1] } }).status).toBe(101);
      expect(spawnSync(policy, [], { env: {} }).status).toBe(0);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
    await vi.waitFor(() => {
      removeLeftBehind(policy);
      expect(existsSync(policy)).toBe(false);
    });
  });

  test('of another installation that runs stay held after ours', () => {
    writeFileSync(
      policy,
      `#!/bin/sh\n# Written by Causeway for the time of an installation: no service may start. Process ${process.ppid}.\nexit 101\n`,
      { mode: 0o755 },
    );
    expect(withoutServices(answer, policy)).toBe(101);
    expect(statSync(policy).isFile()).toBe(true);
  });
});
