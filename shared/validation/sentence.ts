/** A message with a full stop, so that messages of all rules can stand one after another. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
