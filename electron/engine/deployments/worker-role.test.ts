import { describe, expect, it } from 'vitest';
import type { Vm } from '../../../shared/model/vm.ts';
import { workerRole } from './deployment-context.ts';

const vm = (os_type: Vm['os_type']): Vm => ({ id: 'vm', name: 'vm', os_type, disks: [], nics: [] });

describe('the worker that prepares a guest', () => {
  it.each([
    ['linux', undefined, true, 'osmorphing-linux'],
    ['linux', 'worker', true, 'osmorphing-linux'],
    ['windows', undefined, true, 'osmorphing-windows'],
    ['windows', 'offline', true, 'osmorphing-linux'],
    ['windows', undefined, false, 'osmorphing-linux'],
    ['windows', 'worker', false, 'osmorphing-windows'],
  ] as const)(
    '%s, asked for %s, with an image for Windows workers: %s',
    (os, windowsMode, hasWindowsWorkerImage, role) => {
      expect(
        workerRole(
          { options: windowsMode === undefined ? {} : { windowsMode }, policy: { hasWindowsWorkerImage } },
          vm(os),
        ),
      ).toBe(role);
    },
  );

  it('is a Linux one where keys for encrypted volumes are given', () => {
    const options = { luksKeys: [{ secret: 'recovery-key' }] };
    expect(workerRole({ options, policy: { hasWindowsWorkerImage: true } }, vm('windows'))).toBe('osmorphing-linux');
    expect(workerRole({ options: { luksKeys: [] }, policy: { hasWindowsWorkerImage: true } }, vm('windows'))).toBe(
      'osmorphing-windows',
    );
  });
});
