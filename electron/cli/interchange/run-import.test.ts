import { expect, test } from 'vitest';
import { fileName } from './run-import.ts';

test('a document is called after its VM, by a name that every system has', () => {
  const names = ['/dc1/vm/web-01', 'C:\\vms\\db 1', 'i-0abc', 'a:b?c', '..', '', 'nul', 'COM1.old', '.hidden', 'Ü'].map(
    (vm) => fileName(vm, 4),
  );
  expect(names).toEqual(['web-01', 'db 1', 'i-0abc', 'a-b-c', 'vm-5', 'vm-5', 'vm-5', 'vm-5', 'hidden', '-']);
});
