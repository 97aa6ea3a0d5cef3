import { errorCatalogue, type ErrorCode } from '../../../shared/model/errors/catalogue.ts';
import { sides, type PluginId } from '../../../shared/model/plugin-id.ts';
import type { WaveCause } from '../../../shared/model/wave.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { fromPointer } from '../../../shared/schema/json-pointer.ts';
import { timeText } from '../../components/quantities.ts';
import { describeFields } from '../../forms/field-descriptor.ts';
import { errorWords, isEnglish, text, translatedFinding } from '../../text/text.ts';

const words = text.waves;

/** Findings that say nothing of a VM. They are told once, below the others. */
export const isAboutNoVm = ({ code }: WaveCause): boolean => code === 'general/no-catalog';

/** A cause as people of the page's language read it; settings by the names that their fields have. */
export function causeWords(
  { kind, code = '', path = '', names, quota, message }: WaveCause,
  translated = translatedFinding,
): string {
  if (kind === 'never-synchronised' || kind === 'not-rehearsed') return words.causeKinds[kind];
  if (kind === 'quota' && quota !== undefined) {
    return words.quotaCause(
      words.estimate.quotas[code as keyof typeof words.estimate.quotas] ?? code,
      quota.endpoint,
      quota.needed,
      quota.free,
      quota.at === undefined ? undefined : timeText(quota.at),
    );
  }
  if (kind === 'plan' && names !== undefined && isPlanCause(code)) return words.planCauses[code](names.join(', '));
  // English has the message, which says more, where it is no failure.
  if ((kind === 'failed' || !isEnglish) && Object.hasOwn(errorCatalogue, code))
    return errorWords(code as ErrorCode).title;
  if (kind !== 'finding') return message;
  const found = translated(code)?.title ?? message;
  const label = labelOf(code, path);
  if (label === undefined) return found;
  return code.endsWith('/missing-key') ? words.missingSetting(label) : words.settingFinding(label, found);
}

const isPlanCause = (code: string): code is keyof typeof words.planCauses => Object.hasOwn(words.planCauses, code);

/** The English message of what was found, to show below words in another language that do not repeat it. */
export function causeEvidence({ kind, message }: WaveCause, inWords: string): string | undefined {
  return isEnglish || (kind !== 'finding' && kind !== 'guest') || inWords.includes(message) ? undefined : message;
}

function labelOf(rule: string, path: string): string | undefined {
  const [plugin = ''] = rule.split('/');
  const [at, part, key] = fromPointer(path);
  const side = sides.find((one) => one === at);
  const schema =
    side === undefined || part !== 'environment' || !Object.hasOwn(plugins, plugin)
      ? undefined
      : plugins[plugin as PluginId][side]?.schema;
  return schema === undefined
    ? undefined
    : describeFields(schema, `${plugin}/${side ?? ''}`).find((field) => field.key === key)?.label;
}
