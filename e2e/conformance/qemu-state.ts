import { readdir } from 'node:fs/promises';
import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/model/json.ts';
import type { Snapshot, SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import type { QemuProcess } from './qemu-process.ts';
import { readOnto, type DiskRead } from './read-snapshot.ts';

const signal = new AbortController().signal;

/** A source on a QEMU that a test can ask as well. */
interface WatchedQemu {
  readonly platform: SourcePlatform;
  readonly vmId: string;
  readonly scratchFolder: string;
  readonly qemu: () => QemuProcess;
}

export function takeSnapshot(
  harness: WatchedQemu,
  tag: string,
  base?: Snapshot,
  platform: SourcePlatform = harness.platform,
  environment: JsonObject = {},
): Promise<Snapshot> {
  return platform.createSnapshot(
    { vmId: harness.vmId, tag, environment, ...(base === undefined ? {} : { base }) },
    signal,
  );
}

/** Reads a disk of a snapshot onto a copy of what was read before. */
export async function readDisk(
  platform: SourcePlatform,
  of: Snapshot,
  diskId: string,
  base?: Snapshot,
  former?: Buffer,
): Promise<DiskRead> {
  const reader = await platform.openDisk(of, diskId, base, signal);
  try {
    return await readOnto(reader, former, signal);
  } finally {
    await reader.close();
  }
}

/** What the VM is doing, as QEMU says it. */
export async function vmStatus(harness: WatchedQemu): Promise<JsonValue | undefined> {
  return field(await harness.qemu().execute('query-status'), 'status');
}

/** Whatever Causeway left in QEMU, bitmaps aside. */
export async function leftovers(
  harness: WatchedQemu,
): Promise<{ readonly inQemu: readonly string[]; readonly files: readonly string[] }> {
  const nodes = await harness.qemu().execute('query-named-block-nodes', { flat: true });
  const all = [nodes, await harness.qemu().execute('query-block-exports'), await harness.qemu().execute('query-jobs')];
  return {
    inQemu: JSON.stringify(all).match(/cwy-[a-z]-[0-9a-f]+/g) ?? [],
    files: (await readdir(harness.scratchFolder)).filter((name) => name.includes('cwy-')),
  };
}

function field(value: JsonValue, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}
