import { isIP } from 'node:net';
import { isInRange, parseCidr, parseIpv4 } from '../../../shared/model/ip-address.ts';

/**
 * Whether a list of exceptions has a host. As all programs understand NO_PROXY: names with all below them, addresses, `*`. As Windows and
 * macOS write theirs, too: `*.example.com`, `10.*`, `169.254/16`, `192.0.2.0/24`, and `<local>` for names without a dot.
 */
export function isExempt(host: string, list: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return list
    .split(/[\s,;]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(name, entry.toLowerCase()));
}

function matches(name: string, entry: string): boolean {
  if (entry === '<local>') return isIP(name) === 0 && !name.includes('.');
  const network = networkOf(entry);
  if (network !== undefined) {
    const address = parseIpv4(name);
    return address !== undefined && isInRange(address, network);
  }
  const rule = entry.replace(/^\*?\./, '');
  if (rule === '*' || name === rule) return true;
  if (rule.includes('*'))
    return new RegExp(
      `^${rule
        .split(/\*+/)
        .map((part) => part.replaceAll(/[^a-z0-9]/g, '\\$&'))
        .join('.*')}$`,
    ).test(name);
  return isIP(name) === 0 && name.endsWith(`.${rule}`);
}

/** macOS leaves out the last parts of an address: `169.254/16`. */
function networkOf(entry: string): ReturnType<typeof parseCidr> {
  const [, address, prefix] = /^(\d+(?:\.\d+){0,3})\/(\d{1,2})$/.exec(entry) ?? [];
  if (address === undefined) return undefined;
  const parts = address.split('.');
  return parseCidr(`${[...parts, '0', '0', '0'].slice(0, 4).join('.')}/${prefix}`);
}
