/**
 * A QEMU block node, with every driver named. Opened as `json:{…}`, nothing below it is guessed by QEMU: a guest's raw
 * disk whose first bytes look like another format stays raw, and no file is opened that is not named here.
 */
export interface BlockNode {
  readonly driver: string;
  readonly 'read-only'?: boolean;
  readonly file?: BlockNode;
  readonly backing?: BlockNode | null;
  readonly filename?: string;
  readonly offset?: number;
  readonly size?: number;
  /** Of images in a distributed storage. */
  readonly pool?: string;
  readonly image?: string;
  readonly snapshot?: string;
  readonly conf?: string;
  readonly user?: string;
}

export function blockNodeName(node: BlockNode): string {
  return `json:${JSON.stringify(node)}`;
}
