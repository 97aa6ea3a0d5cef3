import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { pluginIds } from '../../model/plugin-id.ts';
import { validateText } from '../../validation/validate-document.ts';
import { plugins } from '../registry.ts';
import { fieldsOf } from '../schema-fields.ts';
import { exampleConnection, exampleEnvironment } from './example.ts';
import { renderSchema, schemaFormats } from './render-schema.ts';
import { schemaOfPart } from './rendered-part.ts';

const parts = ['source', 'destination', 'connection'] as const;
const rendered = pluginIds.flatMap((id) =>
  parts.filter((part) => schemaOfPart(plugins[id], part) !== undefined).map((part) => ({ id, part })),
);

const compile = (schema: object) => new Ajv2020({ strict: false, validateFormats: false }).compile(schema);

describe.each(rendered)('$part of $id', ({ id, part }) => {
  const schema = schemaOfPart(plugins[id], part);

  test('comes out in every format and is the same every time', () => {
    for (const format of schemaFormats) expect(renderSchema(id, part, format)).toBe(renderSchema(id, part, format));
  });

  test('as JSON Schema names every key, accepts the example and refuses a foreign key', () => {
    const json = JSON.parse(renderSchema(id, part, 'json-schema')) as {
      properties: Record<string, { description: string }>;
    };
    const validate = compile(json);
    const example = part === 'connection' ? exampleConnection(plugins[id]) : exampleEnvironment(plugins[id], part);
    expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...example, no_such_key: 1 })).toBe(false);
    expect(Object.keys(json.properties)).toEqual(expect.arrayContaining(Object.keys(schema?.shape ?? {})));
    expect(JSON.stringify(json)).not.toMatch(/"(?:help|builtIn|group|optionsFrom)":|9007199254740991/);
  });

  test('as Markdown has a row for every key', () => {
    const markdown = renderSchema(id, part, 'markdown');
    for (const { path } of fieldsOf(schema as never))
      expect(markdown).toContain(`| \`${path.join('.').replaceAll('.*', '[]')}\` |`);
    const cells = markdown
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) => line.split(/(?<!\\)\|/).length);
    expect(new Set(cells)).toEqual(new Set([6]));
  });

  test('as example is YAML that names every key, and validates without a finding', () => {
    const yaml = renderSchema(id, part, 'example');
    for (const key of Object.keys(schema?.shape ?? {})) expect(yaml).toMatch(new RegExp(`^ *(?:# )?${key}:`, 'm'));
    if (part === 'connection') {
      expect(plugins[id].connection.safeParse(parse(yaml)).error).toBeUndefined();
      return;
    }
    expect(parse(yaml)).toEqual({ [part]: { plugin: id, environment: exampleEnvironment(plugins[id], part) } });
    expect(validateText(yaml, { format: 'yaml' }).filter(({ severity }) => severity !== 'info')).toEqual([]);
  });
});

test('another spelling stands in the JSON Schema as deprecated', () => {
  const json = JSON.parse(renderSchema('compartment-cloud', 'destination', 'json-schema')) as never as {
    properties: Record<string, { deprecated?: boolean; type?: string }>;
  };
  expect(json.properties['storage_mapping']).toMatchObject({ deprecated: true, type: 'object' });
});

test('defaults, units, secrets and limits are in the JSON Schema', () => {
  const { properties } = JSON.parse(renderSchema('european-cloud', 'destination', 'json-schema')) as {
    properties: object;
  };
  expect(properties).toMatchObject({
    disk_bus: { default: 'virtio', enum: ['scsi', 'virtio', 'ide', 'usb'] },
    migr_worker_volume_size: { type: 'integer', minimum: 1, 'x-unit': 'GB' },
    server_labels: { maxItems: 50, items: { maxLength: 60, pattern: '^[^/,]*$' } },
  });
  const ovm = JSON.parse(renderSchema('server-virtualization-manager', 'source', 'json-schema')) as {
    properties: object;
  };
  expect(ovm.properties).toMatchObject({ export_template_password: { writeOnly: true } });
});

test('the Markdown of the European cloud has its provider configuration', () => {
  const markdown = renderSchema('european-cloud', 'destination', 'markdown');
  expect(markdown).toContain('[european_cloud_migration_provider]');
  expect(markdown).toMatch(/\| `winguestinit_x64_url` \| URL \|/);
  expect(markdown).toMatch(/\| `server_labels` \| list of texts, at most 50, each at most 60 characters \|/);
});

test('a side that the plugin does not have cannot be rendered', () => {
  expect(() => renderSchema('large-public-cloud', 'destination', 'markdown')).toThrow(
    'large-public-cloud has no destination environment',
  );
});
