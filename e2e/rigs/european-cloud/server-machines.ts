import type { ImageConfig } from './records.ts';

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
    | { readonly kind: 'volume'; readonly volumeId: string; readonly path: string; readonly imageConfig: ImageConfig; readonly configDrive: boolean };
  readonly dataVolumes: readonly { readonly volumeId: string; readonly path: string }[];
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
  attach(serverId: string, volume: { readonly volumeId: string; readonly path: string }): Promise<void>;
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

/** A device's serial as the hypervisor passes it on: the first 20 characters of the volume's id. */
export const volumeSerial = (volumeId: string): string => volumeId.slice(0, 20);
