import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { serverTrust } from '../../http/server-certificates.ts';
import { storedEndpoint } from '../core-context.ts';
import { acceptUses } from '../trust/entered-uses.ts';
import { trustState } from '../trust/trust-report.ts';
import type { CallsOf, Handlers } from './handler.ts';

export const trustCalls: Handlers<CallsOf<'trust'>> = {
  async 'trust.look'(core, { address, caCertificate }, signal) {
    core.gate.requireProject();
    return serverTrust(address, caCertificate, signal);
  },

  async 'trust.show'(core) {
    core.descriptions.sync();
    return (await trustState(core)).report;
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
