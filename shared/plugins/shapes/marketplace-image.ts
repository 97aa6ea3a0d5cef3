import { z } from 'zod';
import { field } from '../field-meta.ts';
import { text } from './text.ts';

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
    sku: field(text(), { title: 'SKU', help: 'Edition of the offer, usually with the OS version.', group, example: example.sku }),
    version: field(text(), {
      title: 'Version',
      help: 'Version of the image. latest selects the newest version.',
      group,
      example: 'latest',
    }),
  });
}
