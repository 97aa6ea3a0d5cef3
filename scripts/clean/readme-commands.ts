/** The commands of the first code block of a Markdown document, as they stand there, without their comments. */
export function readmeCommands(markdown: string): string[] {
  const [, block = ''] = /^```\w*\n([\s\S]*?)^```/m.exec(markdown) ?? [];
  return block
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '');
}
