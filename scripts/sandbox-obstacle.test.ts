import { expect, test } from 'vitest';
import { sandboxObstacle } from './sandbox-obstacle.ts';

const usual = { platform: 'linux', uid: 1000, read: () => undefined, isSetuidRoot: () => false } as const;
const settings =
  (path: string, value: string) =>
  (asked: string): string | undefined =>
    asked === path ? `${value}\n` : undefined;

test.each([
  ['a usual Linux', usual, undefined],
  ['root', { ...usual, uid: 0 }, /as root/],
  ['macOS', { ...usual, platform: 'darwin', uid: 0 }, undefined],
  [
    'namespaces that are forbidden',
    { ...usual, read: settings('/proc/sys/kernel/unprivileged_userns_clone', '0') },
    /user namespaces/,
  ],
  ['no namespaces at all', { ...usual, read: settings('/proc/sys/user/max_user_namespaces', '0') }, /user namespaces/],
  [
    'namespaces that are allowed',
    { ...usual, read: settings('/proc/sys/kernel/unprivileged_userns_clone', '1') },
    undefined,
  ],
  [
    'a sandbox that was installed for that',
    {
      ...usual,
      read: settings('/proc/sys/kernel/unprivileged_userns_clone', '0'),
      isSetuidRoot: (path: string) => path === '/opt/electron/chrome-sandbox',
    },
    undefined,
  ],
] as const)('on %s', (_what, system, reason) => {
  const obstacle = sandboxObstacle('/opt/electron/electron', system);
  if (reason === undefined) expect(obstacle).toBeUndefined();
  else expect(obstacle).toMatch(reason);
});
