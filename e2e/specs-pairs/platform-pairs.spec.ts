import { pairDestinations } from '../rigs/pairs/destinations.ts';
import { pairSources } from '../rigs/pairs/sources.ts';
import { tryPairs } from '../rigs/pairs/try-pairs.ts';

/** Every source with every destination, on the lab's simulators. `npm run test:pairs` keeps what came of it for the support matrix. */
tryPairs({ sources: pairSources, destinations: pairDestinations, resultFile: process.env['CAUSEWAY_PAIRS_RESULT'] });
