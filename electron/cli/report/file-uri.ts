import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { relativeUri } from '../../../shared/reports/sarif.ts';

/** A URI reference of a file: relative as it was named, absolute with its scheme. */
export function fileUri(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : relativeUri(file);
}
