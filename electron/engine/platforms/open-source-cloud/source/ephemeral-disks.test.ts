import { describe, expect, it } from 'vitest';
import { ephemeralDisks } from './inventory.ts';

describe('disks that a flavor adds on the compute host', () => {
  it('are told, each by its size: no replica carries them', () => {
    const told = ephemeralDisks({ name: 'web', flavor: { ephemeral: 20, swap: 512 } });
    expect(told).toHaveLength(2);
    expect(told[0]).toMatch(/^web has ephemeral disks of 20 GiB, which are not replicated/);
    expect(told[1]).toMatch(/swap disk of 512 MiB/);
  });

  it.each([{}, { ephemeral: 0, swap: 0 }, { disk: 20 }])('are not told of where there are none: %j', (flavor) => {
    expect(ephemeralDisks({ name: 'web', flavor })).toEqual([]);
    expect(ephemeralDisks({ name: 'web' })).toEqual([]);
  });
});
