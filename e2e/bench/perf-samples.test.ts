import { expect, test } from 'vitest';
import { parts, samplesIn, secondsByPart } from './perf-samples.ts';

const printed = `MainThread   101
\t          4a1b2c sha256_block_data_order_shaext (/usr/bin/node)

libuv-worker   101
\tffffffff81 _copy_to_iter ([kernel.kallsyms])
\tffffffff82 shmem_file_read_iter ([kernel.kallsyms])
\tffffffff83 vfs_read ([kernel.kallsyms])

DNS thread 2   7
\t          1234 [unknown] (/tmp/perf-7.map)

python3   9
\tffffffff81 _copy_from_iter ([kernel.kallsyms])
\tffffffff82 tcp_sendmsg_locked ([kernel.kallsyms])
\tffffffff83 vfs_write ([kernel.kallsyms])

swapper   0
`;

test('samples of perf are read with their frames, innermost first', () => {
  const samples = samplesIn(printed);
  expect(samples.map(({ command, pid, frames }) => [command, pid, frames.length])).toEqual([
    ['MainThread', 101, 1],
    ['libuv-worker', 101, 3],
    ['DNS thread 2', 7, 1],
    ['python3', 9, 3],
    ['swapper', 0, 0],
  ]);
  expect(samples[1]?.frames[0]).toBe('_copy_to_iter ([kernel.kallsyms])');
});

test('each sample counts once, as the first part that fits', () => {
  const seconds = secondsByPart(samplesIn(printed), 10);
  expect(Object.fromEntries(seconds)).toEqual({
    'SHA-256': 0.1,
    'reading the disk': 0.1,
    sockets: 0.1,
    'all else': 0.2,
  });
  for (const part of seconds.keys()) expect(parts).toContain(part);
});
