import { expect, test } from 'vitest';
import { childOf, integerAt, parseXml, textAt, typeOf, writeXml } from './xml.ts';

test('types are found whatever prefix a server declares for them; a reference has a type of its own besides', () => {
  const root = parseXml(
    '<a xmlns:XMLSchema-instance="i"><val XMLSchema-instance:type="xsd:ManagedObjectReference" type="Folder">group-v1</val><soapenv:b i:type="VirtualDisk"><k>12</k></soapenv:b></a>',
  );
  expect(typeOf(childOf(root, 'val')!)).toBe('ManagedObjectReference');
  expect(childOf(root, 'val')?.attributes['type']).toBe('Folder');
  expect(typeOf(childOf(root, 'b')!)).toBe('VirtualDisk');
  expect(integerAt(root, 'b.k')).toBe(12);
});

test('text is read as it was meant: entities of XML, blanks, empty elements, character data', () => {
  const root = parseXml('<a><t> [ds1] a&amp;b/&#228;&#x1F4BE;&lt;.vmdk </t><e/><c><![CDATA[<&>]]></c></a>');
  expect(textAt(root, 't')).toBe(' [ds1] a&b/ä💾<.vmdk ');
  expect(textAt(root, 'e')).toBe('');
  expect(textAt(root, 'c')).toBe('<&>');
  expect(textAt(parseXml(writeXml(root)), 't')).toBe(' [ds1] a&b/ä💾<.vmdk ');
});

test('numbers that have no exact form are none', () => {
  const root = parseXml('<a><big>9007199254740993</big><text>12x</text><whole>-3</whole></a>');
  expect(['big', 'text', 'whole', 'none'].map((name) => integerAt(root, name))).toEqual([
    undefined,
    undefined,
    -3,
    undefined,
  ]);
});

test('a hostile message is refused before it is parsed', () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "${'x'.repeat(1000)}">]><a>&b;&b;</a>`;
  expect(() => parseXml(bomb)).toThrow('document type');
  expect(() => parseXml(`${'<a>'.repeat(200_000)}${'</a>'.repeat(200_000)}`)).toThrow('nests deeper');
  expect(() => parseXml(`<a>${'<b/>'.repeat(2_000_000)}</a>`)).toThrow('more than 2000000 tags');
  expect(() => parseXml('no XML at all')).toThrow('not an XML document');
  // Only the five entities of XML are known: others stay text.
  expect(textAt(parseXml('<a><b>&nbsp;&xxe;</b></a>'), 'b')).toBe('&nbsp;&xxe;');
});
