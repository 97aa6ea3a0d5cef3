import { readFile } from 'node:fs/promises';
import { readDocument } from '../../../shared/environment/read-document.ts';
import { readProviderConfiguration, type ProviderConfiguration } from '../../../shared/environment/provider-configuration.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { catalogSchema, type Catalog } from '../../../shared/validation/catalog.ts';
import { checkShape } from '../../../shared/validation/check-shape.ts';
import { toPointer } from '../../../shared/validation/json-pointer.ts';
import { UsageError } from '../command-context.ts';
import { readFailure } from './collect-files.ts';

export async function readProviderConfigurationFile(file: string): Promise<ProviderConfiguration> {
  return readProviderConfiguration(await readInput(file, 'provider configuration'), Object.values(plugins));
}

/** @throws UsageError when the file is not a catalog: nothing could be compared with it. */
export async function readCatalogFile(file: string): Promise<Catalog> {
  const { value, findings } = readDocument(await readInput(file, 'catalog'), 'json');
  const [unreadable] = findings;
  if (value === undefined || unreadable !== undefined) throw new UsageError(`${file}: ${unreadable?.message ?? 'not a catalog'}`);
  const [fault] = checkShape(catalogSchema, value, { unknownKey: ({ key }) => ({ message: `${key} is not known` }), name: 'The catalog' });
  if (fault !== undefined) throw new UsageError(`${file} is not a catalog: ${toPointer(fault.path)}: ${fault.message}`);
  return value as Catalog;
}

async function readInput(file: string, what: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`The ${what} ${file} cannot be read: ${readFailure(error)}`);
  }
}
