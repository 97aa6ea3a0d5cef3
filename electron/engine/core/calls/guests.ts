import { wouldStop } from '../../../../shared/model/guest-inspection.ts';
import { replicaOf, type CallsOf, type Handlers } from '../core-context.ts';
import { refuseFinalised } from '../life/purposes.ts';
import { acceptUses } from '../trust/entered-uses.ts';
import { diskKeyUse } from '../trust/gate.ts';

export const guestCalls: Handlers<CallsOf<'guest'>> = {
  async 'guest.inspect'(core, { replica: reference, options }) {
    core.gate.requireProject();
    const replica = replicaOf(core, reference);
    refuseFinalised(core, replica);
    acceptUses(
      core,
      (options.luksKeys ?? []).map(({ secret }) => diskKeyUse(secret)),
    );
    return core.inspections.inspect(replica, options);
  },

  async 'guest.cancelInspection'(core, { replica }) {
    await core.inspections.cancel(replicaOf(core, replica));
    return {};
  },

  async 'guest.inspection'(core, { replica }) {
    return core.inspections.find(replicaOf(core, replica).id) ?? null;
  },

  async 'guest.inspections'(core, { wave }) {
    const replicas = new Set(
      core.store.replicas
        .list()
        .filter((one) => wave === undefined || one.wave === wave)
        .map(({ id }) => id),
    );
    return core.inspections
      .list()
      .filter(({ replicaId }) => replicas.has(replicaId))
      .map(({ found, ...inspection }) => ({
        ...inspection,
        findings: found?.findings.length ?? 0,
        doubts: found?.doubts.length ?? 0,
        wouldStop: found !== undefined && wouldStop(found),
      }));
  },
};
