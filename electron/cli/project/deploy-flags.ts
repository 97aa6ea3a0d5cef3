import { Option, type Command } from 'commander';
import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { ProjectOptions } from '../command-context.ts';

type BootCheckMode = NonNullable<NonNullable<DeploymentOptions['bootCheck']>['mode']>;

// Written out, so that --help does not load the model.
const bootCheckModes = ['auto', 'network', 'console', 'none'] as const satisfies readonly BootCheckMode[];

export interface DeployOptions extends ProjectOptions {
  readonly inPlace?: boolean;
  readonly skipMorphing?: boolean;
  readonly bootCheck?: BootCheckMode;
  readonly bootDeadline?: string;
  readonly bootPort?: string;
  readonly onFailedBoot?: 'rollback' | 'keep';
  readonly keepWorker?: boolean;
  readonly acceptInconsistent?: boolean;
  readonly root?: string;
  readonly luksKey?: readonly string[];
  readonly unbindVolumes?: boolean;
  readonly httpProxy?: string;
  readonly cloudInit?: 'required' | 'if-possible';
  readonly packageCache?: string;
  readonly agentPackage?: string;
  readonly windowsMode?: 'offline' | 'worker';
  readonly virtioDisc?: string;
  readonly initAgentArchive?: string;
  readonly checks?: string | false;
  readonly scriptBeforeMount?: readonly string[];
  readonly scriptInGuest?: readonly string[];
  readonly scriptFirstBoot?: readonly string[];
}

/** Adds the options of a deployment. */
export function withDeployOptions(command: Command): Command {
  return command
    .option('--in-place', "use the replica's own volumes instead of new ones; if deployment fails, they are restored")
    .option('--skip-morphing', 'do not prepare the guest')
    .addOption(new Option('--boot-check <mode>', 'how to check that the guest has booted').choices([...bootCheckModes]))
    .option('--boot-deadline <seconds>', 'how long to wait for the boot (default 600)')
    .option('--boot-port <port>', "port that must accept connections, instead of SSH's")
    .addOption(
      new Option('--on-failed-boot <what>', 'what to do with a VM that did not boot').choices(['rollback', 'keep']),
    )
    .option('--checks <file>', "YAML or JSON file with the checks to run after boot, instead of the replica's")
    .option('--no-checks', 'run no checks after boot')
    .option('--keep-worker', 'keep the preparation worker for troubleshooting if the preparation fails')
    .option('--accept-inconsistent', 'deploy even if the last execution left the volumes inconsistent')
    .option('--root <root>', 'which installation to prepare if there are several')
    .option(
      '--luks-key <secret...>',
      'names of secrets that contain keys of encrypted volumes (LUKS passphrases, BitLocker recovery keys)',
    )
    .option(
      '--unbind-volumes',
      'remove TPM, Clevis and security keys from encrypted Linux volumes, so that only passphrases unlock them',
    )
    .option('--http-proxy <url>', "proxy for the guest's package tools")
    .addOption(
      new Option(
        '--cloud-init <need>',
        'what to do if cloud-init cannot be installed: fail, or continue with a warning (default: fail, unless the guest retains its credentials)',
      ).choices(['required', 'if-possible']),
    )
    .option('--package-cache <path>', 'folder or tar archive with packages, for guests that cannot reach a repository')
    .option(
      '--agent-package <file or URL>',
      'Debian, RPM or (for Windows) MSI package with the destination\'s agent; "none" installs no agent (default: the destination\'s own, if it offers one)',
    )
    .addOption(
      new Option(
        '--windows-mode <mode>',
        'prepare a Windows guest offline on the Linux worker, or on a Windows worker',
      ).choices(['offline', 'worker']),
    )
    .option('--virtio-disc <file>', 'ISO with VirtIO drivers for Windows, for workers that cannot reach its URL')
    .option(
      '--init-agent-archive <file>',
      'ZIP with the Windows guest initialization agent, for workers that cannot reach its URL',
    )
    .option('--script-before-mount <file...>', 'scripts to run on the worker before the guest is mounted')
    .option('--script-in-guest <file...>', 'scripts to run in the mounted guest')
    .option('--script-first-boot <file...>', "scripts for the guest's first boot");
}
