import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Language, Parser, type Node } from 'web-tree-sitter';

/** Every PowerShell script that Causeway sends, read by a real parser and held to what PSScriptAnalyzer asks. They run in Windows PowerShell 5.1. */

const root = join(import.meta.dirname, '..');
const scripts = readdirSync(join(root, 'assets'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ps1')).map((name) => join('assets', name)).sort();
const verbs = new Set([
  'Add', 'Assert', 'Clear', 'Close', 'Complete', 'Confirm', 'Connect', 'Convert', 'ConvertFrom', 'ConvertTo', 'Copy', 'Disable', 'Disconnect', 'Dismount', 'Enable', 'Enter', 'Exit', 'Expand', 'Export',
  'Find', 'Format', 'Get', 'Import', 'Initialize', 'Install', 'Invoke', 'Join', 'Measure', 'Merge', 'Mount', 'Move', 'New', 'Open', 'Out', 'Publish', 'Read', 'Receive', 'Register', 'Remove', 'Rename',
  'Repair', 'Request', 'Reset', 'Resize', 'Resolve', 'Restart', 'Restore', 'Resume', 'Save', 'Search', 'Select', 'Send', 'Set', 'Show', 'Split', 'Start', 'Stop', 'Submit', 'Suspend', 'Switch', 'Test',
  'Unlock', 'Unregister', 'Update', 'Use', 'Wait', 'Watch', 'Write',
].map((verb) => verb.toLowerCase()));
const aliases = new Set(['%', '?', 'cat', 'cd', 'copy', 'curl', 'del', 'dir', 'echo', 'fl', 'ft', 'gc', 'gci', 'gcim', 'gi', 'gm', 'gp', 'group', 'gwmi', 'icm', 'iex', 'ii', 'irm', 'iwr', 'kill', 'ls', 'measure', 'mkdir', 'move', 'ni', 'ps', 'pwd', 'rm', 'sc', 'select', 'sleep', 'sort', 'spps', 'tee', 'type', 'wget', 'where', 'write']);
const forbidden = new Set(['invoke-expression', 'write-host', 'get-wmiobject', 'invoke-wmimethod', 'set-wmiinstance', 'register-wmievent']);

let parser: Parser;
beforeAll(async () => {
  const require = createRequire(import.meta.url);
  await Parser.init();
  parser = new Parser();
  parser.setLanguage(await Language.load(readFileSync(require.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm'))));
});

/** What is wrong with a script, with its lines. Guests may be older than the commands that replace the forbidden ones. */
function complaints(text: string, isForOldGuests = false): readonly string[] {
  const tree = parser.parse(text);
  if (tree === null) return ['it cannot be parsed'];
  const found: string[] = [];
  const say = (node: Node, what: string): void => void found.push(`line ${node.startPosition.row + 1}: ${what}`);
  const visit = (node: Node): void => {
    if (node.isMissing) say(node, `${node.type} is missing`);
    if (node.type === 'ERROR') say(node, `a syntax error at "${node.text.slice(0, 40)}"`);
    if (node.type === 'function_name') {
      const [verb = '', noun] = node.text.split('-');
      if (noun === undefined || !verbs.has(verb.toLowerCase())) say(node, `${node.text} does not begin with an approved verb`);
    }
    if (node.type === 'command_name') {
      const name = node.text.toLowerCase();
      if (aliases.has(name)) say(node, `${node.text} is an alias`);
      if (forbidden.has(name) && !isForOldGuests) say(node, `${node.text} is not to be used`);
    }
    if (node.type === 'catch_clause' && /\{\s*\}$/.test(node.text)) say(node, 'an empty catch block');
    if (node.type === 'comparison_expression' && /^[^=]*-(?:eq|ne)\s+\$null$/i.test(node.text) && !/^\$null/i.test(node.text)) say(node, '$null belongs on the left of a comparison');
    if (node.type === 'pipeline_chain' && /&&|\|\|/.test(node.text.replaceAll(/'[^']*'|"[^"]*"/g, ''))) say(node, 'chains of pipelines need PowerShell 7');
    for (const child of node.children) if (child !== null) visit(child);
  };
  visit(tree.rootNode);
  const code = text.split(/\r?\n/);
  for (const [index, line] of code.entries()) {
    if (/[ \t]$/.test(line)) found.push(`line ${index + 1}: white space at its end`);
    if (/\?\?|\?\.\w|\s\?\s.*\s:\s|-AsArray|-Parallel\b|clean\s*\{/.test(line.replaceAll(/'[^']*'|"[^"]*"|#.*/g, ''))) found.push(`line ${index + 1}: syntax of PowerShell 7`);
    if (/[^\x00-\x7f]/.test(line)) found.push(`line ${index + 1}: a letter outside of ASCII, which code pages change`);
  }
  if (!text.endsWith('\n')) found.push('no line break at its end');
  return found;
}

/** Names of the commands that a script calls, in order. */
function commandsOf(text: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    if (node.type === 'command_name') found.push(node.text);
    for (const child of node.children) if (child !== null) visit(child);
  };
  const tree = parser.parse(text);
  if (tree !== null) visit(tree.rootNode);
  return found;
}

describe('PowerShell that Causeway sends', () => {
  test.each(scripts)('%s', (path) => {
    expect(complaints(readFileSync(join(root, path), 'utf8'), /first-boot-/.test(path))).toEqual([]);
  });

  test('makes nothing on Hyper-V hosts that outlives a call but a rule of the firewall: no file, share, task, service or certificate', () => {
    const making = /^(?:Add|Copy|Enable|Export|Import|Install|New|Out|Publish|Register|Restore|Set|Start)-/i;
    const used = scripts.filter((path) => path.includes('hyper-v')).flatMap((path) => commandsOf(readFileSync(join(root, path), 'utf8'))).filter((name) => making.test(name));
    expect([...new Set(used)].sort()).toEqual(['Add-Type', 'New-CimInstance', 'New-NetFirewallRule', 'New-Object', 'Start-Sleep']);
    expect(commandsOf('$a = @(Get-Item x | ForEach-Object { Set-Content y $_ })\n')).toEqual(['Get-Item', 'ForEach-Object', 'Set-Content']);
  });

  test('is there, and what is wrong is found', () => {
    expect(scripts.length).toBeGreaterThan(5);
    expect(complaints('function Frobnicate-It { gci }\n')).toEqual(['line 1: Frobnicate-It does not begin with an approved verb', 'line 1: gci is an alias']);
    expect(complaints('if ($a {\n  Get-Item x\n}\n').length).toBeGreaterThan(0);
    expect(complaints("try { Get-Item x } catch { }\nGet-Item a ?? 'b'\n").length).toBeGreaterThan(1);
  });
});
