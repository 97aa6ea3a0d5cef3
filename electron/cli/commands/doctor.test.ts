import { expect, test } from 'vitest';
import { passphraseWrapper } from '../../secrets/passphrase-wrapper.ts';
import { checkRuntime, missingInRuntime, probedScryptCost } from '../../engine/runtime/runtime-check.ts';

test("the project's own Node has everything", async () => {
  expect((await checkRuntime()).filter(({ outcome }) => outcome === 'missing')).toEqual([]);
  expect(await missingInRuntime()).toEqual([]);
});

test('scrypt is probed with the cost of a new vault', async () => {
  expect(await passphraseWrapper('open sesame').wrap(Buffer.alloc(32))).toMatchObject(probedScryptCost);
});
