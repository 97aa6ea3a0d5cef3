import { z } from 'zod';

/** A name, an ID or another text that means nothing when it is blank. */
export const text = () => z.string().regex(/\S/, 'must not be blank');

/** A mapping of non-blank texts to values; `__proto__` never gets this far, the reader refuses it. */
export const mappingOf = <V extends z.ZodType>(value: V) => z.record(text(), value);
