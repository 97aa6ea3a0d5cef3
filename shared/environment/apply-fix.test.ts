import fc from 'fast-check';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { validateText } from '../validation/validate-document.ts';
import { applyFix } from './apply-fix.ts';

const yaml = `# the web server
destination:
  plugin: european-cloud # where it goes
  environment:
    disk_buss: virtio   # a slip
    "server_labels": {a.b: "x"}
    list: [one, { a: 1, b: null }, "two"]
    delete_disks_on_vm_termination: "yes"
    nothing: null
    last: 1
`;

test.each([
  [
    '/destination/environment/disk_buss',
    { kind: 'rename-key', to: 'disk_bus' },
    '    disk_bus: virtio   # a slip\n',
    '    disk_buss: virtio   # a slip\n',
  ],
  ['/destination/environment/server_labels/a.b', { kind: 'rename-key', to: 'a: b' }, '{"a: b": "x"}', '{a.b: "x"}'],
  [
    '/destination/environment/delete_disks_on_vm_termination',
    { kind: 'set-value', value: true },
    'termination: true\n',
    'termination: "yes"\n',
  ],
  ['/destination/environment/list/2', { kind: 'set-value', value: 'true' }, '}, "true"]', '}, "two"]'],
  ['/destination/environment/list/1/b', { kind: 'remove-key' }, '{ a: 1 }', '{ a: 1, b: null }'],
  ['/destination/environment/list/1/a', { kind: 'remove-key' }, '{ b: null }', '{ a: 1, b: null }'],
  ['/destination/environment/nothing', { kind: 'remove-key' }, '', '    nothing: null\n'],
  ['/destination/environment/last', { kind: 'set-value', value: ['a', 'b'] }, 'last: [ a, b ]', 'last: 1'],
] as const)('in YAML the change at %s leaves everything else as it was', (path, fix, now, before) => {
  expect(applyFix(yaml, 'yaml', path, fix)).toBe(yaml.replace(before, now));
});

const json = `{
  // the web server
  "destination": {
    "environment": {
      "disk_buss": "virtio", /* a slip */
      "list": ["1", {"a": null}],
      "nothing": null,
    },
  },
}
`;

test.each([
  ['/destination/environment/disk_buss', { kind: 'rename-key', to: 'disk_bus' }, '"disk_bus"', '"disk_buss"'],
  ['/destination/environment/list/0', { kind: 'set-value', value: 1 }, '[1,', '["1",'],
  ['/destination/environment/list/1/a', { kind: 'remove-key' }, '{}', '{"a": null}'],
] as const)('in JSON with comments the change at %s leaves everything else as it was', (path, fix, now, before) => {
  expect(applyFix(json, 'json', path, fix)).toBe(json.replace(before, now));
});

test('a place that is gone, and a name that is taken, change nothing', () => {
  expect(applyFix(yaml, 'yaml', '/destination/environment/other', { kind: 'remove-key' })).toBeUndefined();
  expect(
    applyFix(yaml, 'yaml', '/destination/environment/disk_buss', { kind: 'rename-key', to: 'last' }),
  ).toBeUndefined();
  expect(
    applyFix(json, 'json', '/destination/environment/disk_buss', { kind: 'rename-key', to: 'list' }),
  ).toBeUndefined();
  expect(applyFix('{"a":', 'json', '/a/b', { kind: 'remove-key' })).toBeUndefined();
});

test('what was found wrong with a document is right after its fixes', () => {
  const document = `source: { plugin: virtualization-platform, environment: { automatically_enable_cbt: "true" } }\n${yaml}`;
  const before = validateText(document, { file: 'web.yaml' });
  const fixable = before.filter(({ fix }) => fix !== undefined);
  expect(fixable.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/destination/environment/disk_buss', '/source/environment/automatically_enable_cbt']),
  );
  let text = document;
  for (const { path, fix } of fixable) text = applyFix(text, 'yaml', path, fix!) ?? text;
  const after = validateText(text, { file: 'web.yaml' });
  for (const { path, rule } of fixable) expect(after).not.toContainEqual(expect.objectContaining({ path, rule }));
  expect(text.startsWith('source:')).toBe(true);
  expect(text).toContain('# the web server');
});

test('whatever a key is called, renaming it gives the same document under the new name', () => {
  const key = fc.string({ minLength: 1 }).filter((text) => !text.includes('\u2028'));
  fc.assert(
    fc.property(key, key, fc.boolean(), (from, to, isJson) => {
      fc.pre(from !== to);
      const pointer = `/holder/${from.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const text = JSON.stringify(
        { holder: { [from]: [1, { x: null }], ['other' + to + from]: 2 } },
        undefined,
        isJson ? 2 : 0,
      );
      const renamed = applyFix(text, isJson ? 'json' : 'yaml', pointer, { kind: 'rename-key', to });
      expect(renamed === undefined ? undefined : (parse(renamed) as unknown)).toEqual({
        holder: { [to]: [1, { x: null }], ['other' + to + from]: 2 },
      });
    }),
  );
});
