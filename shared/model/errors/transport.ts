import type { ErrorTable } from './error-text.ts';

export const transportErrors = {} as const satisfies ErrorTable;
