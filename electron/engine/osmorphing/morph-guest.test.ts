import { describe, expect, it } from 'vitest';
import { errorCatalogue } from '../../../shared/model/errors/catalogue.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { morphGuestOf } from './morph-guest.ts';
import { morphLinuxGuest } from './morph-linux-guest.ts';
import { morphWindowsOffline } from './windows/offline-guest.ts';
import { defaultProgramFolder } from './program-archive.ts';

describe('the preparation of a guest', () => {
  it('goes by its kind', () => {
    expect(morphGuestOf('linux')).toBe(morphLinuxGuest);
    expect(morphGuestOf('windows')).toBe(morphWindowsOffline);
  });

  it('names only errors that the catalogue has', () => {
    const folder = join(defaultProgramFolder(), 'causeway_osmorphing');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.py'));
    const codes = files.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/'((?:osmorphing|general)\.[a-z-]+)'/g)].map(
        ([, code = '']) => code,
      ),
    );
    expect(new Set(codes).size).toBeGreaterThan(10);
    for (const code of codes) expect(errorCatalogue).toHaveProperty([code]);
  });
});
