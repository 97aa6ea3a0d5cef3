import { randomBytes, randomUUID } from 'node:crypto';
import { conflict, notFound } from './api-error.ts';
import type { Fault } from './faults.ts';
import type * as records from './records.ts';
import type { ServerMachines } from './server-machines.ts';
import type { VolumeFiles } from './volume-files.ts';

export interface Delays {
  /** How long an intermediate status lasts at least, ms. */
  readonly transitionMs: number;
}

export interface WorldSetup {
  readonly projectId: string;
  readonly region: string;
  readonly zones: readonly string[];
  readonly machineTypes: readonly records.MachineType[];
  readonly performanceClasses: readonly records.PerformanceClass[];
  quotas: records.Quotas;
  readonly delays: Delays;
  readonly files: VolumeFiles;
  readonly machines: ServerMachines;
  /** Public addresses that can be had, in the order in which they are given out. */
  readonly publicAddresses: readonly string[];
}

/** A status that changes later, as the cloud's own do. */
export interface Transition {
  readonly fault: Fault | undefined;
  /** How long it lasts at least; the default is the world's. */
  readonly delayMs?: number;
  /** What has to be done for it; when this rejects, the transition failed. */
  readonly work?: () => Promise<void>;
  readonly succeed: () => void;
  readonly fail: (reason: string) => void;
  readonly request?: records.RequestRecord;
}

/** All of the project's resources, and the clock that moves their statuses on. */
export class World {
  readonly setup: WorldSetup;
  readonly volumes = new Map<string, records.VolumeRecord>();
  readonly snapshots = new Map<string, records.SnapshotRecord>();
  readonly networks = new Map<string, records.NetworkRecord>();
  readonly nics = new Map<string, records.NicRecord>();
  readonly publicIps = new Map<string, records.PublicIpRecord>();
  readonly securityGroups = new Map<string, records.SecurityGroupRecord>();
  readonly servers = new Map<string, records.ServerRecord>();
  readonly images = new Map<string, records.ImageRecord>();
  readonly keyPairs = new Map<string, records.KeyPairRecord>();
  readonly affinityGroups = new Map<string, records.AffinityGroupRecord>();
  readonly requests = new Map<string, records.RequestRecord>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  #closed = false;

  constructor(setup: WorldSetup) {
    this.setup = setup;
  }

  /** Lets time pass, then does the work, then settles; by `fault` it fails instead, or never ends. */
  transition(step: Transition): void {
    if (step.fault?.effect === 'hang') return;
    const settle = async (): Promise<void> => {
      try {
        if (step.fault?.effect === 'status-error') throw new Error('the back end failed');
        await step.work?.();
        if (this.#closed) return;
        step.succeed();
        if (step.request !== undefined) settleRequest(step.request, 'done');
      } catch (error) {
        if (this.#closed) return;
        const reason = error instanceof Error ? error.message : String(error);
        step.fail(reason);
        if (step.request !== undefined) settleRequest(step.request, 'failed', reason);
      }
    };
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      const running = settle().finally(() => this.#running.delete(running));
      this.#running.add(running);
    }, step.delayMs ?? this.setup.delays.transitionMs);
    this.#timers.add(timer);
  }

  /** A request as `GET requests/{id}` shows it, in its intermediate status. */
  openRequest(
    requestId: string,
    action: records.RequestRecord['requestAction'],
    type: string,
    resourceIds: readonly string[],
  ): records.RequestRecord {
    const status = { CREATE: 'CREATING', UPDATE: 'UPDATING', DELETE: 'DELETING' }[action];
    const request: records.RequestRecord = {
      requestId,
      requestAction: action,
      requestType: type,
      resources: resourceIds.map((id) => ({ type, id, status })),
      status,
    };
    this.requests.set(requestId, request);
    return request;
  }

  usage(): records.Quotas {
    const typeOf = (name: string): records.MachineType | undefined =>
      this.setup.machineTypes.find((candidate) => candidate.name === name);
    const servers = [...this.servers.values()];
    const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
    return {
      vcpu: sum(servers.map((server) => typeOf(server.machineType)?.vcpus ?? 0)),
      ram: sum(servers.map((server) => typeOf(server.machineType)?.ram ?? 0)),
      volumes: this.volumes.size,
      snapshots: this.snapshots.size,
      backups: 0,
      gigabytes: sum([...this.volumes.values(), ...this.snapshots.values()].map((one) => one.size)),
      backupGigabytes: 0,
      publicIps: this.publicIps.size,
      networks: this.networks.size,
      nics: this.nics.size,
      securityGroups: this.securityGroups.size,
      securityGroupRules: sum([...this.securityGroups.values()].map((group) => group.rules.length)),
    };
  }

  /** Resources that something made and nobody removed, as `kind name`, for tests that demand a clean end. */
  leftovers(): string[] {
    return [
      ...[...this.servers.values()].map((one) => `server ${one.name}`),
      ...[...this.volumes.values()].map((one) => `volume ${one.name}`),
      ...[...this.snapshots.values()].map((one) => `snapshot ${one.name}`),
      ...[...this.nics.values()].map((one) => `nic ${one.name}`),
      ...[...this.publicIps.values()].map((one) => `public-ip ${one.ip}`),
      ...[...this.securityGroups.values()].filter((one) => one.name !== 'default').map((one) => `security-group ${one.name}`),
      ...[...this.keyPairs.values()].map((one) => `key-pair ${one.name}`),
    ];
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.allSettled(this.#running);
  }
}

function settleRequest(request: records.RequestRecord, outcome: 'done' | 'failed', reason?: string): void {
  const done = { CREATE: 'CREATED', UPDATE: 'UPDATED', DELETE: 'DELETED' }[request.requestAction];
  request.status = outcome === 'done' ? done : 'FAILED';
  if (reason !== undefined) request.details = reason;
  for (const resource of request.resources) resource.status = request.status;
}

export const newId = (): string => randomUUID();
export const newRequestId = (): string => `req-${randomBytes(16).toString('hex')}`;
export const now = (): string => new Date().toISOString();

/** The resource, or the API's 404. */
export function get<T>(collection: ReadonlyMap<string, T>, id: string | undefined, what: string): T {
  const found = id === undefined ? undefined : collection.get(id);
  if (found === undefined) throw notFound(what);
  return found;
}

export function demandStatus(what: string, status: string, allowed: readonly string[]): void {
  if (!allowed.includes(status)) throw conflict(`${what} is in status ${status}, has to be ${allowed.join(' or ')}`);
}
