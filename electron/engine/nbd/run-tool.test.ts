import { expect, test } from 'vitest';
import { toolEnvironment } from './run-tool.ts';

test('programs of package managers are found on macOS, where the Finder starts applications with the folders of the system alone', () => {
  expect(toolEnvironment('darwin', '/usr/bin:/bin:/usr/sbin:/sbin')).toEqual({
    PATH: '/usr/bin:/bin:/usr/sbin:/sbin:/opt/homebrew/bin:/usr/local/bin:/opt/local/bin',
    LC_ALL: 'C',
  });
  // From a terminal they are in the path already, in the order that its user has chosen.
  expect(toolEnvironment('darwin', '/opt/homebrew/bin:/usr/bin')['PATH']).toBe(
    '/opt/homebrew/bin:/usr/bin:/usr/local/bin:/opt/local/bin',
  );
});

test('elsewhere the path is that of the process, and nothing else of its environment is handed on', () => {
  expect(toolEnvironment('linux', '/home/me/bin:/usr/bin')).toEqual({ PATH: '/home/me/bin:/usr/bin', LC_ALL: 'C' });
  expect(toolEnvironment('win32', 'C:\\Windows\\system32;C:\\Program Files\\x')['PATH']).toBe(
    'C:\\Windows\\system32;C:\\Program Files\\x',
  );
});
