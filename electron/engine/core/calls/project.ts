import type { CallName } from '../../../../shared/contract/contract.ts';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { serverTrust } from '../../http/server-certificates.ts';
import { forgetTransferState } from '../../replication/index.ts';
import { storedEndpoint, transferFolder, type CallsOf, type Handlers } from '../core-context.ts';
import { acceptUses } from '../trust/entered-uses.ts';
import { trustState } from '../trust/trust-report.ts';

export const projectCalls: Handlers<CallsOf<'project'>> = {
  async 'project.sync'(core) {
    return { problems: core.descriptions.sync().problems.map((problem) => ({ ...problem })) };
  },

  async 'project.owner'(core) {
    return { ...core.store.identity.computers(), isElsewhere: core.store.identity.isElsewhere() };
  },

  async 'project.takeOver'(core) {
    if (!core.store.identity.isElsewhere()) return {};
    // Another copy may have written to the volumes since: the digests no longer apply.
    for (const replica of core.store.replicas.list()) {
      for (const { diskId, sizeBytes } of replica.disks) {
        forgetTransferState({
          db: core.store.db,
          folder: transferFolder(core),
          replicaId: replica.id,
          diskId,
          sizeBytes,
        });
      }
    }
    core.store.identity.takeOver();
    core.changed();
    return {};
  },

  async 'project.sharing'(core) {
    return { addresses: core.trust.read()?.sharesAddresses ?? false };
  },

  async 'project.setSharing'(core, { addresses }) {
    core.gate.requireProject();
    core.trust.change(() => ({ sharesAddresses: addresses }));
    await core.accepted.load(core.store.endpoints.list());
    for (const endpoint of core.store.endpoints.list())
      core.descriptions.shareConnection(endpoint, addresses ? core.accepted.shown(endpoint) : {});
    core.changed();
    return { addresses };
  },
};

/** Calls that change what is in clouds, on sources or in the queue: for the computer alone that the project's data belongs to. */
export const changingCalls: ReadonlySet<string> = new Set([
  'replica.execute',
  'replica.delete',
  'execution.resume',
  'execution.cancel',
  'deployment.create',
  'deployment.resume',
  'deployment.cancel',
  'deployment.delete',
  'ledger.remove',
  'wave.start',
  'wave.continue',
  'wave.go',
  'wave.cancel',
  'wave.retry',
  'wave.resume',
  'replica.approve',
  'replica.withdrawApproval',
  'replica.rollBack',
  'replica.finalise',
  'rehearsal.end',
  'evidence.report',
  'evidence.waveReport',
  'guest.inspect',
  'guest.cancelInspection',
  'fleet.setUrgent',
] satisfies CallName[]);

export const trustCalls: Handlers<CallsOf<'trust'>> = {
  async 'trust.look'(core, { address, caCertificate }, signal) {
    core.gate.requireProject();
    return serverTrust(address, caCertificate, signal);
  },

  async 'trust.show'(core, _nothing, signal) {
    await core.descriptions.syncSoon();
    return (await trustState(core, signal)).report;
  },

  async 'trust.accept'(core, { token }) {
    core.descriptions.sync();
    const { report, proposals, uses } = await trustState(core);
    if (report.token !== token) throw new CausewayError('trust.changed-meanwhile', report.folder);
    core.trust.accept();
    for (const { endpoint, connection } of proposals) await core.accepted.accept(endpoint, connection, []);
    acceptUses(core, uses);
    core.changed();
    return (await trustState(core)).report;
  },

  async 'trust.keep'(core, { endpoint }) {
    const stored = storedEndpoint(core, endpoint);
    core.descriptions.shareConnection(stored, (await core.accepted.open(stored)).connection);
    core.changed();
    return (await trustState(core)).report;
  },

  async 'trust.revoke'(core) {
    core.trust.revoke();
    core.changed();
    return (await trustState(core)).report;
  },
};

/** Secrets can be set and listed by name; no call returns one. */
export const vaultCalls: Handlers<CallsOf<'vault'>> = {
  async 'vault.status'(core) {
    return { ...(await core.vault.status()) };
  },
  async 'vault.list'(core) {
    return [...(await core.vault.names())];
  },
  async 'vault.has'(core, { name }) {
    return core.vault.has(name);
  },
  async 'vault.set'(core, { name, value }) {
    await core.vault.set(name, value);
    return {};
  },
  async 'vault.remove'(core, { name }) {
    await core.vault.remove(name);
    return {};
  },
};
