import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { findingsText, type Finding } from '../../../shared/schema/finding.ts';

/**
 * Notes the warnings and throws the errors.
 * @throws CausewayError `engine.environment-invalid`
 */
export function throwOnErrors(findings: readonly Finding[], note: (message: string, rule: string) => void): void {
  for (const finding of findings) {
    if (finding.severity === 'warning') note(`${finding.path}: ${finding.message}`, finding.rule);
  }
  const errors = findings.filter((finding) => finding.severity === 'error');
  if (errors.length === 0) return;
  throw new CausewayError('engine.environment-invalid', findingsText(errors), {
    details: { findings: errors.map(({ path, rule, message }) => ({ path, rule, message })) },
  });
}
