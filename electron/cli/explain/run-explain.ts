import { configurationOnly, explainEnvironment } from '../../../shared/environment/explain-environment.ts';
import { formatOfFile, readDocument, tooLarge } from '../../../shared/environment/read-document.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import type { PluginDefinition } from '../../../shared/plugins/plugin-definition.ts';
import { canonicalise } from '../../../shared/schema/accepted-spellings.ts';
import { UsageError, type CommandContext, type ExitStatus } from '../command-context.ts';
import { readFailure } from '../validate/collect-files.ts';
import { readDocumentFile, readProviderConfigurationFile } from '../validate/read-files.ts';
import { formatExplanationJson, formatExplanationText, type ExplainedSide } from './format-explanation.ts';

export interface ExplainOptions {
  readonly providerConfig?: string;
  readonly format: 'text' | 'json';
}

/** Prints the effective environment of each side. A document with errors is explained too, as far as it can be read. */
export async function runExplain(file: string, options: ExplainOptions, context: CommandContext): Promise<ExitStatus> {
  const document = readForExplanation(file);
  const configuration =
    options.providerConfig === undefined ? undefined : await readProviderConfigurationFile(options.providerConfig);
  for (const { severity, message, location } of configuration?.findings ?? []) {
    context.stderr.write(`causeway: ${options.providerConfig}:${location?.line ?? 1}: ${severity}: ${message}\n`);
  }
  const sides = explainSides(file, document, configuration?.sections ?? new Map());
  context.stdout.write(options.format === 'json' ? formatExplanationJson(sides) : formatExplanationText(sides));
  return configuration?.findings.some(({ severity }) => severity === 'error') ? 1 : 0;
}

function readForExplanation(file: string): JsonObject {
  let content: Uint8Array | number;
  try {
    content = readDocumentFile(file);
  } catch (error) {
    throw new UsageError(`${file}: ${readFailure(error)}`);
  }
  const { value, findings } =
    typeof content === 'number' ? tooLarge(content) : readDocument(content, formatOfFile(file));
  if (!isJsonObject(value)) throw new UsageError(`${file}: ${findings[0]?.message ?? 'the document is not an object'}`);
  return value;
}

function explainSides(file: string, document: JsonObject, sections: ReadonlyMap<string, JsonObject>): ExplainedSide[] {
  const sides: ExplainedSide[] = [];
  for (const side of ['source', 'destination'] as const) {
    const value = document[side];
    if (value === undefined) continue;
    const plugin = pluginOf(value);
    const definition = plugin?.[side];
    if (plugin === undefined || definition === undefined)
      throw new UsageError(`${file}: /${side}/plugin is not a ${side} plugin`);
    const written = isJsonObject(value) && isJsonObject(value['environment']) ? value['environment'] : {};
    const vm = canonicalise(written, definition.acceptedSpellings).environment;
    const section = definition.providerConfiguration?.section;
    const providerConfiguration = (section === undefined ? undefined : sections.get(section)) ?? {};
    sides.push({
      side,
      plugin: plugin.id,
      environment: explainEnvironment(definition, { providerConfiguration, vm }),
      configurationOnly: configurationOnly(definition, providerConfiguration),
    });
  }
  if (sides.length === 0) throw new UsageError(`${file}: the document has neither a source nor a destination`);
  return sides;
}

function pluginOf(side: JsonValue): PluginDefinition | undefined {
  const id = isJsonObject(side) ? side['plugin'] : undefined;
  return typeof id === 'string' && Object.hasOwn(plugins, id) ? plugins[id as keyof typeof plugins] : undefined;
}
