import { isLabelText, type Labels } from '../../cloud-resources/labels.ts';

const reservedPrefix = 'stackit-';

/**
 * `server_labels` are plain texts; the API's labels are keys with values. `env=prod` becomes key and value, a text
 * without `=` a key with an empty value.
 */
export function asServerLabels(texts: readonly string[]): {
  readonly labels: Labels;
  readonly refused: readonly { readonly index: number; readonly reason: string }[];
} {
  const labels: Record<string, string> = {};
  const refused: { index: number; reason: string }[] = [];
  texts.forEach((text, index) => {
    const at = text.indexOf('=');
    const key = at < 0 ? text : text.slice(0, at);
    const value = at < 0 ? '' : text.slice(at + 1);
    const reason = whyRefused(text, key, value, labels);
    if (reason === undefined) labels[key] = value;
    else refused.push({ index, reason });
  });
  return { labels, refused };
}

function whyRefused(text: string, key: string, value: string, taken: Labels): string | undefined {
  if (!isLabelText(key)) return `label "${text}": use letters, digits and inner - _ . only in keys`;
  if (value !== '' && !isLabelText(value)) return `label "${text}": use letters, digits and inner - _ . only in values`;
  if (key.startsWith(reservedPrefix)) return `label "${text}": keys with the prefix ${reservedPrefix} are reserved`;
  return Object.hasOwn(taken, key) ? `label "${text}": the key ${key} is used twice` : undefined;
}
