import { randomBytes, scrypt } from 'node:crypto';
import { z } from 'zod';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { seal, unseal, type KeyWrapper } from './key-wrapper.ts';

/** 128 MiB and about half a second on a laptop; the higher the dearer is every guess. */
const defaultCost = { n: 2 ** 17, r: 8, p: 1 };
const about = 'causeway vault data key, passphrase';

const wrappedSchema = z.object({
  salt: z.string(),
  // Bounds, so that a changed file can't make us allocate without end or guess cheaply.
  n: z
    .int()
    .min(2 ** 14)
    .max(2 ** 20),
  r: z.int().min(8).max(16),
  p: z.int().min(1).max(4),
  iv: z.string(),
  tag: z.string(),
  data: z.string(),
});

/** The data key under a key that scrypt makes of a passphrase. `cost` is for tests that make many vaults. */
export function passphraseWrapper(
  passphrase: string,
  cost: { n: number; r: number; p: number } = defaultCost,
): KeyWrapper {
  return {
    kind: 'passphrase',
    async wrap(dataKey) {
      const salt = randomBytes(16);
      return { salt: salt.toString('base64'), ...cost, ...seal(await derive(passphrase, salt, cost), dataKey, about) };
    },
    async unwrap(value) {
      const parsed = wrappedSchema.safeParse(value);
      if (!parsed.success) throw new CausewayError('secrets.vault-damaged', 'the wrapped data key is incomplete');
      const key = await derive(passphrase, Buffer.from(parsed.data.salt, 'base64'), parsed.data);
      try {
        return unseal(key, parsed.data, about);
      } catch (cause) {
        throw new CausewayError('secrets.wrong-passphrase', 'the passphrase does not open this vault', { cause });
      }
    },
  };
}

function derive(passphrase: string, salt: Buffer, { n, r, p }: { n: number; r: number; p: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // NFKC: the same passphrase typed on another system may be composed differently.
    scrypt(passphrase.normalize('NFKC'), salt, 32, { N: n, r, p, maxmem: 256 * n * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
