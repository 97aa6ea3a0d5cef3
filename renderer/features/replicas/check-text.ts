import { readDocument } from '../../../shared/environment/read-document.ts';
import { isJsonObject, type JsonObject } from '../../../shared/model/json.ts';
import type { PluginId, Side } from '../../../shared/model/plugin-id.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import type { Catalog } from '../../../shared/validation/catalog.ts';
import type { Finding } from '../../../shared/validation/finding.ts';
import { validateDocumentText } from '../../../shared/validation/validate-document.ts';
import { text } from '../../text/en.ts';

export interface CheckedText {
  readonly findings: readonly Finding[];
  readonly environments: Readonly<Record<Side, JsonObject>>;
}

interface Subject {
  readonly vm: Vm;
  readonly plugins: Readonly<Record<Side, PluginId>>;
  readonly catalog: Catalog | undefined;
}

/** Checks what somebody wrote for one VM between two endpoints: as a document, and that it is for these. */
export function checkText(written: string, subject: Subject): CheckedText {
  const read = readDocument(written, written.trimStart().startsWith('{') ? 'json' : 'yaml');
  const document = isJsonObject(read.value) ? read.value : undefined;
  // The VM is known from the source, whatever the text says of it.
  const whole = document === undefined ? read : { ...read, value: { ...document, vm: subject.vm as unknown as JsonObject } };
  const findings = validateDocumentText(whole, subject.catalog === undefined ? {} : { catalog: subject.catalog });
  const sides = (['source', 'destination'] as const).map((side) => ({ side, part: document?.[side] }));
  const foreign = sides.flatMap(({ side, part }): Finding[] => {
    if (!isJsonObject(part) || part['plugin'] === subject.plugins[side]) return [];
    const location = read.locate([side, 'plugin']);
    const message = text.replicas.otherPlugin(side, plugins[subject.plugins[side]].title);
    return [{ severity: 'error', path: `/${side}/plugin`, rule: 'document/other-endpoint', message, ...(location === undefined ? {} : { location }) }];
  });
  const environments = Object.fromEntries(
    sides.map(({ side, part }) => [side, isJsonObject(part) && isJsonObject(part['environment']) ? part['environment'] : {}]),
  ) as Record<Side, JsonObject>;
  return { findings: [...foreign, ...findings.filter(({ rule }) => rule !== 'general/no-catalog')], environments };
}
