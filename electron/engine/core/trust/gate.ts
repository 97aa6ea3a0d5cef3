import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GuestCheck } from '../../../../shared/model/after-boot-check.ts';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Endpoint } from '../../../../shared/model/endpoint.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { PluginId, Side } from '../../../../shared/model/plugin-id.ts';
import type { PlatformFactory, PlatformRegistry } from '../../platforms/registry.ts';
import type { DestinationPlatform } from '../../ports/destination-platform.ts';
import type { PersonSignIn, PlatformUse, SignInStore } from '../../ports/platform-context.ts';
import type { SecretVault } from '../../ports/secret-vault.ts';
import type { SourcePlatform } from '../../ports/source-platform.ts';
import { ledgerScope } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';
import { refuseConnection } from '../../trust/connection-bounds.ts';
import { environmentUses } from '../../trust/environment-uses.ts';
import type { ProjectTrust } from '../../trust/trusted-projects.ts';
import { resolveSecrets, type Redactor } from '../secret-references.ts';
import { checkLoginUses } from './check-logins.ts';
import { requireTrust, secretPrefix, type AcceptedEndpoints } from './accepted-endpoints.ts';

/**
 * The one way from the core to anything outside of it: platforms, the programs that they start, and the plain text of
 * secrets. It works with what this computer accepted, never with what the project's files say at the moment.
 */
export interface Gate {
  /** Whether this version has an adapter. Contacts nothing. */
  hasPlatform(plugin: PluginId, side: Side): boolean;
  /**
   * The endpoint's platform as a source. The caller closes it.
   * @param use the execution or deployment; without it, the source is read-only
   * @throws CausewayError `trust.*`, `secrets.*`, `engine.plugin-not-here`
   */
  source(endpoint: Endpoint, use?: PlatformUse): Promise<SourcePlatform>;
  /** The endpoint's platform as a destination. The caller closes it. Throws as `source` does. */
  destination(endpoint: Endpoint): Promise<DestinationPlatform>;
  /** Begins the sign-in of a person at an endpoint; what comes of it goes into the vault. Throws as `source` does. */
  signIn(endpoint: Endpoint, signal: AbortSignal): Promise<PersonSignIn>;
  /** An environment with its secrets in plain text. @throws CausewayError `trust.environment-not-accepted`, `secrets.*` */
  environment(plugin: PluginId, side: Side, values: JsonObject): Promise<JsonObject>;
  /** The key of an encrypted guest disk that a deployment was asked to open. Throws as `environment` does. */
  diskKey(secret: string): Promise<string>;
  /** The private key or password that a check signs in to a guest with. Throws as `environment` does. */
  checkLogin(check: GuestCheck): Promise<string>;
  /** An address, key or password of notifications, in plain text. @throws CausewayError `trust.*`, `secrets.*` */
  notificationSecret(name: string): Promise<string>;
  /** @throws CausewayError `trust.project-not-accepted` */
  requireProject(): void;
  isProjectAccepted(): boolean;
}

interface Parts {
  readonly stateFolder: string;
  readonly store: Store;
  readonly vault: SecretVault;
  readonly platforms: PlatformRegistry;
  readonly redactor: Redactor;
  readonly trust: ProjectTrust;
  readonly accepted: AcceptedEndpoints;
}

export function createGate({ stateFolder, store, vault, platforms, redactor, trust, accepted }: Parts): Gate {
  const learn = (name: string, secret: string): void => redactor.learn(name, secret);

  async function connectionOf(endpoint: Endpoint): Promise<JsonObject> {
    const { connection, secrets } = await accepted.open(endpoint);
    refuseConnection(endpoint.plugin, connection, dirname(stateFolder));
    return resolveSecrets(
      connection,
      async (name) => (Object.hasOwn(secrets, name) ? secrets[name]! : vault.resolve(name)),
      learn,
    );
  }

  function contextOf(endpoint: Endpoint) {
    const scratchFolder = join(stateFolder, 'endpoints', endpoint.id);
    mkdirSync(scratchFolder, { recursive: true, mode: 0o700 });
    return { scratchFolder, signIn: signInStore(endpoint) };
  }

  /** Beside the endpoint's record, as it changes on its own; removed with the endpoint. */
  function signInStore({ id }: Endpoint): SignInStore {
    const name = signInSecret(id);
    return {
      async read() {
        if (!(await vault.has(name))) return undefined;
        const session = await vault.resolve(name);
        learn(name, session);
        return session;
      },
      async save(session) {
        // Of an endpoint that was removed, or signed out of, in the meantime nothing comes back.
        if (!(await vault.has(name))) return;
        learn(name, session);
        await vault.set(name, session);
      },
    };
  }

  function factoryOf<S extends Side>(endpoint: Endpoint, side: S): NonNullable<PlatformFactory[S]> {
    const factory = platforms[endpoint.plugin];
    const make = factory?.[side];
    if (make === undefined)
      throw new CausewayError('engine.plugin-not-here', `${endpoint.plugin} as a ${side} (endpoint ${endpoint.name})`);
    return make.bind(factory) as NonNullable<PlatformFactory[S]>;
  }

  function refuseUses(uses: readonly { readonly key: string; readonly label: string; readonly value: string }[]): void {
    const known = new Set(requireTrust(trust).uses);
    const strange = uses.filter(({ key }) => !known.has(key));
    if (strange.length === 0) return;
    throw new CausewayError(
      'trust.environment-not-accepted',
      strange.map(({ label, value }) => `${label}: ${value}`).join('; '),
      {
        details: { uses: strange.map(({ label, value }) => ({ label, value })) },
      },
    );
  }

  return {
    hasPlatform: (plugin, side) => platforms[plugin]?.[side] !== undefined,
    async source(endpoint, use) {
      const make = factoryOf(endpoint, 'source');
      const ledger = use === undefined ? {} : { use, ledger: ledgerScope(store.ledger, scopeOfUse(endpoint, use)) };
      return make(await connectionOf(endpoint), { ...contextOf(endpoint), ...ledger });
    },
    async destination(endpoint) {
      const make = factoryOf(endpoint, 'destination');
      return make(await connectionOf(endpoint), contextOf(endpoint));
    },
    async signIn(endpoint, signal) {
      const factory = platforms[endpoint.plugin];
      if (factory?.signIn === undefined)
        throw new CausewayError(
          'engine.plugin-not-here',
          `${endpoint.plugin} has no sign-in for people (endpoint ${endpoint.name})`,
        );
      const connection = await connectionOf(endpoint);
      const store = signInStore(endpoint);
      // A vault that is missing or locked says so now, not when the person has entered the code.
      if ((await store.read()) === undefined) await vault.set(signInSecret(endpoint.id), '{}');
      return factory.signIn(connection, store, signal);
    },
    async environment(plugin, side, values) {
      refuseUses(environmentUses(plugin, side, values));
      return resolveSecrets(values, (name) => vault.resolve(name), learn);
    },
    async diskKey(secret) {
      refuseUses([{ key: diskKeyUse(secret), label: 'Disk key', value: secret }]);
      const key = await vault.resolve(secret);
      learn(secret, key);
      return key;
    },
    async checkLogin(check) {
      refuseUses(checkLoginUses(check));
      const credential = await vault.resolve(check.secret);
      learn(check.secret, credential);
      return credential;
    },
    async notificationSecret(name) {
      requireTrust(trust);
      const secret = await vault.resolve(name);
      learn(name, secret);
      return secret;
    },
    requireProject: () => void requireTrust(trust),
    isProjectAccepted: () => trust.read() !== undefined,
  };
}

/** Under which a deployment's disk key is accepted. */
export function diskKeyUse(secret: string): string {
  return JSON.stringify(['disk-key', secret]);
}

function signInSecret(endpointId: string): string {
  return `${secretPrefix(endpointId)}/signed-in`;
}

function scopeOfUse(endpoint: Endpoint, { replicaId, executionId }: PlatformUse) {
  return {
    endpointId: endpoint.id,
    replicaId,
    ...(executionId === undefined ? {} : { executionId }),
    side: 'source' as const,
  };
}
