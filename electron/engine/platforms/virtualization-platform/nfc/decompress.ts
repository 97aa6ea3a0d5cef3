import { inflateSync } from 'node:zlib';
import { copyBytes } from '../../../concurrency/copy-bytes.ts';
import { Compression, violation } from './protocol.ts';

/**
 * Unpacks one fragment into `out`, which it must fill exactly. The input is the host's and may lie: every length and distance
 * is checked, and nothing is written outside `out`.
 * @throws CausewayError source.protocol
 */
export function decompress(compression: number, input: Uint8Array, out: Uint8Array): void {
  // What would not have shrunk is sent as it is.
  if (compression === Compression.none || input.length === out.length) {
    if (input.length !== out.length) throw violation(`a raw fragment of ${input.length} bytes for ${out.length}`);
    copyBytes(input, out);
  } else if (compression === Compression.fastlz) {
    fastlz(input, out);
  } else if (compression === Compression.skipz) {
    skipz(input, out);
  } else if (compression === Compression.zlib) {
    inflate(input, out);
  } else {
    throw violation(`a fragment with compression ${compression}`);
  }
}

function inflate(input: Uint8Array, out: Uint8Array): void {
  let plain: Buffer;
  try {
    plain = inflateSync(input, { maxOutputLength: out.length });
  } catch (error) {
    throw violation(`a fragment that does not inflate: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (plain.length !== out.length)
    throw violation(`a fragment that inflates to ${plain.length} bytes instead of ${out.length}`);
  copyBytes(plain, out);
}

/** Runs of {place, length, bytes} over zeros. */
function skipz(input: Uint8Array, out: Uint8Array): void {
  const view = new DataView(input.buffer, input.byteOffset, input.length);
  if (input.length < 8 || view.getUint32(0, true) !== out.length)
    throw violation('a SkipZ fragment with another length than announced');
  let end = 0;
  for (let at = 8; at < input.length;) {
    if (at + 8 > input.length) throw violation('a SkipZ fragment that ends within a run');
    const place = view.getUint32(at, true);
    const length = view.getUint32(at + 4, true);
    at += 8;
    if (place < end || place + length > out.length || at + length > input.length)
      throw violation('a SkipZ run outside its fragment');
    out.fill(0, end, place);
    copyBytes(input.subarray(at, at + length), out, place);
    end = place + length;
    at += length;
  }
  out.fill(0, end);
}

/** Both levels of FastLZ: literals, and matches that repeat what was written before. */
function fastlz(input: Uint8Array, out: Uint8Array): void {
  const inputEnd = input.length;
  const outEnd = out.length;
  const level = inputEnd === 0 ? -1 : (input[0] as number) >> 5;
  if (level !== 0 && level !== 1) throw violation('a FastLZ fragment of an unknown level');
  let at = 1;
  let to = 0;
  let control = (input[0] as number) & 31;
  for (;;) {
    if (control < 32) {
      const next = at + control + 1;
      if (next > inputEnd || to + control + 1 > outEnd) throw violation('FastLZ literals that do not fit');
      while (at < next) out[to++] = input[at++] as number;
    } else {
      let length = (control >> 5) + 2;
      if (length === 9) {
        let more: number;
        do {
          if (at >= inputEnd) throw violation('a FastLZ fragment that ends within a match');
          more = input[at++] as number;
          length += more;
        } while (level === 1 && more === 255);
      }
      if (at >= inputEnd) throw violation('a FastLZ fragment that ends within a match');
      const low = input[at++] as number;
      let distance = ((control & 31) << 8) + low + 1;
      if (level === 1 && low === 255 && (control & 31) === 31) {
        if (at + 2 > inputEnd) throw violation('a FastLZ fragment that ends within a match');
        distance = 8192 + ((input[at] as number) << 8) + (input[at + 1] as number);
        at += 2;
      }
      const from = to - distance;
      if (from < 0 || to + length > outEnd) throw violation('a FastLZ match that does not fit');
      if (distance === 1) out.fill(out[from] as number, to, to + length);
      else if (length > 24) repeat(out, from, to, length);
      else for (let index = 0; index < length; index++) out[to + index] = out[from + index] as number;
      to += length;
    }
    if (at >= inputEnd) break;
    control = input[at++] as number;
  }
  if (to !== outEnd) throw violation(`a FastLZ fragment that unpacks to ${to} bytes instead of ${outEnd}`);
}

/** Copies a match that may reach into what it writes: what was written counts as source, so each copy may be longer than the last. */
function repeat(out: Uint8Array, from: number, to: number, length: number): void {
  for (let done = 0; done < length;) {
    const count = Math.min(to + done - from, length - done);
    out.copyWithin(to + done, from, from + count);
    done += count;
  }
}
