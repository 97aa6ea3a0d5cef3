import { isIPv6 } from 'node:net';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonValue } from '../../../../shared/model/json.ts';
import type { SocketPlace } from '../../nbd/address.ts';
import { GuestAgent } from '../../qmp/guest-agent.ts';
import { objectsOf, textAt } from './qmp-values.ts';

/** What the guest says of itself. */
export interface GuestFacts {
  readonly osType: 'linux' | 'windows' | undefined;
  /** Addresses of each network card, by its MAC address in lower case; none that hold on one link alone. */
  readonly addresses: ReadonlyMap<string, readonly string[]>;
}

/** Asks the guest's agent. One that does not answer, or that must not tell, tells nothing. */
export async function askGuest(socket: SocketPlace, signal: AbortSignal): Promise<GuestFacts> {
  let agent: GuestAgent | undefined;
  try {
    agent = await GuestAgent.connect(socket, signal);
    const system = await orNothing(agent.ask('guest-get-osinfo', signal));
    const interfaces = await orNothing(agent.ask('guest-network-get-interfaces', signal));
    return { osType: osTypeOf(system), addresses: addressesOf(interfaces) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { osType: undefined, addresses: new Map() };
  } finally {
    agent?.close();
  }
}

async function orNothing(answer: Promise<JsonValue>): Promise<JsonValue> {
  try {
    return await answer;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return null;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof CausewayError && error.code === 'source.quiesce-failed';
}

function osTypeOf(system: JsonValue): GuestFacts['osType'] {
  if (!isJsonObject(system)) return undefined;
  const id = textAt(system, 'id');
  return id === undefined ? undefined : id === 'mswindows' ? 'windows' : 'linux';
}

function addressesOf(interfaces: JsonValue): GuestFacts['addresses'] {
  const found = new Map<string, readonly string[]>();
  for (const each of objectsOf(interfaces)) {
    const mac = textAt(each, 'hardware-address')?.toLowerCase();
    const addresses = objectsOf(each['ip-addresses'])
      .flatMap((entry) => textAt(entry, 'ip-address') ?? [])
      .filter((address) => !isOfOneLink(address));
    // Whatever is built on a card has that card's address of the link as well.
    if (mac !== undefined && addresses.length > 0) found.set(mac, [...(found.get(mac) ?? []), ...addresses]);
  }
  return found;
}

function isOfOneLink(address: string): boolean {
  return isIPv6(address) ? /^(fe[89ab][0-9a-f]:|::1$)/i.test(address) : /^(127|169\.254)\./.test(address);
}
