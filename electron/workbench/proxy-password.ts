import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { jsonObjectSchema } from '../../shared/model/endpoint.ts';
import type { KeyStore } from '../secrets/key-store.ts';
import { seal, unseal } from '../secrets/key-wrapper.ts';
import type { KeyValueFile } from './settings-store.ts';

/** Where the password for proxies is kept, which belongs to the user and not to a project. */
export interface ProxyPassword {
  /** Undefined where none was set, or where the key store does not give it. */
  read(): Promise<string | undefined>;
  /** An empty one is forgotten. */
  write(password: string): Promise<void>;
  /** `session`: until the workbench ends, as no key store can protect it. */
  readonly kept: 'none' | 'key-store' | 'session';
}

const key = 'proxyPassword';
const about = 'the password for proxies';
const sealedSchema = z.object({
  wrapped: jsonObjectSchema,
  sealed: z.object({ iv: z.string(), tag: z.string(), data: z.string() }),
});

/** Encrypted by a key of its own, which the operating system's key store protects; in memory where there is none. */
export function proxyPassword(file: KeyValueFile, keyStore: KeyStore | undefined): ProxyPassword {
  let inMemory: string | undefined;
  const kept = (): z.infer<typeof sealedSchema> | undefined => sealedSchema.safeParse(file.get(key)).data;
  return {
    get kept() {
      if (inMemory !== undefined) return 'session';
      return kept() === undefined ? 'none' : 'key-store';
    },
    async read() {
      if (inMemory !== undefined) return inMemory;
      const record = kept();
      if (record === undefined || keyStore === undefined) return undefined;
      try {
        return unseal(await keyStore.unwrap(record.wrapped), record.sealed, about).toString('utf8');
      } catch {
        // Proxies ask for it then, and say so.
        return undefined;
      }
    },
    async write(password) {
      inMemory = undefined;
      file.set(key, null);
      if (password === '') return;
      const isUsable = (await keyStore?.state())?.isUsable === true;
      if (keyStore === undefined || !isUsable) {
        inMemory = password;
        return;
      }
      const dataKey = randomBytes(32);
      file.set(key, {
        wrapped: await keyStore.wrap(dataKey),
        sealed: seal(dataKey, Buffer.from(password, 'utf8'), about),
      });
    },
  };
}
