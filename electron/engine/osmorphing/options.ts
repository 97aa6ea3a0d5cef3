import type { DiskBus } from '../ports/run-policy.ts';

/** A NIC of the migrated VM, in the order of the source's NICs. */
export interface GuestNic {
  /** Of the destination's NIC; absent where it gets one at the first boot. */
  readonly macAddress?: string | undefined;
  readonly sourceMacAddress?: string | undefined;
  /** IPv4 addresses reported by the source; they identify the interface. */
  readonly addresses?: readonly string[] | undefined;
}

/** A passphrase or key file content for LUKS, a recovery key or password for BitLocker. */
export interface LuksKey {
  /** UUID of the volume that it is for (BitLocker: its GUID); any volume if absent. */
  readonly device?: string | undefined;
  readonly key: string | Uint8Array;
}

export interface UserScript {
  /** Letters, digits, dot, dash, underscore; anything else is replaced. */
  readonly name: string;
  /** Runs by its first line (`#!`), or in the shell. */
  readonly content: string;
  /** Default 600. */
  readonly timeoutSeconds?: number | undefined;
}

/**
 * Something that the worker fetches, or that is brought from this machine. What is fetched must have the SHA-256 (in hex)
 * if one is given.
 */
export type Fetched = { readonly url: string; readonly sha256?: string } | { readonly file: string };

export interface WindowsMaterial {
  /** The VirtIO drivers disc, an ISO image; for disks of Xen, one with the drivers for Xen. Only the latter may be missing. */
  readonly virtioDisc?: Fetched;
  /** ZIP of the guest initialization agent for x86_64. */
  readonly initAgent?: Fetched | undefined;
}

/** How a guest is prepared. Options left out have the defaults of the specification. */
export interface MorphOptions {
  /** The installation to prepare when there are several: a candidate's `id`, its UUID, or its device. */
  readonly root?: string | undefined;
  readonly luksKeys?: readonly LuksKey[] | undefined;
  /** Default false. LUKS volumes lose what unlocks them without a passphrase (TPM, Clevis, security keys). */
  readonly unbindVolumes?: boolean | undefined;
  /** Default true: every interface gets its address by DHCP. False: addresses stay, names follow the NICs. */
  readonly setDhcp?: boolean | undefined;
  readonly nics: readonly GuestNic[];
  /** What the destination runs on; it decides which drivers the guest needs. Default `kvm`, with VirtIO. */
  readonly hypervisor?: 'kvm' | 'hyperv' | undefined;
  /** Buses of the destination's disks, that of the boot disk first. Default: one of VirtIO's. */
  readonly diskBuses?: readonly DiskBus[] | undefined;
  /** Default false. */
  readonly retainUserCredentials?: boolean | undefined;
  /** Default true: the guest keeps its host name, regardless of the server's name. */
  readonly preserveHostname?: boolean | undefined;
  /** cloud-init's data sources. Default OpenStack, ConfigDrive, NoCloud. */
  readonly datasources?: readonly string[] | undefined;
  /** Default true: a console on the first serial port. */
  readonly serialConsole?: boolean | undefined;
  /** The destination's agent as a Debian or RPM package: a URL that the worker reaches, or a file on this machine. */
  readonly agent?: (Fetched & { readonly architecture?: string | undefined }) | undefined;
  /** A folder or a tar archive on this machine with the guest's packages, for guests that reach no repository. */
  readonly packageCache?: string | undefined;
  /** Default `required`: without cloud-init the preparation fails. `if-possible`: it continues with a warning. */
  readonly cloudInit?: 'required' | 'if-possible' | undefined;
  /** URL of a proxy for the guest's package tools. */
  readonly httpProxy?: string | undefined;
  readonly scripts?:
    | {
        /** On the worker, with the devices in CAUSEWAY_DEVICES. */
        readonly beforeMount?: readonly UserScript[] | undefined;
        /** In the mounted guest, before everything else. */
        readonly inGuest?: readonly UserScript[] | undefined;
        readonly firstBoot?: readonly UserScript[] | undefined;
      }
    | undefined;
  /** What Windows guests are prepared with. */
  readonly windows?: WindowsMaterial | undefined;
  /** For troubleshooting: a failure leaves the guest mounted on the worker. Default false. */
  readonly keepMountedOnFailure?: boolean | undefined;
}

/** Called when a step starts and ends. */
export interface MorphStepEvent {
  readonly step: string;
  readonly title: string;
  readonly state: 'running' | 'done' | 'failed';
  /** From the end of a step on. */
  readonly seconds?: number | undefined;
  readonly changed?: boolean | undefined;
  readonly notes?: readonly string[] | undefined;
}
