import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatIpv4, isIpv6, isPrivateIpv4, parseCidr, parseIp, parseIpv4, unusableAddress } from './ip-address.ts';

describe('an IPv4 address', () => {
  test.each([
    ['0.0.0.0', 0],
    ['10.1.0.5', 167_837_701],
    ['255.255.255.255', 4_294_967_295],
    ['10.1.0.5/24', 167_837_701],
  ])('%s is %i', (text, value) => expect(parseIpv4(text)).toBe(value));

  test.each([
    '',
    '10.1.0',
    '10.1.0.256',
    '10.1.0.5.6',
    'fe80::1',
    'web-01',
    '10.1.0.5/x',
    '10.1.0.5/33',
    '010.1.0.5',
    '0x0a.1.0.5',
    '10.261',
    '167837701',
    '10.1.0.300',
  ])('%j is none', (text) => {
    expect(parseIpv4(text)).toBeUndefined();
  });
});

describe('a CIDR block', () => {
  test.each([
    ['10.1.0.0/24', '10.1.0.0', '10.1.0.255'],
    ['10.1.0.77/24', '10.1.0.0', '10.1.0.255'],
    ['0.0.0.0/0', '0.0.0.0', '255.255.255.255'],
    ['192.0.2.7/32', '192.0.2.7', '192.0.2.7'],
  ])('%s goes from %s to %s', (text, first, last) => {
    expect(parseCidr(text)).toEqual({ first: parseIpv4(first), last: parseIpv4(last) });
  });

  test.each(['10.1.0.0', '10.1.0.0/33', '10.1.0.0/-1', 'fd00::/8', '/24'])('%j is none', (text) =>
    expect(parseCidr(text)).toBeUndefined(),
  );

  test('holds the address from which it was made', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, bits) => {
        const { first, last } = parseCidr(`${address}/${bits}`)!;
        const value = parseIpv4(address)!;
        expect(last - first + 1).toBe(2 ** (32 - bits));
        expect(first <= value && value <= last).toBe(true);
      }),
    );
  });
});

test('IPv6 addresses are told from IPv4 ones', () => {
  fc.assert(fc.property(fc.ipV6(), (address) => isIpv6(address) && parseIpv4(address) === undefined));
  fc.assert(fc.property(fc.ipV4(), (address) => !isIpv6(address)));
});

test('what is written is read again', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      (address) => void expect(parseIpv4(formatIpv4(address))).toBe(address),
    ),
  );
});

test.each([
  [' 10.20.0.5/24 ', { version: 4, text: '10.20.0.5', prefix: 24 }],
  ['FE80::0001', { version: 6, text: 'fe80::1' }],
  ['2001:db8::1/64', { version: 6, text: '2001:db8::1', prefix: 64 }],
  ['2001:db8::1/129', undefined],
  ['::ffff:10.0.0.5', { version: 6, text: '::ffff:a00:5' }],
  ['1:2', undefined],
])('%j is read as %j', (text, expected) => expect(parseIp(text)).toEqual(expected));

test.each(['10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1', '169.254.1.1'])('%s is private', (address) => {
  expect(isPrivateIpv4(address)).toBe(true);
});

test.each([
  ['10.1.0.5', undefined],
  ['fe80::1', undefined],
  ['10.0.0.300', 'not an IP address'],
  ['0.0.0.0', 'the unspecified address'],
  ['255.255.255.255', 'the broadcast address'],
  ['224.0.0.1', 'a multicast address'],
  ['127.0.0.1/8', 'a loopback address'],
  ['::', 'the unspecified address'],
  ['ff02::1', 'a multicast address'],
  ['::1', 'a loopback address'],
])('%s is %j', (address, expected) => expect(unusableAddress(address)).toBe(expected));
