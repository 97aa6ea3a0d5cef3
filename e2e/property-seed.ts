import fc from 'fast-check';

/**
 * Seeds every property test, so that the same commit has the same outcome on every machine. `CAUSEWAY_PROPERTY_SEED`
 * sets another seed: a whole number, or `random` for a new one in each test file. A failing property prints its seed.
 */
const defaultSeed = 20_260_101;

const given = process.env['CAUSEWAY_PROPERTY_SEED'] ?? '';
if (given !== 'random') {
  const seed = given === '' ? defaultSeed : Number(given);
  if (!Number.isInteger(seed))
    throw new Error(`CAUSEWAY_PROPERTY_SEED must be a whole number or "random", not "${given}"`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
