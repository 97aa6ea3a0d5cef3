// needs: installed guests, slirp4netns
// lease: emulated guests
// narrowed by: CAUSEWAY_CORPUS_GUESTS, CAUSEWAY_CORPUS_BUSES
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConsole } from '../../electron/engine/deployments/console-signs.ts';
import { morphLinuxGuest } from '../../electron/engine/osmorphing/index.ts';
import { powerOn, type SourceVm } from '../rigs/emulated-vm.ts';
import { busDrivers, corpus, corpusBuses, ensureCorpusGuest, type CorpusGuest } from '../rigs/guests/corpus.ts';
import { keepCorpusResult } from '../rigs/guests/corpus-results.ts';
import { startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';
import { run } from '../rigs/machines/child-process.ts';
import type { WorkerKind } from '../rigs/machines/kinds.ts';
import { makeEmptyVariables } from '../rigs/machines/uefi-firmware.ts';

// Hours of emulation: `npm run test:guests` has all, and these variables choose among them.
const isAskedFor = process.env['CAUSEWAY_EVERY_GUEST'] === '1';
const chosen = (name: string, all: readonly string[]): readonly string[] => {
  const wanted = (process.env[name] ?? '').split(',').filter((one) => one !== '');
  for (const one of wanted) if (!all.includes(one)) throw new Error(`${name}: there is no ${one}`);
  return wanted.length === 0 ? all : wanted;
};
const names = chosen('CAUSEWAY_CORPUS_GUESTS', Object.keys(corpus));
const buses = corpusBuses.filter((bus) => chosen('CAUSEWAY_CORPUS_BUSES', corpusBuses).includes(bus));
const resultFile = process.env['CAUSEWAY_CORPUS_RESULT'];
const minute = 60_000;
const macAddress = '52:54:00:c0:00:01';

/**
 * On a busy computer an emulated machine stands still for minutes, by its own clock: its devices come late, and its services, watched as
 * they are, would be given up.
 */
const patience = {
  name: 'patience',
  content: `mkdir -p /etc/systemd/system.conf.d /etc/systemd/system/service.d
printf "[Manager]\\nDefaultDeviceTimeoutSec=15min\\n" > /etc/systemd/system.conf.d/patience.conf
printf "[Service]\\nWatchdogSec=0\\nTimeoutStartSec=30min\\n" > /etc/systemd/system/service.d/patience.conf
[ -e /etc/udev/udev.conf ] && echo event_timeout=1800 >> /etc/udev/udev.conf || true`,
} as const;

function stage(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

/** Each is prepared once, for all buses, and started on each of them: it answers as the machine that it was. */
describe.runIf(isAskedFor)('a guest of each kind, prepared and started on each bus', () => {
  const labs: Partial<Record<WorkerKind, Promise<MorphLab>>> = {};
  let folder: string;

  // The kernel of a native worker is this machine's, which has not what every layout needs.
  const labFor = ({ layout }: CorpusGuest): Promise<MorphLab> => {
    const kind = layout === undefined ? 'native' : 'qemu';
    return (labs[kind] ??= startMorphLab(kind, { outbound: true }));
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cwy-corpus-'));
  });
  afterAll(async () => {
    for (const lab of Object.values(labs)) await (await lab).close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Its disk once it is prepared; or the code with which that ended. */
  async function prepared(
    image: string,
    guest: CorpusGuest,
  ): Promise<{ readonly path: string } | { readonly code: string }> {
    const lab = await labFor(guest);
    const { id, device, path } = await lab.volume(2, (to) =>
      run('cp', ['--sparse=always', join(image, 'disk.raw'), to]),
    );
    try {
      await morphLinuxGuest({
        ssh: lab.ssh,
        devices: [device],
        signal: new AbortController().signal,
        options: {
          nics: [{ macAddress, sourceMacAddress: '00:50:56:aa:bb:01' }],
          retainUserCredentials: true,
          diskBuses: ['virtio', 'scsi', 'ide'],
          ...guest.options,
          scripts: { inGuest: [patience], ...guest.options?.scripts },
        },
        onStep: ({ step, state, seconds }) =>
          state === 'done' && (seconds ?? 0) > 5 && stage(`  ${step}: ${seconds} s`),
      });
      return { path };
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (typeof code !== 'string' || !code.startsWith('osmorphing.')) throw error;
      stage(`  ${String(error)}`);
      return { code };
    } finally {
      await lab.detach(id);
    }
  }

  /** Resolves when it answers; rejects with what its console says as soon as that tells that it never will. */
  async function answersOrStops({ ssh, serialLog }: SourceVm): Promise<void> {
    const console = (): Promise<string> => readFile(serialLog, 'utf8').catch(() => '');
    let isUp = false;
    const stops = async (): Promise<void> => {
      while (!isUp) {
        const sign = readConsole(await console());
        if (sign.sign === 'stopped') throw new Error(`it stopped: ${sign.line}`);
        await delay(2000);
      }
    };
    try {
      await Promise.race([ssh.waitUntilUp(30 * minute), stops()]);
    } catch (error) {
      throw new Error(`${String(error)}\n${(await console()).slice(-3000)}`, { cause: error });
    } finally {
      isUp = true;
    }
  }

  async function booted(
    path: string,
    image: string,
    bus: (typeof corpusBuses)[number],
    { shows = [], layout, passphrase }: CorpusGuest,
  ): Promise<void> {
    const hostKey = (await readFile(join(image, 'host-key.pub'), 'utf8')).trim();
    const place = await mkdtemp(join(folder, 'vm-'));
    await chmod(join(image, 'id_ed25519'), 0o600);
    const overlay = join(place, 'disk.qcow2');
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', path, overlay]);
    // Its firmware has no entry for what it starts.
    const variables = layout?.uefi === true ? join(place, 'uefi-variables') : undefined;
    if (variables !== undefined) await makeEmptyVariables(variables);
    const vm = await powerOn({
      folder: place,
      name: 'moved',
      disks: [{ path: overlay, format: 'qcow2' }],
      bus,
      memoryMiB: 768,
      processors: 1,
      isScratch: true,
      keyPath: join(image, 'id_ed25519'),
      nic: { macAddress },
      ...(variables === undefined ? {} : { variables }),
    });
    try {
      if (passphrase !== undefined) await vm.answer(/unlock disk|passphrase/i, passphrase, 25 * minute);
      await answersOrStops(vm);
      const shown = await vm.ssh.text(
        [
          'hostname',
          'cut -d" " -f1,2 /etc/ssh/ssh_host_ed25519_key.pub',
          '(cd /srv/data && sha256sum --quiet -c SHA256SUMS) && echo data',
          // The drivers on the way from the disk to the machine's bus.
          // A volume of LVM or an encrypted one is on others.
          'd=/sys/class/block/$(basename $(readlink -f $(findmnt -no SOURCE /))); while [ -n "$(ls $d/slaves 2>/dev/null)" ]; do d=$d/slaves/$(ls $d/slaves | head -1); done; d=$(readlink -f $d); while [ "$d" != / ]; do [ -e $d/driver ] && basename $(readlink $d/driver); d=$(dirname $d); done | paste -sd" "',
          ...shows.map(([command]) => `(${command}) 2>&1 | paste -sd" "`),
          // An empty line is no line at the end of an answer.
          'echo end',
        ].join('; '),
        { timeoutMs: 10 * minute },
      );
      const [hostname, known, data, drivers, ...own] = shown.split('\n');
      expect([hostname, known, data]).toEqual(['source-vm', hostKey, 'data']);
      expect(drivers?.split(' ')).toContain(busDrivers[bus]);
      for (const [index, [, expected]] of shows.entries()) expect(own[index]).toMatch(expected);
      expect(own.slice(shows.length)).toEqual(['end']);
    } finally {
      await vm.close();
      await rm(place, { recursive: true, force: true });
    }
  }

  it.each(names)(
    '%s',
    async (name) => {
      const guest = corpus[name]!;
      const image = await ensureCorpusGuest(name);
      const outcome = await prepared(image, guest);
      const found: Record<string, string> = {};
      const keep = (): void =>
        keepCorpusResult(resultFile, name, {
          about: guest.about,
          prepared: 'code' in outcome ? outcome.code : 'prepared',
          buses: found,
        });
      keep();
      stage(`${name}: ${'code' in outcome ? outcome.code : 'prepared'}`);
      expect('code' in outcome ? outcome.code : undefined).toBe(guest.refused);
      if ('code' in outcome) return;
      const problems: unknown[] = [];
      const waiting = [...buses];
      const startEach = async (): Promise<void> => {
        for (let bus = waiting.shift(); bus !== undefined; bus = waiting.shift()) {
          const begun = Date.now();
          try {
            await booted(outcome.path, image, bus, guest);
            found[bus] = 'booted';
          } catch (error) {
            found[bus] = 'failed';
            problems.push(new Error(`${name} on ${bus}`, { cause: error }));
          }
          stage(`${name} on ${bus}: ${found[bus]} after ${((Date.now() - begun) / 1000).toFixed(0)} s`);
          keep();
        }
      };
      // As many at a time as there are processors, of which each has one.
      await Promise.all(Array.from({ length: availableParallelism() }, startEach));
      if (problems.length > 0)
        throw new AggregateError(
          problems,
          problems.map((problem) => `${(problem as Error).message}: ${String((problem as Error).cause)}`).join('\n'),
        );
      // Beside other work an emulated guest takes many times as long to start.
    },
    240 * minute,
  );
});
