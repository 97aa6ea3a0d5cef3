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
import { isPresent } from './packages.js';
import { removeLeftBehind, withoutServices } from './without-services.js';

/** A Debian system without two packages, and everything that happens to it. */
function debian(
  more: {
    readonly isRoot?: boolean;
    readonly answer?: boolean;
    readonly isTerminal?: boolean;
    readonly env?: BootstrapWorld['env'];
    readonly isDebian?: boolean;
    /** What apt reports. */
    readonly failure?: string;
    readonly stillMissing?: readonly string[];
  } = {},
) {
  const happened: string[] = [];
  let missing: readonly string[] = ['python3', 'iproute2'];
  const world: BootstrapWorld = {
    isRoot: () => more.isRoot ?? true,
    isTerminal: () => more.isTerminal ?? false,
    isDebian: () => more.isDebian ?? true,
    env: more.env ?? {},
    ask: async (question: string) => (happened.push(`asked: ${question.split('\n')[0]}`), more.answer ?? false),
    missingOf: (names) => missing.filter((name) => names.includes(name)),
    listsAreStale: () => false,
    apt: (...args: string[]) => {
      happened.push(`apt ${args.join(' ')}`);
      if (more.failure === undefined) missing = more.stillMissing ?? [];
      return more.failure;
    },
    withoutServices: (work) => (happened.push('services held'), work()),
    removeLeftBehind: () => {},
    say: (text: string) => void happened.push(text),
    complain: (text: string) => void happened.push(text),
  };
  return { world, happened };
}
const both = "python3 (the worker agent and the lab's network), iproute2 (network of native workers)";
const aptInstall = 'apt install -y --no-install-recommends --reinstall python3 iproute2';
const installed = [`Installing 2 Debian packages as root: ${both}.`, 'services held', aptInstall];
const question = 'asked: Install 2 Debian packages as root? python3 iproute2';
const command = 'node scripts/bootstrap.js --yes demo';

describe('Debian packages', () => {
  test.each([
    ['without a terminal', ['demo'], {}, []],
    ['whatever CI says', ['demo'], { env: { CI: '' } }, []],
    ['with --yes on a terminal', ['--yes', 'demo'], { isTerminal: true }, []],
    ['after a yes on the terminal', ['demo'], { isTerminal: true, answer: true }, [question]],
  ])('are installed by root %s; one line names them and no service starts', async (_name, args, more, first) => {
    const { world, happened } = debian(more);
    expect(await bootstrap(args, world)).toBe(0);
    expect(happened).toEqual([...first, ...installed]);
  });

  test.each([
    ['with --no-install', ['--no-install', 'demo'], {}, [], 'not installed, as asked; to install them, run'],
    [
      'with CAUSEWAY_NO_INSTALL, whatever CI says',
      ['demo'],
      { env: { CI: 'true', CAUSEWAY_NO_INSTALL: '1' } },
      [],
      'not installed, as asked; to install them, run',
    ],
    [
      'after a no on the terminal',
      ['demo'],
      { isTerminal: true },
      [question],
      'not installed without a yes; to install them, run',
    ],
    ['with --check', ['--check', 'demo'], {}, [], 'to install them, run as root'],
  ])('are not installed %s; one line names them', async (_name, args, more, first, how) => {
    const { world, happened } = debian(more);
    expect(await bootstrap(args, world)).toBe(1);
    expect(happened).toEqual([...first, `Missing Debian packages (${how}: ${command}): ${both}.`]);
  });

  test('are named to an ordinary user without those that only root has a use for', async () => {
    const { world, happened } = debian({ isRoot: false });
    expect(await bootstrap(['--yes', 'demo'], world)).toBe(1);
    expect(happened).toEqual([
      `Missing Debian packages (to install them, run as root: ${command}): python3 (the worker agent and the lab's network).`,
    ]);
  });

  test('are named with what cannot run without them', async () => {
    const { world, happened } = debian({ env: { CAUSEWAY_NO_INSTALL: '1' } });
    expect(await bootstrap(['--needed-by=The demonstration', 'demo'], world)).toBe(1);
    expect(happened).toEqual([
      `The demonstration needs Debian packages that are missing (not installed, as asked; to install them, run: ${command}): ${both}.`,
    ]);
  });

  test('are named where there is no apt', async () => {
    const { world, happened } = debian({ isDebian: false });
    expect(await bootstrap(['demo'], world)).toBe(1);
    expect(happened).toEqual([
      `Missing Debian packages (this is no Debian system: install them with its own package manager): ${both}.`,
    ]);
  });

  test('that apt refuses are named with its reason, after the lists were updated', async () => {
    const { world, happened } = debian({ failure: 'no space left' });
    expect(await bootstrap(['demo'], world)).toBe(1);
    expect(happened).toEqual([
      ...installed,
      'apt update',
      `Debian packages that could not be installed (no space left): ${both}.`,
    ]);
  });

  test('that are installed and still not there are named', async () => {
    const { world, happened } = debian({ stillMissing: ['iproute2'] });
    expect(await bootstrap(['demo'], world)).toBe(1);
    expect(happened).toEqual([
      ...installed,
      'Debian packages that could not be installed (their files are missing): iproute2 (network of native workers).',
    ]);
  });

  test('are there when the programs and files that they provide are, whatever dpkg says', () => {
    const path = process.env['PATH'];
    const folder = mkdtempSync(join(tmpdir(), 'causeway-programs-'));
    try {
      process.env['PATH'] = folder;
      expect(isPresent('chromium')).toBe(false);
      writeFileSync(join(folder, 'chromium'), '', { mode: 0o755 });
      expect(isPresent('chromium')).toBe(true);
    } finally {
      process.env['PATH'] = path;
      rmSync(folder, { recursive: true, force: true });
    }
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
