import type { Rule, RuleContext, RuleFinding, VmFacts } from '../rule.ts';
import { expand, type Found } from './environment-view.ts';
import { didYouMean, quoted, spellingsOf } from './wording.ts';

const entriesOf = ({ environment }: RuleContext, key: string, list: string, member: string): Found[] =>
  expand(environment, [key, list, '*', member]).filter(({ value }) => typeof value === 'string');

/** The back ends of the VM's disks; undefined when not every disk tells. */
function backendsOf(disks: NonNullable<VmFacts['disks']>): Set<string> | undefined {
  const backends = new Set<string>();
  for (const { storage_backend: backend } of disks) {
    if (backend === undefined) return undefined;
    backends.add(backend);
  }
  return disks.length === 0 ? undefined : backends;
}

/** Entries of the storage mapping under `key` that match nothing, or that an earlier entry already decides. */
export function storageMappingRules(plugin: string, key: string): readonly Rule[] {
  return [
    {
      id: `${plugin}/unknown-disk`,
      *check(context) {
        const disks = context.vm?.disks;
        // A disk without an id may be any of those that are mapped.
        if (disks === undefined || disks.some(({ id }) => id === undefined)) return;
        const ids = new Set(disks.flatMap(({ id }) => (id === undefined ? [] : [id])));
        const nearestTo = spellingsOf([...ids]);
        for (const { path, value } of entriesOf(context, key, 'disk_mappings', 'disk_id')) {
          if (!ids.has(value as string))
            yield unmatched(path, `The VM has no disk ${quoted(value)}`, nearestTo(value as string));
        }
      },
    },
    {
      id: `${plugin}/unknown-backend`,
      *check(context) {
        const backends = context.vm?.disks === undefined ? undefined : backendsOf(context.vm.disks);
        if (backends === undefined) return;
        const nearestTo = spellingsOf([...backends]);
        for (const { path, value } of entriesOf(context, key, 'backend_mappings', 'source')) {
          if (backends.has(value as string)) continue;
          yield unmatched(path, `No disk of the VM is on ${quoted(value)}`, nearestTo(value as string));
        }
      },
    },
    {
      id: `${plugin}/mapped-twice`,
      *check(context) {
        for (const [list, member] of [
          ['disk_mappings', 'disk_id'],
          ['backend_mappings', 'source'],
        ] as const) {
          const seen = new Set<unknown>();
          for (const { path, value } of entriesOf(context, key, list, member)) {
            if (seen.has(value)) {
              yield {
                severity: 'warning',
                at: path,
                message: `${quoted(value)} is mapped more than once: only the first entry applies.`,
              };
            }
            seen.add(value);
          }
        }
      },
    },
  ];
}

const unmatched = (path: Found['path'], what: string, nearest: string | undefined): RuleFinding => ({
  severity: 'warning',
  at: path,
  message: `${what}: the entry has no effect.`,
  ...didYouMean(nearest),
});
