/** What the service tells of a blob that is, or was, copied into. */
export interface CopyRecord {
  readonly id: string;
  /** What is copied: by an address that has to be good until the end. */
  readonly fileId: string;
  readonly endsAt: number;
  status: 'pending' | 'success' | 'aborted' | 'failed';
  description: string;
}

/** Looks at a copy now: it is complete when its time has come, and fails when its source may no longer be read. */
export function settle(copy: CopyRecord, now: number, isReadable: (fileId: string) => boolean): CopyRecord {
  if (copy.status !== 'pending') return copy;
  if (!isReadable(copy.fileId))
    Object.assign(copy, {
      status: 'failed',
      description: '403 AuthenticationFailed "Copy failed when reading the source."',
    });
  else if (now >= copy.endsAt) copy.status = 'success';
  return copy;
}

/** As headers of the blob's properties. */
export const copyHeaders = ({ id, status, description }: CopyRecord, bytes: number): Record<string, string> => ({
  'x-ms-copy-id': id,
  'x-ms-copy-status': status,
  'x-ms-copy-source': 'https://md.invalid/',
  'x-ms-copy-progress': `${status === 'success' ? bytes : 0}/${bytes}`,
  ...(description === '' ? {} : { 'x-ms-copy-status-description': description }),
});
