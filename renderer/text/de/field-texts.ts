import type { FieldWords } from '../catalogue.ts';

/** Title and help of fields, by plugin, part and path of the key: `european-cloud/destination/network_map`. */
export type FieldTexts = Readonly<Record<string, Pick<FieldWords, 'title' | 'help'>>>;
