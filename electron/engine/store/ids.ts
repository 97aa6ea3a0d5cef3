import { randomBytes } from 'node:crypto';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** A new id: a prefix that says what it is, and 80 random bits in letters that every cloud takes in a name. */
export function newId(prefix: 'ep' | 'rep' | 'exe' | 'dep' | 'res' | 'wav' | 'pool'): string {
  let random = '';
  for (const byte of randomBytes(16)) random += alphabet[byte & 31];
  return `${prefix}-${random}`;
}
