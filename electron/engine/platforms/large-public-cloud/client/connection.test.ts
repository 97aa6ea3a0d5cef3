import { expect, it } from 'vitest';
import { parseConnection, partitionOf, serviceHost } from './connection.ts';

const keys = { region: 'eu-central-1', access_key_id: 'AKIAEXAMPLE', secret_access_key: 'very-secret' };

it('takes keys, or a profile, and a role on top', () => {
  expect(parseConnection({ ...keys, session_token: 't' }).signIn).toEqual({
    kind: 'keys',
    accessKeyId: 'AKIAEXAMPLE',
    secretAccessKey: 'very-secret',
    sessionToken: 't',
  });
  expect(
    parseConnection({
      region: 'eu-central-1',
      profile: 'migration',
      role_arn: 'arn:aws:iam::1:role/r',
      external_id: 'x',
    }),
  ).toMatchObject({
    signIn: { kind: 'profile', profile: 'migration' },
    role: { arn: 'arn:aws:iam::1:role/r', externalId: 'x' },
  });
});

it.each([
  [{ region: 'eu-central-1' }, 'access_key_id'],
  [{ region: 'eu-central-1', access_key_id: 'AKIAEXAMPLE' }, 'secret_access_key'],
  [{ ...keys, profile: 'migration' }, 'profile'],
  [{ ...keys, external_id: 'x' }, 'role_arn'],
  [{ access_key_id: 'AKIAEXAMPLE', secret_access_key: 'very-secret' }, 'region'],
])('refuses %j by the name of the key, never by a value', (connection, key) => {
  expect(() => parseConnection(connection)).toThrow(
    expect.objectContaining({ code: 'general.invalid-input', message: expect.stringContaining(key) }),
  );
  expect(() => parseConnection(connection)).not.toThrow(/very-secret/);
});

it('reads lists and defaults', () => {
  expect(parseConnection({ ...keys, caller_address: '198.51.100.7, 2001:db8::/64' })).toMatchObject({
    callerAddresses: ['198.51.100.7', '2001:db8::/64'],
    diskAccess: 'auto',
    workerUsesPublicIp: true,
    fips: false,
  });
});

it.each([
  ['eu-central-1', 'aws', 'ec2.eu-central-1.amazonaws.com'],
  ['us-gov-west-1', 'aws-us-gov', 'ec2.us-gov-west-1.amazonaws.com'],
  ['cn-north-1', 'aws-cn', 'ec2.cn-north-1.amazonaws.com.cn'],
  ['us-isob-east-1', 'aws-iso-b', 'ec2.us-isob-east-1.sc2s.sgov.gov'],
  ['eusc-de-east-1', 'aws-eusc', 'ec2.eusc-de-east-1.amazonaws.eu'],
])('knows the partition of %s', (region, name, host) => {
  expect([partitionOf(region).name, serviceHost({ region, endpoints: {} }, 'ec2')]).toEqual([name, host]);
  expect(serviceHost({ region, endpoints: { ec2: 'https://vpce-1.example:8443/' } }, 'ec2')).toBe(
    'vpce-1.example:8443',
  );
});
