import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pluginIds } from '../../shared/model/plugin-id.ts';
import { exampleConnection, exampleEnvironment } from '../../shared/plugins/render/example.ts';
import { plugins } from '../../shared/plugins/registry.ts';
import { describeFields } from './field-descriptor.ts';
import { fieldProblems, fromFormValues, toFormValues } from './form-values.ts';

describe.each(pluginIds)('the forms of %s', (id) => {
  test('give the connection back as it was, and find nothing wrong with the example', () => {
    const { connection: schema } = plugins[id];
    const fields = describeFields(schema, 'any/part');
    const values = toFormValues(fields, exampleConnection(plugins[id]));
    expect(fromFormValues(fields, values)).toEqual(exampleConnection(plugins[id]));
    expect([...fieldProblems(schema, fields, values)]).toEqual([]);
  });

  test.each(['source', 'destination'] as const)('give the %s environment back as it was', (side) => {
    const schema = plugins[id][side]?.schema;
    if (schema === undefined) return;
    const fields = describeFields(schema, 'any/part');
    const example = exampleEnvironment(plugins[id], side);
    expect(fromFormValues(fields, toFormValues(fields, example))).toEqual(example);
  });

  test('say of an empty connection which fields are missing, each at its own place', () => {
    const { connection: schema } = plugins[id];
    const fields = describeFields(schema, 'any/part');
    const required = fields.filter((field) => field.required).map(({ key }) => key);
    const problems = fieldProblems(schema, fields, toFormValues(fields, {}));
    expect([...problems.keys()]).toEqual(expect.arrayContaining(required));
  });
});

describe('a mapping in a form', () => {
  const schema = z.strictObject({ network_map: z.record(z.string(), z.string()).optional() });
  const fields = describeFields(schema, 'any/part');

  test('takes keys with dots, brackets and any letters', () => {
    const object = { network_map: { 'a.b[0].c': 'net', '网络 "1"': 'x', constructor: 'y', ' ': 'z' } };
    expect(fromFormValues(fields, toFormValues(fields, object))).toEqual(object);
  });

  test('says that a key is there twice', () => {
    const rows = [
      { key: 'a', value: '1' },
      { key: 'a', value: '2' },
    ];
    expect(fieldProblems(schema, fields, { network_map: rows }).get('network_map')).toBe('Duplicate key: a');
  });
});

describe('a mapping to objects in a form', () => {
  const schema = z.strictObject({
    network_map: z
      .record(z.string(), z.strictObject({ id: z.string(), groups: z.array(z.string()).optional() }))
      .optional(),
  });
  const fields = describeFields(schema, 'any/part');

  test('is rows of a name and its fields, whatever the names are', () => {
    const object = { network_map: { 'a.b[0]/c~': { id: 'net', groups: ['x', 'y'] }, constructor: { id: 'other' } } };
    expect(fields[0]?.kind).toBe('entries');
    expect(fromFormValues(fields, toFormValues(fields, object))).toEqual(object);
  });

  test('leaves out rows with nothing in them, and says that a name is there twice', () => {
    expect(fromFormValues(fields, { network_map: [{ key: '', members: { id: '', groups: '' } }] })).toEqual({});
    const rows = [
      { key: 'a', members: { id: '1' } },
      { key: 'a', members: { id: '2' } },
    ];
    expect(fieldProblems(schema, fields, { network_map: rows }).get('network_map')).toBe('Duplicate key: a');
  });
});

test('what is no number stays as it was written, and is a problem of its field', () => {
  const schema = z.strictObject({ port: z.int().optional() });
  const fields = describeFields(schema, 'any/part');
  expect(fromFormValues(fields, { port: '80x' })).toEqual({ port: '80x' });
  expect(fieldProblems(schema, fields, { port: '80x' }).has('port')).toBe(true);
  expect(fromFormValues(fields, { port: ' 443 ' })).toEqual({ port: 443 });
});
