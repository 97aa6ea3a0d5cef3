import { z } from 'zod';
import { text } from './text.ts';

/** Free key-value pairs. Platforms store texts; numbers and booleans are taken and sent as text. */
export const keyValuePairs = () => z.record(text(), z.union([z.string(), z.number(), z.boolean()], { error: 'must be a string, a number or a boolean' }));
