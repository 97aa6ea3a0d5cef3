import { z } from 'zod';
import { field, type FieldMeta } from '../field-meta.ts';
import { text } from './values.ts';

interface PerOs {
  /** What one entry is, e.g. "Linux worker image". */
  readonly linux: string;
  readonly windows: string;
  readonly help: { readonly linux: string; readonly windows: string };
  readonly example: { readonly linux: unknown; readonly windows: unknown };
}

/** A mapping with the keys `linux` and `windows` and no other. */
export function perOs<V extends z.ZodType>(
  value: () => V,
  words: PerOs,
  meta: Pick<FieldMeta, 'group' | 'optionsFrom' | 'secret' | 'takesIds'>,
) {
  const entry = (os: 'linux' | 'windows') =>
    field(value().optional() as z.ZodOptional<V>, {
      ...meta,
      title: words[os],
      help: words.help[os],
      example: words.example[os],
    });
  return z.strictObject({ linux: entry('linux'), windows: entry('windows') });
}

/**
 * Images of workers by OS type: Linux for the disk copy and for preparing Linux guests, Windows for preparing Windows
 * guests.
 *
 * @param what an entry gives, e.g. "Image ID"
 */
export function workerImages(
  what: string,
  example: { readonly linux: string; readonly windows: string },
  meta: Pick<FieldMeta, 'takesIds'> = {},
) {
  return perOs(
    text,
    {
      linux: 'Linux worker image',
      windows: 'Windows worker image',
      help: {
        linux: `${what} for the disk copy worker and for preparing Linux guests.`,
        windows: `${what} for preparing Windows guests.`,
      },
      example,
    },
    { group: 'Workers', optionsFrom: 'images', ...meta },
  );
}

/** An image of the resource-group cloud's marketplace, by its four coordinates. */
export function marketplaceImage(group: string, example: { publisher: string; offer: string; sku: string }) {
  return z.strictObject({
    publisher: field(text(), {
      title: 'Publisher',
      help: 'Publisher of the image.',
      group,
      example: example.publisher,
    }),
    offer: field(text(), { title: 'Offer', help: 'Product line of the publisher.', group, example: example.offer }),
    sku: field(text(), {
      title: 'SKU',
      help: 'Edition of the offer, usually with the OS version.',
      group,
      example: example.sku,
    }),
    version: field(text(), {
      title: 'Version',
      help: 'Version of the image. latest selects the newest version.',
      group,
      example: 'latest',
    }),
  });
}
