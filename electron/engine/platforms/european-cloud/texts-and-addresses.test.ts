import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createEd25519KeyPair } from '../../ssh-keys/ed25519-key-pair.ts';
import { callerRanges, routedAddress } from './caller-address.ts';
import { fixedAddressFit, formatIpv4, isPrivateIpv4, parseCidr, parseIpv4 } from './ipv4.ts';
import { hasLabels, isLabelText, labelValue, resourceName } from './iaas/labels.ts';
import type { EuropeanCloudContext } from './context.ts';
import { reachedFromHere } from './reached-from-here.ts';
import { openSession } from './session.ts';
import { asServerLabels } from './server-labels.ts';
import { decodeDebugKey, linuxWorkerUserData } from './worker-user-data.ts';

const signal = new AbortController().signal;

describe('texts in the alphabet of the cloud', () => {
  it('any text makes a label value, and two texts make two', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(isLabelText(labelValue(a))).toBe(true);
        expect(labelValue(a) === labelValue(b)).toBe(a === b);
      }),
    );
  });

  it("any text makes a server's name, and two texts make two", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.string({ maxLength: 200 }), (a, b) => {
        expect(resourceName(a)).toMatch(/^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/);
        expect(resourceName(a) === resourceName(b)).toBe(a === b);
      }),
    );
  });

  it('labels are compared by value', () => {
    expect(hasLabels({ labels: { a: '1', b: '2' } }, { a: '1' })).toBe(true);
    expect(hasLabels({ labels: { a: '2' } }, { a: '1' })).toBe(false);
    expect(hasLabels({}, { a: '1' })).toBe(false);
  });
});

describe('labels of servers', () => {
  it('are keys, with values where there is a =', () => {
    expect(asServerLabels(['env=prod', 'migrated', 'tier=a=b'])).toEqual({
      labels: { env: 'prod', migrated: '' }, refused: [{ index: 2, reason: expect.stringContaining('"tier=a=b"') as unknown }],
    });
  });

  it.each(['with space', '-x', '', 'ümlaut', 'stackit-own', 'k='.padEnd(70, 'v'), '=v'])('%j is refused, and named', (text) => {
    expect(asServerLabels(['fine', text]).refused).toEqual([{ index: 1, reason: expect.stringContaining(JSON.stringify(text)) as unknown }]);
  });

  it('a key twice is refused', () => {
    expect(asServerLabels(['a=1', 'a=2']).refused.map((each) => each.index)).toEqual([1]);
  });
});

describe('IPv4', () => {
  it('reads what it writes', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (address) => void expect(parseIpv4(formatIpv4(address))).toBe(address)));
  });

  it('an address lies in its own range of any length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 32 }), (address, length) => {
        const range = parseCidr(`${formatIpv4(address)}/${length}`);
        expect(range).toBeDefined();
        expect(address).toBeGreaterThanOrEqual(range?.first ?? Infinity);
        expect(address).toBeLessThanOrEqual(range?.last ?? -1);
      }),
    );
  });

  it.each([
    ['10.0.0.17', 'fits'],
    ['10.0.1.17', 'out-of-range'],
    ['10.0.0.0', 'reserved'],
    ['10.0.0.1', 'reserved'],
    ['10.0.0.2', 'reserved'],
    ['10.0.0.63', 'reserved'],
    ['10.0.0.9', 'reserved'],
    ['fe80::1', 'out-of-range'],
    ['10.0.0.300', 'out-of-range'],
  ])('%s in 10.0.0.0/26 with gateway .9: %s', (address, expected) => {
    expect(fixedAddressFit(address, { prefixes: ['192.0.2.0/24', '10.0.0.0/26'], gateway: '10.0.0.9' })).toBe(expected);
  });

  it.each(['10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1', '169.254.1.1'])('%s is private', (address) => {
    expect(isPrivateIpv4(address)).toBe(true);
  });
});

describe('the address that workers are opened for', () => {
  const session = (more: object, context = {}) =>
    openSession({ project_id: 'p', region_name: 'EU01', service_account_key: '{}', iaas_url: 'http://127.0.0.1:9', ...more }, context);
  const worker = { publicAddress: true, prefixes: ['10.0.0.0/24'] };

  it('is the one of the connection, single addresses as ranges of one', async () => {
    expect(await callerRanges(session({ caller_address: '198.51.100.7, 203.0.113.0/24,2001:db8::1' }), worker, signal)).toEqual([
      '198.51.100.7/32', '203.0.113.0/24', '2001:db8::1/128',
    ]);
  });

  it.each(['0.0.0.0/0', '::/0', 'here', '10.0.0.0/33'])('is never %s', async (text) => {
    await expect(callerRanges(session({ caller_address: text }), worker, signal)).rejects.toMatchObject({ code: 'general.invalid-input' });
  });

  it('is the one that the system sends from', async () => {
    expect(await routedAddress({ publicAddress: true, probeHost: '127.0.0.1' }, signal)).toEqual(['127.0.0.1']);
    expect(await callerRanges(session({}), worker, signal)).toEqual(['127.0.0.1/32']);
  });

  it('is not guessed when only a router knows it', async () => {
    const egressAddress = async (): Promise<readonly string[]> => [];
    await expect(callerRanges(session({}, { egressAddress }), worker, signal)).rejects.toMatchObject({ code: 'cloud.caller-address-unknown' });
  });
});

describe('where a worker is reached from here', () => {
  const reach = (more: object, context: EuropeanCloudContext = {}): string[] => {
    const session = openSession({ project_id: 'p', region_name: 'eu01', service_account_key: '{}', ...more }, context);
    return [22, 5566, 5986].map((port) => Object.values(reachedFromHere(session, '198.51.100.9', port)).join(':'));
  };

  it('is at its own address and ports', () => {
    expect(reach({})).toEqual(['198.51.100.9:22', '198.51.100.9:5566', '198.51.100.9:5986']);
  });

  it('is at the ports that the connection maps them to', () => {
    expect(reach({ worker_ssh_port: 20_022 })).toEqual(['198.51.100.9:20022', '198.51.100.9:5566', '198.51.100.9:5986']);
    expect(reach({ worker_https_port: 443 })).toEqual(['198.51.100.9:22', '198.51.100.9:443', '198.51.100.9:5986']);
  });

  it('is where the context says, whatever the connection says', () => {
    const resolveAddress = (_address: string, port: number) => ({ host: '127.0.0.1', port: port + 1 });
    expect(reach({ worker_ssh_port: 20_022 }, { resolveAddress })).toEqual(['127.0.0.1:23', '127.0.0.1:5567', '127.0.0.1:5987']);
  });

  it.each([0, 70_000, '22'])('is not at port %j', (port) => {
    expect(() => reach({ worker_ssh_port: port })).toThrow('worker_ssh_port');
  });
});

describe("a worker's user data", () => {
  const keys = { account: createEd25519KeyPair('a'), host: createEd25519KeyPair('h') };
  it('is a cloud-config that opens one account for our key, with our host key and no password', () => {
    const text = linuxWorkerUserData({ ...keys, debugPublicKey: 'ssh-ed25519 AAAA debug' });
    expect(text.split('\n')[0]).toBe('#cloud-config');
    expect(parse(text)).toMatchObject({
      users: [{ name: 'causeway', lock_passwd: true, ssh_authorized_keys: [`${keys.account.publicKey} causeway`, 'ssh-ed25519 AAAA debug'] }],
      ssh_pwauth: false,
      disable_root: true,
      ssh_keys: { ed25519_private: keys.host.privateKeyPem, ed25519_public: `${keys.host.publicKey} causeway` },
    });
    expect(text).not.toContain(keys.account.privateKeyPem.split('\n')[3]);
  });

  it('takes a debug key only if it is one', () => {
    const line = `${keys.account.publicKey} somebody`;
    expect(decodeDebugKey(Buffer.from(`${line}\n`).toString('base64'))).toBe(line);
    expect(decodeDebugKey(undefined)).toBeUndefined();
    for (const bad of ['hello', `${line}\n${line}`, 'command="rm -rf /" ssh-ed25519 AAAA']) {
      expect(() => decodeDebugKey(Buffer.from(bad).toString('base64'))).toThrow(/migr_worker_debug_ssh_public_key/);
    }
  });
});
