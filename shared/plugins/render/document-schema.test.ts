import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { sides } from '../../model/plugin-id.ts';
import { goldenEnvironments, goldenVm } from '../testing/golden-documents.ts';
import { plugins } from '../registry.ts';
import { documentSchemaText } from './document-schema.ts';
import { exampleEnvironment } from './example.ts';

const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(
  JSON.parse(documentSchemaText()) as object,
);
const places = (document: unknown): string[] =>
  validate(document) ? [] : [...new Set((validate.errors ?? []).map(({ instancePath }) => instancePath))];

describe('the schema of environment documents', () => {
  const examples = Object.values(plugins).flatMap((plugin) =>
    sides
      .filter((side) => plugin[side] !== undefined)
      .map((side) => ({ plugin: plugin.id, side, environment: exampleEnvironment(plugin, side) })),
  );

  test.each(examples)(
    'accepts the example of $plugin as a $side, and refuses an unknown key in it',
    ({ plugin, side, environment }) => {
      expect(places({ [side]: { plugin, environment } })).toEqual([]);
      expect(places({ [side]: { plugin, environment: { ...environment, no_such_key: 1 } } })).toContain(
        `/${side}/environment`,
      );
    },
  );

  test('accepts what the checks accept', () => {
    for (const { plugin, side, environment } of goldenEnvironments)
      expect(places({ vm: goldenVm, [side]: { plugin, environment } })).toEqual([]);
  });

  test('refuses what is no document', () => {
    expect(places({})).toEqual(['']);
    expect(places({ source: { plugin: 'european-cloud', environment: {} } })).toContain('/source/plugin');
    expect(places({ vm: { name: 1 }, source: { plugin: 'disk-images', environment: {} } })).toContain('/vm/name');
    expect(
      places({ $schema: './environment.schema.json', sources: {}, source: { plugin: 'disk-images', environment: {} } }),
    ).toEqual(['']);
  });
});
