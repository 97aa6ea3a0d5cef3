import { z } from 'zod';
import type { ThisComputer, VmHint } from '../ports/own-vm.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A member of a JSON document that nobody vouches for. @returns undefined where it is no such text, or the document none */
export function textIn(document: string | undefined, name: string, form: RegExp): string | undefined {
  if (document === undefined) return undefined;
  try {
    const text = z.looseObject({ [name]: z.string().max(1024) }).parse(JSON.parse(document))[name];
    return typeof text === 'string' && form.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Which server of OpenStack a computer is. The firmware that its hypervisors give a server has the server's id, and so has its configuration drive, from which cloud-init takes it. */
export async function openStackHints(here: ThisComputer, signal: AbortSignal): Promise<readonly VmHint[]> {
  const told = textIn(await here.metadata('/openstack/latest/meta_data.json', {}, signal), 'uuid', uuid);
  const [kept, product] = [await here.cloudInitId(signal), await here.productUuid(signal)];
  return [
    ...(told === undefined ? [] : [{ vmId: told, by: 'metadata-service' as const }]),
    ...(kept === undefined || !uuid.test(kept) ? [] : [{ vmId: kept, by: 'cloud-init' as const }]),
    // Every computer has one: it says something only beside what OpenStack has said, or where the project has a server of that id.
    ...(product === undefined || !uuid.test(product) ? [] : [{ vmId: product, by: 'product-uuid' as const }]),
  ];
}
