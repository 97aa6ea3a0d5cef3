import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Language, Parser, type Node } from 'web-tree-sitter';
import {
  createWindowsCertificate,
  windowsWorkerUserData,
} from '../electron/engine/workers/windows-worker-user-data.ts';
import { commandsOf, complaintsOf, readVariables, type ScriptKind } from './lint/powershell-rules.ts';
import { canRun } from './test/needs.ts';

/** Every PowerShell script that Causeway sends, read by a real parser and held to what PSScriptAnalyzer asks. They run in Windows PowerShell 5.1. */

const root = join(import.meta.dirname, '..');
const scripts = readdirSync(join(root, 'assets'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ps1'))
  .map((name) => join('assets', name))
  .sort();
/** What a script reads together with those that are run before it: functions and values for all. */
const companions: Readonly<Record<string, RegExp>> = {
  'assets/worker/hyper-v/common.ps1': /^assets\/worker\/hyper-v\//,
  'assets/worker/osmorphing/windows/worker-functions.ps1': /^assets\/worker\/osmorphing\/windows\//,
};

let parser: Parser;
beforeAll(async () => {
  const require = createRequire(import.meta.url);
  await Parser.init();
  parser = new Parser();
  parser.setLanguage(
    await Language.load(readFileSync(require.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm'))),
  );
});

const parse = (text: string): Node => {
  const tree = parser.parse(text);
  if (tree === null) throw new Error('it cannot be parsed');
  return tree.rootNode;
};
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** What is wrong with a script, with its lines. */
function complaints(text: string, kind: ScriptKind = {}): readonly string[] {
  const found = complaintsOf(parse(text), kind).map(({ line, rule, what }) => `line ${line}: ${rule}: ${what}`);
  // Programs in other languages have rules of their own.
  const code = text
    .replaceAll(/(?<=@'\r?\n)[\s\S]*?(?=\n'@)/g, (inner) => inner.replaceAll(/[^\n]/g, ''))
    .split(/\r?\n/);
  for (const [index, line] of code.entries()) {
    if (/[ \t]$/.test(line)) found.push(`line ${index + 1}: AvoidTrailingWhitespace`);
    if (/;$/.test(line)) found.push(`line ${index + 1}: AvoidSemicolonsAsLineTerminators`);
    if (/\?\?|\?\.\w|\s\?\s.*\s:\s|-AsArray|-Parallel\b|clean\s*\{/.test(line.replaceAll(/'[^']*'|"[^"]*"|#.*/g, '')))
      found.push(`line ${index + 1}: UseCompatibleSyntax: PowerShell 7`);
    if (/[^\x00-\x7f]/.test(line))
      found.push(`line ${index + 1}: UseBOMForUnicodeEncodedFile: a letter outside of ASCII, which code pages change`);
  }
  if (!text.endsWith('\n')) found.push('no line break at its end');
  return found;
}

describe('PowerShell that Causeway sends', () => {
  test.each(scripts)('%s', (path) => {
    const readers = companions[path];
    const usedElsewhere = new Set(
      scripts
        .filter((other) => readers?.test(other) === true)
        .flatMap((other) => [...readVariables(parse(read(other)))]),
    );
    expect(complaints(read(path), { isForOldGuests: /first-boot-/.test(path), usedElsewhere })).toEqual([]);
  });

  const programs = scripts
    .map((path) => [path, /Add-Type -TypeDefinition @'\r?\n([\s\S]*?)\n'@/.exec(read(path))?.[1]] as const)
    .filter(([, program]) => program !== undefined);
  test.runIf(canRun('mono-mcs')).each(programs)(
    '%s: its program compiles as C# 2, which PowerShell 2 of old guests takes it for',
    (_path, program) => {
      const folder = mkdtempSync(join(tmpdir(), 'cwy-program-'));
      try {
        writeFileSync(join(folder, 'program.cs'), program ?? '');
        const { status, stderr, stdout } = spawnSync(
          'mcs',
          [
            '-target:library',
            '-langversion:ISO-2',
            '-warnaserror',
            `-out:${join(folder, 'program.dll')}`,
            join(folder, 'program.cs'),
          ],
          { encoding: 'utf8' },
        );
        expect(`${stdout}${stderr}`).toBe('');
        expect(status).toBe(0);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  /** Windows' library of devices, as far as the program needs it: what is told of them is checked, and what is removed is printed. */
  const devices = `
#include <stdio.h>
#include <stdint.h>
#include <string.h>
struct device { uint32_t size; unsigned char class[16]; uint32_t instance; void *reserved; };
static const char *names[] = { "PCI\\\\VEN_15AD&DEV_07B0\\\\1", "PCI\\\\VEN_1AF4&DEV_1000\\\\2", "ROOT\\\\VPN\\\\1", "vmbus\\\\{1}\\\\1" };
static int there[] = { 0, ANY, 0, 0 };
void *SetupDiGetClassDevsW(unsigned char *class, void *enumerator, void *window, uint32_t flags) { return class[0] != 0x72 ? (void *)-1 : (void *)(uintptr_t)(100 + flags); }
int SetupDiEnumDeviceInfo(void *set, uint32_t index, struct device *device) {
  uint32_t seen = 0;
  if (device->size != 32) return 0;
  for (uint32_t one = 0; one < 4; one++) if ((set == (void *)100 || there[one]) && seen++ == index) { device->instance = one; return 1; }
  return 0;
}
int SetupDiGetDeviceInstanceIdW(void *set, struct device *device, uint16_t *id, uint32_t length, uint32_t *needed) {
  const char *name = names[device->instance];
  for (*needed = 0; *needed <= strlen(name); (*needed)++) id[*needed] = name[*needed];
  return *needed <= length;
}
int SetupDiCallClassInstaller(uint32_t function, void *set, struct device *device) { if (function == 5) printf("removed %s\\n", names[device->instance]); return fflush(stdout) == 0; }
int SetupDiDestroyDeviceInfoList(void *set) { return 1; }
`;
  test.runIf(canRun('mono-mcs', 'mono-runtime', 'gcc', 'libc6-dev')).each([
    ['of the old platform, where one of the new is there', 1, ['PCI\\VEN_15AD&DEV_07B0\\1', 'vmbus\\{1}\\1']],
    ['none, where none of the new is at work yet', 0, []],
  ])('network cards that are removed: %s', (_about, any, removed) => {
    const folder = mkdtempSync(join(tmpdir(), 'cwy-program-'));
    const at = (name: string): string => join(folder, name);
    try {
      writeFileSync(at('devices.c'), devices.replace('ANY', String(any)));
      writeFileSync(
        at('program.cs'),
        `${programs.find(([path]) => path.includes('old-cards'))?.[1] ?? ''}
public static class Run { public static void Main() { foreach (string gone in CausewayNetworkCards.RemoveThoseThatAreGone()) Console.WriteLine("told " + gone); } }`,
      );
      writeFileSync(
        at('program.exe.config'),
        `<configuration><dllmap dll="setupapi.dll" target="${at('devices.so')}"/></configuration>`,
      );
      expect(
        spawnSync('gcc', ['-shared', '-fPIC', '-Wall', '-Werror', '-o', at('devices.so'), at('devices.c')], {
          encoding: 'utf8',
        }).stderr,
      ).toBe('');
      expect(spawnSync('mcs', [`-out:${at('program.exe')}`, at('program.cs')], { encoding: 'utf8' }).stderr).toBe('');
      const { stdout, stderr } = spawnSync('mono', [at('program.exe')], { encoding: 'utf8' });
      expect(stderr).toBe('');
      expect(
        stdout
          .trim()
          .split('\n')
          .filter((line) => line !== '')
          .toSorted(),
      ).toEqual(
        [
          ...removed.map((name) => `removed ${name}`),
          ...removed.map((name) => `told ${name.toUpperCase()}`),
        ].toSorted(),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('and that Windows workers begin with', async () => {
    // The password of an account that lives as long as the worker comes with the script itself: there is no other way for it to get there.
    const unavoidable = /AvoidUsingConvertToSecureStringWithPlainText/;
    const text = windowsWorkerUserData('a-password', await createWindowsCertificate());
    expect(complaints(text).filter((one) => !unavoidable.test(one))).toEqual([]);
    expect(complaints(text).filter((one) => unavoidable.test(one))).toHaveLength(2);
  });

  test('makes nothing on Hyper-V hosts that outlives a call but a rule of the firewall: no file, share, task, service or certificate', () => {
    const making = /^(?:Add|Copy|Enable|Export|Import|Install|New|Out|Publish|Register|Restore|Set|Start)-/i;
    const used = scripts
      .filter((path) => path.includes('hyper-v'))
      .flatMap((path) => commandsOf(parse(read(path))))
      .filter((name) => making.test(name));
    expect([...new Set(used)].sort()).toEqual([
      'Add-Type',
      'New-CimInstance',
      'New-NetFirewallRule',
      'New-Object',
      'Start-Sleep',
    ]);
    expect(commandsOf(parse('$a = @(Get-Item x | ForEach-Object { Set-Content y $_ })\n'))).toEqual([
      'Get-Item',
      'ForEach-Object',
      'Set-Content',
    ]);
  });

  test('is there, and two mistakes are both found', () => {
    expect(scripts.length).toBeGreaterThan(20);
    expect(complaints('function Frobnicate-It { gci }\n')).toEqual([
      'line 1: AvoidUsingCmdletAliases: gci is an alias',
      'line 1: UseApprovedVerbs: Frobnicate-It does not begin with an approved verb',
    ]);
  });

  test.each([
    ['Syntax', 'if ($a {\n  Get-Item x\n}\n'],
    ['AvoidUsingCmdletAliases', 'Get-Item x | % { $_ }\n'],
    ['AvoidUsingCmdletAliases', 'sort\n'],
    ['AvoidUsingEmptyCatchBlock', 'try { Get-Item x } catch { }\n'],
    ['AvoidUsingEmptyCatchBlock', 'try { Get-Item x } catch [IO.IOException] {\n  # nothing\n}\n'],
    ['AvoidUsingInvokeExpression', 'Invoke-Expression $request.text\n'],
    ['AvoidUsingWriteHost', "Write-Host 'x'\n"],
    ['AvoidUsingWMICmdlet', 'Get-WmiObject Win32_BIOS\n'],
    ['PossibleIncorrectComparisonWithNull', 'if ($a -eq $null) { Get-Item x }\n'],
    ['PossibleIncorrectComparisonWithNull', 'Get-Item x | Where-Object { $_.Name -cne $null }\n'],
    ['PossibleIncorrectUsageOfAssignmentOperator', 'if ($_ = 1) { Get-Item x }\n'],
    ['PossibleIncorrectUsageOfRedirectionOperator', 'if ($_ > 1) { Get-Item x }\n'],
    ['UseDeclaredVarsMoreThanAssignments', '$unused = Get-Item x\n'],
    ['UseDeclaredVarsMoreThanAssignments', '[string]$unused = Get-Item x\n'],
    ['AvoidAssignmentToAutomaticVariable', '$input = 1\n'],
    ['AvoidGlobalVars', '$global:x = 1\nGet-Item $global:x\n'],
    ['AvoidUsingPositionalParameters', 'New-Item a b c\n'],
    ['AvoidUsingPositionalParameters', 'New-Item -Force:$true a b c\n'],
    ['UseSingularNouns', 'function Get-Items { Get-Item x }\n'],
    ['UseShouldProcessForStateChangingFunctions', 'function Stop-It { Get-Item x }\n'],
    ['ReviewUnusedParameter', 'function Get-It([string]$name) { Get-Item x }\n'],
    ['ReservedParams', 'function Get-It([string]$verbose) { $verbose }\n'],
    ['ReservedCmdletChar', 'function Get-It:x { Get-Item x }\n'],
    ['AvoidUsingPlainTextForPassword', 'function Get-It([string]$password) { $password }\n'],
    [
      'AvoidUsingUsernameAndPasswordParams',
      'function Get-It([string]$user, [securestring]$password) { $user; $password }\n',
    ],
    ['AvoidUsingConvertToSecureStringWithPlainText', "ConvertTo-SecureString 'x' -AsPlainText -Force\n"],
    ['AvoidUsingBrokenHashAlgorithms', 'Get-FileHash -Algorithm MD5 x\n'],
    ['AvoidUsingComputerNameHardcoded', "Get-Service -ComputerName 'srv1'\n"],
    ['AvoidUsingAllowUnencryptedAuthentication', 'Invoke-WebRequest -AllowUnencryptedAuthentication x\n'],
    ['UseLiteralInitializerForHashtable', 'New-Object Hashtable\n'],
    ['UseCompatibleSyntax', "Get-Item a ?? 'b'\n"],
    ['UseCompatibleSyntax', 'Get-Item a && Get-Item b\n'],
    ['AvoidTrailingWhitespace', 'Get-Item a \n'],
    ['AvoidSemicolonsAsLineTerminators', 'Get-Item a;\n'],
    ['UseBOMForUnicodeEncodedFile', "Get-Item '\u00e9'\n"],
  ])('is held to %s: %j', (rule, text) => {
    expect(complaints(text).join('\n')).toContain(`: ${rule}`);
  });

  test.each([
    ['UseCompatibleCommands', '$a = Get-Content x | ConvertFrom-Json\n$a\n'],
    ['UseCompatibleCommands', 'Get-ChildItem x -File\n'],
    ['UseCompatibleCommands', 'Get-Content -Raw x\n'],
    ['UseCompatibleSyntax', '[pscustomobject]@{ a = 1 }\n'],
    ['UseCompatibleSyntax', 'if (1 -in 1, 2) { Get-Item x }\n'],
    ['UseCompatibleSyntax', '[Guid]::new(1)\n'],
    ['UseCompatibleSyntax', 'foreach ($one in Get-Item x) { $one }\n'],
    ['UseCompatibleSyntax', '@(1).Where({ $_ })\n'],
    ['UseCompatibleSyntax', 'Get-Item $PSScriptRoot\n'],
    ['UseCompatibleSyntax', 'Get-Item x | Where-Object Name -eq 1\n'],
  ])('is held to what PowerShell 2 has, in guests: %s: %j', (rule, text) => {
    expect(complaints(text, { isForOldGuests: true }).join('\n')).toContain(`: ${rule}`);
    expect(complaints(text)).toEqual([]);
  });

  test('takes words in texts and comments, and what was there from the start', () => {
    expect(
      complaints(
        "# -in and ::new( and $PSScriptRoot\nWrite-Output 'a -in b'\nGet-Item x | Where-Object { $_.Name -notmatch 'x' }\nGet-ChildItem 'a -file b'\n",
        { isForOldGuests: true },
      ),
    ).toEqual([]);
  });

  test.each([
    [
      'values of parameters, and what is passed on',
      'New-Item -ItemType File -Path a -Name b -Value c d\nGet-It @args\n',
    ],
    ['programs', '& reg.exe load a b c d\n'],
    ['members that are assigned', '$_.Name = 1\n$env:X = 2\n$null = Get-Item x\n$ErrorActionPreference = 1\n'],
    ['variables that a text reads', '$a = 1\n$b = 2\n"$a ${b}" | Write-Output\n'],
    ['$null on the left, and within a list', 'if ($null -eq $_) { Get-Item x }\n'],
    ['a catch block that goes on', 'foreach ($a in 1) { try { Get-Item $a } catch { continue } }\n'],
    ['a comparison in a condition', 'if ($_ -gt 1) { Get-Item x }\n'],
  ])('takes %s', (_what, text) => {
    expect(complaints(text)).toEqual([]);
  });
});
