import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parseResourceId } from '../../client/resource-id.ts';
import type { AzureSession } from '../session.ts';

/** The serial console of a VM, by its boot diagnostics. Empty until the platform has written something. */
export async function consoleLog(session: AzureSession, serverId: string, signal: AbortSignal): Promise<string> {
  const { group, name } = parseResourceId(serverId);
  const { virtualMachines } = await session.compute();
  const found = await session.find(
    `read boot diagnostics of ${name}`,
    (options) => virtualMachines.retrieveBootDiagnosticsData(group, name, options),
    signal,
  );
  const address = found?.serialConsoleLogBlobUri;
  if (address === undefined) return '';
  const blob = await session.pageBlob(address);
  const text = await session.find(
    `read serial console of ${name}`,
    async (options) => {
      const { readableStreamBody } = await blob.download(0, undefined, options);
      return readableStreamBody === undefined ? '' : (await buffer(readableStreamBody as Readable)).toString('utf8');
    },
    signal,
  );
  // The platform pads its log with zeros.
  return (text ?? '').replaceAll('\0', '');
}
