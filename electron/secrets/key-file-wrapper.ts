import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { createPrivateFile, whatOpensToOthers } from '../engine/system-files/private-file.ts';
import { seal, unseal, type KeyWrapper } from './key-wrapper.ts';

const about = 'causeway vault data key, key file';
const wrappedSchema = z.object({ salt: z.string(), iv: z.string(), tag: z.string(), data: z.string() });

/** Makes a key file of 32 random bytes in base64 that its owner alone may open; an existing file is left as it is. */
export function makeKeyFile(path: string): void {
  if (existsSync(path)) return;
  createPrivateFile(path, `${randomBytes(32).toString('base64')}\n`);
}

/** The data key under a key that comes from a file, for machines where nobody types. */
export function keyFileWrapper(path: string): KeyWrapper {
  const derive = (salt: Buffer): Buffer => Buffer.from(hkdfSync('sha256', readPrivateFile(path, 32), salt, about, 32));
  return {
    kind: 'key-file',
    async wrap(dataKey) {
      const salt = randomBytes(16);
      return { salt: salt.toString('base64'), ...seal(derive(salt), dataKey, about) };
    },
    async unwrap(value) {
      const parsed = wrappedSchema.safeParse(value);
      if (!parsed.success) throw new CausewayError('secrets.vault-damaged', 'the wrapped data key is incomplete');
      try {
        return unseal(derive(Buffer.from(parsed.data.salt, 'base64')), parsed.data, about);
      } catch (cause) {
        if (cause instanceof CausewayError) throw cause;
        throw new CausewayError('secrets.wrong-passphrase', `the key file ${path} does not open this vault`, { cause });
      }
    },
  };
}

/**
 * The content of a file that only its owner may read, without the line's end.
 * @throws CausewayError `secrets.weak-file-mode`, `general.invalid-input`
 */
export function readPrivateFile(path: string, minBytes: number): Buffer {
  let content: Buffer;
  try {
    const opens = whatOpensToOthers(path);
    if (opens !== undefined) throw new CausewayError('secrets.weak-file-mode', `${path} has ${opens}`);
    content = readFileSync(path);
  } catch (cause) {
    if (cause instanceof CausewayError) throw cause;
    throw new CausewayError('general.invalid-input', `${path} cannot be read`, { cause });
  }
  let end = content.length;
  while (end > 0 && (content[end - 1] === 0x0a || content[end - 1] === 0x0d)) end -= 1;
  if (end < minBytes) throw new CausewayError('general.invalid-input', `${path} contains fewer than ${minBytes} bytes`);
  return content.subarray(0, end);
}
