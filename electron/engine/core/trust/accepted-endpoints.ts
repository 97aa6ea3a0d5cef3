import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Endpoint } from '../../../../shared/model/endpoint.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { PluginId } from '../../../../shared/model/plugin-id.ts';
import type { SecretVault } from '../../ports/secret-vault.ts';
import { fingerprint } from '../../trust/fingerprint.ts';
import type { ProjectTrust, TrustRecord } from '../../trust/trusted-projects.ts';
import { referencedSecrets, type PlainSecret } from '../secret-references.ts';

/** An endpoint's connection as this computer accepted it, with the secrets that were entered for it. */
export interface AcceptedConnection {
  readonly connection: JsonObject;
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * The connections that were entered or accepted on this computer. Those with secrets are sealed in the vault together
 * with them; those without are in the user's settings folder. Either way the user's record of the project has the
 * fingerprint, and nothing else is ever used.
 */
export interface AcceptedEndpoints {
  /** @throws CausewayError `trust.*`, `secrets.*` */
  open(endpoint: Endpoint): Promise<AcceptedConnection>;
  /**
   * Makes a connection the accepted one. Secrets of the former one stay where the new one refers to them.
   * @throws CausewayError `trust.project-not-accepted`, `secrets.*`
   */
  accept(
    endpoint: Pick<Endpoint, 'id' | 'plugin' | 'name'>,
    connection: JsonObject,
    secrets: readonly PlainSecret[],
  ): Promise<void>;
  forget(endpointId: string): Promise<void>;
  /** For showing and checking: what was accepted, as far as it can be read now; what is proposed where nothing was. */
  shown(endpoint: Endpoint): JsonObject | undefined;
  /** Reads what the vault has, if no passphrase must be asked for. */
  load(endpoints: readonly Endpoint[]): Promise<void>;
}

export function acceptedEndpoints(trust: ProjectTrust, vault: SecretVault): AcceptedEndpoints {
  /** Without secrets, by the endpoint's id; used only while the fingerprint is the accepted one. */
  const seen = new Map<string, { readonly fingerprint: string; readonly connection: JsonObject }>();

  const entryOf = (record: TrustRecord | undefined, { id, plugin }: Pick<Endpoint, 'id' | 'plugin'>) => {
    const entry = record !== undefined && Object.hasOwn(record.endpoints, id) ? record.endpoints[id] : undefined;
    return entry?.plugin === plugin ? entry : undefined;
  };

  async function open(endpoint: Endpoint): Promise<AcceptedConnection> {
    const record = requireTrust(trust);
    const entry = entryOf(record, endpoint);
    if (entry === undefined) throw notAccepted(endpoint);
    if (entry.connection !== undefined) {
      if (connectionFingerprint(endpoint.plugin, entry.connection) !== entry.fingerprint) throw notAccepted(endpoint);
      return { connection: entry.connection, secrets: {} };
    }
    const sealed = await vault.endpoint(endpoint.id);
    if (
      sealed === undefined ||
      sealed.project !== record.projectId ||
      connectionFingerprint(sealed.plugin, sealed.connection) !== entry.fingerprint
    )
      throw notAccepted(endpoint);
    seen.set(endpoint.id, { fingerprint: entry.fingerprint, connection: sealed.connection });
    return sealed;
  }

  async function seal(
    endpoint: Pick<Endpoint, 'id' | 'plugin'>,
    connection: JsonObject,
    given: readonly PlainSecret[],
  ): Promise<void> {
    const former = (await vault.endpoint(endpoint.id))?.secrets ?? {};
    const secrets: Record<string, string> = {};
    for (const name of referencedSecrets(connection)) {
      const entered = given.find((one) => one.name === name)?.secret;
      if (entered !== undefined) secrets[name] = entered;
      else if (Object.hasOwn(former, name)) secrets[name] = former[name]!;
      // Kept beside the record by an earlier version.
      else if (name.startsWith(`${secretPrefix(endpoint.id)}/`) && (await vault.has(name)))
        secrets[name] = await vault.resolve(name);
    }
    await vault.saveEndpoint(endpoint.id, {
      project: requireTrust(trust).projectId,
      plugin: endpoint.plugin,
      connection,
      secrets,
    });
  }

  return {
    open,
    async accept(endpoint, connection, given) {
      requireTrust(trust);
      let isSealed = referencedSecrets(connection).length > 0;
      if (isSealed) {
        try {
          await seal(endpoint, connection, given);
        } catch (cause) {
          const [first] = given;
          if (first !== undefined) throw new CausewayError('secrets.plain-text', first.place, { cause });
          // It only names secrets that a vault still to be made will have.
          if (!(cause instanceof CausewayError) || cause.code !== 'secrets.no-vault') throw cause;
          isSealed = false;
        }
      } else if (await vault.openQuietly()) {
        // Only for the day the project is moved or copied: what is used is in the user's settings folder.
        await seal(endpoint, connection, []);
      } else await vault.removeEndpoint(endpoint.id);
      const print = connectionFingerprint(endpoint.plugin, connection);
      const entry = {
        plugin: endpoint.plugin,
        fingerprint: print,
        acceptedAt: new Date().toISOString(),
        ...(isSealed ? {} : { connection }),
      };
      trust.change(({ endpoints }) => ({ endpoints: { ...endpoints, [endpoint.id]: entry } }));
      seen.set(endpoint.id, { fingerprint: print, connection });
    },
    async forget(endpointId) {
      await vault.removeEndpoint(endpointId);
      trust.change(({ endpoints: { [endpointId]: _gone, ...endpoints } }) => ({ endpoints }));
      seen.delete(endpointId);
    },
    shown(endpoint) {
      const entry = entryOf(trust.read(), endpoint);
      const proposed = Object.keys(endpoint.connection).length === 0 ? undefined : endpoint.connection;
      if (entry === undefined) return proposed;
      if (entry.connection !== undefined) return entry.connection;
      const known = seen.get(endpoint.id);
      if (known?.fingerprint === entry.fingerprint) return known.connection;
      return proposed !== undefined && connectionFingerprint(endpoint.plugin, proposed) === entry.fingerprint
        ? proposed
        : undefined;
    },
    async load(endpoints) {
      const unread = endpoints.filter((endpoint) => {
        const entry = entryOf(trust.read(), endpoint);
        return (
          entry !== undefined &&
          entry.connection === undefined &&
          seen.get(endpoint.id)?.fingerprint !== entry.fingerprint
        );
      });
      if (unread.length === 0 || !(await vault.openQuietly())) return;
      // One that can't be read says so when it is used.
      for (const endpoint of unread) await open(endpoint).catch(() => undefined);
    },
  };
}

/**
 * The same for many looks without a pause in between, during which nothing can be accepted here: the user's record is read once for each
 * endpoint. Not to be kept.
 */
export function forOnePass<P extends { readonly accepted: AcceptedEndpoints }>(parts: P): P {
  const looked = new Map<string, JsonObject | undefined>();
  const shown = (endpoint: Endpoint): JsonObject | undefined => {
    if (!looked.has(endpoint.id)) looked.set(endpoint.id, parts.accepted.shown(endpoint));
    return looked.get(endpoint.id);
  };
  return { ...parts, accepted: { ...parts.accepted, shown } };
}

export function secretPrefix(endpointId: string): string {
  return `endpoint/${endpointId}`;
}

export function connectionFingerprint(plugin: string, connection: JsonObject): string {
  return fingerprint({ plugin, connection });
}

/** @throws CausewayError `trust.project-not-accepted` */
export function requireTrust(trust: ProjectTrust): TrustRecord {
  const record = trust.read();
  if (record === undefined)
    throw new CausewayError('trust.project-not-accepted', 'the project folder was not accepted on this computer');
  return record;
}

function notAccepted({ name, connection }: Endpoint): CausewayError {
  return Object.keys(connection).length === 0
    ? new CausewayError('trust.connection-missing', `endpoint ${name}`, { details: { endpoint: name } })
    : new CausewayError('trust.endpoint-not-accepted', `endpoint ${name}`, { details: { endpoint: name } });
}

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
