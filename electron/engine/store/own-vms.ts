import type { DatabaseSync } from 'node:sqlite';
import { integer, text } from './rows.ts';
import type { Computer } from './store-identity.ts';

export type OwnVmStore = ReturnType<typeof ownVmStore>;

/** The VM of a cloud that this computer is, so that volumes are attached to it. */
export interface OwnVm {
  readonly endpointId: string;
  readonly vmId: string;
  readonly vmName: string;
  /** How many volumes it may have attached for executions at the same time. */
  readonly volumes: number;
}

/** What was said of another computer does not count: the data may have been moved. */
export function ownVmStore(db: DatabaseSync, computer: Computer) {
  const write =
    db.prepare(`INSERT INTO own_vms (endpoint_id, vm_id, vm_name, volumes, computer_id) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (endpoint_id) DO UPDATE SET vm_id = excluded.vm_id, vm_name = excluded.vm_name, volumes = excluded.volumes, computer_id = excluded.computer_id,
      proven_boot = CASE WHEN own_vms.vm_id = excluded.vm_id AND own_vms.computer_id = excluded.computer_id THEN own_vms.proven_boot END`);
  const read = db.prepare(
    'SELECT endpoint_id, vm_id, vm_name, volumes FROM own_vms WHERE computer_id = ? ORDER BY endpoint_id',
  );
  const prove = db.prepare(
    'UPDATE own_vms SET proven_boot = ? WHERE endpoint_id = ? AND vm_id = ? AND computer_id = ?',
  );
  const proven = db.prepare(
    'SELECT 1 FROM own_vms WHERE proven_boot = ? AND endpoint_id = ? AND vm_id = ? AND computer_id = ?',
  );
  const remove = db.prepare('DELETE FROM own_vms WHERE endpoint_id = ?');
  return {
    set({ endpointId, vmId, vmName, volumes }: OwnVm): void {
      write.run(endpointId, vmId, vmName, volumes, computer.id);
    },
    list: (): OwnVm[] =>
      read.all(computer.id).map((row) => ({
        endpointId: text(row, 'endpoint_id'),
        vmId: text(row, 'vm_id'),
        vmName: text(row, 'vm_name'),
        volumes: integer(row, 'volumes'),
      })),
    /** Notes in which start of this computer it was tried out that it is this VM. */
    prove(endpointId: string, vmId: string, bootId: string): void {
      prove.run(bootId, endpointId, vmId, computer.id);
    },
    isProven: (endpointId: string, vmId: string, bootId: string): boolean =>
      proven.get(bootId, endpointId, vmId, computer.id) !== undefined,
    remove(endpointId: string): void {
      remove.run(endpointId);
    },
  };
}
