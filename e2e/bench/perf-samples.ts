export interface PerfSample {
  readonly command: string;
  readonly pid: number;
  /** Innermost first, each as `symbol (file)`. */
  readonly frames: readonly string[];
}

/** Reads what `perf script -F comm,pid,ip,sym,dso` prints: a line for each sample, its frames below, a blank line. */
export function samplesIn(text: string): readonly PerfSample[] {
  return text.split('\n\n').flatMap((block) => {
    const [head = '', ...lines] = block.split('\n').filter((line) => line.trim() !== '');
    const match = /^\s*(.+?)\s+(\d+)\s*$/.exec(head);
    if (match === null) return [];
    return [
      {
        command: match[1]!,
        pid: Number(match[2]),
        frames: lines.map((line) => line.trim().replace(/^[0-9a-f]+\s+/, '')),
      },
    ];
  });
}

/** What a sample counts as: the first that fits. `innermost` looks at the innermost frame alone, `chain` at all of them. */
const rules: readonly { readonly part: string; readonly innermost?: RegExp; readonly chain?: RegExp }[] = [
  { part: 'SHA-256', innermost: /sha256/i },
  { part: 'Zstandard', innermost: /^(ZSTD|HUF|FSE|HIST|XXH)_|libzstd/ },
  { part: 'encryption', innermost: /aes|gcm|ghash|libcrypto|libgnutls|libnettle|libhogweed/i },
  { part: 'sockets', chain: /tcp_|sock_|inet_|__sys_send|__sys_recv|net_rx/ },
  { part: 'reading the disk', chain: /shmem_file_read|vfs_read|preadv?64|filemap_read/ },
  { part: 'writing the volume', chain: /vfs_write|pwritev?64|shmem_file_write|generic_perform_write|fallocate/ },
  { part: 'memory: page faults', chain: /asm_exc_page_fault|do_user_addr_fault|madvise|munmap|mmap/ },
  { part: 'memory: copies', innermost: /mem(move|cpy|set)/ },
  { part: 'memory: collector', chain: /v8::internal::(\w*Mark\w*|Scaveng\w*|Sweep\w*|Heap|GC\w*)\b/ },
];

export const parts = [...rules.map(({ part }) => part), 'all else'];

/** Processor seconds of each part. */
export function secondsByPart(samples: readonly PerfSample[], samplesPerSecond: number): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { frames } of samples) {
    const part =
      rules.find(
        ({ innermost, chain }) =>
          innermost?.test(frames[0] ?? '') === true ||
          (chain !== undefined && frames.some((frame) => chain.test(frame))),
      )?.part ?? 'all else';
    sums.set(part, (sums.get(part) ?? 0) + 1 / samplesPerSecond);
  }
  return sums;
}
