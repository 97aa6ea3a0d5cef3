import type { GermanFindings } from './finding-row.ts';

/** Findings about storage. */
export const storageFindings = {
  'unknown-disk': [
    'Die Zuordnung nennt einen Datenträger, den die VM nicht hat',
    'Die Datenträger-ID ist falsch geschrieben, oder die VM hat sich geändert, seit die Zuordnung geschrieben wurde.',
    'Korrigieren Sie die ID; die Beschreibung der VM führt die Datenträger auf.',
  ],
  'unknown-backend': [
    'Die Zuordnung nennt ein Backend, in dem kein Datenträger liegt',
    'Der Name ist falsch geschrieben, oder die Datenträger wurden in einen anderen Datenspeicher verschoben.',
    'Korrigieren Sie den Namen, oder entfernen Sie den Eintrag.',
  ],
  'mapped-twice': [
    'Ein Datenträger oder Backend ist zweimal zugeordnet',
    'Nur der erste zutreffende Eintrag gilt.',
    'Entfernen Sie einen der Einträge.',
  ],
  'storage-mapping-empty': [
    'Die Speicherzuordnung ist leer',
    'Sie enthält weder default noch backend_mappings noch disk_mappings, daher wählt die Plattform die Klasse.',
    'Fügen Sie default hinzu, oder entfernen Sie den Schlüssel.',
  ],
  'default-pool-overridden': [
    'Der Standardpool hat keine Wirkung',
    'storage_mappings.default entscheidet bereits über nicht zugeordnete Datenträger.',
    'Entfernen Sie eines von beiden.',
  ],
  'storage-account-type': [
    'Unbekannter Speicherkontotyp',
    'Der Name ist keiner der bekannten Typen der Plattform.',
    'Korrigieren Sie den Namen, oder behalten Sie ihn bei, wenn die Plattform ihn inzwischen hinzugefügt hat.',
  ],
  'os-disk-type': [
    'Der Typ ist für einen Betriebssystemdatenträger nicht möglich',
    'Die Plattform bietet diesen Typ nur für Datendatenträger.',
    'Ordnen Sie den Betriebssystemdatenträger mit einem Eintrag in disk_mappings einem anderen Typ zu.',
  ],
  'page-blobs': [
    'Datenträger werden in Seitenblobs repliziert',
    'Ein Speicherkonto ist angegeben. Azure führt keine VMs mehr aus Seitenblobs aus, daher werden beim Bereitstellen der VM verwaltete Datenträger aus den Blobs erstellt.',
    'Es ist nichts zu tun. Um in verwaltete Datenträger zu replizieren, entfernen Sie das Speicherkonto und seinen Container.',
  ],
  'container-without-account': [
    'Ein Container ohne Speicherkonto',
    'Der Container wird im Speicherkonto gesucht, und keines ist angegeben.',
    'Geben Sie das Speicherkonto an, oder entfernen Sie den Container.',
  ],
  'storage-name-form': [
    'Der Name des Kontos oder Containers ist nicht möglich',
    'Die Plattform lässt nur Namen einer bestimmten Form zu.',
    'Korrigieren Sie den Namen, wie die Meldung es beschreibt.',
  ],
  'container-form': [
    'Der Name des Containers ist nicht möglich',
    'Objektspeicher begrenzen die Länge und die Zeichen von Containernamen.',
    'Korrigieren Sie den Namen, wie die Meldung es beschreibt.',
  ],
  'container-has-no-effect': [
    'Der Container hat keine Wirkung',
    'Ein anderes Exportverfahren ist ausgewählt.',
    'Entfernen Sie den Schlüssel, oder wählen Sie objectstore_backups.',
  ],
  'attachment-type': [
    'Unbekannte Art der Volume-Verbindung',
    'Der Name ist keine der bekannten Arten der Plattform.',
    'Korrigieren Sie den Namen.',
  ],
  'root-disk-mapped': [
    'Der Root-Datenträger kann nicht zugeordnet werden',
    'Die Plattform verbindet den Root-Datenträger auf ihre eigene Weise.',
    'Entfernen Sie den Eintrag.',
  ],
  'no-distributed-storage': [
    'Dem Endpunkt ist der verteilte Speicher nicht bekannt',
    'Das Exportverfahren liest direkt daraus, und die Verbindung enthält keine Zugangsdaten.',
    'Fügen Sie die Zugangsdaten zum Endpunkt hinzu, oder wählen Sie ein anderes Verfahren.',
  ],
  'disk-bus-overridden': [
    'Der Datenträgerbus wird beim Start-Volume überschrieben',
    'Die Image-Metadaten nennen einen anderen Bus, der für das Start-Volume gilt.',
    'Keine Maßnahme erforderlich, wenn das beabsichtigt ist. Entfernen Sie andernfalls eines von beiden.',
  ],
} as const satisfies GermanFindings;
