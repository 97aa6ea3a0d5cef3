import type { Finding } from '../../schema/finding.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { catalogOf, resolveResource } from './catalog-names.ts';
import { expand } from './environment-view.ts';
import { quoted } from './wording.ts';

interface NameForm {
  readonly patterns: readonly (readonly string[])[];
  readonly severity: Finding['severity'];
  /** Ends the sentence "<value> is not …". */
  readonly what: string;
  readonly isRight: (text: string) => boolean;
  /** The right spelling of a wrong one, where it is certain; only used when it is right itself. */
  readonly correct?: (text: string) => string | undefined;
  /** What to do when there is no correction. */
  readonly remedy?: string;
  /** Kind of the catalog's resources: whatever the catalog has is right. */
  readonly kind?: string;
}

/** Names and IDs that the platform's API takes in one form only. Blank ones are reported by the shape. */
export function namesHaveForm(
  plugin: string,
  name: string,
  { patterns, severity, what, isRight, correct, remedy, kind }: NameForm,
): Rule {
  return {
    id: `${plugin}/${name}`,
    *check(context) {
      for (const { path, value } of patterns.flatMap((pattern) => expand(context.environment, pattern))) {
        if (
          typeof value !== 'string' ||
          value.trim() === '' ||
          isRight(value) ||
          isInCatalog(context, plugin, kind, value)
        )
          continue;
        const corrected = correct?.(value) ?? value.trim();
        const advice =
          corrected !== value && isRight(corrected)
            ? {
                suggestion: `Did you mean ${quoted(corrected)}?`,
                fix: { kind: 'set-value', value: corrected } as const,
              }
            : remedy === undefined
              ? {}
              : { suggestion: remedy };
        yield { severity, at: path, message: `${quoted(value)} is not ${what}.`, ...advice };
      }
    },
  };
}

function isInCatalog(context: RuleContext, plugin: string, kind: string | undefined, value: string): boolean {
  const resources = kind === undefined ? undefined : catalogOf(context, plugin)?.[kind];
  return Array.isArray(resources) && resolveResource(resources as { id: string; name: string }[], value).length > 0;
}
