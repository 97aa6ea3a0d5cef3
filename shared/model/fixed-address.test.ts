import { describe, expect, it } from 'vitest';
import { fixedAddressFit, ipv4Addresses } from './fixed-address.ts';

describe('a fixed address', () => {
  it.each([
    ['10.0.0.17', 'fits'],
    ['10.0.0.17/24', 'fits'],
    ['10.0.1.17', 'out-of-range'],
    ['10.0.0.0', 'the network address'],
    ['10.0.0.1', 'the gateway'],
    ['10.0.0.2', 'the address of the metadata service'],
    ['10.0.0.63', 'the broadcast address'],
    ['10.0.0.9', 'the gateway'],
    ['fe80::1', 'out-of-range'],
    ['10.0.0.300', 'out-of-range'],
  ])('%s in 10.0.0.0/26 with gateway .9: %s', (address, expected) => {
    const fit = fixedAddressFit(address, {
      prefixes: ['192.0.2.0/24', '10.0.0.0/26'],
      gateway: '10.0.0.9',
      reservedHosts: 2,
    });
    expect(fit.outcome === 'reserved' ? fit.use : fit.outcome).toBe(expected);
  });

  it('can be one of the first host addresses where the platform keeps none for itself', () => {
    const network = { prefixes: ['10.0.0.0/26'], gateway: '10.0.0.9' };
    expect(
      ['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.9', '10.0.0.63'].map(
        (address) => fixedAddressFit(address, network).outcome,
      ),
    ).toEqual(['reserved', 'fits', 'fits', 'reserved', 'reserved']);
  });

  it('can be either end of a range without network and broadcast address', () => {
    expect(
      ['10.0.0.0', '10.0.0.1'].map((address) => fixedAddressFit(address, { prefixes: ['10.0.0.0/31'] }).outcome),
    ).toEqual(['fits', 'fits']);
    expect(fixedAddressFit('10.0.0.7', { prefixes: ['10.0.0.7/32'], reservedHosts: 2 }).outcome).toBe('fits');
  });

  it('is taken from the list of a NIC without its prefix length', () => {
    expect(ipv4Addresses({ ip_addresses: ['fe80::1', '10.20.0.5/24', 'unknown', '10.20.0.6'] })).toEqual([
      { index: 1, address: '10.20.0.5' },
      { index: 3, address: '10.20.0.6' },
    ]);
  });
});
