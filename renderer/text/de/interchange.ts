import { counted } from './counted.ts';

export const interchange = {
  title: 'Import und Export',
  lead: 'Endpunkte und Transfers aus Coriolis in dieses Projekt übernehmen, oder dieses Projekt dorthin mitnehmen.',
  import: 'Aus Coriolis importieren',
  importHelp:
    'Payloads der REST-Schnittstelle (JSON) oder ein Skript mit coriolis-Befehlen. Was erstellt wird, sehen Sie, bevor etwas geschrieben wird.',
  drop: 'Datei hier ablegen',
  choose: 'Datei auswählen…',
  nothing: 'Die Datei enthält nichts, was importiert werden kann.',
  preview: (file: string) => `Was aus ${file} erstellt wird`,
  previewCount: (endpoints: number, replicas: number) =>
    `${counted(endpoints, { one: '# Endpunkt', other: '# Endpunkte' })} und ${counted(replicas, { one: '# Replikat', other: '# Replikate' })} ausgewählt. Noch ist nichts geschrieben.`,
  otherFile: 'Andere Datei',
  run: (count: number) => counted(count, { one: '# Eintrag erstellen', other: '# Einträge erstellen' }),
  running: (done: number, all: number) => `${done} von ${all} erstellt`,
  done: (created: number, failed: number) =>
    failed === 0
      ? counted(created, { one: '# Eintrag erstellt.', other: '# Einträge erstellt.' })
      : `${counted(created, { one: '# Eintrag erstellt', other: '# Einträge erstellt' })}, ${failed} fehlgeschlagen.`,
  toReplicas: 'Replikate anzeigen',
  unknown: (id: string) => `Endpunkt ${id} ist`,
  unknownHelp:
    'Die Datei verweist auf Endpunkte, die sie nicht beschreibt. Geben Sie an, welcher Endpunkt dieses Projekts jeweils gemeint ist.',
  notChosen: 'Nicht ausgewählt',
  select: (name: string) => `${name} erstellen`,
  kind: 'Art',
  kinds: { endpoint: 'Endpunkt', replica: 'Replikat' },
  name: 'Name',
  where: 'Plattform oder Weg',
  outcome: 'Ergebnis',
  outcomes: { new: 'Neu', exists: 'Vorhanden', created: 'Erstellt', failed: 'Fehlgeschlagen' },
  existsEndpoint: 'Das Projekt hat einen Endpunkt dieses Namens. Er wird verwendet und nicht geändert.',
  existsReplica: 'Die VM hat ein Replikat zwischen diesen Endpunkten.',
  contents: 'Inhalt',
  show: 'Anzeigen',
  showOf: (name: string) => `Inhalt von ${name} anzeigen`,
  contentsOf: (name: string) => `Inhalt von ${name}`,
  toVault: 'im Tresor gespeichert',
  deployWith: (options: string) =>
    `Coriolis stellt sie mit anderen Optionen bereit. Dasselbe erhalten Sie, wenn Sie bei der Bereitstellung wählen: ${options}.`,
  withoutPreparation: 'kein OSMorphing',
  notImported: 'Nicht importiert',
  notExported: 'Nicht exportiert',
  of: 'Von',
  what: 'Einstellung',
  why: 'Grund',
  export: 'Nach Coriolis exportieren',
  exportHelp:
    'Einstellungen der Welle, des Projekts und der Provider-Konfiguration sind Teil jedes Transfers. Geheimnisse werden nie exportiert.',
  scope: 'Replikate',
  all: 'Alle Replikate',
  ofWave: (wave: string) => `Welle ${wave}`,
  format: 'Format',
  formats: { payloads: 'Payloads (JSON)', commands: 'Skript mit Befehlen' },
  save: 'Datei speichern',
  written: 'Was die Datei enthalten wird',
  noReplicas: 'Es gibt keine Replikate zum Exportieren.',
} as const;
