import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../shared/testing/rounds.ts';
import { watchedBoot } from './boot-watch.ts';
import { bootConsoles, loginTexts, strayEscapes, strayLines } from './testing/boot-consoles.ts';

type Options = Parameters<typeof watchedBoot>[1];
const asked = { answeredAt: undefined, askedAt: ['192.0.2.1:22'] };

/** Shows the buffers one after the other, the last one until there is a verdict. */
function watch(osType: 'linux' | 'windows', buffers: readonly string[], options: Options = {}, everySeconds = 5) {
  const boot = watchedBoot(osType, options);
  for (let number = 0; ; number += 1) {
    const buffer = buffers[Math.min(number, buffers.length - 1)] ?? '';
    const verdict = boot.observe({ buffer, ...asked, elapsedSeconds: number * everySeconds });
    if (verdict !== undefined) return { ...verdict, seconds: number * everySeconds };
  }
}

const outcomes = { up: 'up', failed: 'failed', locked: 'unproven' } as const;

describe('the boot check', () => {
  test.each(bootConsoles)('judges $name', ({ osType, truth, text, evidence }) => {
    const verdict = watch(osType, [text]);
    expect(verdict.outcome).toBe(outcomes[truth]);
    if (evidence !== undefined) expect(verdict.evidence).toMatch(evidence);
  });

  test.each(bootConsoles.filter(({ truth }) => truth === 'failed'))(
    'says the same of $name as it comes line by line',
    ({ osType, text, evidence }) => {
      const lines = text.split(/(?<=\n)/);
      const verdict = watch(
        osType,
        lines.map((_, index) => lines.slice(0, index + 1).join('')),
      );
      expect(verdict.outcome).toBe('failed');
      if (evidence !== undefined) expect(verdict.evidence).toMatch(evidence);
    },
  );

  const healthy = bootConsoles.filter(({ truth, hadStop }) => truth === 'up' && hadStop !== true);
  const shuffled = fc.record({
    boot: fc.constantFrom(...healthy),
    lines: fc.array(fc.tuple(fc.nat(), fc.constantFrom(...strayLines)), { maxLength: 12 }),
    escapes: fc.array(fc.tuple(fc.nat(), fc.constantFrom(...strayEscapes)), { maxLength: 12 }),
    cuts: fc.array(fc.nat(), { maxLength: 12 }),
    window: fc.option(fc.integer({ min: 256, max: 4_000 }), { nil: undefined }),
  });

  test('never fails a healthy guest for text that is interleaved, coloured, cut, or lost from the buffer', () => {
    fc.assert(
      fc.property(shuffled, ({ boot, lines, escapes, cuts, window }) => {
        // Nothing writes into an escape sequence, a kernel message or half a line feed: each is one write.
        const places = [
          ...boot.text.matchAll(/\u001b[^\u001b]{0,12}?[A-Za-z\u0007]|\r\n|\[ *\d+\.\d{6}\][^\n]*\n|[\s\S]/gu),
        ].map(({ index }) => index);
        const text = [...lines, ...escapes]
          .map(([place, insert]) => ({ at: places[place % places.length] ?? 0, insert }))
          .sort((one, other) => other.at - one.at)
          .reduce((before, { at, insert }) => before.slice(0, at) + insert + before.slice(at), boot.text);
        const ends = [...cuts.map((cut) => cut % text.length), text.length].sort((one, other) => one - other);
        const buffers = ends.map((end) => text.slice(window === undefined ? 0 : Math.max(0, end - window), end));
        for (const options of [{}, { mode: 'console' }] as const)
          expect(watch(boot.osType, buffers, options).outcome).not.toBe('failed');
      }),
      { seed: 20_240_305, numRuns: rounds(1_500) },
    );
  });

  const broken = bootConsoles.filter(({ truth }) => truth === 'failed');
  const stoppedThenText = fc.record({
    before: fc.option(fc.constantFrom(...healthy), { nil: undefined }),
    boot: fc.constantFrom(...broken),
    after: fc.array(fc.constantFrom(...loginTexts, ...strayLines, ...strayEscapes), { minLength: 1, maxLength: 6 }),
    /** How much of the text before the stop the buffer has lost. */
    lost: fc.double({ min: 0, max: 1, noNaN: true }),
    isSplit: fc.boolean(),
  });

  test('never calls a guest up that waits for somebody, whatever text with "login:" is before and after that', () => {
    fc.assert(
      fc.property(stoppedThenText, ({ before, boot, after, lost, isSplit }) => {
        const start = boot.text.search(/Linux version|SeaBIOS|GRUB loading|BdsDxe|Computer is booting/);
        const cut = before === undefined && start >= 0 ? Math.floor(lost * start) : 0;
        // Only a start parts two boots.
        const earlier =
          before === undefined || start < 0 ? '' : `${before.text}\r\n[  300.000011] reboot: Restarting system\r\n`;
        const shown = earlier + boot.text.slice(cut);
        const buffers = isSplit
          ? after.map((_, index) => shown + after.slice(0, index + 1).join(''))
          : [shown + after.join('')];
        for (const options of [{}, { mode: 'console' }] as const) {
          const watched = watchedBoot(boot.osType, options);
          const outcomes = [...buffers, ...Array.from({ length: 200 }, () => buffers.at(-1) ?? '')].map(
            (buffer, index) =>
              watched.observe({ buffer, answeredAt: undefined, askedAt: [], elapsedSeconds: index * 10 })?.outcome,
          );
          expect(outcomes.find((outcome) => outcome !== undefined)).toBe('failed');
        }
      }),
      { seed: 20_240_306, numRuns: rounds(400) },
    );
  });

  test('never fails a healthy guest for a character that is cut in the middle', () => {
    const text =
      'Willkommen bei Gerät\r\n'.repeat(4) + '[    0.000000] Linux version 6.1\r\nGerät läuft: grüße\r\nweb login: ';
    const bytes = Buffer.from(text);
    const buffers = Array.from({ length: bytes.length }, (_, end) =>
      bytes.subarray(Math.max(0, end - 64), end + 1).toString(),
    );
    expect(watch('linux', buffers).outcome).toBe('up');
  });

  test('remembers a prompt that the buffer no longer has', () => {
    const chatter = Array.from(
      { length: 400 },
      (_, index) => `[  ${100 + index}.000000] audit: type=1400 operation="profile_load"\r\n`,
    );
    const text = `[    0.000000] Linux version 6.1\r\nweb login: ${chatter.join('')}`;
    const buffers = Array.from({ length: 60 }, (_, index) =>
      text.slice(Math.max(0, 60 + index * 400 - 1_000), 60 + index * 400),
    );
    expect(watch('linux', buffers)).toMatchObject({ outcome: 'up', evidence: expect.stringContaining('web login:') });
  });

  test('proves nothing from a buffer that lost the part with the prompt', () => {
    const chatter = '[  100.000000] audit: type=1400 operation="profile_load"\r\n'.repeat(40);
    expect(watch('linux', ['[    0.000000] Linux version 6.1\r\n', chatter])).toMatchObject({ outcome: 'unproven' });
    expect(watch('linux', ['[    0.000000] Linux version 6.1\r\n', chatter], { mode: 'network' })).toMatchObject({
      outcome: 'failed',
    });
  });

  test('begins anew with a restart, and gives it the whole time again', () => {
    const panic =
      '[    0.000000] Linux version 6.1\r\n[    9.000000] Kernel panic - not syncing: hung_task: blocked tasks\r\n';
    const silent = Array.from({ length: 90 }, () => `${panic}[    0.000000] Linux version 6.1\r\n`);
    expect(watch('linux', [panic, ...silent, `${silent[0] ?? ''}web login: `]).outcome).toBe('up');
  });

  test('a guest that restarts after its login is not called failed before it stops', () => {
    const start = '[    0.000000] Linux version 6.1\r\n';
    expect(watch('linux', [`${start}web login: `, `${start}web login: ${start}`])).toMatchObject({
      outcome: 'unproven',
      evidence: expect.stringContaining('web login:'),
    });
    expect(watch('linux', [`${start}web login: `, `${start}web login: ${start}\r\n(initramfs) `])).toMatchObject({
      outcome: 'failed',
    });
  });

  test('a boot that goes on writing gets more time, one that repeats itself does not', () => {
    const start = '[    0.000000] Linux version 6.1\r\n';
    const words = Array.from(
      { length: 26 * 8 },
      (_, index) =>
        `Setting up ${String.fromCodePoint(97 + (index % 26))}${'x'.repeat(1 + Math.floor(index / 26))} ...\r\n`,
    );
    const growing = words.map((_, index) => start + words.slice(0, index + 1).join(''));
    expect(watch('linux', [...growing, `${growing.at(-1) ?? ''}web login: `])).toMatchObject({ outcome: 'up' });
    const waiting = Array.from(
      { length: 400 },
      (_, index) =>
        `${start}${Array.from({ length: index + 1 }, (__, second) => `[ ***  ] A start job is running for /dev/sdb1 (${second}s / no limit)\r`).join('')}`,
    );
    expect(watch('linux', waiting)).toMatchObject({
      outcome: 'failed',
      seconds: 600,
      evidence: expect.stringContaining('A start job is running for /dev/sdb1'),
    });
  });

  test('a relabel by SELinux takes the time that it takes, also in silence', () => {
    const relabel =
      '[    0.000000] Linux version 5.14\r\n*** Warning -- SELinux targeted policy relabel is required.\r\n';
    const silent = Array.from({ length: 500 }, () => relabel);
    expect(
      watch('linux', [
        ...silent,
        `${relabel}[ 2500.000000] reboot: Restarting system\r\n[    0.000000] Linux version 5.14\r\nrocky login: `,
      ]),
    ).toMatchObject({ outcome: 'up' });
    expect(watch('linux', [relabel])).toMatchObject({ outcome: 'unproven', seconds: 3_600 });
  });

  test('an unreadable console takes nothing back', () => {
    expect(watch('linux', ['web login: ', '', '', ''])).toMatchObject({ outcome: 'up' });
  });
});
