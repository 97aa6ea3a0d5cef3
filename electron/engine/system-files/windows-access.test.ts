import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { createPrivateFile, whatOpensToOthers } from './private-file.ts';
import { closeWindowsFile, closeWindowsFolder, isOpenToOthers, type AccessTools } from './windows-access.ts';

const folder = 'C:\\Users\\First Last\\p\\.causeway';
const user = 'S-1-5-21-1-2-3-1001';
/** As `icacls /save` writes it. */
const saved = (sddl: string): string => `.causeway\r\n${sddl}\r\n`;
const opened = saved(`D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;FA;;;${user})`);
const closed = saved(`D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;${user})`);

/** A computer that carries out what it is told, unless its file system has no access lists. */
function computer(list: string, { whoami = `"pc\\first last","${user}"\r\n`, hasLists = true } = {}) {
  const calls: string[] = [];
  let now = list;
  const tools: AccessTools = {
    run(program, args) {
      calls.push([program, ...args.filter((arg) => arg !== folder)].join(' '));
      if (args.includes('/inheritance:r') && hasLists) now = closed;
      return program === 'whoami' ? whoami : '';
    },
    saved: () => now,
  };
  return { calls, tools };
}

describe('a folder on Windows', () => {
  it('is closed to all but the user and the system, by their identifiers, with what is in it', () => {
    const { calls, tools } = computer(opened);
    expect(closeWindowsFolder(folder, tools)).toBe(true);
    expect(calls).toEqual([
      'whoami /user /fo csv /nh',
      'icacls /reset /t /c /q',
      `icacls /inheritance:r /grant:r *${user}:(OI)(CI)F /grant:r *S-1-5-18:(OI)(CI)F /q`,
    ]);
  });

  it('is left alone when it is closed', () => {
    const { calls, tools } = computer(closed);
    expect(closeWindowsFolder(folder, tools)).toBe(true);
    expect(calls).toEqual(['whoami /user /fo csv /nh']);
  });

  it.each([
    ['another user, with as many entries', saved(`D:PAI(A;OICI;FA;;;${user})(A;OICI;FA;;;S-1-5-21-1-2-3-1002)`)],
    ['everybody in place of the user', saved('D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;WD)')],
    ['all users, who may read', saved(`D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;${user})(A;OICI;0x1200a9;;;BU)`)],
    ['whoever may enter the folder above', opened],
    ['somebody under a condition', saved(`D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;${user})(XA;;FX;;;WD;(@User.Title=="x"))`)],
    ['everybody, as there is no list', saved('D:NO_ACCESS_CONTROL')],
    ['nobody knows whom', ''],
  ])('is closed once more where its list allows %s', (_whom, list) => {
    const { calls, tools } = computer(list);
    expect(closeWindowsFolder(folder, tools)).toBe(true);
    expect(calls).toHaveLength(3);
    // Where that changes nothing, it is not taken for closed.
    expect(closeWindowsFolder(folder, computer(list, { hasLists: false }).tools)).toBe(false);
  });

  it('is not taken for closed where that fails', () => {
    expect(closeWindowsFolder(folder, computer(opened, { whoami: '' }).tools)).toBe(false);
    const { tools } = computer(opened);
    expect(
      closeWindowsFolder(folder, {
        ...tools,
        saved: () => {
          throw new Error('no icacls');
        },
      }),
    ).toBe(false);
  });

  it('is the own one of the administrator that Windows comes with, under the short name', () => {
    const { tools } = computer(saved('D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;LA)'), {
      whoami: '"pc\\admin","S-1-5-21-1-2-3-500"\r\n',
    });
    expect(closeWindowsFolder(folder, tools)).toBe(true);
    expect(
      closeWindowsFolder(folder, computer(saved('D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;LA)'), { hasLists: false }).tools),
    ).toBe(false);
  });
});

test('a file is closed without rights that only folders hand down', () => {
  const { calls, tools } = computer(opened);
  expect(closeWindowsFile('C:\\key', tools)).toBe(true);
  expect(calls.at(-1)).toBe(`icacls C:\\key /inheritance:r /grant:r *${user}:F /grant:r *S-1-5-18:F /q`);
});

test.each([
  [opened, false],
  [closed, false],
  [saved(`D:AI(D;;FA;;;WD)(A;ID;FA;;;${user})(A;OICIIOID;GA;;;CO)`), false],
  [saved(`D:AI(A;ID;FA;;;${user})(A;ID;0x1200a9;;;BU)`), true],
  [saved(`D:AI(A;ID;FA;;;${user})(A;ID;FA;;;AU)`), true],
  ['', undefined],
  [saved('D:NO_ACCESS_CONTROL'), undefined],
])('whether others may open a file with the list %j: %j', (list, isOpen) => {
  expect(isOpenToOthers('C:\\key', computer(list).tools)).toBe(isOpen);
});

test('a private file is closed before it has its content, and one that is open to others is told', () => {
  const home = mkdtempSync(join(tmpdir(), 'causeway-private-'));
  try {
    const path = join(home, 'key');
    const { tools } = computer(opened);
    const sizes: number[] = [];
    const watching: AccessTools = {
      ...tools,
      run: (program, args) => (sizes.push(statSync(path).size), tools.run(program, args)),
    };
    createPrivateFile(path, 'secret', { platform: 'win32', tools: watching });
    expect([readFileSync(path, 'utf8'), new Set(sizes)]).toEqual(['secret', new Set([0])]);
    expect(() => createPrivateFile(path, 'other', { platform: 'win32', tools })).toThrow('EEXIST');
    expect(whatOpensToOthers(path, { platform: 'win32', tools })).toBeUndefined();
    expect(
      whatOpensToOthers(path, {
        platform: 'win32',
        tools: computer(saved(`D:AI(A;ID;FA;;;${user})(A;ID;FA;;;BU)`)).tools,
      }),
    ).toBe('an access list with further users or groups');
    if (process.platform === 'win32') return;
    createPrivateFile(join(home, 'other'), 'secret');
    writeFileSync(join(home, 'open'), 'secret', { mode: 0o640 });
    expect([whatOpensToOthers(join(home, 'other')), whatOpensToOthers(join(home, 'open'))]).toEqual([
      undefined,
      'mode 640',
    ]);
  } finally {
    rmSync(home, { recursive: true });
  }
});
