import { randomBytes } from 'node:crypto';
import { cp, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import type { JournalLog } from '../../../electron/fleet/journal-log.ts';
import { natsJournal } from '../../../electron/fleet/nats-journal.ts';
import { closing } from '../closing.ts';
import { networkNamespace } from '../network-namespace.ts';
import { startNats, type NatsCluster } from '../nats-cluster.ts';
import { startFleetMover, type FleetMover, type MoverConfig } from './fleet-mover.ts';
import { startOwnVm, type OwnVmRig } from './own-vm.ts';
import { startProjectLab, type ProjectLab } from './lab-project.ts';

const MiB = 1024 * 1024;

/** A project of the lab that several engines share: movers as processes, each with a store and links of its own, and three NATS servers. */
export interface LabFleet {
  readonly lab: ProjectLab;
  readonly nats: NatsCluster;
  /** What the servers have, by a connection that no failure is put on. */
  readonly log: JournalLog;
  readonly movers: readonly FleetMover[];
  /** The VMs that movers are, where they are. */
  readonly ownVms: readonly OwnVmRig[];
  /** Ids of replicas by their names. */
  readonly ids: ReadonlyMap<string, string>;
  /** The disk of a replica's source. */
  image(name: string): string;
  close(): Promise<void>;
}

export interface LabFleetOptions {
  readonly names: readonly string[];
  readonly diskMiB: number;
  readonly fleet: Pick<MoverConfig, 'project' | 'replicas' | 'claimSeconds'>;
  /** One for each mover. */
  readonly movers: readonly Partial<MoverConfig>[];
  /** Makes each mover a VM of the cloud, to which volumes are attached instead of to workers. */
  readonly onOwnVms?: boolean;
  /** Gives each mover a network of its own. */
  readonly inNamespaces?: boolean;
}

export async function startLabFleet({
  names,
  diskMiB,
  fleet,
  movers: configs,
  inNamespaces = false,
  onOwnVms = false,
}: LabFleetOptions): Promise<LabFleet> {
  await using stack = new AsyncDisposableStack();
  // As much as all movers may carry, and what those that are killed have left: executions that fail by quotas do little.
  const quotas = {
    volumes: 100 + 2 * names.length,
    gigabytes: 100_000,
    publicIps: 200,
    nics: 400,
    securityGroups: 400,
    securityGroupRules: 4000,
    vcpu: 1000,
    ram: 4_000_000,
  };
  const lab = stack.adopt(
    await startProjectLab({
      patience: { checkpointMs: 200, loginMs: 30_000, workerMs: 3_000, linkMs: 3_000, agentMs: 6_000 },
      quotas,
    }),
    closing,
  );
  const nats = stack.adopt(await startNats({ servers: 3 }), (cluster) => cluster.stop());
  const connection = stack.adopt(await connect({ servers: [...nats.urls], maxReconnectAttempts: -1 }), closing);
  const log = await natsJournal(connection, fleet);
  const image = (name: string): string => join(lab.images, `${name}.raw`);
  for (const name of names) {
    const file = await open(image(name), 'w');
    await file.write(randomBytes(diskMiB * MiB));
    await file.close();
    await lab.createReplica(name, name, 'HTTPS');
  }
  const ids = new Map(
    await lab.use(async (core) => (await core.call('replica.list', {})).map(({ name, id }) => [name, id] as const)),
  );
  const movers: FleetMover[] = [];
  const ownVms: OwnVmRig[] = [];
  for (const [index, config] of configs.entries()) {
    const folder = join(dirname(lab.project.folder), `mover-${index}`);
    await mkdir(folder);
    await cp(lab.project.folder, folder, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    // A store of its own, as on another computer.
    for (const file of ['causeway.db', 'causeway.db-wal', 'causeway.db-shm', 'transfer'])
      await rm(join(folder, '.causeway', file), { recursive: true, force: true });
    const vm = onOwnVms ? await startOwnVm(lab, `mover-${index}`) : undefined;
    if (vm !== undefined) ownVms.push(vm);
    const mover = stack.adopt(
      await startFleetMover(
        `mover-${index}`,
        { ...lab.project, folder, ...(vm === undefined ? {} : { agentHere: vm.agentHere }) },
        nats,
        { ...fleet, ...config },
        inNamespaces ? await networkNamespace() : undefined,
      ),
      (started) => started.stop(),
    );
    movers.push(mover);
    await mover.call('trust.accept', { token: (await mover.call('trust.show', {})).token });
    if (vm !== undefined) await mover.call('workers.setOwnVm', { endpoint: 'cloud', vm: vm.vmId });
  }
  const opened = stack.move();
  return { lab, nats, log, movers, ownVms, ids, image, close: () => opened.disposeAsync() };
}
