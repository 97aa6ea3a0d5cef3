import type { ErrorTable } from './error-text.ts';

export const sourceErrors = {} as const satisfies ErrorTable;
