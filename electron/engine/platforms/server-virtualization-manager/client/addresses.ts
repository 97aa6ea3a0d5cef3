import type { OvmNic } from './shapes.ts';

/** As the guest's additions tell the manager; none without them. Managers differ in whether an address is a text or an object with one. */
export function addressesOf({ ipAddresses }: Pick<OvmNic, 'ipAddresses'>): readonly string[] {
  return (ipAddresses ?? []).flatMap((each) => {
    if (typeof each === 'string') return each === '' ? [] : [each];
    if (typeof each !== 'object' || each === null) return [];
    const { address, ipAddress } = each as { readonly address?: unknown; readonly ipAddress?: unknown };
    const text = address ?? ipAddress;
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
}
