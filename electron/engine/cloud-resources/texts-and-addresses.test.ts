import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createEd25519KeyPair } from '../ssh-keys/ed25519-key-pair.ts';
import { callerRanges, routedAddress, type Caller, type EgressAddress } from '../workers/caller-address.ts';
import { hasLabels, isLabelText, labelValue, resourceName } from './labels.ts';
import { decodeDebugKey, linuxWorkerUserData } from '../workers/worker-user-data.ts';

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

describe('the address that workers are opened for', () => {
  const caller = (addresses: readonly string[], egressAddress?: EgressAddress): Caller => ({
    addresses,
    egressAddress,
    publicHost: '127.0.0.1',
  });
  const worker = { publicAddress: true, prefixes: ['10.0.0.0/24'] };

  it('is the one of the connection, single addresses as ranges of one', async () => {
    expect(await callerRanges(caller(['198.51.100.7', '203.0.113.0/24', '2001:db8::1']), worker, signal)).toEqual([
      '198.51.100.7/32',
      '203.0.113.0/24',
      '2001:db8::1/128',
    ]);
  });

  it.each(['0.0.0.0/0', '::/0', 'here', '10.0.0.0/33'])('is never %s', async (text) => {
    await expect(callerRanges(caller([text]), worker, signal)).rejects.toMatchObject({ code: 'general.invalid-input' });
  });

  it('is the one that the system sends from', async () => {
    expect(await routedAddress({ publicAddress: true, probeHost: '127.0.0.1' }, signal)).toEqual(['127.0.0.1']);
    expect(await callerRanges(caller([]), worker, signal)).toEqual(['127.0.0.1/32']);
  });

  it('is not guessed when only a router knows it', async () => {
    const egressAddress = async (): Promise<readonly string[]> => [];
    await expect(callerRanges(caller([], egressAddress), worker, signal)).rejects.toMatchObject({
      code: 'cloud.caller-address-unknown',
    });
  });
});

describe("a worker's user data", () => {
  const keys = { account: createEd25519KeyPair('a'), host: createEd25519KeyPair('h') };
  it('is a cloud-config that opens one account for our key, with our host key and no password', () => {
    const text = linuxWorkerUserData({ ...keys, debugPublicKey: 'ssh-ed25519 AAAA debug' });
    expect(text.split('\n')[0]).toBe('#cloud-config');
    expect(parse(text)).toMatchObject({
      users: [
        {
          name: 'causeway',
          lock_passwd: true,
          ssh_authorized_keys: [`${keys.account.publicKey} causeway`, 'ssh-ed25519 AAAA debug'],
        },
      ],
      manage_etc_hosts: true,
      ssh_pwauth: false,
      disable_root: true,
      ssh_keys: { ed25519_private: keys.host.privateKeyPem, ed25519_public: `${keys.host.publicKey} causeway` },
    });
    expect(text).not.toContain(keys.account.privateKeyPem.split('\n')[3]);
  });

  it('takes a debug key only if it is one', () => {
    const line = `${keys.account.publicKey} somebody`;
    expect(decodeDebugKey(Buffer.from(`${line}\n`).toString('base64'), 'debug_key')).toBe(line);
    expect(decodeDebugKey(undefined, 'debug_key')).toBeUndefined();
    for (const bad of ['hello', `${line}\n${line}`, 'command="rm -rf /" ssh-ed25519 AAAA']) {
      expect(() => decodeDebugKey(Buffer.from(bad).toString('base64'), 'debug_key')).toThrow(/debug_key/);
    }
  });
});
