import { forgetTransferState } from '../../replication/index.ts';
import { transferFolder } from '../core-context.ts';
import type { CallName } from '../../../../shared/contract/contract.ts';
import type { CallsOf, Handlers } from './handler.ts';

export const projectCalls: Handlers<CallsOf<'project'>> = {
  async 'project.sync'(core) {
    return { problems: core.descriptions.sync().problems.map((problem) => ({ ...problem })) };
  },

  async 'project.owner'(core) {
    return { ...core.store.identity.computers(), isElsewhere: core.store.identity.isElsewhere() };
  },

  async 'project.takeOver'(core) {
    if (!core.store.identity.isElsewhere()) return {};
    // Another copy may have written to the volumes since: nothing that is known of them holds any more.
    for (const replica of core.store.replicas.list()) {
      for (const { diskId, sizeBytes } of replica.disks) {
        forgetTransferState({ db: core.store.db, folder: transferFolder(core), replicaId: replica.id, diskId, sizeBytes });
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
    for (const endpoint of core.store.endpoints.list()) core.descriptions.shareConnection(endpoint, addresses ? core.accepted.shown(endpoint) : {});
    core.changed();
    return { addresses };
  },
};

/** Calls that change what is in clouds, on sources or in the queue: for the computer alone that the project's data belongs to. */
export const changingCalls: ReadonlySet<string> = new Set([
  'replica.execute', 'replica.delete', 'execution.resume', 'execution.cancel', 'deployment.create', 'deployment.resume', 'deployment.cancel',
  'deployment.delete', 'ledger.remove',
] satisfies CallName[]);
