import { expect, test } from 'vitest';
import { artifactLocation, programLocation } from './artifact-location.ts';

test('a place is a path, or a URL with the digest of what is there', () => {
  const digest = 'Ab'.repeat(32);
  expect(artifactLocation('/srv/agent#1.deb')).toEqual({ file: '/srv/agent#1.deb' });
  expect(artifactLocation('https://a.example/a.deb')).toEqual({ url: 'https://a.example/a.deb' });
  expect(artifactLocation(`http://a.example/a.deb#sha256=${digest}`)).toEqual({
    url: 'http://a.example/a.deb',
    sha256: digest.toLowerCase(),
  });
  expect(() => artifactLocation('https://a.example/a.deb#md5=1')).toThrow('is not sha256= and 64 hexadecimal digits');
});

test('a program comes over https, over loopback, or with its digest', () => {
  expect(programLocation('/srv/agent.deb')).toEqual({ file: '/srv/agent.deb' });
  expect(programLocation('http://127.0.0.1:8080/a.deb')).toEqual({ url: 'http://127.0.0.1:8080/a.deb' });
  expect(programLocation(`http://a.example/a.deb#sha256=${'ab'.repeat(32)}`)).toMatchObject({
    url: 'http://a.example/a.deb',
  });
  expect(() => programLocation('http://a.example/a.deb')).toThrow('is not encrypted');
});
