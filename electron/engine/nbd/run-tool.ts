import { execFile } from 'node:child_process';
import { CausewayError } from '../../../shared/model/causeway-error.ts';

const packages: Readonly<Record<string, string>> = {
  'qemu-img': 'qemu-utils',
  rados: 'ceph-common',
  rbd: 'ceph-common',
  'qemu-nbd': 'qemu-utils',
  'nbdkit-vddk-plugin': 'nbdkit-plugin-vddk, in the section contrib since Debian 13',
};

/** @throws CausewayError source.tool-missing */
export function toolMissing(tool: string, cause?: unknown): CausewayError {
  return new CausewayError(
    'source.tool-missing',
    `${tool} is not installed (Debian package ${packages[tool] ?? tool})`,
    { cause },
  );
}

/**
 * Runs a program to its end and returns its standard output.
 * @throws CausewayError source.tool-missing; `code` with the program's last words when it fails
 */
export function runTool(
  tool: string,
  args: readonly string[],
  code: 'source.image-unreadable' | 'source.request-refused' | 'source.snapshot-failed',
  signal: AbortSignal,
  timeoutMs = 30_000,
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      tool,
      args,
      { signal, timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024, env: toolEnvironment() },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else if (signal.aborted) reject(new CausewayError('general.cancelled', `${tool} was cancelled`));
        else if (error.code === 'ENOENT') reject(toolMissing(tool, error));
        else reject(new CausewayError(code, `${tool}: ${lastWords(stderr) || error.message.split('\n', 1)[0]}`));
      },
    );
  });
}

/** Where Homebrew (on Apple's processors and on Intel's) and MacPorts put programs: the Finder starts applications without these. */
const macFolders = ['/opt/homebrew/bin', '/usr/local/bin', '/opt/local/bin'];

/** The environment variables that the programs get: they open untrusted images, so they get no secrets. */
export function toolEnvironment(
  platform: NodeJS.Platform = process.platform,
  path = process.env['PATH'],
): NodeJS.ProcessEnv {
  const folders = (path ?? '/usr/bin:/bin:/usr/sbin:/sbin').split(':');
  // Behind the others: whoever has set a path has set an order.
  const further = platform === 'darwin' ? macFolders.filter((folder) => !folders.includes(folder)) : [];
  return { PATH: platform === 'win32' ? path : [...folders, ...further].join(':'), LC_ALL: 'C' };
}

export function lastWords(stderr: string): string {
  return stderr.trim().split('\n').slice(-3).join(' ').slice(-500);
}
