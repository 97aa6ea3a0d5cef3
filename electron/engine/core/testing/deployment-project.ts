import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect } from 'vitest';
import { checkName, type CheckResult } from '../../../../shared/model/after-boot-check.ts';
import {
  isTerminalDeployment,
  type DeploymentDetail,
  type DeploymentOptions,
} from '../../../../shared/model/deployment.ts';
import type { Execution, ExecutionOptions } from '../../../../shared/model/execution.ts';
import { usualBootPatience } from '../../deployments/boot-verdict.ts';
import type { InspectOutcome, MorphOutcome, MorphRequest } from '../../osmorphing/index.ts';
import { createCore, type Core, type CoreOptions } from '../core.ts';
import { MemoryLab } from './memory-lab.ts';
import { recordingMorph } from './recording-morph.ts';

const MiB = 1024 * 1024;

export const destinationEnvironment = {
  network_map: { default: 'net' },
  availability_zone: 'eu01-1',
  migr_network: 'net',
  migr_machine_type: 'g1.1',
  machine_type: 'g1.1',
  migr_image_map: { linux: 'debian' },
  set_dhcp: false,
  retain_user_credentials: true,
};

/** A project with one replica, `web`, of two disks between platforms in memory; a new one for each test of the file that calls this. */
export function deploymentProject(): DeploymentProject {
  const project = new DeploymentProject();
  beforeEach(() => project.begin());
  afterEach(() => project.end());
  return project;
}

class DeploymentProject {
  lab = new MemoryLab();
  core!: Core;
  morph!: ReturnType<typeof recordingMorph>;
  /** What the preparation does to the volumes. */
  inGuest: (request: MorphRequest) => Promise<void> | void = () => undefined;
  /** Static addresses that the guest keeps. */
  guestAddresses: MorphOutcome['fixedAddresses'] = [];
  /** What an inspection finds in the guest; it may throw. */
  seen: () => Partial<InspectOutcome> = () => ({});
  /** Whether the deployed server does. */
  answersSsh = true;
  /** Names of checks that do not pass. */
  readonly failingChecks = new Set<string>();
  #folder = '';

  async begin(): Promise<void> {
    this.#folder = mkdtempSync(join(tmpdir(), 'causeway-deploy-'));
    this.lab = new MemoryLab();
    this.lab.disks.set('disk-0', Buffer.concat([randomBytes(MiB), Buffer.alloc(MiB)]));
    this.lab.disks.set('disk-1', randomBytes(MiB));
    this.answersSsh = true;
    this.failingChecks.clear();
    this.guestAddresses = [];
    this.seen = () => ({});
    this.inGuest = ({ devices }) => void this.lab.things.get(devices[0] ?? '')?.bytes?.fill(0xaa, 0, 4096);
    this.morph = recordingMorph(
      (request) => this.inGuest(request),
      () => ({ fixedAddresses: this.guestAddresses }),
      () => this.seen(),
    );
    this.reopen();
    await this.core.call('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } });
    await this.core.call('endpoint.add', {
      name: 'to',
      plugin: 'european-cloud',
      connection: {
        project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
        region_name: 'eu01',
        service_account_key: { $secret: 'key' },
      },
    });
    await this.core.call('replica.create', {
      name: 'web',
      source: 'from',
      destination: 'to',
      vm: 'web',
      destinationEnvironment,
    });
  }

  async end(): Promise<void> {
    await this.core.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** An engine beside the one that was killed, or the first. */
  reopen(more: Partial<CoreOptions> = {}): void {
    this.core = createCore({
      ...more,
      projectFolder: this.#folder,
      vault: this.lab.vault({ key: '{}', luks: 'open sesame' }),
      platforms: this.lab.platforms,
      connectWorker: this.lab.connectWorker,
      guests: this.morph.guests,
      runChecks: (checks, _server, { onResult }) => {
        const results = checks.map((check): CheckResult => {
          const name = checkName(check);
          const isWrong = this.failingChecks.has(name);
          return {
            name,
            kind: check.kind,
            outcome: !isWrong ? 'passed' : check.onFailure === 'warn' ? 'warned' : 'failed',
            evidence: isWrong ? 'no answer' : 'answered',
            attempts: 1,
            seconds: 0,
            at: new Date().toISOString(),
          };
        });
        results.forEach((result) => onResult?.(result));
        return Promise.resolve(results);
      },
      // What the console shows stands there at once and stays.
      bootPatience: { ...usualBootPatience, stopSeconds: 0, loginSeconds: 0, firstPauseMs: 1 },
      bootProbe: async () => {
        if (!this.answersSsh) throw new Error('nobody there');
      },
    });
  }

  get folder(): string {
    return this.#folder;
  }

  /** Writes to the database beside the engine, e.g. what an earlier version would have recorded. */
  inDatabase(work: (db: DatabaseSync) => void): void {
    const db = new DatabaseSync(join(this.#folder, '.causeway', 'causeway.db'));
    try {
      work(db);
    } finally {
      db.close();
    }
  }

  async execute(options: ExecutionOptions = {}): Promise<Execution> {
    const { id } = await this.core.call('replica.execute', { replica: 'web', options });
    await this.core.drain();
    return this.core.call('execution.show', { execution: id });
  }

  /** What the events of an execution say. */
  async messages(execution: Execution): Promise<string[]> {
    return (await this.core.call('execution.events', { execution: execution.id })).map((event) => event.message);
  }

  async deploy(options: DeploymentOptions = {}): Promise<DeploymentDetail> {
    const { id } = await this.core.call('deployment.create', { replica: 'web', options });
    return this.settled(id);
  }

  async settled(id: string): Promise<DeploymentDetail> {
    await this.core.drain();
    const deployment = await this.core.call('deployment.show', { deployment: id });
    expect(isTerminalDeployment(deployment.state)).toBe(true);
    return deployment;
  }

  replicaDigests(): string[] {
    return [...this.lab.disks.keys()].map((id) =>
      createHash('sha256')
        .update(this.lab.volumeOf(id) ?? '')
        .digest('hex'),
    );
  }

  orphans() {
    return this.core.call('ledger.list', { orphansOnly: true });
  }

  /** Resolves in the middle of a preparation, from where on it never goes on. */
  stopInGuest(): Promise<void> {
    const reached = Promise.withResolvers<void>();
    this.inGuest = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        reached.resolve();
      });
    return reached.promise;
  }
}
