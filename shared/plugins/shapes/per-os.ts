import { z } from 'zod';
import { field, type FieldMeta } from '../field-meta.ts';

interface PerOs {
  /** What one entry is, e.g. "Linux worker image". */
  readonly linux: string;
  readonly windows: string;
  readonly help: { readonly linux: string; readonly windows: string };
  readonly example: { readonly linux: unknown; readonly windows: unknown };
}

/** A mapping with the keys `linux` and `windows` and no other. */
export function perOs<V extends z.ZodType>(value: () => V, words: PerOs, meta: Pick<FieldMeta, 'group' | 'optionsFrom' | 'secret'>) {
  const entry = (os: 'linux' | 'windows') =>
    field(value().optional() as z.ZodOptional<V>, {
      ...meta,
      title: words[os],
      help: words.help[os],
      example: words.example[os],
    });
  return z.strictObject({ linux: entry('linux'), windows: entry('windows') });
}
