import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { parseIp, unusableAddress } from '../model/ip-address.ts';
import type { ShapeFault } from '../schema/check-shape.ts';
import type { PathSegment } from '../schema/json-pointer.ts';
import { surroundingBlanks } from '../schema/surrounding-blanks.ts';

const mebi = 2 ** 20;
const gibi = 2 ** 30;

/** Facts of a VM that have the right type but cannot be true. Members of a wrong type are passed over. */
export function* checkVmFacts(vm: JsonObject): Generator<ShapeFault> {
  const disks = elements(vm['disks']);
  const nics = elements(vm['nics']);
  if (Array.isArray(vm['disks']) && vm['disks'].length === 0) {
    yield error(
      ['disks'],
      'no-disks',
      'The VM has no disks, so there is nothing to replicate',
      'Add each disk with "id" and "size_bytes".',
    );
  }
  yield* surroundingBlanks(vm);
  yield* sizeFacts(vm, disks);
  for (const [index, { network }] of nics) {
    if (typeof network === 'string' && network.trim() === '')
      yield error(
        ['nics', index, 'network'],
        'blank',
        '"network" must not be blank: network_map needs the name of the source network',
      );
  }
  yield* repeated(
    disks.map(([index, { id }]) => ({ path: ['disks', index, 'id'], value: id })),
    (id) => ['repeated-id', `Another disk also has the id ${JSON.stringify(id)}`],
    'error',
  );
  yield* repeated(
    nics.map(([index, { id }]) => ({ path: ['nics', index, 'id'], value: id })),
    (id) => ['repeated-id', `Another NIC also has the id ${JSON.stringify(id)}`],
    'error',
  );
  yield* macFacts(nics);
  yield* addressFacts(nics);
  if (vm['secure_boot'] === true && vm['firmware'] === 'bios') {
    yield {
      ...error(
        ['secure_boot'],
        'secure-boot-needs-uefi',
        'Secure boot needs UEFI, but "firmware" is "bios"',
        'Set "firmware" to "uefi", or "secure_boot" to false.',
      ),
      severity: 'warning',
    };
  }
}

type Element = readonly [index: number, element: JsonObject];

function elements(list: JsonValue | undefined): Element[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly JsonValue[]).flatMap((element, index): Element[] =>
    isJsonObject(element) ? [[index, element]] : [],
  );
}

function* sizeFacts(vm: JsonObject, disks: readonly Element[]): Generator<ShapeFault> {
  for (const [index, { size_bytes: size }] of disks) {
    const path = ['disks', index, 'size_bytes'];
    if (size === 0)
      yield error(
        path,
        'disk-size',
        'A disk of 0 bytes cannot be replicated',
        'Give the size in bytes, e.g. 10737418240 for 10 GiB.',
      );
    else if (typeof size === 'number' && Number.isInteger(size) && size > 0 && size < mebi) {
      const meant = size * gibi;
      yield {
        ...warning(
          path,
          'disk-size',
          `"size_bytes" is ${size}, which is less than 1 MiB: check the unit`,
          `Sizes are in bytes: ${size} GiB is ${meant} bytes.`,
        ),
        ...(Number.isSafeInteger(meant) ? { fix: { kind: 'set-value', value: meant } } : {}),
      };
    }
  }
  const { memory_mb: memory, vcpus } = vm;
  if (typeof memory === 'number' && Number.isInteger(memory) && memory > 0 && memory < 64) {
    yield {
      ...warning(
        ['memory_mb'],
        'memory-size',
        `"memory_mb" is ${memory}, which is too little for an OS: check the unit`,
        `${memory} GiB is ${memory * 1024} MB.`,
      ),
      fix: { kind: 'set-value', value: memory * 1024 },
    };
  } else if (typeof memory === 'number' && memory > 64 * mebi) {
    const meant = Math.round(memory / mebi);
    yield {
      ...warning(
        ['memory_mb'],
        'memory-size',
        `"memory_mb" is ${memory}, which is more than 64 TiB: check the unit`,
        `${memory} bytes is ${meant} MB.`,
      ),
      fix: { kind: 'set-value', value: meant },
    };
  }
  if (typeof vcpus === 'number' && vcpus > 2048)
    yield warning(['vcpus'], 'vcpus', `"vcpus" is ${vcpus}, which is more than any platform offers`);
}

const colons = /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i;

function* macFacts(nics: readonly Element[]): Generator<ShapeFault> {
  const seen: { path: readonly PathSegment[]; value: string }[] = [];
  for (const [index, { mac_address: mac }] of nics) {
    if (typeof mac !== 'string') continue;
    const path = ['nics', index, 'mac_address'];
    const digits = mac.trim().replaceAll(/[:.-]/g, '').toLowerCase();
    const usual = digits.match(/../g)?.join(':') ?? '';
    if (!/^[0-9a-f]{12}$/.test(digits)) {
      yield error(
        path,
        'mac-address',
        `${JSON.stringify(mac.slice(0, 60))} is not a MAC address`,
        'Write six pairs of hexadecimal digits, e.g. "52:54:00:12:34:56", or remove the key.',
      );
      continue;
    }
    if (!colons.test(mac.trim())) {
      yield {
        ...warning(
          path,
          'mac-address',
          'The MAC address is not written with colons',
          `Write ${JSON.stringify(usual)}.`,
        ),
        fix: { kind: 'set-value', value: usual },
      };
    }
    if (digits === '000000000000' || Number.parseInt(digits.slice(0, 2), 16) % 2 === 1) {
      yield warning(
        path,
        'mac-address',
        `${mac.trim()} cannot be a NIC address: it is ${digits === '000000000000' ? 'all zeros' : 'a multicast address'}`,
      );
    }
    seen.push({ path, value: usual });
  }
  yield* repeated(
    seen,
    (mac) => ['repeated-address', `Another NIC of the VM also has the MAC address ${mac}`],
    'warning',
  );
}

function* addressFacts(nics: readonly Element[]): Generator<ShapeFault> {
  const seen: { path: readonly PathSegment[]; value: string; network: unknown }[] = [];
  for (const [nicIndex, { ip_addresses: addresses, network }] of nics) {
    if (!Array.isArray(addresses)) continue;
    for (const [index, address] of (addresses as readonly JsonValue[]).entries()) {
      if (typeof address !== 'string') continue;
      const path = ['nics', nicIndex, 'ip_addresses', index];
      const parsed = parseIp(address);
      const reason = unusableAddress(address);
      if (parsed === undefined)
        yield error(
          path,
          'ip-address',
          `${JSON.stringify(address.slice(0, 60))} is not an IP address`,
          'Write an address such as "10.1.0.5" or "2001:db8::5", with or without a prefix length.',
        );
      else if (reason !== undefined)
        yield warning(path, 'ip-address', `${parsed.text} cannot be a NIC address: it is ${reason}`);
      if (parsed !== undefined && reason === undefined && !parsed.text.startsWith('fe80:'))
        seen.push({ path, value: parsed.text, network });
    }
  }
  for (const group of Map.groupBy(seen, ({ network }) => network).values()) {
    yield* repeated(
      group,
      (address) => ['repeated-address', `The VM has the address ${address} more than once on the same network`],
      'warning',
    );
  }
}

function* repeated(
  items: readonly { readonly path: readonly PathSegment[]; readonly value: unknown }[],
  say: (value: string) => readonly [rule: string, message: string],
  severity: 'error' | 'warning',
): Generator<ShapeFault> {
  const seen = new Set<unknown>();
  for (const { path, value } of items) {
    if (typeof value !== 'string') continue;
    if (seen.has(value)) {
      const [rule, message] = say(value);
      yield { severity, path, rule, message };
    }
    seen.add(value);
  }
}

function error(path: readonly PathSegment[], rule: string, message: string, suggestion?: string): ShapeFault {
  return { severity: 'error', path, rule, message, ...(suggestion === undefined ? {} : { suggestion }) };
}

function warning(path: readonly PathSegment[], rule: string, message: string, suggestion?: string): ShapeFault {
  return { ...error(path, rule, message, suggestion), severity: 'warning' };
}
