import { openExchange } from './description-exchange.ts';
import type { FleetConfig } from './fleet-config.ts';
import { natsClaims } from './nats-claims.ts';
import { connectToFleet } from './nats-connection.ts';
import { natsJournal } from './nats-journal.ts';

/** Connects once as a member would, and makes the streams where this user may. Rejects with `fleet.*`. */
export async function contactFleet(config: FleetConfig, projectFolder: string, name: string): Promise<void> {
  const connection = await connectToFleet(config, name);
  try {
    await natsJournal(connection, config);
    await natsClaims(connection, config, { id: 'nobody', name: 'nobody' });
    await openExchange(connection, config, projectFolder);
  } finally {
    await connection.close();
  }
}
