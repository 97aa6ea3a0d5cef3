// needs: python3
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Node has no seek for holes. A volume of the lab has gigabytes, of which a guest wrote a few megabytes: what neither file has
 * is not read.
 */
const script = `
import hashlib, os, sys
BLOCK = 65536
zeros = bytes(BLOCK)

def blocks(file, end):
    last = -1
    at = 0
    while at < end:
        try:
            at = os.lseek(file.fileno(), at, os.SEEK_DATA)
        except OSError:
            return
        hole = min(os.lseek(file.fileno(), at, os.SEEK_HOLE), end)
        for index in range(max(last + 1, at // BLOCK), (hole + BLOCK - 1) // BLOCK):
            yield index
            last = index
        at = max(hole, at + 1)

def content(file, index, end):
    return os.pread(file.fileno(), max(0, min(BLOCK, end - index * BLOCK)), index * BLOCK)

what, path, *more = sys.argv[1:]
with open(path, 'rb') as file:
    size = os.fstat(file.fileno()).st_size
    if what == 'digest':
        end = min(size, int(more[0]))
        digest = hashlib.blake2b(digest_size=32)
        for index in blocks(file, end):
            piece = content(file, index, end)
            if piece != zeros[:len(piece)]:
                digest.update(b'%d:' % index + piece)
        print(digest.hexdigest(), end)
    else:
        with open(more[0], 'rb') as other:
            length = os.fstat(other.fileno()).st_size
            end = min(size, length)
            for index in sorted(set(blocks(file, end)) | set(blocks(other, end))):
                here, there = content(file, index, end), content(other, index, end)
                if here != there:
                    print(index * BLOCK + next(at for at in range(len(here)) if here[at] != there[at]))
                    break
            else:
                print('same' if length >= size else length)
`;

const python = async (...args: string[]): Promise<string> =>
  (await run('python3', ['-c', script, ...args])).stdout.trim();

/** A digest of a file's content, or of its first `bytes`. Holes and written zeros are the same. */
export function contentDigest(path: string, bytes: number = Number.MAX_SAFE_INTEGER): Promise<string> {
  return python('digest', path, String(bytes));
}

/** Offset of the first byte of `path` that `other` has differently, or does not have. */
export async function firstDifference(path: string, other: string): Promise<number | undefined> {
  const found = await python('compare', path, other);
  return found === 'same' ? undefined : Number(found);
}
