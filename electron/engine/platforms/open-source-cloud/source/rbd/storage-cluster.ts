import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonValue } from '../../../../../../shared/model/json.ts';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { BlockNode } from '../../../../nbd/block-node.ts';
import { runTool } from '../../../../nbd/run-tool.ts';
import { makeToolFolder } from '../../../../nbd/tool-folder.ts';

/** The connection's `ceph_options`. */
export interface StorageOptions {
  /** Whether the connection says anything of it. */
  readonly given: boolean;
  readonly configuration: string;
  readonly user: string | undefined;
  readonly keyring: string | undefined;
  readonly pool: string | undefined;
  readonly timeoutSeconds: number;
}

const text = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** @param given the connection's `ceph_options`, if there are any */
export function storageOptions(given: JsonValue | undefined): StorageOptions {
  const options = given !== undefined && isJsonObject(given) ? given : {};
  const timeout = options['ceph_connection_timeout'];
  return {
    given: Object.keys(options).length > 0,
    configuration: text(options['ceph_conf_file']) ?? `/etc/ceph/${text(options['ceph_cluster_name']) ?? 'ceph'}.conf`,
    user: text(options['ceph_username']),
    keyring: text(options['ceph_keyring_file']),
    pool: text(options['ceph_pool_name']),
    timeoutSeconds: typeof timeout === 'number' ? timeout : 30,
  };
}

/** An image in the distributed storage, or one of its snapshots. */
export interface RbdImage {
  readonly pool: string;
  readonly image: string;
  readonly snapshot: string;
}

/** The storage cluster as the `rbd` program and QEMU reach it. Close it to remove the configuration that it wrote. */
export interface StorageCluster {
  /** Arguments that every `rbd` call starts with. */
  readonly args: readonly string[];
  readonly timeoutMs: number;
  node(image: RbdImage): BlockNode;
  /** Output of a short `rbd` call. */
  rbd(args: readonly string[], signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/**
 * QEMU takes the key ring and time limits from a configuration file alone, so that one with all of it is written to a
 * temporary folder that is deleted with the cluster's object, or, if this process is killed, by the next one that makes one.
 *
 * @throws `source.unreachable` when the configuration file cannot be read
 */
export async function openCluster(options: StorageOptions): Promise<StorageCluster> {
  const folder = await makeToolFolder('storage');
  try {
    const configuration = join(folder, 'cluster.conf');
    const given = await readFile(options.configuration, 'utf8').catch((error: NodeJS.ErrnoException) => {
      const unsaid = options.given ? '' : "the endpoint's connection has no ceph_options, and ";
      throw new CausewayError(
        'source.unreachable',
        `${unsaid}ceph_conf_file ${options.configuration} cannot be read (${error.code ?? error.message})`,
        {
          retryable: false,
          details: { parameter: options.given ? 'ceph_conf_file' : 'ceph_options' },
        },
      );
    });
    if (options.keyring !== undefined) {
      await copyFile(options.keyring, join(folder, 'keyring')).catch((error: NodeJS.ErrnoException) => {
        throw new CausewayError(
          'source.unreachable',
          `ceph_keyring_file ${options.keyring ?? ''} cannot be read (${error.code ?? error.message})`,
          {
            retryable: false,
            details: { parameter: 'ceph_keyring_file' },
          },
        );
      });
    }
    const seconds = options.timeoutSeconds;
    const keyring = options.keyring === undefined ? '' : `keyring = ${join(folder, 'keyring')}\n`;
    await writeFile(
      configuration,
      `${given}\n[client]\n${keyring}client_mount_timeout = ${seconds}\nrados_mon_op_timeout = ${seconds}\n`,
      { mode: 0o600 },
    );
    const args = ['--conf', configuration, ...(options.user === undefined ? [] : ['--id', options.user])];
    return {
      args,
      timeoutMs: (seconds + 60) * 1000,
      node: ({ pool, image, snapshot }) => ({
        driver: 'rbd',
        pool,
        image,
        snapshot,
        conf: configuration,
        ...(options.user === undefined ? {} : { user: options.user }),
      }),
      rbd: (more, signal) =>
        runTool('rbd', [...args, ...more], 'source.request-refused', signal, (seconds + 60) * 1000),
      close: () => rm(folder, { recursive: true, force: true }),
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Learns whether the storage cluster can be reached from here with these options.
 *
 * @throws `source.unreachable`, `source.request-refused`
 */
export async function probeCluster(options: StorageOptions, signal: AbortSignal): Promise<void> {
  const cluster = await openCluster(options);
  try {
    await poolsOf(cluster, signal);
  } finally {
    await cluster.close();
  }
}

async function poolsOf(cluster: StorageCluster, signal: AbortSignal): Promise<readonly string[]> {
  const listed = await runTool(
    'rados',
    [...cluster.args, 'lspools'],
    'source.request-refused',
    signal,
    cluster.timeoutMs,
  );
  return listed
    .split('\n')
    .map((line) => line.trim())
    .filter((name) => name !== '');
}

/**
 * The pool that has an image: the configured one, or else the first that has it.
 *
 * @throws `source.snapshot-lost` when no pool has it
 */
export async function poolOf(
  cluster: StorageCluster,
  options: StorageOptions,
  image: string,
  signal: AbortSignal,
): Promise<string> {
  const has = async (pool: string): Promise<boolean> => {
    try {
      await cluster.rbd(['info', '--format', 'json', `${pool}/${image}`], signal);
      return true;
    } catch (error) {
      if (
        error instanceof CausewayError &&
        error.code === 'source.request-refused' &&
        /No such file|error opening (image|pool)/i.test(error.message)
      )
        return false;
      throw error;
    }
  };
  if (options.pool !== undefined && (await has(options.pool))) return options.pool;
  for (const pool of (await poolsOf(cluster, signal)).filter(
    (name) => name !== options.pool && !name.startsWith('.'),
  )) {
    if (await has(pool)) return pool;
  }
  throw new CausewayError(
    'source.snapshot-lost',
    `no pool of the distributed storage has ${image}: the volume is on another storage back end, or was deleted`,
    {
      retryable: false,
      details: { image },
    },
  );
}
