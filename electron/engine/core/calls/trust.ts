import { serverTrust } from '../../http/server-certificates.ts';
import type { CallsOf, Handlers } from './handler.ts';

export const trustCalls: Handlers<CallsOf<'trust'>> = {
  async 'trust.look'(_core, { address, caCertificate }, signal) {
    return serverTrust(address, caCertificate, signal);
  },
};
