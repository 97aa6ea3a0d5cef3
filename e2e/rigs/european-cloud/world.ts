import { randomBytes, randomUUID } from 'node:crypto';
import { ApiError, badRequest, conflict } from '../cloud-kit/call.ts';
import { demandQuota as demandQuotas, demandStatus as demandStatusOf } from '../cloud-kit/collection.ts';
import { SimulatedWorld } from '../cloud-kit/start.ts';
import type { Ground } from '../cloud-kit/start.ts';
import type { OperationRecord } from '../cloud-kit/transitions.ts';
import type * as records from './records.ts';
import type { TokenEndpoint } from './token-endpoint.ts';

export interface WorldSetup {
  readonly projectId: string;
  readonly region: string;
  readonly zones: readonly string[];
  readonly machineTypes: readonly records.MachineType[];
  readonly performanceClasses: readonly records.PerformanceClass[];
  quotas: records.Quotas;
}

/** All of the project's resources. */
export class World extends SimulatedWorld {
  readonly setup: WorldSetup;
  readonly tokens: TokenEndpoint;
  readonly volumes = this.collection<records.VolumeRecord>('volume');
  readonly snapshots = this.collection<records.SnapshotRecord>('snapshot');
  readonly networks = this.collection<records.NetworkRecord>('network');
  readonly nics = this.collection<records.NicRecord>('network interface');
  readonly publicIps = this.collection<records.PublicIpRecord>('public ip');
  readonly securityGroups = this.collection<records.SecurityGroupRecord>('security group');
  readonly servers = this.collection<records.ServerRecord>('server');
  readonly images = this.collection<records.ImageRecord>('image');
  readonly keyPairs = this.collection<records.KeyPairRecord>('keypair');
  readonly affinityGroups = this.collection<records.AffinityGroupRecord>('affinity group');

  constructor(ground: Ground, setup: WorldSetup, tokens: TokenEndpoint) {
    super(ground);
    this.setup = setup;
    this.tokens = tokens;
  }

  /** A request as `GET requests/{id}` shows it. */
  openRequest(
    requestId: string,
    action: records.RequestAction,
    type: string,
    resourceIds: readonly string[],
  ): OperationRecord {
    return this.openOperation<records.AboutRequest>(requestId, { action, type, resourceIds });
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

  /** Throws when the project would have more than its quotas allow; what that is answered with differs by resource. */
  demandQuota(more: Partial<records.Quotas>, status = 400): void {
    demandQuotas({ ...this.setup.quotas }, { ...this.usage() }, more, (message) =>
      status === 400 ? badRequest(message) : new ApiError(status, message),
    );
  }

  /** Resources that something made and nobody removed, as `kind name`, for tests that demand a clean end. */
  leftovers(): string[] {
    return [
      ...[...this.servers.values()].map((one) => `server ${one.name}`),
      ...[...this.volumes.values()].map((one) => `volume ${one.name}`),
      ...[...this.snapshots.values()].map((one) => `snapshot ${one.name}`),
      ...[...this.nics.values()].map((one) => `nic ${one.name}`),
      ...[...this.publicIps.values()].map((one) => `public-ip ${one.ip}`),
      ...[...this.securityGroups.values()]
        .filter((one) => one.name !== 'default')
        .map((one) => `security-group ${one.name}`),
      ...[...this.keyPairs.values()].map((one) => `key-pair ${one.name}`),
    ];
  }
}

export const newId = (): string => randomUUID();
export const newRequestId = (): string => `req-${randomBytes(16).toString('hex')}`;
export const now = (): string => new Date().toISOString();

export const demandStatus = (what: string, status: string, allowed: readonly string[]): void =>
  demandStatusOf(what, status, allowed, conflict);
