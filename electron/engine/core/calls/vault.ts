import type { CallsOf, Handlers } from './handler.ts';

/** Secrets go in and are asked after; none of these calls gives one out. */
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
