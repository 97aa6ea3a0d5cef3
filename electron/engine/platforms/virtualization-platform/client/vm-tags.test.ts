import { expect, test } from 'vitest';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Transport, TransportRequest } from '../../../http/transport.ts';
import { readVmTags } from './vm-tags.ts';

const signal = new AbortController().signal;

/** A service by the beginning of its paths: `/api`, or `/rest`, which wraps its answers. */
function service(prefix: '/api' | '/rest' | '/none', answer: (path: string, request: TransportRequest) => unknown) {
  const asked: string[] = [];
  const requests: TransportRequest[] = [];
  let isClosed = false;
  const transport: Transport = {
    async send(request, within) {
      within.throwIfAborted();
      const path = request.url.pathname + request.url.search;
      asked.push(`${request.method} ${path}`);
      requests.push(request);
      const reply = (status: number, value?: unknown) => ({
        status,
        headers: new Headers(),
        bytes: Buffer.from(value === undefined ? '' : JSON.stringify(prefix === '/rest' ? { value } : value)),
      });
      if (!path.startsWith(prefix)) return reply(404);
      if (path.endsWith('/session')) return request.method === 'POST' ? reply(200, 'token-1') : reply(204);
      expect(request.headers['vmware-api-session-id']).toBe('token-1');
      const given = answer(path, request);
      return typeof given === 'number' ? reply(given) : reply(200, given);
    },
    close: () => {
      isClosed = true;
    },
  };
  const read = (ids: readonly string[], within = signal) =>
    readVmTags({ host: 'vc.example.com', port: 443, username: 'u@v', password: 'p:ü', transport }, ids, within);
  return { read, asked, requests, isClosed: () => isClosed };
}

const tagging = (path: string, { body = '' }: TransportRequest): unknown => {
  if (path.includes('tag-association')) {
    const ids = (JSON.parse(body) as { object_ids: { id: string }[] }).object_ids.map(({ id }) => id);
    return ids.map((id) => ({
      object_id: { id, type: 'VirtualMachine' },
      tag_ids: id === 'vm-1' ? ['urn:t:2', 'urn:t:1'] : id === 'vm-2' ? ['urn:t:3'] : [],
    }));
  }
  if (path.endsWith('urn:t:3')) return 403;
  if (path.includes('/category/')) return { id: 'urn:c:1', name: 'Environment' };
  return { id: 'x', name: path.endsWith('1') ? 'production' : 'old', category_id: 'urn:c:1' };
};

test.each(['/api', '/rest'] as const)(
  'tags come from %s, each asked for once, and the session ends',
  async (prefix) => {
    const { read, asked, requests, isClosed } = service(prefix, tagging);
    expect([...(await read(['vm-1', 'vm-2', 'vm-3']))]).toEqual([
      ['vm-1', ['Environment: old', 'Environment: production']],
      ['vm-2', []],
    ]);
    expect(asked.filter((one) => one.includes('/category/'))).toHaveLength(1);
    expect(asked.at(-1)).toBe(`DELETE ${prefix === '/api' ? '/api/session' : '/rest/com/vmware/cis/session'}`);
    expect(asked.filter((one) => one.startsWith('DELETE'))).toHaveLength(1);
    expect(Buffer.from(requests[0]?.headers['authorization']?.slice(6) ?? '', 'base64').toString('utf8')).toBe(
      'u@v:p:ü',
    );
    expect(isClosed()).toBe(true);
  },
);

test('thousands of VMs are asked about in parts', async () => {
  const { read, asked } = service('/api', tagging);
  await read(Array.from({ length: 1200 }, (_, index) => `vm-${index + 10}`));
  expect(asked.filter((one) => one.includes('tag-association'))).toHaveLength(3);
});

test.each([
  ['a refusal', (): unknown => 403, 'source.permission-denied'],
  ['a failure', (): unknown => 503, 'source.request-refused'],
  [
    'a loss',
    (): unknown => {
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    },
    'source.connection-lost',
  ],
] as const)('the session ends after %s as well', async (_what, answer, code) => {
  const { read, asked, isClosed } = service('/api', answer);
  await expect(read(['vm-1'])).rejects.toMatchObject({ code });
  expect(asked.at(-1)).toBe('DELETE /api/session');
  expect(isClosed()).toBe(true);
});

test('the session ends after a cancellation as well', async () => {
  const stop = new AbortController();
  const { read, asked } = service('/api', () => {
    stop.abort(new CausewayError('general.cancelled', 'stopped'));
    throw new Error('aborted');
  });
  await expect(read(['vm-1'], stop.signal)).rejects.toMatchObject({ code: 'general.cancelled' });
  expect(asked.at(-1)).toBe('DELETE /api/session');
});

test('a server without the service says so', async () => {
  const { read } = service('/none', () => 404);
  await expect(read(['vm-1'])).rejects.toMatchObject({ code: 'source.unsupported' });
});
