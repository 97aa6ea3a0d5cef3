import type { ErrorTable } from './error-text.ts';

export const secretsErrors = {} as const satisfies ErrorTable;
