import type { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { hostSchema, vmsSchema, type HostFacts, type HostVm } from './answers.ts';
import type { HostLink } from './host-link.ts';
import type { HostScript } from './remote-powershell.ts';

export interface FoundVm {
  readonly link: HostLink;
  /** Name of the host as Windows has it. */
  readonly host: string;
  readonly vm: HostVm;
}

/** A node that says nothing, and why. */
export interface SilentNode {
  readonly host: string;
  readonly error: CausewayError;
}

/** How long another node may take until it answers at all: one that is stuck must not keep anybody from the rest. */
const nodePatienceMs = 45_000;

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
  /** Other nodes that were tried; undefined: it answers. */
  readonly #tried = new Map<HostLink, CausewayError | undefined>();
  readonly #patienceMs: number;

  constructor(first: HostLink, linkTo: (host: string) => HostLink, patienceMs: number = nodePatienceMs) {
    this.#first = first;
    this.#linkTo = linkTo;
    this.#patienceMs = patienceMs;
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
    this.#tried.clear();
    return this.facts(signal);
  }

  /** All nodes that are up. */
  async links(signal: AbortSignal): Promise<readonly HostLink[]> {
    const { name, cluster, domain, inDomain } = await this.facts(signal);
    const others = (cluster?.nodes ?? []).filter((node) => node.toLowerCase() !== name.toLowerCase());
    return [
      this.#first,
      ...others.map((node) =>
        this.linkOf(inDomain && !node.includes('.') && domain !== '' ? `${node}.${domain}` : node),
      ),
    ];
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
    const gone = (): CausewayError =>
      new CausewayError('source.vm-not-found', `${this.#first.host} has no VM ${vmId}`, { details: { vmId } });
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw gone();
    const last = this.#places.get(id);
    const look = async (link: HostLink): Promise<FoundVm> => {
      const { host, vms, failed } = await this.#ask(link, 'read-vms', { ids: [id] }, vmsSchema, signal);
      const sick = failed.find((one) => one.id === id);
      if (sick !== undefined)
        throw new CausewayError(
          'source.request-refused',
          `${link.host}: VM ${sick.name} cannot be read: ${sick.problem}`,
          { details: { vmId } },
        );
      const vm = vms.find((one) => one.id === id);
      if (vm === undefined) throw gone();
      this.#places.set(id, link);
      return { link, host, vm };
    };
    const errors: CausewayError[] = [];
    const note = (error: unknown): undefined => {
      if (signal.aborted || !(error instanceof CausewayError)) throw error;
      errors.push(error);
      return undefined;
    };
    if (last !== undefined) {
      const found = await look(last).catch(note);
      if (found !== undefined) return found;
    }
    const links = (await this.links(signal)).filter((link) => link !== last);
    // Whoever has it answers for all: a node that is stuck keeps nobody waiting.
    const found = await Promise.any(links.map(look)).catch((error: AggregateError) => error.errors.map(note)[0]);
    if (found !== undefined) return found;
    // It may be on a node that did not answer.
    throw errors.find(({ code }) => code !== 'source.vm-not-found') ?? gone();
  }

  /** Asks all nodes at the same time. One that does not answer is named, and hides nothing of the others; the endpoint's own host has to answer. */
  async askAll<Schema extends z.ZodType>(
    name: HostScript,
    request: Readonly<Record<string, unknown>>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<{
    readonly answers: readonly { readonly link: HostLink; readonly answer: z.infer<Schema> }[];
    readonly silent: readonly SilentNode[];
  }> {
    const silent: SilentNode[] = [];
    const answers = await Promise.all(
      (await this.links(signal)).map(async (link) => {
        try {
          return [{ link, answer: await this.#ask(link, name, request, schema, signal) }];
        } catch (error) {
          if (link === this.#first || signal.aborted || !(error instanceof CausewayError)) throw error;
          silent.push({ host: link.host, error });
          return [];
        }
      }),
    );
    return { answers: answers.flat(), silent };
  }

  /** Nodes that the cluster itself calls down: nobody asks them. */
  async down(signal: AbortSignal): Promise<readonly string[]> {
    return (await this.facts(signal)).cluster?.down ?? [];
  }

  /** After it was seen there. */
  remember(vmId: string, link: HostLink): void {
    this.#places.set(vmId.toLowerCase(), link);
  }

  /** Where a VM was found last, without asking for its disks again. */
  async place(vmId: string, signal: AbortSignal): Promise<HostLink> {
    return this.#places.get(vmId.toLowerCase()) ?? (await this.find(vmId, signal)).link;
  }

  /** After it turned out that a VM is elsewhere. */
  forget(vmId: string): void {
    this.#places.delete(vmId.toLowerCase());
  }

  async #ask<Schema extends z.ZodType>(
    link: HostLink,
    name: HostScript,
    request: Readonly<Record<string, unknown>>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.infer<Schema>> {
    if (link !== this.#first) await this.#reach(link, signal);
    return link.ask(name, request, schema, signal);
  }

  /** Whether a node answers is found out once, by a question that is quick to answer: those that follow may take their time. */
  async #reach(link: HostLink, signal: AbortSignal): Promise<void> {
    if (!this.#tried.has(link)) {
      const late = AbortSignal.timeout(this.#patienceMs);
      const error = await link.ask('read-host', {}, hostSchema, AbortSignal.any([signal, late])).then(
        () => undefined,
        (thrown: unknown) => {
          if (signal.aborted) throw thrown;
          if (late.aborted)
            return new CausewayError(
              'source.unreachable',
              `node ${link.host} did not answer within ${this.#patienceMs / 1000} s`,
              { cause: thrown },
            );
          if (thrown instanceof CausewayError) return thrown;
          throw thrown;
        },
      );
      this.#tried.set(link, error);
    }
    const refused = this.#tried.get(link);
    if (refused !== undefined) throw refused;
  }

  async close(): Promise<void> {
    for (const link of [this.#first, ...this.#nodes.values()]) await link.close();
  }
}
