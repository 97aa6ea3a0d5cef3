import { toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import { errorText } from '../../../../../shared/model/errors/catalogue.ts';
import type { EndpointCheck } from '../../../endpoint-checks/run-checks.ts';
import { callerRanges } from '../../../workers/caller-address.ts';
import type { Classic } from '../client/open-classic.ts';
import { callerOf, workerNetwork } from './start-worker.ts';

export type Listing = readonly [what: string, list: (signal: AbortSignal) => Promise<readonly unknown[]>];

/** The checks of either side: what the platform is, the way in, what has to be listed, and from where workers are reached. */
export function endpointChecks(classic: Classic, listings: readonly Listing[]): readonly EndpointCheck[] {
  return [
    {
      name: 'Check the platform’s state',
      essential: false,
      run: async () => ({
        warning:
          'the vendor has retired this platform: public sites are switched off, and only installations of one’s own may still answer',
      }),
    },
    {
      name: 'Sign in',
      essential: true,
      async run(s) {
        await classic.signIn(s);
        return `signed in as ${classic.connection.user}`;
      },
    },
    ...listings.map(([what, list]): EndpointCheck => ({
      name: `List ${what}`,
      essential: what === 'volumes' || what === 'instances',
      async run(s) {
        const found = await list(s);
        return found.length === 0 && ['shapes', 'image lists'].includes(what)
          ? { warning: `no ${what} found: workers need one` }
          : `${found.length} found`;
      },
    })),
    {
      name: 'Detect the caller address',
      essential: false,
      async run(s) {
        try {
          return `workers accept connections from ${(await callerRanges(callerOf(classic), workerNetwork, s)).join(', ')}`;
        } catch (error) {
          const record = toErrorRecord(error);
          if (record.code !== 'cloud.caller-address-unknown') throw error;
          return { warning: `${record.message}. ${errorText(record.code).remedy}` };
        }
      },
    },
  ];
}
