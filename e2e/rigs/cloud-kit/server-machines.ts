/**
 * What a disk is known by inside of its server. A cloud passes on what it has: the serial, the number on a SCSI bus, a name in
 * `/dev/disk/by-path`, or nothing but the order. Links are further names below `/dev`, e.g. `disk/azure/scsi1/lun3`.
 */
export interface DeviceNames {
  readonly serial?: string;
  readonly lun?: number;
  readonly byPath?: string;
  readonly links?: readonly string[];
  /** Where the machine has to log in to it itself. */
  readonly target?: { readonly iqn: string; readonly user?: string; readonly secret?: string };
}

/** A volume as a machine gets it. */
export interface MachineVolume {
  readonly volumeId: string;
  /** The file with its bytes. */
  readonly path: string;
  /** Default: a serial made of the volume's id. */
  readonly device?: DeviceNames;
}

/** What a server's machine is made from. */
export interface MachinePlan {
  readonly serverId: string;
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMiB: number;
  /** Decoded user data, empty when there is none. */
  readonly userData: string;
  /** Public key of the server's key pair. */
  readonly publicKey?: string;
  /** A worker image, or a volume with a guest's own installation. */
  readonly boot:
    | { readonly kind: 'image'; readonly imageName: string }
    | ({
        readonly kind: 'volume';
        readonly firmware: 'bios' | 'uefi';
        /** Whether its UEFI starts only what is signed. Default: no. */
        readonly secureBoot?: boolean;
        /** `virtio`, `scsi` or `ide`, for all of its disks. */
        readonly diskBus: string;
        readonly configDrive: boolean;
      } & MachineVolume);
  readonly dataVolumes: readonly MachineVolume[];
  readonly nics: readonly { readonly mac: string; readonly ipv4: string }[];
}

/** Who may come in: source addresses and ports. */
export interface IngressRule {
  readonly cidr: string;
  readonly minPort: number;
  readonly maxPort: number;
}

/** An address of the cloud, the server behind it, and what its security groups let in. */
export interface Exposure {
  readonly address: string;
  readonly serverId: string;
  readonly ingress: readonly IngressRule[];
}

/** The machines behind the servers. A cloud without machines has servers that are records only. */
export interface ServerMachines {
  /** Resolves when the machine is powered on, not when its guest is up. */
  start(plan: MachinePlan): Promise<void>;
  /** Power off (hard) and forget; does nothing when there is none. */
  stop(serverId: string): Promise<void>;
  reboot(serverId: string): Promise<void>;
  attach(serverId: string, volume: MachineVolume): Promise<void>;
  detach(serverId: string, volumeId: string): Promise<void>;
  /** Serial console output so far. */
  log(serverId: string): Promise<string>;
  /** The complete set of addresses that lead to servers from now on. */
  expose(exposures: readonly Exposure[]): Promise<void>;
  close(): Promise<void>;
}

export const noMachines: ServerMachines = {
  start: async () => {},
  stop: async () => {},
  reboot: async () => {},
  attach: async () => {},
  detach: async () => {},
  log: async () => 'no machine behind this server\n',
  expose: async () => {},
  close: async () => {},
};

/** A device's serial as a hypervisor with VirtIO disks passes it on: the first 20 characters of the volume's id. */
export const volumeSerial = (volumeId: string): string => volumeId.slice(0, 20);

/** The names of a volume's device: those that it was attached with, or the usual serial. */
export const deviceNames = ({ volumeId, device }: MachineVolume): DeviceNames =>
  device ?? { serial: volumeSerial(volumeId) };
