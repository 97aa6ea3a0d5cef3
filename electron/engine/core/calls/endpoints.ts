import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Endpoint } from '../../../../shared/model/endpoint.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/model/json.ts';
import type { PluginId } from '../../../../shared/model/plugin-id.ts';
import { plugins } from '../../../../shared/plugins/registry.ts';
import { newId } from '../../store/ids.ts';
import { endpointOf, openDestination, openSource, using, type CoreContext } from '../core-context.ts';
import { referencedSecret, referencedSecrets, separateSecrets, storeSecrets } from '../secret-references.ts';
import type { CallsOf, Handlers } from './handler.ts';

export const endpointCalls: Handlers<CallsOf<'endpoint'>> = {
  async 'endpoint.add'(core, { name, plugin, connection }) {
    refuseTakenName(core, name);
    const id = newId('ep');
    const now = new Date().toISOString();
    const endpoint: Endpoint = { id, name, plugin, connection: await protectedConnection(core, id, plugin, connection), createdAt: now, updatedAt: now };
    core.descriptions.addEndpoint(endpoint);
    return endpoint;
  },

  async 'endpoint.list'(core) {
    return core.store.endpoints.list();
  },

  async 'endpoint.get'(core, { endpoint }) {
    return endpointOf(core, endpoint);
  },

  async 'endpoint.update'(core, { endpoint: reference, name, connection }) {
    const endpoint = endpointOf(core, reference);
    if (name !== undefined && name !== endpoint.name) refuseTakenName(core, name);
    const updated: Endpoint = {
      ...endpoint,
      ...(name === undefined ? {} : { name }),
      ...(connection === undefined ? {} : { connection: await protectedConnection(core, endpoint.id, endpoint.plugin, connection) }),
      updatedAt: new Date().toISOString(),
    };
    core.descriptions.updateEndpoint(updated);
    return updated;
  },

  async 'endpoint.remove'(core, { endpoint: reference }) {
    const endpoint = endpointOf(core, reference);
    const replica = core.store.replicas.list().find((one) => one.sourceEndpointId === endpoint.id || one.destinationEndpointId === endpoint.id);
    if (replica !== undefined) throw new CausewayError('engine.in-use', `endpoint ${endpoint.name} is used by replica ${replica.name}`);
    const left = core.store.ledger.list().filter((entry) => entry.endpointId === endpoint.id);
    if (left.length > 0) throw new CausewayError('engine.in-use', `the ledger knows ${left.length} resources at endpoint ${endpoint.name}`);
    core.descriptions.removeEndpoint(endpoint.id);
    // Only those that were made for this endpoint; a secret that somebody named may serve elsewhere.
    for (const secret of referencedSecrets(endpoint.connection)) {
      if (secret.startsWith(`${secretPrefix(endpoint.id)}/`)) await core.vault.remove(secret);
    }
    return {};
  },

  async 'endpoint.check'(core, { endpoint: reference }, signal) {
    const endpoint = endpointOf(core, reference);
    const report =
      core.platforms[endpoint.plugin]?.source === undefined
        ? await using(openDestination(core, endpoint), (platform) => platform.check(signal))
        : await using(openSource(core, endpoint), (platform) => platform.check(signal));
    return { passed: report.passed, steps: report.steps.map((step) => ({ ...step })) };
  },
};

function secretPrefix(endpointId: string): string {
  return `endpoint/${endpointId}`;
}

/** Checked against the plugin's form; only then do its secrets go into the vault. */
async function protectedConnection(core: CoreContext, id: string, plugin: PluginId, connection: JsonObject): Promise<JsonObject> {
  const { connection: schema } = plugins[plugin];
  const separated = separateSecrets(schema, connection, secretPrefix(id));
  // What a reference stands for is not known to the form; the platform checks it when it is used.
  const issues = (schema.safeParse(separated.value).error?.issues ?? [])
    .filter((issue) => !isReferenceAt(separated.value, issue.path))
    .map((issue) => `${issue.path.join('.') || 'connection'}: ${issue.message}`);
  if (issues.length > 0) throw new CausewayError('general.invalid-input', `connection of ${plugin}: ${issues.join('; ')}`, { details: { issues } });
  await storeSecrets(separated, core.vault);
  return separated.value;
}

function isReferenceAt(value: JsonObject, path: readonly PropertyKey[]): boolean {
  let node: JsonValue | undefined = value;
  for (const key of path) {
    node = isJsonObject(node) ? node[String(key)] : undefined;
    if (node !== undefined && referencedSecret(node) !== undefined) return true;
  }
  return false;
}

function refuseTakenName(core: CoreContext, name: string): void {
  if (core.store.endpoints.list().some((endpoint) => endpoint.name === name)) throw new CausewayError('engine.name-taken', `endpoint ${name}`);
}
