import { expect, test } from 'vitest';
import { importMachines } from '../../shared/inventory/import-machines.ts';
import { readTables } from '../../shared/inventory/read-tables.ts';
import { rowFaults, rowFaultText } from '../../shared/inventory/row-faults.ts';
import { guessPlans } from '../../shared/inventory/table-plan.ts';
import { checkLabel, checkLabels, checkLabelText, type AfterBootCheck } from '../../shared/model/after-boot-check.ts';
import { inventory as german } from './de/inventory.ts';
import { proof as germanProof } from './de/proof.ts';

test('what is wrong with rows of a list is said in the language of the page, by the same facts', async () => {
  const list =
    'vm,os,memory,disk gb,firmware\nweb,linux,16,x,EFI\n,linux,8192,40,BIOS\nmail,BeOS,8192,1048576,OpenBoot\n';
  const { problems } = importMachines(guessPlans(await readTables('all.csv', new TextEncoder().encode(list))), {
    withTemplates: false,
  });
  expect(problems.map(({ fault }) => fault && rowFaultText(fault, german.faults))).toEqual([
    '„x“ ist keine Größe',
    'web hat 0,0156 GiB Arbeitsspeicher: Prüfen Sie die Einheit der Spalte',
    'Der Name fehlt',
    'Das Betriebssystem von mail ist unbekannt',
    '„OpenBoot“ ist weder BIOS noch UEFI und wird nicht beachtet',
    'Die Platten von mail haben 1.050.000 GiB: Prüfen Sie die Einheit der Spalte',
  ]);
  expect(problems.map(({ fault }) => fault && rowFaultText(fault))).toEqual(problems.map(({ message }) => message));
  expect(Object.keys(german.faults)).toEqual(Object.keys(rowFaults));
});

test('what a check does is said in the language of the page, by the same facts', () => {
  const login = { username: 'admin', secret: 'guest' };
  const checks: readonly AfterBootCheck[] = [
    { kind: 'login-prompt' },
    { kind: 'script', via: 'winrm', ...login, script: '# disks\nGet-Disk\n' },
    { kind: 'agent', via: 'winrm', ...login, service: 'QEMU-GA' },
    { kind: 'http', scheme: 'https', path: '/health' },
  ];
  expect(checks.map((check) => checkLabelText(checkLabel(check), germanProof.checks.labels))).toEqual([
    'Anmeldeaufforderung auf der Konsole',
    'Skript über WinRM: Get-Disk',
    'Dienst QEMU-GA läuft',
    'HTTPS /health',
  ]);
  expect(Object.keys(germanProof.checks.labels)).toEqual(Object.keys(checkLabels));
});
