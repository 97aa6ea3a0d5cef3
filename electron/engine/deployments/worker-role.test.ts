import { describe, expect, it } from 'vitest';
import type { Vm } from '../../../shared/model/vm.ts';
import { workerRole } from './deployment-context.ts';

const vm = (os_type: Vm['os_type']): Vm => ({ id: 'vm', name: 'vm', os_type, disks: [], nics: [] });

describe('the worker that prepares a guest', () => {
  const both = { migr_image_map: { linux: 'Debian 12', windows: 'Windows Server 2022' } };
  it.each([
    ['linux', undefined, both, 'osmorphing-linux'],
    ['linux', 'worker', both, 'osmorphing-linux'],
    ['windows', undefined, both, 'osmorphing-windows'],
    ['windows', 'offline', both, 'osmorphing-linux'],
    ['windows', undefined, { migr_image_map: { linux: 'Debian 12' } }, 'osmorphing-linux'],
    ['windows', 'worker', {}, 'osmorphing-windows'],
  ] as const)('%s, asked for %s', (os, windowsMode, environment, role) => {
    expect(workerRole({ options: windowsMode === undefined ? {} : { windowsMode }, environment }, vm(os))).toBe(role);
  });
});
