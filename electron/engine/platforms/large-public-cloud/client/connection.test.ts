import { expect, it } from 'vitest';
import { parseConnection } from './connection.ts';

const keys = { region: 'eu-central-1', access_key_id: 'AKIAEXAMPLE', secret_access_key: 'very-secret' };

it('takes keys, or a profile, and a role on top', () => {
  expect(parseConnection({ ...keys, session_token: 't' }).signIn).toEqual({ kind: 'keys', accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'very-secret', sessionToken: 't' });
  expect(parseConnection({ region: 'eu-central-1', profile: 'migration', role_arn: 'arn:aws:iam::1:role/r', external_id: 'x' })).toMatchObject({
    signIn: { kind: 'profile', profile: 'migration' }, role: { arn: 'arn:aws:iam::1:role/r', externalId: 'x' },
  });
});

it.each([
  [{ region: 'eu-central-1' }, 'access_key_id'],
  [{ region: 'eu-central-1', access_key_id: 'AKIAEXAMPLE' }, 'secret_access_key'],
  [{ ...keys, profile: 'migration' }, 'profile'],
  [{ ...keys, external_id: 'x' }, 'role_arn'],
  [{ access_key_id: 'AKIAEXAMPLE', secret_access_key: 'very-secret' }, 'region'],
])('refuses %j by the name of the key, never by a value', (connection, key) => {
  expect(() => parseConnection(connection)).toThrow(expect.objectContaining({ code: 'general.invalid-input', message: expect.stringContaining(key) }));
  expect(() => parseConnection(connection)).not.toThrow(/very-secret/);
});

it('reads lists and defaults', () => {
  expect(parseConnection({ ...keys, caller_address: '198.51.100.7, 2001:db8::/64' })).toMatchObject({ callerAddresses: ['198.51.100.7', '2001:db8::/64'], diskAccess: 'auto', workerUsesPublicIp: true, fips: false });
});
