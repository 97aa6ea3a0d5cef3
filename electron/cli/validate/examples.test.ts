import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { formatOfFile, readDocument } from '../../../shared/environment/read-document.ts';
import { readProviderConfiguration } from '../../../shared/environment/provider-configuration.ts';
import { isJsonObject, type JsonObject } from '../../../shared/model/json.ts';
import { pluginIds } from '../../../shared/model/plugin-id.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { validateDocument, validateText } from '../../../shared/validation/validate-document.ts';

const folder = fileURLToPath(new URL('../../../examples/environments', import.meta.url));
const documents = readdirSync(folder)
  .filter((file) => extname(file) !== '.ini')
  .map((file) => ({ file, content: readFileSync(join(folder, file)) }));

function valueOf({ file, content }: (typeof documents)[number]): JsonObject {
  const { value } = readDocument(content, formatOfFile(file));
  if (!isJsonObject(value)) throw new Error(`${file} cannot be read`);
  return value;
}

const sideOf = (document: JsonObject, side: 'source' | 'destination'): JsonObject => {
  const value = document[side];
  if (!isJsonObject(value)) throw new Error(`a ${side} is missing`);
  return value;
};

describe('the example documents', () => {
  test.each(documents)('$file has neither an error nor a warning', ({ file, content }) => {
    expect(validateText(content, { file }).filter(({ severity }) => severity !== 'info')).toEqual([]);
  });

  test('they show every plugin on each side that it has', () => {
    for (const side of ['source', 'destination'] as const) {
      const shown = new Set(documents.map((document) => sideOf(valueOf(document), side)['plugin']));
      expect([...shown].sort()).toEqual(pluginIds.filter((id) => plugins[id][side] !== undefined).sort());
    }
  });

  test('every pair of a source and a destination is valid', () => {
    for (const from of documents.map(valueOf)) {
      for (const to of documents.map(valueOf)) {
        const pair = { source: sideOf(from, 'source'), destination: sideOf(to, 'destination') };
        expect(validateDocument(pair).filter(({ severity }) => severity === 'error')).toEqual([]);
      }
    }
  });

  test('the provider configuration has no finding', () => {
    expect(
      readProviderConfiguration(readFileSync(join(folder, 'provider.ini')), Object.values(plugins)).findings,
    ).toEqual([]);
  });
});
