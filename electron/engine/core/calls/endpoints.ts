import { CausewayError, toErrorRecord, type ErrorRecord } from '../../../../shared/model/causeway-error.ts';
import type { Endpoint } from '../../../../shared/model/endpoint.ts';
import { errorText } from '../../../../shared/model/errors/catalogue.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import { plugins } from '../../../../shared/plugins/registry.ts';
import type { DestinationPlatform } from '../../ports/destination-platform.ts';
import type { CheckReport, CheckStep, FeaturePolicy } from '../../ports/platform-common.ts';
import type { SourcePlatform } from '../../ports/source-platform.ts';
import { missingInRuntime } from '../../runtime/runtime-check.ts';
import { newId } from '../../store/ids.ts';
import { refuseConnection } from '../../trust/connection-bounds.ts';
import {
  endpointOf,
  openDestination,
  openSource,
  shownEndpoint,
  storedEndpoint,
  using,
  type CallsOf,
  type CoreContext,
  type Handlers,
} from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';
import { separateSecrets } from '../secret-references.ts';
import { secretPrefix } from '../trust/accepted-endpoints.ts';

export const endpointCalls: Handlers<CallsOf<'endpoint'>> = {
  async 'endpoint.add'(core, { name, plugin, connection }) {
    refuseTakenName(core, name);
    const id = newId('ep');
    const now = new Date().toISOString();
    const accepted = await acceptConnection(core, { id, name, plugin }, connection);
    core.descriptions.addEndpoint({
      id,
      name,
      plugin,
      connection: inFiles(core, accepted),
      createdAt: now,
      updatedAt: now,
    });
    return endpointOf(core, id);
  },

  async 'endpoint.list'(core) {
    const endpoints = core.store.endpoints.list();
    await core.accepted.load(endpoints);
    return endpoints.map((endpoint) => withLastCheck(core, shownEndpoint(core, endpoint)));
  },

  async 'endpoint.get'(core, { endpoint }) {
    await core.accepted.load([storedEndpoint(core, endpoint)]);
    return withLastCheck(core, endpointOf(core, endpoint));
  },

  async 'endpoint.update'(core, { endpoint: reference, name, connection }) {
    const endpoint = storedEndpoint(core, reference);
    if (name !== undefined && name !== endpoint.name) refuseTakenName(core, name);
    const accepted = connection === undefined ? undefined : await acceptConnection(core, endpoint, connection);
    core.descriptions.updateEndpoint({
      ...endpoint,
      ...(name === undefined ? {} : { name }),
      ...(accepted === undefined ? {} : { connection: inFiles(core, accepted, endpoint) }),
      updatedAt: new Date().toISOString(),
    });
    return endpointOf(core, endpoint.id);
  },

  async 'endpoint.remove'(core, { endpoint: reference }) {
    const endpoint = endpointOf(core, reference);
    const replica = core.store.replicas
      .list()
      .find((one) => one.sourceEndpointId === endpoint.id || one.destinationEndpointId === endpoint.id);
    if (replica !== undefined)
      throw new CausewayError('engine.in-use', `endpoint ${endpoint.name} is used by replica ${replica.name}`);
    const left = core.store.ledger.list().filter((entry) => entry.endpointId === endpoint.id);
    if (left.length > 0)
      throw new CausewayError(
        'engine.in-use',
        `the ledger lists ${left.length} resources at endpoint ${endpoint.name}`,
      );
    core.descriptions.removeEndpoint(endpoint.id);
    await core.accepted.forget(endpoint.id);
    // Only those that were made for this endpoint; a named secret may be used elsewhere.
    for (const secret of await core.vault.names()) {
      if (secret.startsWith(`${secretPrefix(endpoint.id)}/`)) await core.vault.remove(secret);
    }
    return {};
  },

  async 'endpoint.policy'(core, { endpoint: reference }) {
    const { features } = await policyOf(core, endpointOf(core, reference));
    return features.map((one) => ({ ...one, privileges: [...one.privileges] }));
  },

  async 'endpoint.policyDocument'(core, { endpoint: reference }) {
    const { document } = await policyOf(core, endpointOf(core, reference));
    return { document };
  },

  async 'endpoint.signIn'(core, { endpoint: reference, attempt }, signal) {
    const endpoint = endpointOf(core, reference);
    const { code, address, expiresAt, finished } = await core.gate.signIn(endpoint, signal);
    core.tellSignIn({ endpoint: endpoint.id, attempt, code, address, expiresAt });
    const { account } = await finished;
    return { account };
  },

  async 'endpoint.check'(core, { endpoint: reference }, signal) {
    const endpoint = endpointOf(core, reference);
    // The beginning: of an endpoint that is edited meanwhile, the connection before was checked.
    const at = new Date().toISOString();
    try {
      const found = await checkEndpoint(core, endpoint, signal);
      keepCheck(core, endpoint.id, at, found);
      return found;
    } catch (error) {
      const failure = core.redactor.error(toErrorRecord(error));
      // What was cancelled says nothing about the endpoint.
      if (!signal.aborted && failure.code !== 'general.cancelled')
        keepCheck(core, endpoint.id, at, { passed: false, steps: [failedStep(failure)] });
      throw error;
    }
  },
};

async function checkEndpoint(
  core: CoreContext,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<{ readonly passed: boolean; readonly steps: CheckStep[] }> {
  const report = await checkBothSides(core, endpoint, signal);
  const lacking = (await missingInRuntime()).map(({ name, usedFor, evidence }) => ({
    name: `Runtime: ${name}`,
    outcome: 'failed' as const,
    evidence: `Not available, needed for ${usedFor} (${evidence}).`,
  }));
  const steps = [...lacking, ...report.steps.map((step) => ({ ...step, evidence: core.redactor.text(step.evidence) }))];
  return { passed: report.passed && lacking.length === 0, steps };
}

/** What it can be used for: as a source, as a destination, or both. What both try in the same way is shown once. */
async function checkBothSides(core: CoreContext, endpoint: Endpoint, signal: AbortSignal): Promise<CheckReport> {
  const reports: CheckReport[] = [];
  if (core.gate.hasPlatform(endpoint.plugin, 'source'))
    reports.push(await using(openSource(core, endpoint), (platform) => platform.check(signal)));
  const isReached = reports.every(({ steps }) => !steps.some(({ outcome }) => outcome === 'skipped'));
  if (isReached && core.gate.hasPlatform(endpoint.plugin, 'destination'))
    reports.push(await using(openDestination(core, endpoint), (platform) => platform.check(signal)));
  const steps = reports.flatMap((report) => report.steps);
  const isFirst = (step: CheckStep, index: number): boolean =>
    step.outcome === 'failed' || steps.findIndex(({ name }) => name === step.name) === index;
  return { passed: reports.every(({ passed }) => passed), steps: steps.filter(isFirst) };
}

/** What an account needs for each use of the endpoint, and a document of all of it where the platform has such. */
async function policyOf(
  core: CoreContext,
  endpoint: Endpoint,
): Promise<{ readonly features: readonly FeaturePolicy[]; readonly document: string | null }> {
  const features: FeaturePolicy[] = [];
  const open = { source: () => openSource(core, endpoint), destination: () => openDestination(core, endpoint) };
  const sides = (['source', 'destination'] as const).filter((side) => core.gate.hasPlatform(endpoint.plugin, side));
  for (const side of sides)
    features.push(
      ...(await using<SourcePlatform | DestinationPlatform, readonly FeaturePolicy[]>(
        open[side](),
        async (platform) => platform.policy?.() ?? [],
      )),
    );
  for (const side of sides) {
    const document = await using<SourcePlatform | DestinationPlatform, string | undefined>(
      open[side](),
      async (platform) => platform.policyDocument?.(features),
    );
    if (document !== undefined) return { features, document };
  }
  return { features, document: null };
}

/** A check that ended with an error, as a step of its report. */
function failedStep({ code, message }: ErrorRecord): CheckStep {
  const { title, remedy } = errorText(code);
  return { name: 'Check', outcome: 'failed', evidence: `${title} (${message}). ${remedy}`, code };
}

/** Never throws: on a full disk, or when the endpoint was removed meanwhile, the caller still gets the result. */
function keepCheck(core: CoreContext, endpointId: string, at: string, report: CheckReport): void {
  try {
    core.store.endpoints.keepCheck(endpointId, at, report);
  } catch {
    return;
  }
  core.changed();
}

function withLastCheck(core: CoreContext, endpoint: Endpoint) {
  const check = core.store.endpoints.lastCheck(endpoint.id);
  if (check === undefined) return endpoint;
  return { ...endpoint, lastCheck: { ...check, steps: [...check.steps], isOutdated: endpoint.updatedAt > check.at } };
}

/**
 * Checked against the plugin's form; only then it becomes the accepted one, together with its secrets. What comes back
 * has references in their places.
 */
async function acceptConnection(
  core: CoreContext,
  endpoint: Pick<Endpoint, 'id' | 'name' | 'plugin'>,
  connection: JsonObject,
): Promise<JsonObject> {
  core.gate.requireProject();
  const { value, secrets } = separateSecrets(
    plugins[endpoint.plugin].connection,
    connection,
    secretPrefix(endpoint.id),
  );
  refuseConnection(endpoint.plugin, value, projectFolderOf(core));
  await core.accepted.accept(endpoint, value, secrets);
  return value;
}

/** What the project's files say of a connection: nothing, unless this user shares addresses or the file had them before. */
function inFiles(core: CoreContext, connection: JsonObject, former?: Endpoint): JsonObject {
  const wasShared = former !== undefined && Object.keys(former.connection).length > 0;
  return wasShared || core.trust.read()?.sharesAddresses === true ? connection : {};
}

function refuseTakenName(core: CoreContext, name: string): void {
  if (core.store.endpoints.list().some((endpoint) => endpoint.name === name))
    throw new CausewayError('engine.name-taken', `endpoint ${name}`);
}
