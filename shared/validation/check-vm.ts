import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { vmSchema } from '../model/vm.ts';
import { checkShape, type ShapeFault, type UnknownKey } from '../schema/check-shape.ts';
import { valueAt } from '../schema/json-pointer.ts';
import type { VmFacts } from '../plugins/rule.ts';
import { knownKeys } from '../schema/schema-walk.ts';
import { nearestSpelling } from '../schema/spelling.ts';
import { checkVmFacts } from './vm-facts.ts';

/**
 * The document's `vm` part. Members that are missing or wrong are absent from `vm` while everything else stays, at its
 * place, so that one mistake hides nothing that the rules find.
 */
export function checkVm(value: JsonValue | undefined): {
  readonly vm: VmFacts | undefined;
  readonly faults: readonly ShapeFault[];
} {
  const faults = checkShape(vmSchema, value, {
    unknownKey: (unknown) => adviseByShape(unknown, 'vm'),
    name: '"vm"',
  }).map((fault) => asGuestSupport(fault, value));
  if (!isJsonObject(value)) return { vm: undefined, faults };
  const vm = (faults.length === 0 ? value : withoutFaults(value, faults)) as VmFacts;
  return { vm, faults: [...faults, ...checkVmFacts(value)] };
}

/** A copy without the members at the faults' places. List elements keep their positions. */
function withoutFaults(value: JsonObject, faults: readonly ShapeFault[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const { path } of faults) {
    const holder = valueAt(copy, path.slice(0, -1));
    const key = path.at(-1);
    if (key === undefined || typeof holder !== 'object' || holder === null) continue;
    if (!Array.isArray(holder)) Reflect.deleteProperty(holder, key);
    // A list of objects (disks, NICs) or of texts (addresses).
    else if (typeof key === 'number' && key < holder.length)
      holder[key] = path[0] === 'disks' || path.length === 2 ? {} : '';
  }
  return copy;
}

/** What to say of an unknown key where only the shape is known. */
export function adviseByShape(
  { key, parent, parentSchema }: UnknownKey,
  root: string,
): Pick<ShapeFault, 'message' | 'suggestion' | 'fix'> {
  const message = `Unknown key ${JSON.stringify(key)} in ${placeName(parent, root)}`;
  const nearest = nearestSpelling(key, knownKeys(parentSchema));
  if (nearest !== undefined)
    return {
      message,
      suggestion: `Did you mean ${JSON.stringify(nearest)}?`,
      fix: { kind: 'rename-key', to: nearest },
    };
  const keys = knownKeys(parentSchema);
  return keys.length === 0 || keys.length > 12
    ? { message }
    : { message, suggestion: `Known keys: ${keys.join(', ')}.` };
}

/** The container at a path as people write it, e.g. `disks[0]`. */
export function placeName(path: readonly (string | number)[], root: string): string {
  const text = path.reduce<string>(
    (name, segment) => (typeof segment === 'number' ? `${name}[${segment}]` : segment),
    '',
  );
  return text === '' ? JSON.stringify(root) : JSON.stringify(text);
}

const osWords: readonly (readonly [RegExp, 'linux' | 'windows'])[] = [
  [/windows|^win\d|\bwin\b/i, 'windows'],
  [/linux|ubuntu|debian|red ?hat|\brhel|centos|rocky|alma|suse|sles|fedora|oracle/i, 'linux'],
];

/** `Windows Server 2019` is supported; it is only said in another way here. */
function asGuestSupport(fault: ShapeFault, vm: unknown): ShapeFault {
  if (fault.rule !== 'value-not-allowed' || fault.path[0] !== 'os_type') return fault;
  const given = String(valueAt(vm, fault.path));
  const meant = osWords.find(([pattern]) => pattern.test(given))?.[1];
  if (meant === undefined) {
    return { ...fault, rule: 'guest-not-supported', message: `${fault.message}: other guests are not supported` };
  }
  return {
    ...fault,
    message: `"os_type" is the kind of guest, "linux" or "windows", not the name of a product`,
    suggestion: `Write ${JSON.stringify(meant)}.`,
    fix: { kind: 'set-value', value: meant },
  };
}
