import { layerKey, type LayerSet } from '../../../../shared/environment/layers.ts';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { PluginId, Side } from '../../../../shared/model/plugin-id.ts';
import { plugins } from '../../../../shared/plugins/registry.ts';
import { canonicalise } from '../../../../shared/schema/accepted-spellings.ts';
import { checkShape } from '../../../../shared/schema/check-shape.ts';
import { findingsText } from '../../../../shared/schema/finding.ts';
import { toPointer } from '../../../../shared/schema/json-pointer.ts';
import { defaultsFiles, type DefaultsFiles } from '../../project-files/defaults-files.ts';
import type { CallsOf, CoreContext, Handlers } from '../core-context.ts';
import { environmentDefinition } from '../environments.ts';
import { projectFolderOf } from '../replica-environments.ts';
import { separateSecrets, storeSecrets, type SeparatedSecrets } from '../secret-references.ts';
import { acceptEntered } from '../trust/entered-uses.ts';

/** What a project's virtual machines have in common, for all of them or for a wave. */
export const defaultsCalls: Handlers<CallsOf<'defaults'>> = {
  async 'defaults.show'(core) {
    return filesOf(core).all();
  },

  async 'defaults.save'(core, { wave, environments }) {
    const files = filesOf(core);
    const separated = Object.entries(environments).map(([key, { environment, cleared = [] }]) => {
      const secrets = separateSecrets(
        definitionOf(key)?.schema,
        environment,
        `defaults/${wave === undefined ? 'project' : `wave-${wave}`}/${key}`.replaceAll(/[^A-Za-z0-9._/-]/g, '_'),
      );
      refuseShape(key, secrets.value);
      return { key, secrets, cleared };
    });
    for (const { secrets } of separated) await storeSecrets(secrets, core.vault);
    const layers: LayerSet = Object.fromEntries(
      separated
        .filter(hasContent)
        .map(({ key, secrets, cleared }) => [
          key,
          { environment: secrets.value, ...(cleared.length === 0 ? {} : { cleared }) },
        ]),
    );
    const former = wave === undefined ? files.project() : (files.waves.find(wave)?.environments ?? {});
    acceptEntered(
      core,
      Object.entries(layers).map(([key, { environment }]) => {
        const [plugin, side] = key.split('/') as [PluginId, Side];
        return { plugin, side, before: former[key]?.environment ?? {}, after: environment };
      }),
    );
    if (wave === undefined) files.saveProject(layers);
    else {
      const plan = files.waves.find(wave)?.plan;
      files.waves.save({ name: wave, environments: layers, ...(plan === undefined ? {} : { plan }) });
    }
    return files.all();
  },

  async 'defaults.removeWave'(core, { wave }) {
    const members = core.store.replicas.list().filter((replica) => replica.wave === wave);
    if (members.length > 0)
      throw new CausewayError('engine.wave-in-use', `${wave}: ${members.map(({ name }) => name).join(', ')}`);
    const files = filesOf(core);
    files.waves.remove(wave);
    return files.all();
  },
};

function hasContent({
  secrets,
  cleared,
}: {
  readonly secrets: SeparatedSecrets;
  readonly cleared: readonly string[];
}): boolean {
  return Object.keys(secrets.value).length > 0 || cleared.length > 0;
}

function definitionOf(key: string) {
  for (const id of Object.keys(plugins) as PluginId[]) {
    for (const side of ['source', 'destination'] as Side[])
      if (layerKey(id, side) === key) return environmentDefinition(id, side);
  }
  return undefined;
}

/** A layer need not be complete, but what it says has to have the right form. */
function refuseShape(key: string, environment: SeparatedSecrets['value']): void {
  const definition = definitionOf(key);
  if (definition === undefined) throw new CausewayError('general.invalid-input', `${key} not found`);
  const faults = checkShape(definition.schema, canonicalise(environment, definition.acceptedSpellings).environment, {
    unknownKey: ({ key: unknown }) => ({ message: `Unknown key ${JSON.stringify(unknown)} in ${key}` }),
    givenElsewhere: () => true,
  });
  if (faults.length > 0)
    throw new CausewayError(
      'engine.environment-invalid',
      findingsText(faults.map(({ path, message }) => ({ path: toPointer(path), message }))),
    );
}

function filesOf(core: Pick<CoreContext, 'stateFolder'>): DefaultsFiles {
  return defaultsFiles(projectFolderOf(core));
}
