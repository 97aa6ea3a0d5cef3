import type { ErrorWords } from '../catalogue.ts';

export const replicationErrors: Readonly<Record<string, ErrorWords>> = {
  'replication.disk-shrank': {
    title: 'Der Quelldatenträger wurde kleiner',
    cause:
      'Der Datenträger wurde verkleinert oder ersetzt, seit sein Volume erstellt wurde. Beim Kopieren blieben alte Daten am Ende des Volumes.',
    remedy:
      'Es wurde nichts geändert. Prüfen Sie, ob es noch derselbe Datenträger ist. Ist die Änderung beabsichtigt, löschen Sie das Replikat, und erstellen Sie es neu.',
  },
  'replication.volume-too-small': {
    title: 'Das Ziel-Volume ist kleiner als der Quelldatenträger',
    cause: 'Das Volume wurde nicht mit dem Datenträger erweitert, oder ihm wurde ein anderes Gerät zugeordnet.',
    remedy:
      'Führen Sie das Replikat erneut aus, um das Volume zu erweitern. Schlägt das fehl, prüfen Sie das Kontingent.',
  },
  'replication.size-mismatch': {
    title: 'Die Größe des Snapshots unterscheidet sich von der des Datenträgers',
    cause: 'Die Größe des Datenträgers wurde zwischen seiner Beschreibung und dem Snapshot geändert.',
    remedy: 'Führen Sie das Replikat erneut aus. Es verwendet dann die neue Größe.',
  },
  'replication.extents-invalid': {
    title: 'Die Quelle hat inkonsistente Extents gemeldet',
    cause:
      'Die Liste der belegten oder geänderten Blöcke hat Überschneidungen oder Lücken oder reicht über den Datenträger hinaus und kann daher nicht verwendet werden.',
    remedy:
      'Führen Sie das Replikat erneut aus. Tritt der Fehler wieder auf, deaktivieren Sie die Änderungsverfolgung für den Datenträger, und melden Sie die Details.',
  },
  'replication.map-unusable': {
    title: 'Die Digest-Tabelle eines Datenträgers kann nicht gelesen oder geschrieben werden',
    cause: 'Der lokale Datenträger ist voll oder fällt aus, oder ein anderes Programm hat die Datei gesperrt.',
    remedy:
      'Geben Sie Speicherplatz frei, oder stellen Sie den Zugriff auf die in den Details genannte Datei wieder her, und starten Sie dann erneut. Die Ausführung wird am letzten Prüfpunkt fortgesetzt.',
  },
  'replication.digests-invalid': {
    title: 'Der Worker hat ungültige Digests zurückgegeben',
    cause: 'Der Agent auf dem Worker ist ausgefallen oder hat eine andere Version.',
    remedy: 'Starten Sie mit einem neuen Worker erneut.',
  },
  'replication.verification-failed': {
    title: 'Das Volume unterscheidet sich von der Quelle',
    cause:
      'Ein anderes Programm hat auf das Volume geschrieben, oder der Speicher hat bestätigte Daten verloren oder verändert.',
    remedy:
      'Führen Sie das Replikat erneut aus: Die abweichenden Blöcke werden noch einmal gesendet. Tritt der Fehler wieder auf, ist der Speicher vermutlich defekt.',
  },
};
