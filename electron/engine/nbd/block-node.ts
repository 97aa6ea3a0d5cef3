/**
 * A QEMU block node, with every driver named. Opened as `json:{…}`, nothing below it is guessed by QEMU: a guest's raw
 * disk that starts like another format stays raw, and only the files named here are opened.
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
