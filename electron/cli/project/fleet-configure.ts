import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { isDeviceName } from '../../../shared/model/file-names.ts';
import { createPrivateFile } from '../../engine/system-files/private-file.ts';
import { accountConfiguration, fleetRoles, type FleetRole, type FleetUser } from '../../fleet/server-configuration.ts';
import { UsageError, type CommandContext, type ExitStatus } from '../command-context.ts';

export interface ConfigureOptions {
  readonly name: string;
  readonly output: string;
}

/** Makes keys of users and the account that lets them in. The servers get public keys only. */
export function configureServers(
  given: readonly string[],
  { name, output }: ConfigureOptions,
  context: CommandContext,
): ExitStatus {
  if (!/^[a-z0-9][a-z0-9-]{0,40}$/.test(name))
    throw new UsageError('--name must consist of lower-case letters, digits and hyphens');
  const folder = resolve(output);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const users = given.map((text): FleetUser => {
    const [, user, role] = /^([A-Za-z0-9][A-Za-z0-9._-]{0,62}):([a-z]+)$/.exec(text) ?? [];
    // Each has a file of this name.
    if (user === undefined || isDeviceName(user) || !(fleetRoles as readonly string[]).includes(role ?? ''))
      throw new UsageError(
        `"${text}" must be a name and a role: ${fleetRoles.map((one) => `alice:${one}`).join(', ')}`,
      );
    return { name: user, role: role as FleetRole, publicKey: publicKeyOf(join(folder, `${user}.seed`)) };
  });
  const path = join(folder, 'account.conf');
  writeFileSync(path, accountConfiguration(name, users));
  context.stdout.write(
    `${path}: include it in the configuration of each server. Give each user the file with the user's name and .seed.\n`,
  );
  return 0;
}

/** Of the seed in a file, which is made where there is none. */
function publicKeyOf(path: string): string {
  if (!existsSync(path)) createPrivateFile(path, `${new TextDecoder().decode(nkeys.createUser().getSeed())}\n`);
  return nkeys.fromSeed(new TextEncoder().encode(readFileSync(path, 'utf8').trim())).getPublicKey();
}
