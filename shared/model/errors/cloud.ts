import type { ErrorTable } from './error-text.ts';

export const cloudErrors = {} as const satisfies ErrorTable;
