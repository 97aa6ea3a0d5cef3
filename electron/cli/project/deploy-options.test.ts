import { Command } from 'commander';
import { expect, test } from 'vitest';
import { deploymentOptionsSchema } from '../../../shared/model/deployment.ts';
import { deploymentOptions } from './deploy-options.ts';
import { withDeployOptions, type DeployOptions } from './deploy-flags.ts';

/** What the engine gets for what is typed. */
async function typed(...words: string[]): Promise<unknown> {
  const command = withDeployOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  command.parse(words, { from: 'user' });
  return deploymentOptionsSchema.parse(await deploymentOptions(command.opts<DeployOptions>()));
}

test('without flags, everything has its default', async () => {
  expect(await typed()).toEqual({});
});

test('cloud-init can be optional', async () => {
  expect(await typed('--cloud-init', 'if-possible', '--package-cache', '/packages')).toEqual({
    cloudInit: 'if-possible',
    packageCache: '/packages',
  });
  await expect(typed('--cloud-init', 'never')).rejects.toThrow(/--cloud-init/);
});

test('keys of encrypted volumes are named, and what else unlocks them can be removed', async () => {
  expect(await typed('--luks-key', 'root-key', 'recovery-key', '--unbind-volumes')).toEqual({
    luksKeys: [{ secret: 'root-key' }, { secret: 'recovery-key' }],
    unbindVolumes: true,
  });
});

test('numbers out of their range are refused with the flag', async () => {
  await expect(typed('--boot-deadline', '0')).rejects.toThrow(/--boot-deadline/);
});
