import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../electron/engine/transport/certificates.ts';
import { askKdc } from '../../electron/engine/transport/kerberos/kdc.ts';
import {
  KerberosLogin,
  type KerberosAccount,
  type KerberosSurroundings,
} from '../../electron/engine/transport/kerberos/kerberos-login.ts';
import { channelBindings } from '../../electron/engine/transport/winrm/ntlm.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { closeAll } from '../rigs/closing.ts';
import { startDomain, type RigDomain, type TicketService } from '../rigs/kerberos/domain.ts';
import { seeded } from '../rigs/seeded.ts';
import { hypervHarness, type HypervHarness } from '../rigs/windows-hypervisor/source-harness.ts';

const signal = new AbortController().signal;

/** The domain controller and what takes the tickets are MIT Kerberos, whose code has nothing in common with Causeway's. */
describe('Kerberos', () => {
  let domain: RigDomain;
  let lab: HypervHarness | undefined;
  beforeAll(async () => {
    domain = await startDomain();
    await domain.administer(
      'addprinc -pw Sommer-2026 +requires_preauth me',
      'addprinc -pw Sommer-2026 +requires_preauth -pwexpire yesterday expired',
      'addprinc -pw Sommer-2026 -allow_tix locked',
      'addprinc -pw Sommer-2026 +requires_preauth -e aes128-cts-hmac-sha1-96:normal short-key',
      'addprinc -pw Sommer-2026 +requires_preauth -e camellia256-cts-cmac:normal other-key',
      'addprinc -pw Sommer-2026 -requires_preauth trusting',
    );
  });
  afterAll(() => domain?.close());
  afterEach(() =>
    closeAll(
      () => lab?.close(),
      () => (lab = undefined),
    ),
  );

  const me = { username: 'me@corp.example.com', password: 'Sommer-2026' };

  describe('at a Hyper-V host', () => {
    let tickets: TicketService | undefined;
    const start = async (
      more: { readonly service?: string; readonly certificatePem?: string } = {},
    ): Promise<HypervHarness> =>
      (lab = await hypervHarness({
        signIn: async (certificatePem) =>
          (tickets = await domain.service(more.service ?? 'localhost', more.certificatePem ?? certificatePem)),
        connection: { host: 'localhost', authentication: 'kerberos', kerberos_kdc: domain.kdc, ...me },
      }));
    const first = async (platform = lab?.platform): Promise<unknown> => (await platform?.check(signal))?.steps[0];

    it('signs in with a ticket, once for each connection', async () => {
      const { platform, rig } = await start();
      expect((await platform.check(signal)).steps.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect(await platform.listVms(signal)).toMatchObject([{ name: 'web-01' }]);
      expect([tickets?.users, tickets?.problems, [...(rig.hosts[0]?.schemes ?? [])]]).toEqual([
        ['me@CORP.EXAMPLE.COM'],
        [],
        ['Negotiate'],
      ]);
      rig.effects = ({ name }) => (name === 'Send read-vms' ? 'cut-before' : 'serve');
      await expect(platform.describeVm('11111111-2222-4333-8444-555555555555', signal)).rejects.toMatchObject({
        code: 'source.connection-lost',
      });
      rig.effects = () => 'serve';
      expect(await platform.listVms(signal)).toHaveLength(1);
      expect(new Set(tickets?.users).size).toBe(1);
      expect([(tickets?.users.length ?? 0) > 1, tickets?.problems]).toEqual([true, []]);
    });

    it('shows the host nothing where the domain refuses, and says why', async () => {
      const { open, rig } = await start();
      for (const [more, outcome] of [
        [
          { password: 'wrong' },
          { code: 'source.login-refused', evidence: expect.stringContaining('the password is wrong') as string },
        ],
        [
          { username: 'nobody@corp.example.com' },
          { code: 'source.login-refused', evidence: expect.stringContaining('the domain has no such user') as string },
        ],
        [
          { host: '127.0.0.1' },
          {
            code: 'transport.kerberos-unavailable',
            evidence: expect.stringContaining('127.0.0.1 is an address') as string,
          },
        ],
        [
          { kerberos_kdc: '127.0.0.1:1' },
          {
            code: 'transport.kerberos-unavailable',
            evidence: expect.stringContaining('no domain controller answered: 127.0.0.1:1') as string,
          },
        ],
        [
          { username: 'me' },
          {
            code: 'transport.kerberos-unavailable',
            evidence: expect.stringContaining('the domain of me is not known') as string,
          },
        ],
      ] as const) {
        const platform = open(more);
        expect(await first(platform)).toMatchObject({ outcome: 'failed', ...outcome });
        await platform.close();
      }
      expect([tickets?.users, tickets?.problems, [...(rig.hosts[0]?.schemes ?? [])]]).toEqual([[], [], []]);
    });

    it('binds the ticket to the certificate, so that a server in between gains nothing by it', async () => {
      await start({ certificatePem: (await makeCertificate('the real host')).certPem });
      expect(await first()).toMatchObject({
        outcome: 'failed',
        code: 'source.login-refused',
        evidence: expect.stringContaining('refused the Kerberos ticket of me@corp.example.com') as string,
      });
      expect([tickets?.users, tickets?.problems]).toEqual([
        [],
        [expect.stringContaining('Incorrect channel bindings')],
      ]);
    });

    it('names a host that takes no Kerberos, and one that the domain does not have', async () => {
      await start({ service: 'another' });
      await domain.administer('delprinc -force HTTP/localhost');
      expect(await first()).toMatchObject({
        outcome: 'failed',
        code: 'transport.kerberos-unavailable',
        evidence: expect.stringContaining(
          'HTTP/localhost was refused by domain CORP.EXAMPLE.COM: the domain has no account for the host',
        ) as string,
      });
      await lab?.close();
      lab = await hypervHarness({
        authentication: 'basic',
        connection: { host: 'localhost', authentication: 'kerberos', kerberos_kdc: domain.kdc, ...me },
      });
      expect(await first()).toMatchObject({
        outcome: 'failed',
        code: 'source.login-refused',
        evidence: expect.stringContaining('does not take Kerberos; it offers Basic') as string,
      });
    });
  });

  describe('with an account', () => {
    let service: TicketService;
    let certificate: Buffer;
    beforeAll(async () => {
      const { certPem } = await makeCertificate('host');
      certificate = new X509Certificate(certPem).raw;
      service = await domain.service('hv01.corp.example.com', certPem);
    });
    const signIn = async (
      more: Partial<KerberosAccount>,
      surroundings: KerberosSurroundings = {},
    ): Promise<string | undefined> => {
      const token = await new KerberosLogin(
        { ...me, host: 'hv01.corp.example.com', kdc: domain.kdc, ...more },
        surroundings,
      ).token(channelBindings(certificate), signal);
      const before = service.users.length;
      await service.refusal({ socket: {}, headers: { authorization: `Negotiate ${token}` } } as unknown as Parameters<
        TicketService['refusal']
      >[0]);
      return service.users.slice(before)[0];
    };

    it.each(['me@corp.example.com', 'me@CORP.EXAMPLE.COM', 'me', 'CORP\\me', 'corp.example.com\\me'])(
      'given as %s',
      async (username) => {
        expect(await signIn({ username })).toBe('me@CORP.EXAMPLE.COM');
      },
    );

    it('with a short key, or one whose password need not be proven', async () => {
      expect([await signIn({ username: 'short-key' }), await signIn({ username: 'trusting' })]).toEqual([
        'short-key@CORP.EXAMPLE.COM',
        'trusting@CORP.EXAMPLE.COM',
      ]);
      await expect(signIn({ username: 'trusting', password: 'wrong' })).rejects.toMatchObject({
        code: 'transport.login-refused',
      });
    });

    it.each([
      ['expired', 'transport.login-refused', /the password has expired/],
      ['locked', 'transport.login-refused', /disabled, locked or expired/],
      ['other-key', 'transport.kerberos-unavailable', /no AES key/],
    ])('that is %s, and says so', async (username, code, message) => {
      await expect(signIn({ username })).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message) as string,
      });
    });

    it('on a computer whose clock is wrong', async () => {
      expect(await signIn({}, { now: () => Date.now() - 3 * 3_600_000 })).toBe('me@CORP.EXAMPLE.COM');
    });

    it('until the ticket ends, with two requests to the domain', async () => {
      let [now, asked] = [Date.now(), 0];
      const login = new KerberosLogin(
        { ...me, host: 'hv01.corp.example.com', kdc: domain.kdc },
        { now: () => now, ask: (...all) => ((asked += 1), askKdc(...all)) },
      );
      const tokens = new Set<string>();
      for (let count = 0; count < 5; count += 1) tokens.add(await login.token(channelBindings(certificate), signal));
      expect([tokens.size, asked]).toEqual([5, 3]);
      now += 11 * 3_600_000;
      await login.token(channelBindings(certificate), signal);
      expect(asked).toBeGreaterThan(3);
    });
  });

  it('follows the domain to another one that it trusts, which has the host', async () => {
    const other = await startDomain({ realm: 'HOSTS.EXAMPLE.ORG' });
    const own = await startDomain({ sends: { to: other.realm, hosts: '.hosts.example.org' } });
    try {
      await other.administer(`addprinc -pw between-them krbtgt/${other.realm}@${own.realm}`);
      await own.administer(
        'addprinc -pw Sommer-2026 +requires_preauth me',
        `addprinc -pw between-them krbtgt/${other.realm}`,
      );
      const { certPem } = await makeCertificate('host');
      const service = await other.service('hv01.hosts.example.org', certPem);
      const kdcs: Readonly<Record<string, RigDomain>> = { [own.realm]: own, [other.realm]: other };
      const at = (realm: string) => ({ host: '127.0.0.1', port: Number(kdcs[realm]?.kdc.split(':')[1]) });
      const login = new KerberosLogin(
        { ...me, host: 'hv01.hosts.example.org' },
        { find: async (realm) => [at(realm)] },
      );
      const token = await login.token(channelBindings(new X509Certificate(certPem).raw), signal);
      await service.refusal({ socket: {}, headers: { authorization: `Negotiate ${token}` } } as unknown as Parameters<
        TicketService['refusal']
      >[0]);
      expect([service.users, service.problems]).toEqual([['me@CORP.EXAMPLE.COM'], []]);
    } finally {
      await own.close();
      await other.close();
    }
  });

  it('takes no answer that was changed on its way, whatever is sent instead', async () => {
    const random = seeded(20_261_126);
    const login = (change: (answer: Buffer, number: number) => Buffer) => {
      let answers = 0;
      return new KerberosLogin(
        { ...me, host: 'hv01.corp.example.com', kdc: domain.kdc },
        { ask: async (...all) => change(await askKdc(...all), (answers += 1)) },
      );
    };
    let refused = 0;
    for (let round = 0; round < 60; round += 1) {
      const at = 2 + Math.floor(random() * 2);
      const changing = login((answer, number) => {
        if (number !== at) return answer;
        const changed = Buffer.from(answer);
        const place = Math.floor(random() * changed.length);
        changed[place] = (changed[place] ?? 0) ^ (1 + Math.floor(random() * 255));
        return random() < 0.3 ? changed.subarray(0, Math.floor(random() * changed.length)) : changed;
      });
      await changing.token(Buffer.alloc(16), signal).catch((error: unknown) => {
        expect(error).toBeInstanceOf(CausewayError);
        refused += 1;
      });
    }
    // A change within the last ticket is the host's to find; all others are found here.
    expect(refused).toBeGreaterThan(40);
    const server = createServer(
      (socket) => void socket.on('error', () => undefined).end(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      await expect(
        new KerberosLogin({ ...me, host: 'h.corp.example.com', kdc: `127.0.0.1:${port}` }).token(
          Buffer.alloc(16),
          signal,
        ),
      ).rejects.toMatchObject({
        code: 'transport.kerberos-unavailable',
        message: expect.stringMatching(/an answer of \d+ bytes/) as string,
      });
    } finally {
      server.close();
    }
  });
});
