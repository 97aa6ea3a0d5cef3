import type { z } from 'zod';
import type { PluginDefinition } from '../plugin-definition.ts';
import { fieldsOf, type SchemaField } from '../schema-fields.ts';
import { capital } from './json-schema.ts';
import type { RenderedPart } from './rendered-part.ts';
import { typeLabel } from './type-label.ts';

/** A table of all keys, with the provider configuration and other spellings where there are any. */
export function markdownOf(plugin: PluginDefinition, part: RenderedPart, schema: z.ZodObject): string {
  const title =
    part === 'connection' ? `Connection to the ${plugin.title.toLowerCase()}` : `${plugin.title}: ${part} environment`;
  const environment = part === 'connection' ? undefined : plugin[part];
  const sections = [`# ${title}`, table(schema)];
  const spellings = Object.entries(environment?.acceptedSpellings ?? {});
  if (spellings.length > 0) {
    const list = spellings.map(([spelling, key]) => `- \`${spelling}\` for \`${key}\``).join('\n');
    sections.push('## Other spellings', `Accepted with a warning. Setting both spellings is an error:\n\n${list}`);
  }
  const configuration = environment?.providerConfiguration;
  if (configuration !== undefined) {
    const merges = configuration.mergeRules.map(({ kind, from, into }) =>
      kind === 'join' ? `- \`${from}\` and \`${into}\` are combined.` : `- \`${into}\` is merged over \`${from}\`.`,
    );
    sections.push(
      '## Provider configuration',
      `Section \`[${configuration.section}]\`. Values of the environment override these values, except:\n\n${merges.join('\n')}`,
      table(configuration.schema),
    );
  }
  return `${sections.join('\n\n')}\n`;
}

function table(schema: z.ZodObject): string {
  const rows = fieldsOf(schema).map((field) => row(field));
  return ['| Key | Type | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function row({ path, schema, required, meta }: SchemaField): string {
  const cells = [
    `\`${path.join('.').replaceAll('.*', '[]')}\``,
    `${capitalFree(typeLabel(schema))}${meta.unit === undefined ? '' : ` (${meta.unit})`}`,
    required ? '**required**' : meta.builtIn === undefined ? '' : `\`${JSON.stringify(meta.builtIn)}\``,
    `${meta.help ?? ''}${meta.example === undefined ? '' : ` Example: \`${JSON.stringify(meta.example)}\``}`,
  ];
  return `| ${cells.map(escapeCell).join(' | ')} |`;
}

const capitalFree = (text: string) => (text === capital(text) && !/^URL/.test(text) ? text.toLowerCase() : text);
const escapeCell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
