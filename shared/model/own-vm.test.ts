import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownVmEvidenceText } from './own-vm-evidence.ts';
import { ownVmDestinations } from './own-vm.ts';

test('the destinations that are offered are those that attach volumes to VMs of users', () => {
  const platforms = join(import.meta.dirname, '..', '..', 'electron', 'engine', 'platforms');
  const attaching = globSync('*/**/*-destination.ts', { cwd: platforms })
    .filter((path) => /^    ownVm: /m.test(readFileSync(join(platforms, path), 'utf8')))
    .map((path) => path.split(/[\\/]/)[0]);
  expect(attaching.toSorted()).toEqual([...ownVmDestinations].toSorted());
});

test('evidence in words', () => {
  expect(ownVmEvidenceText(['metadata-service', 'product-uuid'])).toBe('the metadata service and the product UUID');
});
