import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { closing, temporaryFolder } from '../closing.ts';
import { leaseAddresses } from './address-lease.ts';
import { realClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { Collection } from './collection.ts';
import type { ListingLag } from './collection.ts';
import { DescriptionCheck } from './descriptions/description.ts';
import type { ApiDescription } from './descriptions/description.ts';
import { FaultPlan } from './faults.ts';
import { createApiServer } from './http-server.ts';
import type { ApiParts, CallRecord } from './http-server.ts';
import { noMachines } from './server-machines.ts';
import type { ServerMachines } from './server-machines.ts';
import { Transitions } from './transitions.ts';
import type { OperationRecord, Transition } from './transitions.ts';
import { VolumeFiles } from './volume-files.ts';

/** What every simulated cloud can be started with. */
export interface SimulationOptions {
  /** Where volumes and machines live. Default: a new temporary folder that goes with `close()`. */
  readonly folder?: string;
  /** Port of the API on 127.0.0.1. Default 0: any that is free. */
  readonly port?: number;
  /** How long intermediate states last, ms. Default 20. */
  readonly transitionMs?: number;
  /** What stands behind servers. Default: nothing, they are records only. */
  readonly machines?: (folder: string) => Promise<ServerMachines>;
  /** How far listings are behind. Default: not at all. */
  readonly listingLag?: Partial<ListingLag>;
  /** Default: real time. */
  readonly clock?: Clock;
  /** Serves HTTPS with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly onCall?: (call: CallRecord) => void;
}

/** The ground under a simulated cloud's resources: time, states that change, storage, machines, addresses. */
export interface Ground {
  readonly folder: string;
  readonly clock: Clock;
  readonly transitions: Transitions;
  readonly lag: ListingLag;
  readonly files: VolumeFiles;
  readonly machines: ServerMachines;
  /** Public addresses that can be had, in the order in which they are given out, and a prefix of private ones; all lead to this machine. */
  readonly publicAddresses: readonly string[];
  readonly privatePrefix: string;
}

/** All resources of one simulated cloud. A cloud's own world adds its collections. */
export class SimulatedWorld {
  readonly ground: Ground;
  /** What was accepted and is done later. */
  readonly operations = new Map<string, OperationRecord>();

  constructor(ground: Ground) {
    this.ground = ground;
  }

  /** A new kind of resource; `what` is its name in errors. */
  protected collection<T extends object>(what: string): Collection<T> {
    return new Collection<T>(what, this.ground.lag, this.ground.clock);
  }

  transition(step: Transition): void {
    this.ground.transitions.start(step);
  }

  openOperation<About>(id: string, about: About): OperationRecord<About> {
    const operation: OperationRecord<About> = { id, about, state: 'running', startedAt: this.ground.clock.now() };
    this.operations.set(id, operation);
    return operation;
  }
}

export type ApiOf<World> = Pick<ApiParts<World>, 'protocol' | 'operations'> &
  Partial<
    Pick<
      ApiParts<World>,
      'authenticate' | 'admit' | 'fallback' | 'refuse' | 'newRequestId' | 'requestIdHeader' | 'maximumBody'
    >
  > & {
    readonly description?: ApiDescription | undefined;
    /** Operations that the description does not have, such as a token endpoint's. */
    readonly undescribed?: readonly string[];
  };

/** A simulated cloud that runs. */
export interface Simulation<World> {
  readonly url: string;
  readonly folder: string;
  /** Resources as they are; a test may look and may change. */
  readonly world: World;
  readonly faults: FaultPlan;
  /** Every call so far, in order. */
  readonly calls: readonly CallRecord[];
  /** What did not conform to the vendor's description; empty as well when there is none, see `check.active`. */
  readonly violations: readonly string[];
  readonly check: DescriptionCheck;
  close(): Promise<void>;
}

/** Starts a cloud of its own on loopback: `makeWorld` lays out its resources, `makeApi` says how they are asked for. */
export async function startSimulation<World extends SimulatedWorld>(
  name: string,
  options: SimulationOptions,
  makeWorld: (ground: Ground) => World,
  makeApi: (world: World) => ApiOf<World>,
): Promise<Simulation<World>> {
  await using stack = new AsyncDisposableStack();
  const folder = options.folder ?? (await temporaryFolder(stack, `causeway-${name}-`));
  await mkdir(folder, { recursive: true });
  const lease = stack.adopt(await leaseAddresses(), (held) => held.release());
  const clock = options.clock ?? realClock;
  const machines = options.machines === undefined ? noMachines : stack.adopt(await options.machines(folder), closing);
  const transitions = stack.adopt(new Transitions(clock, options.transitionMs ?? 20), closing);
  const world = makeWorld({
    folder,
    clock,
    transitions,
    machines,
    lag: { ms: 0, listings: 0, ...options.listingLag },
    files: new VolumeFiles(join(folder, 'volumes')),
    publicAddresses: lease.publicAddresses,
    privatePrefix: lease.privatePrefix,
  });
  const { description, undescribed, ...api } = makeApi(world);
  const faults = new FaultPlan();
  const check = new DescriptionCheck(description, undescribed);
  const calls: CallRecord[] = [];
  const server = createApiServer<World>({
    world,
    faults,
    check,
    clock,
    newRequestId: randomUUID,
    tls: options.tls,
    ...api,
    onCall: (call) => {
      calls.push(call);
      options.onCall?.(call);
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  stack.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  const opened = stack.move();
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    folder,
    world,
    faults,
    calls,
    check,
    violations: check.violations,
    close: () => opened.disposeAsync(),
  };
}
