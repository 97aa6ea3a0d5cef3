import { describe, expect, test } from 'vitest';
import type { Transport, TransportRequest } from '../../../http/transport.ts';
import { createHastyClock } from '../../../time/testing/hasty-clock.ts';
import { isFault } from './fault.ts';
import { vm } from './request.ts';
import { VimSession } from './session.ts';

const signal = new AbortController().signal;
type Answer = { readonly status?: number; readonly body?: string; readonly headers?: Record<string, string> } | Error;

const soap = (inner: string): string =>
  `<soapenv:Envelope xmlns:soapenv="s" xmlns:xsi="i"><soapenv:Body>${inner}</soapenv:Body></soapenv:Envelope>`;
const fault = (type: string, members = '', message = 'refused'): Answer => ({
  status: 500,
  body: soap(
    `<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>${message}</faultstring><detail><${type}Fault xsi:type="${type}">${members}</${type}Fault></detail></soapenv:Fault>`,
  ),
});
const content =
  '<returnval><rootFolder type="Folder">group-d1</rootFolder><about><fullName>Lab</fullName><apiType>VirtualCenter</apiType><apiVersion>8.0.1.0</apiVersion></about><sessionManager type="SessionManager">SessionManager</sessionManager></returnval>';

/** A server by method: a list is answered one after the other, the last one for ever. */
function server(script: Record<string, readonly Answer[]>) {
  const asked: string[] = [];
  const requests: TransportRequest[] = [];
  const counts = new Map<string, number>();
  let logins = 0;
  const transport: Transport = {
    async send(request, within) {
      within.throwIfAborted();
      const method = /<soapenv:Body><(\w+)/.exec(request.body ?? '')?.[1] ?? '';
      asked.push(method);
      requests.push(request);
      const builtIn: Record<string, () => Answer> = {
        RetrieveServiceContent: () => ({
          body: soap(`<RetrieveServiceContentResponse>${content}</RetrieveServiceContentResponse>`),
        }),
        Login: () => ({
          body: soap(`<LoginResponse><returnval><key>key-${(logins += 1)}</key></returnval></LoginResponse>`),
          headers: { 'set-cookie': `vmware_soap_session="s${logins}"; Path=/; HttpOnly` },
        }),
        Logout: () => ({ body: soap('<LogoutResponse/>') }),
      };
      const count = counts.get(method) ?? 0;
      counts.set(method, count + 1);
      const answers = script[method];
      const answer = answers?.[Math.min(count, answers.length - 1)] ?? builtIn[method]?.() ?? fault('MethodNotFound');
      if (answer instanceof Error) throw answer;
      return {
        status: answer.status ?? 200,
        headers: new Headers(answer.headers),
        bytes: Buffer.from(answer.body ?? ''),
      };
    },
    close: () => undefined,
  };
  const session = new VimSession({
    host: 'vc.example.com',
    port: 443,
    username: 'u',
    password: 'p<&>',
    transport,
    clock: createHastyClock(),
    random: () => 0,
    backOff: { attempts: 3, firstMs: 1, capMs: 1 },
  });
  return { session, asked, requests };
}
const time: Answer = {
  body: soap('<CurrentTimeResponse><returnval>2026-01-01T00:00:00Z</returnval></CurrentTimeResponse>'),
};
const task: Answer = {
  body: soap('<CreateSnapshot_TaskResponse><returnval type="Task">task-1</returnval></CreateSnapshot_TaskResponse>'),
};
const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });

describe('signing in', () => {
  test("happens once for all who ask at the same time, in the server's own version", async () => {
    const { session, asked, requests } = server({ CurrentTime: [time] });
    await Promise.all(Array.from({ length: 5 }, () => session.currentTime(signal)));
    expect(asked.filter((method) => method === 'Login')).toHaveLength(1);
    expect(requests.at(-1)?.headers).toMatchObject({
      soapaction: '"urn:vim25/8.0.1.0"',
      cookie: 'vmware_soap_session="s1"',
    });
    expect(requests.find(({ body }) => body?.includes('<Login'))?.body).toContain(
      '<password>p&#60;&#38;&#62;</password>',
    );
    expect(session.sessionKey).toBe('key-1');
  });

  test('is repeated once for all whose session the server has ended, also for what may not be sent twice', async () => {
    const ended = fault('NotAuthenticated');
    const { session, asked } = server({ CurrentTime: [time, ended, ended, time], CreateSnapshot_Task: [ended, task] });
    await session.currentTime(signal);
    await Promise.all([session.currentTime(signal), session.currentTime(signal)]);
    expect(asked.filter((method) => method === 'Login')).toHaveLength(2);
    expect(await session.callForObject('CreateSnapshot_Task', vm('vm-1'), [], signal)).toEqual({
      type: 'Task',
      id: 'task-1',
    });
    expect(asked.filter((method) => method === 'Login')).toHaveLength(3);
  });

  test('that is refused says so, and is not tried for ever', async () => {
    const { session, asked } = server({ Login: [fault('InvalidLogin', '', 'Cannot complete login')] });
    await expect(session.currentTime(signal)).rejects.toMatchObject({ code: 'source.login-refused', retryable: false });
    expect(asked.filter((method) => method === 'Login')).toHaveLength(1);
    const other = server({ CurrentTime: [fault('NotAuthenticated')] });
    await expect(other.session.currentTime(signal)).rejects.toMatchObject({ code: 'source.login-refused' });
    expect(other.asked.filter((method) => method === 'Login')).toHaveLength(2);
  });

  test('ends with signing out, once', async () => {
    const { session, asked } = server({ CurrentTime: [time] });
    await session.currentTime(signal);
    await session.close();
    await session.close();
    expect(asked.filter((method) => method === 'Logout')).toHaveLength(1);
    const unused = server({});
    await unused.session.close();
    expect(unused.asked).toEqual([]);
  });
});

describe('a request that fails', () => {
  test('is repeated when it only reads; one that makes something is not, and says that it may have been carried out', async () => {
    const { session, asked } = server({
      CurrentTime: [
        reset,
        { status: 502, body: '<html>Bad Gateway</html>' },
        time,
        { status: 503, body: soap('<soapenv:Fault><faultstring>later</faultstring></soapenv:Fault>') },
        time,
      ],
      CreateSnapshot_Task: [reset, task],
    });
    expect(await session.currentTime(signal)).toBe('2026-01-01T00:00:00Z');
    // Whatever a gateway says, and in whichever form.
    expect(await session.currentTime(signal)).toBe('2026-01-01T00:00:00Z');
    await expect(session.callForObject('CreateSnapshot_Task', vm('vm-1'), [], signal)).rejects.toMatchObject({
      code: 'source.connection-lost',
      details: { ambiguous: true },
    });
    expect(asked.filter((method) => method === 'CreateSnapshot_Task')).toHaveLength(1);
  });

  test('that did not arrive is repeated whatever it is', async () => {
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const { session } = server({ CreateSnapshot_Task: [refused, task] });
    expect(await session.callForObject('CreateSnapshot_Task', vm('vm-1'), [], signal)).toMatchObject({ id: 'task-1' });
  });

  test('names the privilege, the file or the state that stands in its way', async () => {
    const answers: readonly (readonly [string, string, string, RegExp])[] = [
      [
        'NoPermission',
        '<object type="VirtualMachine">vm-1</object><privilegeId>VirtualMachine.State.CreateSnapshot</privilegeId>',
        'source.permission-denied',
        /privilege VirtualMachine\.State\.CreateSnapshot on vm-1/,
      ],
      ['FileFault', '<file>[ds1] a/a.vmdk</file>', 'source.read-failed', /\[ds1\] a\/a\.vmdk/],
      ['TaskInProgress', '<task type="Task">task-9</task>', 'source.vm-busy', /TaskInProgress/],
      ['RestrictedVersion', '', 'source.not-licensed', /RestrictedVersion/],
      ['InvalidArgument', '<invalidProperty>changeId</invalidProperty>', 'source.request-refused', /property changeId/],
      ['SomethingNew', '', 'source.request-refused', /SomethingNew: refused/],
    ];
    for (const [type, members, code, message] of answers) {
      const { session } = server({ CreateSnapshot_Task: [fault(type, members)] });
      const error: unknown = await session
        .call('CreateSnapshot_Task', vm('vm-1'), [], signal)
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
      expect(isFault(error, type)).toBe(true);
    }
  });

  test('for a certificate sends nothing more and says that it is the certificate', async () => {
    const { session, asked } = server({
      RetrieveServiceContent: [Object.assign(new Error('x'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })],
    });
    await expect(session.currentTime(signal)).rejects.toMatchObject({ code: 'source.tls-refused' });
    expect(asked).toEqual(['RetrieveServiceContent']);
  });

  test('because it was called off is cancelled', async () => {
    const { session } = server({ CurrentTime: [time] });
    await expect(session.currentTime(AbortSignal.abort())).rejects.toBeDefined();
  });
});

test('what is no answer of this API is refused: other pages, other methods, entities, a server of another kind', async () => {
  const hostile = [
    { body: '<html>Sign in</html>' },
    { body: soap('<OtherResponse/>') },
    { body: `<!DOCTYPE a [<!ENTITY b "c">]>${soap('<CurrentTimeResponse/>')}` },
    { body: soap('<CurrentTimeResponse/>') },
    { status: 404, body: 'nothing' },
  ];
  for (const answer of hostile)
    await expect(server({ CurrentTime: [answer] }).session.currentTime(signal)).rejects.toMatchObject({
      code: 'source.protocol',
    });
  const strange = server({
    RetrieveServiceContent: [
      {
        body: soap(
          '<RetrieveServiceContentResponse><returnval><about><apiType>X</apiType><apiVersion>8"><evil/></apiVersion></about></returnval></RetrieveServiceContentResponse>',
        ),
      },
    ],
  });
  await expect(strange.session.currentTime(signal)).rejects.toMatchObject({ code: 'source.protocol' });
});
