import { inProject, type CommandRegistrar, type ExitStatus, type ProjectOptions } from '../command-context.ts';

/** `causeway vault …` */
export const registerVault: CommandRegistrar = (program, context) => {
  const group = program.command('vault');
  for (const add of [initVault, setSecret, listSecrets, removeSecret]) add(group, context);
};

const initVault: CommandRegistrar = (group, context) => {
  const command = group
    .command('init')
    .description(
      'Create the vault, protected by $CAUSEWAY_KEY_FILE (created if missing), $CAUSEWAY_PASSPHRASE_FILE, or a passphrase that you type.',
    );
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { initVault } = await import('../project/vault-setup.ts');
      return initVault(options, context);
    }),
  );
};

const setSecret: CommandRegistrar = (group, context) => {
  const command = group
    .command('set')
    .description(
      'Set a secret: from a file, from standard input, or typed. Environments and endpoints refer to it as {"$secret": "name"}.',
    )
    .argument('<name>')
    .option('--file <file>', 'file that contains the secret');
  inProject(command).action(
    context.run(async (name: string, options: ProjectOptions & { file?: string }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { readSecret } = await import('../project/vault-setup.ts');
      const value = await readSecret(name, options, context);
      await withProject(options, context, (core) => core.call('vault.set', { name, value }));
      return 0;
    }),
  );
};

const listSecrets: CommandRegistrar = (group, context) => {
  const command = group.command('list').description('List the names of the secrets. Their values are never shown.');
  inProject(command).action(
    context.run(async (options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { print } = await import('../output/print.ts');
      const names = await withProject(options, context, (core) => core.call('vault.list', {}));
      print(context, options, names, () => names.map((name) => `${name}\n`).join(''));
      return 0;
    }),
  );
};

const removeSecret: CommandRegistrar = (group, context) => {
  const command = group.command('remove').description('Remove a secret.').argument('<name>');
  inProject(command).action(
    context.run(async (name: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      await withProject(options, context, (core) => core.call('vault.remove', { name }));
      return 0;
    }),
  );
};
