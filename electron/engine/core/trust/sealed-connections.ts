import type { JsonObject } from '../../../../shared/model/json.ts';
import type { PluginId } from '../../../../shared/model/plugin-id.ts';
import type { SecretVault } from '../../ports/secret-vault.ts';

/** Connections in the vault, for showing what could be accepted: without the secrets of their records. */
export interface SealedConnections {
  /** Whether the vault has a record of the endpoint that can't be read now because it is closed. */
  has(endpointId: string): Promise<boolean>;
  /** Whatever project it was accepted for; undefined where the vault is closed, has none, or has one that was changed. */
  connection(endpointId: string, plugin: PluginId): Promise<JsonObject | undefined>;
}

export function sealedConnections(vault: SecretVault): SealedConnections {
  return {
    has: async (endpointId) => (await vault.hasEndpoint(endpointId)) && !(await vault.openQuietly()),
    async connection(endpointId, plugin) {
      if (!(await vault.openQuietly())) return undefined;
      const record = await vault.endpoint(endpointId).catch(() => undefined);
      return record?.plugin === plugin ? record.connection : undefined;
    },
  };
}
