/** The ways in which a disk copy worker is written to. */
export type Mechanism = 'HTTPS' | 'SSH';

/** `scsi` is virtio-scsi. `xen` are Xen's paravirtual disks and NICs: a guest that knows them has its emulated disks taken away as it starts. */
export const diskBuses = ['virtio', 'scsi', 'ide', 'usb', 'xen'] as const;
export type DiskBus = (typeof diskBuses)[number];

/** What an environment asks of the engine, in terms of no plugin. */
export interface RunPolicy {
  readonly mechanism: Mechanism;
  /** New volumes read as zeros, so that zeros need not be written to them. */
  readonly volumesAreZeroed: boolean;
  /** False: the guest keeps its static addresses. */
  readonly setDhcp: boolean;
  /** The NICs have the addresses of the source. A guest that sets another address is an error then. */
  readonly preserveFixedIps: boolean;
  readonly retainUserCredentials: boolean;
  readonly hypervisor: 'kvm' | 'hyperv';
  /** Where cloud-init looks for the destination's metadata, in its own names; undefined: where OpenStack and its like have it. */
  readonly guestDatasources?: readonly string[];
  /** Buses of the deployed VM's disks, that of the boot disk first. At least one. */
  readonly diskBuses: readonly DiskBus[];
  /** The environment has an image for Windows workers, which then prepare Windows guests. */
  readonly hasWindowsWorkerImage: boolean;
  /** Where the disc with drivers for Windows guests is; undefined: at its public place. */
  readonly windowsDriversUrl: string | undefined;
  /** Where the initialization agent for Windows guests is; undefined: at its public place. */
  readonly windowsAgentUrl: string | undefined;
}
