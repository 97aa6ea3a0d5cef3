import { channel } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { ApiDescriptions } from './api-descriptions/api-descriptions.ts';

/** As the channel below tells of a request that is about to be sent. */
interface CreatedRequest {
  readonly request: ClientRequest;
}

/**
 * Holds every request that this process sends to a cloud against the descriptions, wherever in the code it comes from.
 * Requests of other clouds have no token of this kind, and are left alone.
 *
 * @returns ends the watch
 */
export function watchRequests(descriptions: ApiDescriptions): () => void {
  const created = channel('http.client.request.created');
  const onCreated = (message: unknown): void => {
    const { request } = message as CreatedRequest;
    const url = new URL(request.path, `${request.protocol}//${request.host}`);
    const isOurs = request.getHeader('x-auth-token') !== undefined || /\/v3\/auth\/tokens$/.test(url.pathname);
    if (!isOurs || request.getHeader('user-agent') !== 'causeway') return;
    const end = request.end.bind(request) as (...args: readonly unknown[]) => ClientRequest;
    request.end = ((...args: readonly unknown[]): ClientRequest => {
      const [text] = args;
      const body: unknown = typeof text === 'string' && text !== '' ? JSON.parse(text) : undefined;
      descriptions.check({ method: request.method, url, headers: request.getHeaders(), body });
      return end(...args);
    }) as ClientRequest['end'];
  };
  created.subscribe(onCreated);
  return () => void created.unsubscribe(onCreated);
}
