import { vmSchema, type Vm } from '../model/vm.ts';
import { checkShape, type ShapeFault, type UnknownKey } from './check-shape.ts';
import { valueAt } from './json-pointer.ts';
import { knownKeys } from './schema-walk.ts';
import { nearestSpelling } from './spelling.ts';

/**
 * The document's `vm` part. Unknown keys and optional members that are wrong are left out of `vm`, so that they do not
 * hide what the rules find; with anything else wrong there is no `vm`, and the rules that need it are left out.
 */
export function checkVm(value: unknown): { readonly vm: Vm | undefined; readonly faults: readonly ShapeFault[] } {
  const faults = checkShape(vmSchema, value, { unknownKey: (unknown) => adviseByShape(unknown, 'vm'), name: '"vm"' }).map(asGuestSupport);
  const usable = vmSchema.safeParse(faults.length === 0 ? value : withoutFaults(value, faults));
  if (!usable.success) return { vm: undefined, faults };
  const vm = usable.data;
  return { vm, faults: [...faults, ...repeatedIds(vm.disks, 'disks'), ...repeatedIds(vm.nics, 'nics')] };
}

/** A copy without the members at the faults' places. List elements stay: without them indexes would mean others. */
function withoutFaults(value: unknown, faults: readonly ShapeFault[]): unknown {
  const copy = structuredClone(value);
  for (const { path } of faults) {
    const holder = valueAt(copy, path.slice(0, -1));
    const key = path.at(-1);
    if (key !== undefined && typeof holder === 'object' && holder !== null && !Array.isArray(holder)) Reflect.deleteProperty(holder, key);
  }
  return copy;
}

/** What to say of an unknown key where only the shape is known. */
export function adviseByShape({ key, parent, parentSchema }: UnknownKey, root: string): Pick<ShapeFault, 'message' | 'suggestion' | 'fix'> {
  const holder = parent.findLast((segment) => typeof segment === 'string') ?? root;
  const message = `${JSON.stringify(key)} is no key of ${JSON.stringify(holder)}`;
  const nearest = nearestSpelling(key, knownKeys(parentSchema));
  return nearest === undefined ? { message } : { message, suggestion: `Did you mean ${JSON.stringify(nearest)}?`, fix: { kind: 'rename-key', to: nearest } };
}

function asGuestSupport(fault: ShapeFault): ShapeFault {
  if (fault.rule !== 'value-not-allowed' || fault.path[0] !== 'os_type') return fault;
  return { ...fault, rule: 'guest-not-supported', message: `${fault.message}: other guests are not supported` };
}

function* repeatedIds(items: readonly { readonly id: string }[], list: string): Iterable<ShapeFault> {
  const seen = new Set<string>();
  for (const [index, { id }] of items.entries()) {
    if (seen.has(id)) {
      const message = `Another of the ${list} has the id ${JSON.stringify(id)} too`;
      yield { severity: 'error', path: [list, index, 'id'], rule: 'repeated-id', message };
    }
    seen.add(id);
  }
}
