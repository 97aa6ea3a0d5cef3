import { fromErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { Table, TableRow } from '../../../shared/inventory/table.ts';
import type { WorkbookPart } from './workbook-worker.ts';
import address from './workbook-worker.ts?worker&url';

/** What of Trusted Types is used here; the library's types do not have them. */
interface ScriptPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
}

/** The content security policy lets this one policy make addresses of scripts, and it makes one: that of the worker. */
const policy = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('causeway-worker', {
  createScriptURL: () => address,
});

/**
 * Reads a workbook in a thread of its own: the library reads it at one go, which would keep the page from reacting. The rows come
 * in parts, for the same reason.
 *
 * @throws CausewayError `inventory.unreadable`
 */
export async function readInWorker(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  signal?: AbortSignal,
): Promise<readonly Table[]> {
  signal?.throwIfAborted();
  const worker = new Worker(policy?.createScriptURL(address) ?? address);
  const stop = new AbortController();
  try {
    return await new Promise<readonly Table[]>((resolve, reject) => {
      const tables: { readonly name: string; readonly header: readonly string[]; readonly rows: TableRow[] }[] = [];
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { signal: stop.signal });
      worker.addEventListener('error', ({ message }) => reject(new Error(message)));
      worker.addEventListener('message', ({ data: part }: MessageEvent<WorkbookPart>) => {
        if (part.kind === 'table') tables.push({ name: part.name, header: part.header, rows: [] });
        else if (part.kind === 'rows') tables.at(-1)?.rows.push(...part.rows);
        else if (part.kind === 'failed') reject(fromErrorRecord(part.error));
        else resolve(tables);
      });
      worker.postMessage({ name, bytes }, [bytes.buffer]);
    });
  } finally {
    stop.abort();
    worker.terminate();
  }
}
