import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { hostSchema, vmsSchema, type HostFacts, type HostVm } from './answers.ts';
import type { HostLink } from './host-link.ts';

export interface FoundVm {
  readonly link: HostLink;
  /** Name of the host as Windows has it. */
  readonly host: string;
  readonly vm: HostVm;
}

/**
 * The host of the endpoint, and the other nodes where it is in a cluster. Each node is asked by a connection of its own: Windows passes no
 * password on from one to another.
 */
export class Hosts {
  readonly #first: HostLink;
  readonly #linkTo: (host: string) => HostLink;
  readonly #nodes = new Map<string, HostLink>();
  #facts: Promise<HostFacts> | undefined;
  /** By id of the VM: where it was last. */
  readonly #places = new Map<string, HostLink>();

  constructor(first: HostLink, linkTo: (host: string) => HostLink) {
    this.#first = first;
    this.#linkTo = linkTo;
  }

  get first(): HostLink {
    return this.#first;
  }

  /** @throws `source.*` */
  facts(signal: AbortSignal): Promise<HostFacts> {
    if (this.#facts === undefined) {
      const asking = this.#first.ask('read-host', {}, hostSchema, signal);
      this.#facts = asking;
      asking.catch(() => (this.#facts = undefined));
    }
    return this.#facts;
  }

  /** Not those of when this process began: nodes go down and come back. */
  factsNow(signal: AbortSignal): Promise<HostFacts> {
    this.#facts = undefined;
    return this.facts(signal);
  }

  /** All nodes that are up. */
  async links(signal: AbortSignal): Promise<readonly HostLink[]> {
    const { name, cluster, domain, inDomain } = await this.facts(signal);
    const others = (cluster?.nodes ?? []).filter((node) => node.toLowerCase() !== name.toLowerCase());
    return [this.#first, ...others.map((node) => this.linkOf(inDomain && !node.includes('.') && domain !== '' ? `${node}.${domain}` : node))];
  }

  /** The host of this name, whether the cluster still has it or not. */
  linkOf(host: string): HostLink {
    if (host === this.#first.host) return this.#first;
    const link = this.#nodes.get(host) ?? this.#linkTo(host);
    this.#nodes.set(host, link);
    return link;
  }

  /** @throws `source.vm-not-found` */
  async find(vmId: string, signal: AbortSignal): Promise<FoundVm> {
    const id = vmId.toLowerCase();
    const gone = (): CausewayError => new CausewayError('source.vm-not-found', `${this.#first.host} has no VM ${vmId}`, { details: { vmId } });
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw gone();
    const last = this.#places.get(id);
    const tried = new Set<HostLink>();
    let unknown: unknown;
    for (const link of [...(last === undefined ? [] : [last]), ...(await this.links(signal))]) {
      if (tried.has(link)) continue;
      tried.add(link);
      const found = await link.ask('read-vms', { ids: [id] }, vmsSchema, signal).catch((error: unknown) => {
        // A node that cannot be reached must not hide a VM on another one.
        if (signal.aborted || !(error instanceof CausewayError) || tried.size === 1) throw error;
        unknown ??= error;
        return undefined;
      });
      const failed = found?.failed.find((one) => one.id === id);
      if (failed !== undefined) throw new CausewayError('source.request-refused', `${link.host}: VM ${failed.name} cannot be read: ${failed.problem}`, { details: { vmId } });
      const vm = found?.vms.find((one) => one.id === id);
      if (found === undefined || vm === undefined) continue;
      this.#places.set(id, link);
      return { link, host: found.host, vm };
    }
    // It may be on the node that did not answer.
    throw unknown ?? gone();
  }

  /** Where a VM was found last, without asking for its disks again. */
  async place(vmId: string, signal: AbortSignal): Promise<HostLink> {
    return this.#places.get(vmId.toLowerCase()) ?? (await this.find(vmId, signal)).link;
  }

  /** After it turned out that a VM is elsewhere. */
  forget(vmId: string): void {
    this.#places.delete(vmId.toLowerCase());
  }

  async close(): Promise<void> {
    for (const link of [this.#first, ...this.#nodes.values()]) await link.close();
  }
}
