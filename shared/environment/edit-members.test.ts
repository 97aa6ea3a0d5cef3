import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../model/json.ts';
import { editMembers } from './edit-members.ts';
import { readDocument } from './read-document.ts';
import { rounds } from '../testing/rounds.ts';

const path = ['destination', 'environment'];

describe('changing members of a document as it is written', () => {
  it('keeps comments, order and blank lines of a YAML text', () => {
    const text = `# What web-01 needs
destination:
  plugin: european-cloud # the new site

  environment:
    # agreed with the network team
    network_map:
      VM Network: production # VLAN 20
      Backup: backup
    availability_zone: eu01-1

    set_dhcp: true
`;
    expect(
      editMembers(text, 'yaml', path, {
        network_map: { 'VM Network': 'production', Backup: 'backup-2' },
        availability_zone: 'eu01-2',
        disk_bus: 'virtio',
      }),
    ).toBe(`# What web-01 needs
destination:
  plugin: european-cloud # the new site

  environment:
    # agreed with the network team
    network_map:
      VM Network: production # VLAN 20
      Backup: backup-2
    availability_zone: eu01-2
    disk_bus: virtio
`);
  });

  it('keeps comments of JSON', () => {
    const text =
      '{\n  // the new site\n  "destination": { "plugin": "x", "environment": { "a": 1, /* two */ "b": 2 } },\n}\n';
    const edited = editMembers(text, 'json', path, { a: 3, b: 2 });
    expect(edited).toBe(text.replace('"a": 1', '"a": 3'));
  });

  it('gives the text back where nothing differs', () => {
    const text = 'destination: {environment: { a:   1 }}';
    expect(editMembers(text, 'yaml', path, { a: 1 })).toBe(text);
  });

  it('writes a number over a text in quotes as a number', () => {
    expect(editMembers('destination:\n  environment:\n    a: "20" # GiB\n', 'yaml', path, { a: 20 })).toBe(
      'destination:\n  environment:\n    a: 20 # GiB\n',
    );
  });

  it('finds keys that are written as numbers', () => {
    expect(editMembers('destination:\n  environment:\n    100: a # VLAN\n', 'yaml', path, { 100: 'b' })).toBe(
      'destination:\n  environment:\n    100: b # VLAN\n',
    );
  });

  it('does not touch what an alias shares', () => {
    const text = 'x: &e { a: 1 }\ndestination:\n  environment: { one: *e, two: *e }\n';
    const edited = editMembers(text, 'yaml', path, { one: { a: 1 }, two: { a: 2 } });
    expect(edited === undefined || readDocument(edited, 'yaml').value).toEqual(
      edited === undefined ? true : { x: { a: 1 }, destination: { environment: { one: { a: 1 }, two: { a: 2 } } } },
    );
  });

  it('has no answer for a text that cannot be read', () => {
    expect(editMembers('destination: [', 'yaml', path, { a: 1 })).toBeUndefined();
  });

  it('reads back as what was asked for, whatever it is, or says that it cannot', () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.array(fc.string(), { maxLength: 3 }),
        tie('object'),
      ),
      object: fc.dictionary(
        fc.string().filter((key) => key !== '__proto__' && key !== ''),
        tie('value'),
        { maxKeys: 4 },
      ),
    })).object as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(value, value, fc.constantFrom('yaml' as const, 'json' as const), (before, after, format) => {
        const text = editMembers(format === 'json' ? '{}' : 'kept: yes # note\n', format, path, before);
        if (text === undefined) return;
        const edited = editMembers(text, format, path, after);
        if (edited === undefined) return;
        expect(
          (readDocument(edited, format).value as never as { destination: { environment: JsonObject } }).destination
            .environment,
        ).toEqual(after);
        if (format === 'yaml') expect(edited).toContain('# note');
      }),
      { numRuns: rounds(200) },
    );
  });
});
