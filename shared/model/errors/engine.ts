import type { ErrorTable } from './error-text.ts';

export const engineErrors = {} as const satisfies ErrorTable;
