import type { z } from 'zod';
import type { FleetMembership, fleetMembershipCalls } from '../../shared/contract/fleet-membership-calls.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { contactFleet } from '../fleet/contact-fleet.ts';
import {
  fleetConfigSchema,
  keepFleetFile,
  keptFleetFile,
  readFleetConfig,
  removeFleetConfig,
  writeFleetConfig,
  type FleetConfig,
} from '../fleet/fleet-config.ts';

type Asked = z.output<(typeof fleetMembershipCalls)['fleet.join']['input']>;
type Share = z.output<(typeof fleetMembershipCalls)['fleet.changeShare']['input']>;

/** How this computer takes part in the fleet of a project; undefined where it does not. */
export function membershipOf(projectFolder: string): FleetMembership | undefined {
  const config = readFleetConfig(projectFolder);
  if (config === undefined) return undefined;
  const { servers, project, user, credentialsFile, seedFile, tls, replicas, claimSeconds, carries, reaches } = config;
  return {
    servers,
    project,
    claimSeconds,
    copies: replicas,
    carries: carries ?? null,
    reaches: reaches ?? null,
    hasCa: tls !== undefined,
    signIn: credentialsFile !== undefined || seedFile !== undefined ? 'key' : user === undefined ? 'none' : 'password',
    ...(user === undefined ? {} : { user }),
  };
}

/**
 * Keeps what was entered in files of this user, contacts the servers, and remembers the membership if they answer. Rejects with `fleet.*`.
 *
 * @param nothingRuns asked once the servers have answered, which may take a while: rejects where something was started meanwhile
 */
export async function joinFleetFromPage(
  projectFolder: string,
  asked: Asked,
  nothingRuns: () => Promise<void>,
): Promise<void> {
  if (readFleetConfig(projectFolder) !== undefined)
    throw new CausewayError('general.invalid-input', 'this project is in a fleet already: leave it first');
  const { signIn, ca } = asked;
  try {
    const config = fleetConfigSchema.parse({
      servers: asked.servers,
      project: asked.project,
      replicas: asked.copies,
      claimSeconds: asked.claimSeconds,
      ...shareIn(asked),
      ...(signIn.kind === 'password'
        ? { user: signIn.user, passwordFile: keepFleetFile(projectFolder, 'password', signIn.password) }
        : {}),
      ...(signIn.kind === 'key' ? keyIn(projectFolder, signIn.content) : {}),
      ...(ca === undefined ? {} : { tls: { caFile: keepFleetFile(projectFolder, 'ca', ca) } }),
    });
    await contactFleet(config, projectFolder, 'causeway workbench');
    await nothingRuns();
    writeFleetConfig(projectFolder, config);
  } catch (error) {
    removeFleetConfig(projectFolder);
    throw error;
  }
}

/** @throws CausewayError where the project is in no fleet */
export function changeShare(projectFolder: string, share: Share): void {
  const config = readFleetConfig(projectFolder);
  if (config === undefined) throw new CausewayError('general.invalid-input', 'this project is in no fleet');
  const { carries: _carries, reaches: _reaches, ...rest } = config;
  writeFleetConfig(projectFolder, { ...rest, ...shareIn(share) });
}

const shareIn = ({ carries, reaches }: Share): Pick<FleetConfig, 'carries' | 'reaches'> => ({
  ...(carries === null ? {} : { carries }),
  ...(reaches === null ? {} : { reaches }),
});

function keyIn(projectFolder: string, content: string): Pick<FleetConfig, 'credentialsFile' | 'seedFile'> {
  const isSeed = /^SU[A-Z2-7]+$/.test(content.trim());
  if (!isSeed && !content.includes('NATS USER JWT'))
    throw new CausewayError('general.invalid-input', 'the key file has neither a seed (SU…) nor credentials of NATS');
  keepFleetFile(projectFolder, 'key', content);
  const path = keptFleetFile(projectFolder, 'key');
  return isSeed ? { seedFile: path } : { credentialsFile: path };
}
