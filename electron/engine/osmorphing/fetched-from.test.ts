import { expect, test } from 'vitest';
import { fetchedFrom } from './fetched-from.ts';

test('a place is a path, or a URL with the digest of what is there', () => {
  const digest = 'Ab'.repeat(32);
  expect(fetchedFrom('/srv/agent#1.deb')).toEqual({ file: '/srv/agent#1.deb' });
  expect(fetchedFrom('https://a.example/a.deb')).toEqual({ url: 'https://a.example/a.deb' });
  expect(fetchedFrom(`http://a.example/a.deb#sha256=${digest}`)).toEqual({ url: 'http://a.example/a.deb', sha256: digest.toLowerCase() });
  expect(() => fetchedFrom('https://a.example/a.deb#md5=1')).toThrow('is not sha256= and 64 hexadecimal digits');
});
