import { counted } from './counted.ts';

export const forms = {
  required: 'erforderlich',
  missing: 'Dieses Feld ist erforderlich',
  unset: 'Nicht festgelegt',
  builtInChoice: (value: string) => `${value} (integriert)`,
  yes: 'Ja',
  no: 'Nein',
  builtIn: (value: string) => `Wenn nicht festgelegt: ${value}`,
  example: (value: string) => `Beispiel: ${value}`,
  isSet: 'Festgelegt; im Tresor gespeichert',
  replace: 'Ersetzen',
  keep: 'Aktuellen Wert beibehalten',
  clear: 'Leeren',
  secretHelp: 'Geheimnisse werden nie angezeigt.',
  machineSize: (cpus: number, memory: string) => `${counted(cpus, { one: '# CPU', other: '# CPUs' })}, ${memory}`,
  onePerLine: 'Ein Wert pro Zeile',
  addRow: 'Zeile hinzufügen',
  removeRow: (key: string) => (key === '' ? 'Zeile entfernen' : `${key} entfernen`),
  key: 'Name',
  value: 'Wert',
  json: 'Als JSON',
  notJson: 'Ungültiges JSON',
  duplicateKey: (key: string) => `Doppelter Schlüssel: ${key}`,
  problems: (count: number) =>
    `${counted(count, { one: '# Feld erfordert', other: '# Felder erfordern' })} Ihre Aufmerksamkeit`,
} as const;
