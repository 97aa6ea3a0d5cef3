import type { Snapshot } from '../../../electron/engine/ports/source-platform.ts';
import { readOnto, type DiskRead } from '../../conformance/read-snapshot.ts';
import type { VsphereHarness } from './source-harness.ts';

const signal = new AbortController().signal;

/** What specs of the source do again and again, with the lab of the test that runs. */
export interface SourceSteps {
  snapshot(base?: Snapshot): Promise<Snapshot>;
  /** Reads the first disk onto what an earlier execution has made of it. */
  read(of: Snapshot, base?: Snapshot, former?: Buffer): Promise<DiskRead>;
  /** How often an operation was asked for. */
  called(operation: string): number;
  /** Everything that people were told. */
  told(): string;
}

export function sourceSteps(lab: () => VsphereHarness): SourceSteps {
  let tags = 0;
  return {
    snapshot: (base) => {
      const { platform, vmId, environment } = lab();
      return platform.createSnapshot(
        { vmId, tag: `tag-${(tags += 1)}`, environment, ...(base === undefined ? {} : { base }) },
        signal,
      );
    },
    read: async (of, base, former) => {
      const { platform, diskIds } = lab();
      const reader = await platform.openDisk(of, diskIds[0] ?? '', base, signal);
      try {
        return await readOnto(reader, former, signal);
      } finally {
        await reader.close();
      }
    },
    called: (operation) => lab().rig.calls.filter((call) => call.operation === operation).length,
    told: () => lab().notes.join('\n'),
  };
}
