import { counted } from './counted.ts';

export const deployments = {
  title: (number: number, replica: string) => `Bereitstellung ${number} von ${replica}`,
  startTitle: (name: string) => `${name} bereitstellen`,
  startManyTitle: (count: number) => `${count} virtuelle Maschinen bereitstellen`,
  againTitle: (name: string) => `${name} erneut bereitstellen`,
  againLead: 'Kein Datenträger wird erneut kopiert. Es gelten die Optionen der vorherigen Bereitstellung.',
  start: 'Bereitstellen',
  startedMany: (count: number) =>
    `${counted(count, { one: '# Bereitstellung', other: '# Bereitstellungen' })} gestartet oder in der Warteschlange`,

  state: 'Bereitzustellender Stand der Quelle',
  states: {
    none: { label: 'Zuletzt replizierter Stand', help: 'Die Quelle ist nicht betroffen und läuft weiter.' },
    execute: {
      label: 'Zuerst Änderungen replizieren',
      help: 'Eine Ausführung des Replikats, danach seine Bereitstellung. Die Quelle läuft weiter.',
    },
    lastPass: {
      label: 'Migrieren: replizieren, Quelle herunterfahren, letzte Änderungen replizieren',
      help: 'Keine von der Quelle geschriebenen Daten gehen verloren. Die Quelle bleibt danach ausgeschaltet; ihre Datenträger werden nicht geändert.',
    },
  },
  lastSynced: (moment: string) => `Synchron mit Stand ${moment}.`,

  volumes: 'Volumes',
  volumeModes: {
    clone: {
      label: 'Neue Volumes aus Snapshots des Replikats',
      help: 'Das Replikat bleibt erhalten. Sie können es erneut ausführen und bereitstellen.',
    },
    inPlace: {
      label: 'Die Volumes des Replikats selbst',
      help: 'Benötigt keinen zusätzlichen Speicher. Das Replikat benötigt danach eine neue vollständige Kopie. Schlägt die Bereitstellung fehl, werden die Volumes wiederhergestellt.',
    },
  },

  guest: 'Gast',
  prepare: 'Gastbetriebssystem für das Ziel vorbereiten (OSMorphing)',
  prepareHelp:
    'Installiert Treiber und cloud-init und aktualisiert Bootloader und Netzwerkeinstellungen. Ohne OSMorphing startet ein Gast nicht, dem Treiber für die Plattform fehlen.',
  preparation: 'OSMorphing-Optionen',
  root: 'Betriebssysteminstallation',
  rootHelp: 'Nur erforderlich, wenn die Datenträger mehr als eine enthalten: UUID=… oder Gerät eines Dateisystems.',
  proxy: 'HTTP-Proxy für Gastpakete',
  proxyHelp: 'Wenn die Paketquellen hinter einem Proxy liegen. Beispiel: http://proxy.example:3128',
  packageCache: 'Ordner oder Archiv mit Paketen',
  agentPackage: 'Agent der Zielplattform',
  agentPackageHelp:
    'Ein Debian-, RPM- oder (für Windows) MSI-Paket, je nach Gast: ein Pfad auf diesem Computer oder eine URL, die der Worker erreichen kann. Standard: der Agent der Plattform, falls sie einen anbietet. Geben Sie „none“ ein, um keinen Agenten zu installieren.',
  packageCacheHelp: 'Ein Pfad auf diesem Computer, für Gäste, die keine Paketquelle erreichen können.',
  luks: 'Schlüssel für verschlüsselte Volumes',
  luksHelp:
    'Namen von Geheimnissen im Tresor, die LUKS-Passphrasen oder BitLocker-Wiederherstellungsschlüssel enthalten. Ohne Volume-UUID wird ein Schlüssel an allen Volumes versucht.',
  luksSecret: 'Name des Geheimnisses',
  luksDevice: 'Volume-UUID (optional)',
  addKey: 'Schlüssel hinzufügen',
  keepWorker: 'Worker behalten, wenn OSMorphing fehlschlägt',
  keepWorkerHelp: 'Zur Fehlerbehebung: Der Gast bleibt auf dem Worker eingebunden, bis Sie die Bereitstellung löschen.',

  scripts: 'Benutzerskripts',
  scriptPoints: {
    beforeMount: {
      label: 'Auf dem Worker, bevor der Gast eingebunden wird',
      help: 'CAUSEWAY_DEVICES listet die Datenträger auf.',
    },
    inGuest: {
      label: 'Im eingebundenen Gast',
      help: 'Wird in einer chroot-Umgebung des Gasts ausgeführt, vor allen anderen Schritten.',
    },
    firstBoot: { label: 'Beim ersten Start', help: 'Wird einmal im Gast am Ziel ausgeführt.' },
  },
  scriptName: 'Name',
  scriptContent: 'Skript',
  scriptTimeout: 'Zeitlimit (s)',
  addScript: 'Skript hinzufügen',
  fromFile: 'Aus Datei importieren…',
  remove: 'Entfernen',
  removeNamed: (what: string) => `${what} entfernen`,
  scriptCount: (count: number) => (count === 0 ? 'keine' : `${count}`),

  boot: 'Startprüfung',
  bootMode: 'Erfolgskriterium',
  bootModes: {
    auto: 'SSH antwortet (Windows: ein bekannter Port), oder die Konsole zeigt eine Anmeldeaufforderung',
    network: 'Ein Netzwerkport antwortet',
    console: 'Die Konsole zeigt eine Anmeldeaufforderung',
    none: 'Startprüfung überspringen',
  },
  bootDeadline: 'Zeitlimit (s)',
  bootDeadlineHelp: '1 bis 7200. Standard: 600.',
  bootPort: 'Port',
  bootPortHelp: 'Standard: SSH (22).',
  onFailedBoot: 'Wenn der Gast nicht startet',
  onFailed: { rollback: 'Zurücksetzen', keep: 'Zur Fehlerbehebung behalten' },
  further: 'Weitere Optionen',
  furtherTexts: {
    windowsMode: {
      label: 'OSMorphing-Modus für Windows',
      help: 'Offline auf dem Linux-Worker oder auf einem Windows-Worker. Standard: ein Windows-Worker, wenn die Umgebung ein Image dafür nennt und keine Schlüssel für verschlüsselte Volumes angegeben sind.',
    },
    unbindVolumes: {
      label: 'TPM, Clevis und Sicherheitsschlüssel von verschlüsselten Volumes entfernen',
      help: 'Linux-Volumes können danach nur noch mit einer Passphrase entsperrt werden. Einer der angegebenen Schlüssel muss eine solche Passphrase sein.',
    },
    virtioDisc: {
      label: 'ISO mit VirtIO-Treibern',
      help: 'Eine Datei auf diesem Computer, für Worker, die ihre URL nicht erreichen können.',
    },
    initAgentArchive: {
      label: 'Initialisierungs-Agent für Gäste (ZIP)',
      help: 'Eine Datei auf diesem Computer, für Worker, die ihre URL nicht erreichen können.',
    },
  } as Readonly<Record<string, { readonly label: string; readonly help: string }>>,
  acceptInconsistent: 'Inkonsistente Volumes bereitstellen (die letzte Ausführung wurde nicht abgeschlossen)',
  acceptInconsistentHelp: 'Nur wenn die Quelle verloren ist. Rechnen Sie mit beschädigten Daten.',
  problem: (count: number) =>
    `${counted(count, { one: '# Option erfordert', other: '# Optionen erfordern' })} Ihre Aufmerksamkeit`,
  keptTitle: 'Wird nicht geändert',
  keptClone: 'Das Replikat und seine Volumes sowie die Quell-VM und ihre Datenträger.',
  keptLastPass:
    'Das Replikat und seine Volumes sowie die Quelldatenträger. Die Quell-VM wird heruntergefahren und bleibt ausgeschaltet.',
  keptInPlace: 'Die Quell-VM und ihre Datenträger. Die Volumes des Replikats werden zu den Volumes der neuen VM.',
  keptInPlaceLastPass:
    'Die Quelldatenträger. Die Quell-VM wird heruntergefahren und bleibt ausgeschaltet. Die Volumes des Replikats werden zu den Volumes der neuen VM.',

  server: 'Virtuelle Maschine',
  noServer: 'Wird nach dem OSMorphing erstellt.',
  serverGone: 'Keine: Die Bereitstellung wurde zurückgesetzt.',
  name: 'Name',
  id: 'ID',
  addresses: 'Adressen',
  noAddress: 'Keine bekannte Adresse',
  bootPending: 'Wird geprüft, sobald die VM läuft.',
  bootChecking: 'Es wird geprüft, ob der Gast gestartet ist.',
  bootOutcomes: {
    up: 'Der Gast ist gestartet',
    failed: 'Der Gast ist nicht gestartet',
    unproven: 'Nicht bestätigt',
    'not-checked': 'Nicht geprüft',
  },
  evidence: 'Details',
  after: (duration: string) => `nach ${duration}`,

  runs: 'Ausführungen dieser Migration',
  steps: 'Schritte',
  tabs: { log: 'Protokoll', guest: 'Gast', console: 'Konsole', resources: 'Ressourcen' },
  tabList: 'Details der Bereitstellung',
  console: 'Konsolenausgabe der VM',
  consoleStored: 'Aufgezeichnet, als die Startprüfung endete.',
  consoleNow: 'Aktuelle Ausgabe.',
  consoleNone: 'Noch keine Konsolenausgabe.',
  readConsole: 'Aktualisieren',
  guestNone: 'Noch keine Informationen zum Gast: OSMorphing wurde nicht ausgeführt.',
  guestSkipped: 'OSMorphing wurde wie angefordert übersprungen.',
  guestFacts: 'Gastsystem',
  facts: {
    name: 'System',
    hostname: 'Hostname',
    architecture: 'Architektur',
    firmware: 'Firmware',
    bootloader: 'Bootloader',
    kernels: 'Kernel',
    root: 'Root',
    network: 'Netzwerk',
    cloudInit: 'cloud-init vor OSMorphing',
  },
  notInstalled: 'nicht installiert',
  preparedIn: (duration: string) => `Vorbereitet in ${duration}`,
  preparationSteps: 'OSMorphing-Schritte',
  changed: 'Geändert',
  unchanged: 'Keine Änderung erforderlich',
  warnings: 'Warnungen',
  scriptOutputs: 'Ausgabe der Benutzerskripts',
  exitCode: (code: number) => `Exitcode ${code}`,
  diff: 'Änderungen im Gast',
  diffNone: 'Keine Änderungen im Gast.',
  diffSearch: 'Änderungen durchsuchen',
  diffParts: {
    packages: 'Pakete',
    services: 'Dienste',
    users: 'Benutzer',
    sshPolicy: 'SSH-Richtlinie',
    sshHostKeys: 'SSH-Hostschlüssel',
    network: 'Netzwerknamen',
    registry: 'Registrierung',
    files: 'Dateien',
  },
  userFacts: (uid: string, shell: string, password: string, keys: number) =>
    `UID ${uid}, ${shell}, Kennwort ${password}, ${counted(keys, { one: '# Schlüssel', other: '# Schlüssel' })}`,
  signs: { added: 'Hinzugefügt', removed: 'Entfernt', changed: 'Geändert' },
  showAll: (count: number) => `Alle ${count} anzeigen`,
  showLines: 'Zeilen',
  enabled: 'Aktiviert',
  disabled: 'Deaktiviert',
  resources: 'Ressourcen dieser Bereitstellung',
  noResources: 'Keine Ressourcen.',

  cancel: 'Bereitstellung abbrechen…',
  cancelTitle: 'Diese Bereitstellung abbrechen?',
  cancelKept: 'Bleibt erhalten: das Replikat und seine Volumes sowie die Quell-VM und ihre Datenträger.',
  cancelDeleted:
    'Wird gelöscht: die VM, ihre Volumes und Netzwerkschnittstellen, die Snapshots sowie der temporäre Worker mit seinen Schlüsseln und Regeln.',
  cancelButton: 'Bereitstellung abbrechen',
  cancelDeletedInPlace:
    'Wird gelöscht: die VM, ihre Netzwerkschnittstellen und der temporäre Worker. Die Volumes des Replikats werden wiederhergestellt.',
  again: 'Erneut bereitstellen…',
  resume: 'Fortsetzen',
  delete: 'Löschen…',
  deleteTitle: (name: string) => `Virtuelle Maschine ${name} löschen?`,
  deleteLead: (count: number) =>
    count === 0
      ? 'Keine ihrer Ressourcen ist noch vorhanden. Ihr Eintrag wird als gelöscht markiert.'
      : `${counted(count, { one: 'Diese Ressource wird', other: 'Diese # Ressourcen werden' })} mit allen Daten gelöscht`,
  deleteKept: 'Bleibt erhalten: das Replikat und seine Volumes sowie die Quell-VM und ihre Datenträger.',
  deleteKeptInPlace:
    'Bleibt erhalten: die Quell-VM und ihre Datenträger. Die Volumes gehörten zum Replikat, das danach eine neue vollständige Kopie benötigt.',
  deleteFinal:
    'Dies kann nicht rückgängig gemacht werden. Solange das Replikat vorhanden ist, können Sie es erneut bereitstellen.',
  deleteConfirm: (name: string) => `Geben Sie zur Bestätigung ${name} ein`,
  deleteButton: 'Virtuelle Maschine löschen',
  deleted: 'Bereitstellung gelöscht',
  interruptedLead:
    'Die Engine wurde während der Bereitstellung beendet. Es gehen keine Daten verloren. Die Bereitstellung kann am unterbrochenen Schritt fortgesetzt werden.',
  kept: 'Ressourcen werden wie angefordert zur Fehlerbehebung behalten. Löschen Sie die Bereitstellung, um sie zu entfernen.',
  leftBehind: (count: number) =>
    `${counted(count, { one: '# Ressource konnte', other: '# Ressourcen konnten' })} nicht gelöscht werden.`,

  severalRoots: 'Welche Installation soll vorbereitet werden?',
  severalRootsLead:
    'Die Datenträger enthalten mehr als eine Betriebssysteminstallation. Wählen Sie die aus, von der die VM startet. Das Replikat wird nicht erneut kopiert.',
  chooseRoot: (name: string) => `Mit ${name} bereitstellen`,
  unnamedRoot: 'Installation ohne Namen',

  table: 'Bereitstellungen',
  none: 'Nie bereitgestellt.',
  number: 'Bereitstellung',
  result: 'Virtuelle Maschine',
} as const;
