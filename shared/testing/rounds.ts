/**
 * How many rounds a property test runs: all of them with CAUSEWAY_EVERY_STEP=1, as the full tier sets it, a quarter otherwise.
 * Seeds are fixed, so that the quarter is the beginning of what the full tier tries.
 */
export const rounds = (all: number): number => (process.env['CAUSEWAY_EVERY_STEP'] === '1' ? all : Math.ceil(all / 4));
