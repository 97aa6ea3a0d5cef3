import type { ImageLocation } from '../../images/image-files.ts';

/** A VM that was found in the files: where its disks are, and what is said about it. */
export interface ImageVm {
  /** Path from the endpoint's folder, with forward slashes. */
  readonly id: string;
  readonly name: string;
  readonly osType?: 'linux' | 'windows';
  readonly firmware?: 'bios' | 'uefi';
  readonly secureBoot?: boolean;
  readonly vcpus?: number;
  readonly memoryMb?: number;
  readonly disks: readonly ImageDisk[];
  /** Undefined when nothing tells the NICs. */
  readonly nics?: readonly {
    readonly network: string;
    readonly macAddress?: string;
    readonly addresses?: readonly string[];
  }[];
}

export interface ImageDisk {
  /** File name, or name of the archive's member. */
  readonly id: string;
  readonly location: ImageLocation;
  readonly bus?: string;
  /** What the description says, to be compared with the image. */
  readonly statedBytes?: number;
}
