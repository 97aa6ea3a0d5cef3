import { vmSchema, type Vm } from '../model/vm.ts';
import { checkShape, type ShapeFault, type UnknownKey } from './check-shape.ts';
import { knownKeys } from './schema-walk.ts';
import { nearestSpelling } from './spelling.ts';

/** The document's `vm` part. `vm` is there only when nothing is wrong with it; rules that need it are left out else. */
export function checkVm(value: unknown): { readonly vm: Vm | undefined; readonly faults: readonly ShapeFault[] } {
  const faults = checkShape(vmSchema, value, { unknownKey: (unknown) => adviseByShape(unknown, 'vm'), name: '"vm"' }).map(asGuestSupport);
  if (faults.length > 0) return { vm: undefined, faults };
  const vm = value as Vm;
  const duplicates = [...repeatedIds(vm.disks, 'disks'), ...repeatedIds(vm.nics, 'nics')];
  return { vm: duplicates.length === 0 ? vm : undefined, faults: duplicates };
}

/** What to say of an unknown key where only the shape is known. */
export function adviseByShape({ key, parent, parentSchema }: UnknownKey, root: string): Pick<ShapeFault, 'message' | 'suggestion'> {
  const holder = parent.findLast((segment) => typeof segment === 'string') ?? root;
  const message = `${JSON.stringify(key)} is no key of ${JSON.stringify(holder)}`;
  const nearest = nearestSpelling(key, knownKeys(parentSchema));
  return nearest === undefined ? { message } : { message, suggestion: `Did you mean ${JSON.stringify(nearest)}?` };
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
