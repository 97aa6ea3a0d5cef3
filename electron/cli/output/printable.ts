const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Names come from servers, files and guests: what moves the cursor, colours or turns text around does not reach the terminal as such. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same for several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
