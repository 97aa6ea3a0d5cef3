import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { findEnvironment, plugins, pluginsWith } from './registry.ts';
import { fieldsOf } from './schema-fields.ts';
import { specified, specifiedTypes, type SpecifiedSection } from './testing/specified-keys.ts';

function schemaOf({ plugin, part }: SpecifiedSection): z.ZodObject {
  const schema =
    part === 'provider configuration'
      ? findEnvironment(plugin, 'destination')?.providerConfiguration?.schema
      : findEnvironment(plugin, part)?.schema;
  if (schema === undefined) throw new Error(`${plugin} has no ${part}`);
  return schema;
}

/** `a[].b` and `a{}.b` as the path of the field. */
const pathOf = (key: string) => key.replaceAll(/\[\]|\{\}/g, '.*').split('.');

const embedded = ['disk-images', 'qemu-hypervisor'];

test('the plugins and their sides are those of the reference, and the embedded sources', () => {
  const sides = (part: string) => specified.filter((section) => section.part === part).map(({ plugin }) => plugin);
  expect(pluginsWith('source').sort()).toEqual([...sides('source'), ...embedded].sort());
  expect(pluginsWith('destination').sort()).toEqual(sides('destination').sort());
  expect(sides('source')).toHaveLength(7);
  expect(sides('destination')).toHaveLength(6);
  expect(plugins['european-cloud'].destination?.providerConfiguration?.section).toBe(
    'european_cloud_migration_provider',
  );
});

describe.each(specified)('$plugin, $part', (section) => {
  const fields = new Map(fieldsOf(schemaOf(section)).map((field) => [field.path.join('.'), field]));

  test('has exactly the specified keys', () => {
    const top = (keys: Iterable<string>) => [...new Set([...keys].map((key) => key.split(/[.[{]/)[0]))].sort();
    expect(top(fields.keys())).toEqual(top(section.keys.map(({ key }) => key)));
  });

  test('has no keys below them but the specified ones', () => {
    const below = [...fields.keys()].filter((path) => path.includes('.') && !path.includes('image_metadata.'));
    const parents = section.keys
      .filter(({ type }) => type === 'storage mapping')
      .flatMap(({ key }) => [`${key}.backend_mappings`, `${key}.disk_mappings`]);
    const expected = [
      ...section.keys.map(({ key }) => pathOf(key).join('.')).filter((path) => path.includes('.')),
      ...parents,
    ];
    expect(below.sort()).toEqual(expected.sort());
  });

  test.each(section.keys)('$key: $type', ({ key, type, required = false, default: builtIn, secret = false, unit }) => {
    const field = fields.get(pathOf(key).join('.'));
    if (field === undefined) throw new Error(`${key} is not there`);
    for (const value of specifiedTypes[type].takes) {
      expect(field.schema.safeParse(value).success, `takes ${JSON.stringify(value)}`).toBe(true);
    }
    for (const value of specifiedTypes[type].refuses) {
      expect(field.schema.safeParse(value).success, `refuses ${JSON.stringify(value)}`).toBe(false);
    }
    expect({
      required: field.required,
      builtIn: field.meta.builtIn,
      secret: field.meta.secret ?? false,
      unit: field.meta.unit,
    }).toEqual({
      required,
      builtIn,
      secret,
      unit,
    });
  });

  test('refuses a key that is not specified', () => {
    const codes = schemaOf(section)
      .safeParse({ no_such_key: 1 })
      .error?.issues.map(({ code }) => code);
    expect(codes).toContain('unrecognized_keys');
  });
});
