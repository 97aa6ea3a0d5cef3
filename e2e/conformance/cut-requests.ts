import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { CutList } from './cut-list.ts';
import type { PlatformCalls } from './platform-calls.ts';

/**
 * The HTTP requests of this process as a platform's calls, for labs whose platform cannot be told to go wrong: requests
 * are cut on this side, before they are sent or when their answer begins to arrive. For a process that talks to no other server.
 */
export function cutRequests(isCall: (request: ClientRequest) => boolean = () => true): PlatformCalls {
  const cuts = new CutList();
  const numbers = new WeakMap<ClientRequest, number>();
  const broken = (): Error => Object.assign(new Error('the link was cut'), { code: 'ECONNRESET' });
  subscribe('http.client.request.created', (message) => {
    const { request } = message as { readonly request: ClientRequest };
    if (!isCall(request)) return;
    const number = cuts.count(`${request.method} ${request.path}`);
    numbers.set(request, number);
    const before = cuts.find(number, 'before');
    before?.tell();
    cuts.find(number, 'after')?.tell();
    if (before !== undefined) request.destroy(broken());
  });
  subscribe('http.client.response.finish', (message) => {
    const { request, response } = message as { readonly request: ClientRequest; readonly response: IncomingMessage };
    if (cuts.find(numbers.get(request) ?? 0, 'after') !== undefined) response.destroy(broken());
  });
  return cuts.asCalls((name) => name.startsWith('GET'));
}
