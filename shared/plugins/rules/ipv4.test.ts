import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isIpv6, parseCidr, parseIpv4 } from './ipv4.ts';

describe('an IPv4 address', () => {
  test.each([
    ['0.0.0.0', 0],
    ['10.1.0.5', 167_837_701],
    ['255.255.255.255', 4_294_967_295],
    ['10.1.0.5/24', 167_837_701],
  ])('%s is %i', (text, value) => expect(parseIpv4(text)).toBe(value));

  test.each(['', '10.1.0', '10.1.0.256', '10.1.0.5.6', 'fe80::1', 'web-01', '10.1.0.5/x'])('%j is none', (text) => {
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

  test.each(['10.1.0.0', '10.1.0.0/33', '10.1.0.0/-1', 'fd00::/8', '/24'])('%j is none', (text) => expect(parseCidr(text)).toBeUndefined());

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
  fc.assert(fc.property(fc.ipV6(), (address) => isIpv6(address)));
  fc.assert(fc.property(fc.ipV4(), (address) => !isIpv6(address)));
});
