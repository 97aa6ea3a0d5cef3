import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Moment, PlatformCalls } from './platform-calls.ts';

/** A call that is to be cut; `when` tells which end of it. */
interface Cut {
  readonly from: number;
  readonly to: number;
  readonly when: Moment;
  readonly tell: () => void;
}

/**
 * The HTTP requests of this process as a platform's calls, for labs whose platform can not be told to go wrong: requests
 * are cut on this side, before they are sent or when their answer begins to arrive. For a process that talks to no other server.
 */
export function cutRequests(isCall: (request: ClientRequest) => boolean = () => true): PlatformCalls {
  const names: string[] = [];
  const numbers = new WeakMap<ClientRequest, number>();
  let cuts: Cut[] = [];
  const cutFor = (request: ClientRequest, when: Moment): Cut | undefined => {
    const number = numbers.get(request) ?? 0;
    return cuts.find((cut) => cut.when === when && number >= cut.from && number <= cut.to);
  };
  const broken = (): Error => Object.assign(new Error('the link was cut'), { code: 'ECONNRESET' });
  subscribe('http.client.request.created', (message) => {
    const { request } = message as { readonly request: ClientRequest };
    if (!isCall(request)) return;
    names.push(`${request.method} ${request.path}`);
    numbers.set(request, names.length);
    const before = cutFor(request, 'before');
    before?.tell();
    cutFor(request, 'after')?.tell();
    if (before !== undefined) request.destroy(broken());
  });
  subscribe('http.client.response.finish', (message) => {
    const { request, response } = message as { readonly request: ClientRequest; readonly response: IncomingMessage };
    if (cutFor(request, 'after') !== undefined) response.destroy(broken());
  });
  const add = (n: number, more: number, when: Moment, tell: () => void): void => {
    cuts.push({ from: names.length + n, to: names.length + n + more, when, tell });
  };
  return {
    faults: ['cut-before', 'cut-after'],
    callCount: () => names.length,
    callName: (number) => names[number - 1] ?? 'none',
    callChanges: (number) => names[number - 1]?.startsWith('GET') === false,
    failCall: (n, fault) => add(n, 0, fault === 'cut-after' ? 'after' : 'before', () => undefined),
    cutOff(n, when, tell) {
      if (when === 'after') add(n, 0, 'after', tell);
      add(when === 'after' ? n + 1 : n, Infinity, 'before', tell);
    },
    clearFaults() {
      cuts = [];
    },
  };
}
