import { expect, test } from 'vitest';
import { kerberosToken } from './kerberos.ts';

const asked: string[] = [];
const library = {
  GSS_MECH_OID_SPNEGO: 6,
  initializeClient: async (service: string, { mechOID }: { readonly mechOID: unknown }) => ({ step: async (challenge: string) => (asked.push(service), `token ${String(mechOID)}${challenge}`) }),
};

test('asks for the service in the form that the library of the system takes', async () => {
  expect(await kerberosToken('hv01.example.com', async () => library, 'linux')).toBe('token 6');
  await kerberosToken('hv01.example.com', async () => library, 'win32');
  expect(asked).toEqual(['HTTP@hv01.example.com', 'HTTP/hv01.example.com']);
});

test('says that the package is not there, or that there is no ticket', async () => {
  await expect(kerberosToken('h', () => Promise.reject(new Error('Cannot find package')))).rejects.toMatchObject({ code: 'transport.kerberos-missing' });
  const without = { initializeClient: () => Promise.reject(new Error('No Kerberos credentials available')) };
  await expect(kerberosToken('h', async () => without)).rejects.toMatchObject({ code: 'transport.login-refused', message: expect.stringContaining('No Kerberos credentials') as string });
});
