import { counted } from './counted.ts';

export const home = {
  title: 'Projekte',
  lead: 'Ein Projekt ist ein Ordner mit Endpunkten, Replikaten und dem Verzeichnis der erstellten Ressourcen. Geheimnisse werden in seinem Tresor gespeichert, nie in seinen Dateien.',
  recent: 'Zuletzt verwendete Projekte',
  noRecent: 'Noch kein Projekt',
  noRecentLead:
    'Erstellen Sie ein Projekt: Wählen Sie einen Namen und einen Ordner, der auch ein Git-Repository sein kann.',
  readFirst: 'Anleitung zum Migrieren einer ersten VM lesen',
  open: 'Öffnen',
  forget: (name: string) => `${name} aus dieser Liste entfernen`,
  create: 'Projekt erstellen',
  createButton: 'Projekt erstellen',
  name: 'Name',
  folder: 'Ordner',
  folderHelp:
    'Absoluter Pfad auf dem Computer, auf dem die Workbench ausgeführt wird. Der Ordner enthält eine causeway.yaml.',
  folderMade:
    'Absoluter Pfad auf dem Computer, auf dem die Workbench ausgeführt wird. Der Ordner wird erstellt, wenn er nicht vorhanden ist.',
  folderChosen: 'Wählen Sie den Ordner im Dialog aus.',
  openFolder: 'Projektordner öffnen',
  openButton: 'Projekt öffnen',
  choose: 'Auswählen…',
  current: 'Geöffnetes Projekt',
  close: 'Projekt schließen',
  closeTitle: 'Projekt schließen?',
  closeLead:
    'Laufende Ausführungen werden abgebrochen: Ihre Worker werden gelöscht, kopierte Daten bleiben für die nächste Ausführung erhalten.',
  next: 'Nächste Schritte',
  steps: [
    { title: 'Tresor erstellen', lead: 'Der Tresor speichert die Geheimnisse Ihrer Endpunkte.' },
    {
      title: 'Quelle und Ziel hinzufügen',
      lead: 'Ein Endpunkt, von dem VMs migriert werden, und einer, zu dem sie migriert werden.',
      action: 'Zu den Endpunkten',
    },
    {
      title: 'VM auswählen',
      lead: 'Durchsuchen Sie eine Quelle und erstellen Sie ein Replikat.',
      action: 'Zum Inventar',
    },
    {
      title: 'Replizieren',
      lead: 'Führen Sie das Replikat beliebig oft aus: Die erste Ausführung kopiert alles, spätere nur die Änderungen.',
      action: 'Zu den Replikaten',
    },
  ],
  sample: 'Beispiellabor ausprobieren',
  sampleLead:
    'In einem Checkout von Causeway startet ein Befehl eine Cloud und eine VM auf diesem Computer und erstellt ein Projekt mit Endpunkten für beide. Er gibt aus, wie Sie das Projekt hier öffnen. Drücken Sie Strg+C, um ihn zu beenden.',
  sampleOffer:
    'Startet eine Cloud und eine VM auf diesem Computer und erstellt ein Projekt mit Endpunkten für beide und einem Replikat zum Ausführen. Keine Daten verlassen den Computer. Alles wird entfernt, wenn Sie das Beispiel beenden.',
  sampleStart: 'Beispiel starten',
  sampleStarting:
    'Das Beispiel wird gestartet. Der erste Start erstellt Datenträgerabbilder und dauert einige Minuten.',
  sampleRunning: 'Das Beispiel läuft, bis Sie es beenden oder die Workbench schließen.',
  sampleOpen: 'Beispiel öffnen',
  sampleEnd: 'Beispiel beenden',
  sampleEndTitle: 'Beispiel beenden?',
  sampleEndLead: 'Cloud, VM und Projekt des Beispiels werden gelöscht, einschließlich aller replizierten Daten.',
  sampleCommand: 'npm run lab',
  sampleCheck: 'Beispiel prüfen',
  done: 'Fertig',
  dashboard: {
    burnUp: {
      title: 'Fortschritt nach Tagen',
      sent: (bytes: string) => `${bytes} gesendet`,
      figure: (copied: number, moved: number, all: number) =>
        `Fortschritt nach Tagen: ${copied} von ${all} VMs kopiert, ${moved} umgestellt`,
      lines: { copied: 'Kopiert', moved: 'Umgestellt', all: 'Alle VMs' },
      day: 'Tag (UTC)',
      bytes: 'Gesendet',
      lag: 'Rückstand zu den Quellen',
      lags: {
        hour: 'Rückstand bis eine Stunde',
        day: 'Rückstand bis einen Tag',
        week: 'Rückstand bis eine Woche',
        longer: 'Rückstand über eine Woche',
      },
      vms: (count: number) => counted(count, { one: '# VM', other: '# VMs' }),
    },
    attention: 'Braucht Aufmerksamkeit',
    noAttention: 'Nichts ist fehlgeschlagen, und nichts ist verspätet.',
    failed: (cause: string, count: number) => `${cause}: ${counted(count, { one: '# VM', other: '# VMs' })}`,
    more: (count: number) => counted(count, { one: '# weitere', other: '# weitere' }),
    missed: (wave: string) => `${wave}: Ein geplanter Start wurde verpasst`,
    windowOver: (wave: string, open: number) =>
      `${wave}: Das Zeitfenster ist vorbei, und ${counted(open, { one: '# VM ist', other: '# VMs sind' })} nicht umgestellt`,
    running: 'In Arbeit',
    count: (count: number) => `${count}`,
    nothingRuns: 'Nichts läuft.',
    execution: (number: number) => `Ausführung ${number}`,
    deployment: (number: number) => `Bereitstellung ${number}`,
    interrupted: (what: string) => `${what}, unterbrochen`,
    left: (duration: string) => `noch ${duration}`,
    next: 'Nächste Zeitfenster',
    noNext: 'Keine Welle hat in den nächsten 60 Tagen ein Zeitfenster oder einen Zeitplan.',
    toWaves: 'Welle planen',
    window: (from: string, until: string) => `${from} bis ${until}`,
  },
  crossing: {
    title: 'Replikate in Arbeit',
    summary: (deployed: number, all: number) => `${deployed} von ${all} bereitgestellt`,
    scale: 'ein Bogen entspricht 10 %',
    waves: 'Wellen',
    wave: 'Welle',
    noWave: 'Keine Welle',
    progress: 'Fortschritt',
    deployed: 'Bereitgestellt',
    of: (deployed: number, all: number) => `${deployed} von ${all}`,
  },
  counts: (endpoints: number, replicas: number) =>
    `${counted(endpoints, { one: '# Endpunkt', other: '# Endpunkte' })}, ${counted(replicas, { one: '# Replikat', other: '# Replikate' })}`,
} as const;

export const vault = {
  title: 'Tresor',
  none: 'Noch kein Tresor. Der Tresor speichert Kennwörter und Schlüssel, verschlüsselt mit einer Passphrase, die nur Sie kennen.',
  locked:
    'Der Tresor ist gesperrt. Endpunkte, die ein Geheimnis benötigen, können erst verwendet werden, wenn Sie ihn entsperren.',
  unlocked: (protection: string) => `Der Tresor ist entsperrt. Geschützt durch ${protection}.`,
  protections: {
    passphrase: 'eine Passphrase',
    'key-file': 'eine Schlüsseldatei',
    'os-key-store': 'den Schlüsselspeicher dieses Computers',
  } as Readonly<Record<string, string>>,
  passphrase: 'Passphrase',
  repeat: 'Passphrase wiederholen',
  create: 'Tresor erstellen',
  unlock: 'Tresor entsperren',
  tooShort: 'Mindestens 8 Zeichen',
  different: 'Die Passphrasen stimmen nicht überein',
  byKeyStore: 'Mit dem Schlüsselspeicher dieses Computers schützen',
  orPassphrase: 'Oder mit einer Passphrase, die auch auf anderen Computern funktioniert:',
  noRecovery:
    'Ohne die Passphrase können die Geheimnisse nicht wiederhergestellt werden. Bewahren Sie sie an einem sicheren Ort auf.',
  unlockedToast: 'Tresor entsperrt',
} as const;
