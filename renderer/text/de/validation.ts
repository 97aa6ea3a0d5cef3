import { counted } from './counted.ts';

export const validation = {
  title: 'Umgebungsdateien prüfen',
  lead: 'Legen Sie Umgebungsdokumente ab oder wählen Sie sie aus. Sie werden auf diesem Computer geprüft, ohne Verbindung mit einem Endpunkt.',
  drop: 'Legen Sie YAML- oder JSON-Dateien oder einen Ordner hier ab',
  choose: 'Dateien auswählen',
  sample: 'Beispiel ausprobieren',
  clear: 'Alle entfernen',
  none: 'Gültig. Keine Befunde.',
  empty: 'Noch keine Dokumente',
  file: 'Datei',
  severity: 'Schweregrad',
  place: 'Stelle',
  finding: 'Befund',
  suggestion: 'Vorschlag',
  filter: 'Anzeigen',
  all: 'Alle Befunde',
  error: 'Fehler',
  warning: 'Warnung',
  info: 'Information',
  noCatalog:
    'Namen und Bereiche werden nicht mit dem verglichen, was ein Ziel hat. Das geschieht beim Konfigurieren jedes Replikats.',
  summary: (files: number, errors: number, warnings: number) =>
    `${counted(files, { one: '# Datei', other: '# Dateien' })}, ${counted(errors, { one: '# Fehler', other: '# Fehler' })}, ${counted(warnings, { one: '# Warnung', other: '# Warnungen' })}`,
  search: 'Befunde durchsuchen',
  mend: 'Korrigieren',
  mendNow: 'Korrigieren',
  mendOf: (path: string) => `Korrigieren: ${path}`,
  mendAll: (count: number) => counted(count, { one: '# Korrektur anwenden', other: '# Korrekturen anwenden' }),
  unsaved: (names: readonly string[]) =>
    names.length === 1
      ? `${names[0]} enthält nicht gespeicherte Korrekturen.`
      : `${names.length} Dateien enthalten nicht gespeicherte Korrekturen.`,
  saveAll: (count: number) => `Alle speichern (${count})`,
  showFiles: 'Dateien anzeigen',
  hideFiles: 'Dateien ausblenden',
  save: 'Speichern',
  saveOf: (name: string) => `${name} speichern`,
  noneShown: 'Keine Befunde dieser Art.',
  export: 'Bericht speichern',
  formats: {
    html: 'HTML, zum Lesen und Drucken',
    csv: 'CSV, für Tabellenkalkulationen',
    json: 'JSON, für Skripts',
    sarif: 'SARIF, für Code-Hosts',
  },
  unreadable: (name: string) => `${name} konnte nicht gelesen werden`,
} as const;
