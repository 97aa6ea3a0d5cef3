import { counted } from './counted.ts';

export const trust = {
  title: 'Vertrauen',
  lead: 'Was dieses Projekt von diesem Computer aus erreicht. Bis Sie es akzeptieren, wird kein Endpunkt kontaktiert, kein Programm gestartet und kein Geheimnis verwendet.',
  bannerProject: 'Sie vertrauen diesem Projekt noch nicht. Bis dahin wird nichts kontaktiert.',
  bannerChanges: (count: number) =>
    counted(count, {
      one: 'Die Projektdateien haben # Verbindung oder Umgebung geändert. Sie wird erst verwendet, wenn Sie sie akzeptieren.',
      other:
        'Die Projektdateien haben # Verbindungen oder Umgebungen geändert. Sie werden erst verwendet, wenn Sie sie akzeptieren.',
    }),
  review: 'Überprüfen',
  trusted: 'Sie vertrauen diesem Projekt auf diesem Computer.',
  notTrusted: 'Sie vertrauen diesem Projekt auf diesem Computer noch nicht.',
  acceptProject: 'Diesem Projekt vertrauen…',
  acceptChanges: (count: number) =>
    counted(count, { one: '# Änderung akzeptieren…', other: '# Änderungen akzeptieren…' }),
  confirmTitle: 'Diesem Projekt vertrauen?',
  confirmLead:
    'Ab jetzt kontaktiert dieser Computer diese Adressen, startet diese Programme und sendet die genannten Geheimnisse dorthin:',
  confirmNothing: 'Das Projekt hat noch keine Endpunkte. Wenn Endpunkte hinzugefügt werden, werden Sie erneut gefragt.',
  confirmNone: 'Keine der Änderungen kann akzeptiert werden. Öffnen Sie die Endpunkte und korrigieren Sie sie.',
  confirm: 'Vertrauen',
  confirmChangesTitle: 'Diese Änderungen akzeptieren?',
  confirmChanges: 'Akzeptieren',
  revoke: 'Nicht mehr vertrauen',
  revokeTitle: 'Diesem Projekt nicht mehr vertrauen?',
  revokeLead: 'Das Projekt erreicht nichts, bis Sie es erneut akzeptieren. Seine Geheimnisse bleiben im Tresor.',
  accepted: 'Akzeptiert',
  revoked: 'Diesem Projekt wird nicht mehr vertraut',
  kept: 'Die akzeptierte Verbindung wurde in die Datei zurückgeschrieben',
  keep: 'Eigene behalten',
  keepOf: (name: string) => `Akzeptierte Verbindung von ${name} behalten`,
  endpoints: 'Endpunkte',
  noEndpoints: 'Das Projekt hat keine Endpunkte.',
  environments: 'Umgebungen',
  environmentsLead:
    'Adressen, Sockets und Geheimnisse, die die Umgebungen von Replikaten zusätzlich zu ihren Endpunkten verwenden.',
  usedBy: (replicas: readonly string[]) =>
    `Verwendet von ${replicas.slice(0, 3).join(', ')}${replicas.length > 3 ? ` und ${replicas.length - 3} weiteren` : ''}`,
  states: {
    accepted: 'Vertrauenswürdig',
    new: 'Nicht vertrauenswürdig',
    changed: 'Geändert',
    missing: 'Keine Verbindung',
    locked: 'Gesperrt',
  },
  missingLead:
    'Die Projektdateien nennen diesen Endpunkt ohne seine Adressen. Öffnen Sie ihn und geben Sie seine Verbindung ein.',
  lockedLead: 'Entsperren Sie den Tresor, um die Verbindung zu sehen.',
  cannotAccept: 'Diese Verbindung kann nicht akzeptiert werden:',
  openEndpoint: 'Endpunkt öffnen',
  usedFor: {
    Starts: 'Startet',
    'Check by SSH': 'Prüfung per SSH',
    'Check by WinRM': 'Prüfung per WinRM',
    'Disk key': 'Schlüssel eines Datenträgers',
  },
  field: 'Feld',
  was: 'Akzeptiert',
  becomes: 'Von der Datei vorgeschlagen',
  none: '(keine)',
  secret: (name: string) => `Geheimnis „${name}“`,
  sharing: 'Endpunktadressen in Projektdateien freigeben',
  sharingHelp:
    'Ein: Andere Personen, die den Ordner erhalten, sehen Adressen und Benutzernamen und akzeptieren sie auf ihrem Computer. Aus: Sie bleiben auf diesem Computer. Geheimnisse werden nie in die Dateien geschrieben.',
  sharingOn: 'Adressen stehen jetzt in den Projektdateien',
  sharingOff: 'Adressen wurden aus den Projektdateien entfernt',
} as const;

export const takeOver = {
  banner: (owner: string) =>
    `Die Daten dieses Projekts gehören ${owner}. Sie können sie hier lesen, aber Ausführungen, Bereitstellungen und Löschvorgänge laufen nur dort.`,
  open: 'Übernehmen…',
  title: 'Dieses Projekt übernehmen?',
  before: (owner: string) =>
    `Stellen Sie zuerst sicher, dass auf ${owner} nichts läuft: Zwei Computer, die mit denselben Volumes arbeiten, beschädigen die Replikate.`,
  consequences: (owner: string): readonly string[] => [
    'Ab jetzt laufen Ausführungen, Bereitstellungen und Löschvorgänge auf diesem Computer.',
    `${owner} kann sie mit diesen Daten nicht mehr ausführen. Eine Kopie der Daten, die dort bleibt, wird von den Volumes abgelehnt.`,
    'Die nächste Ausführung jedes Replikats vergleicht ganze Datenträger, weil sich die Volumes geändert haben können. Nur Unterschiede werden gesendet.',
    'Unterbrochene Ausführungen können hier fortgesetzt oder abgebrochen werden. Alle erfassten Ressourcen bleiben in diesem Ressourcenverzeichnis.',
    'Geheimnisse gehören nicht zu den Projektdaten: Geben Sie sie hier ein, wenn der Tresor nicht kopiert wurde.',
  ],
  confirm: 'Übernehmen',
  done: 'Die Daten dieses Projekts gehören jetzt diesem Computer',
} as const;
