import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cipherText, decrypt, encrypt, keyOfPassword, nFold, plainText } from './aes-keys.ts';

const rounds = (count: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(count);
  return bytes;
};

test('folds as the examples of RFC 3961 do', () => {
  const folded = (text: string, bits: number): string => nFold(Buffer.from(text), bits / 8).toString('hex');
  expect(folded('012345', 64)).toBe('be072631276b1955');
  expect(folded('password', 56)).toBe('78a07b6caf85fa');
  expect(folded('Rough Consensus, and Running Code', 64)).toBe('bb6ed30870b7f0e0');
  expect(folded('password', 168)).toBe('59e4a8ca7c0385c3c37b3f6d2000247cb6e6bd5b3e');
  expect(folded('MASSACHVSETTS INSTITVTE OF TECHNOLOGY', 192)).toBe('db3b0d8f0b061e603282b308a50841229ad798fab9540c1b');
  expect(folded('kerberos', 128)).toBe('6b65726265726f737b9b5b2b93132b93');
});

test('makes keys of passwords as the examples of RFC 3962 do', async () => {
  const keyOf = async (type: 17 | 18, count: number): Promise<string> =>
    (await keyOfPassword(type, 'password', 'ATHENA.MIT.EDUraeburn', rounds(count))).bytes.toString('hex');
  expect(await keyOf(17, 1)).toBe('42263c6e89f4fc28b8df68ee09799f15');
  expect(await keyOf(18, 1)).toBe('fe697b52bc0d3ce14432ba036a92e65bbb52280990a2fa27883998d72af30161');
  expect(await keyOf(17, 1200)).toBe('4c01cd46d632d01e6dbe230a01ed642a');
  expect(await keyOf(18, 1200)).toBe('55a6ac740ad17b4846941051e1e8b0a7548d93b0ab30a8bc3ff16280382b8c2a');
  await expect(keyOfPassword(18, 'p', 's', rounds(2 ** 31))).rejects.toThrow(RangeError);
});

test('encrypts blocks as the examples of RFC 3962 do', () => {
  const key = Buffer.from('chicken teriyaki');
  const sealed = (length: number): string =>
    cipherText(key, Buffer.from("I would like the General Gau's Chicken, please,").subarray(0, length)).toString('hex');
  expect(sealed(17)).toBe('c6353568f2bf8cb4d8a580362da7ff7f97');
  expect(sealed(31)).toBe('fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5');
  expect(sealed(32)).toBe('39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584');
});

test('reads what it has written, and nothing that another key has, or that was changed', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 100 }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.nat(),
      (content, bytes, at) => {
        const [plain, key] = [Buffer.from(content), { type: 18 as const, bytes: Buffer.from(bytes) }];
        if (plain.length >= 16) expect(plainText(key.bytes, cipherText(key.bytes, plain))).toEqual(plain);
        const sealed = encrypt(key, 11, plain);
        expect(decrypt(key, 11, sealed)).toEqual(plain);
        expect(decrypt(key, 7, sealed)).toBeUndefined();
        sealed[at % sealed.length] = (sealed[at % sealed.length] ?? 0) ^ 1;
        expect(decrypt(key, 11, sealed)).toBeUndefined();
      },
    ),
  );
  expect(decrypt({ type: 17, bytes: Buffer.alloc(16) }, 1, Buffer.alloc(20))).toBeUndefined();
});
