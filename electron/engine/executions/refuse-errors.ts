import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Finding } from '../../../shared/validation/finding.ts';

/**
 * Tells the warnings and throws the errors.
 * @throws CausewayError `engine.environment-invalid`
 */
export function refuseErrors(findings: readonly Finding[], note: (message: string, rule: string) => void): void {
  for (const finding of findings) {
    if (finding.severity === 'warning') note(`${finding.path}: ${finding.message}`, finding.rule);
  }
  const errors = findings.filter((finding) => finding.severity === 'error');
  const [first] = errors;
  if (first === undefined) return;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  throw new CausewayError('engine.environment-invalid', `${first.path || '/'}: ${first.message}${more}`, {
    details: { findings: errors.map(({ path, rule, message }) => ({ path, rule, message })) },
  });
}
