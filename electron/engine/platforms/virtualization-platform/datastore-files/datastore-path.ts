import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

/** A file on a datastore, from its name in the platform: `[datastore] folder/name.vmdk`. */
export interface DatastorePath {
  readonly datastore: string;
  /** Folders, then the file's name. */
  readonly parts: readonly string[];
}

/** @throws CausewayError source.unsupported for a name that does not stand for one file below the datastore */
export function parseDatastorePath(text: string): DatastorePath {
  const [, datastore = '', rest = ''] = /^\[([^\]]+)\] ?(.+)$/.exec(text) ?? [];
  const parts = rest.split('/');
  if (datastore === '' || !parts.every(isPlainName)) {
    throw new CausewayError('source.unsupported', `${JSON.stringify(text)} is not a file on a datastore`);
  }
  return { datastore, parts };
}

/** The file of this name in the same folder. A descriptor, which a guest may have written, names no other folder. */
export function siblingOf(path: DatastorePath, name: string): DatastorePath {
  if (!isPlainName(name) || name.includes('/')) {
    throw new CausewayError(
      'source.image-refers-outside',
      `${pathText(path)} names ${JSON.stringify(name)}: only files of its own folder are read`,
    );
  }
  return { datastore: path.datastore, parts: [...path.parts.slice(0, -1), name] };
}

export function pathText({ datastore, parts }: DatastorePath): string {
  return `[${datastore}] ${parts.join('/')}`;
}

/** Path and query of the file on the platform's file server. */
export function folderUrl({ datastore, parts }: DatastorePath, datacenterPath: string): string {
  const query = `dcPath=${encodeURIComponent(datacenterPath)}&dsName=${encodeURIComponent(datastore)}`;
  return `/folder/${parts.map(encodeURIComponent).join('/')}?${query}`;
}

function isPlainName(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && !/[\u0000-\u001f\u007f\\]/.test(part);
}
