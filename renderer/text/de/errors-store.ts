import type { ErrorWords } from '../catalogue.ts';

export const storeErrors: Readonly<Record<string, ErrorWords>> = {
  'store.disk-full': {
    title: 'Der Datenträger mit dem Projekt ist voll',
    cause: 'Die Projektdatenbank konnte nicht geschrieben werden. Frühere Einträge sind intakt.',
    remedy:
      'Geben Sie Speicherplatz auf dem in den Details genannten Dateisystem frei, und setzen Sie dann die unterbrochenen Ausführungen fort. Bis dahin ist das Projekt schreibgeschützt.',
  },
  'store.not-writable': {
    title: 'Die Projektdatenbank kann nicht geschrieben werden',
    cause:
      'Das Dateisystem ist schreibgeschützt, hat einen E/A-Fehler, oder ein anderes Programm sperrt die Datenbank.',
    remedy:
      'Machen Sie den in den Details genannten Ordner beschreibbar, und setzen Sie dann die unterbrochenen Ausführungen fort. Tritt der Fehler wieder auf, ist der Speicher vermutlich defekt.',
  },
  'store.other-computer': {
    title: 'Die Daten des Projekts gehören zu einem anderen Computer',
    cause:
      'Der Ordner .causeway wurde kopiert, synchronisiert oder wird gemeinsam genutzt. Zwei Computer, die dasselbe Replikat ausführen, würden ihre Volumes gegenseitig überschreiben.',
    remedy:
      'Fahren Sie auf dem in den Details genannten Computer fort. Verwendet dieser Computer das Projekt nicht mehr, übernehmen Sie das Projekt hier: Die nächste Ausführung jedes Replikats vergleicht dann die gesamten Datenträger. Lesen können Sie das Projekt, ohne es zu übernehmen.',
  },
  'store.replica-elsewhere': {
    title: 'Ein anderer Computer repliziert diese VM bereits',
    cause: 'Die Volumes des Replikats wurden von diesem Projekt auf einem anderen Computer erstellt oder übernommen.',
    remedy:
      'Fahren Sie auf dem in den Details genannten Computer fort, oder löschen Sie das Replikat dort. Gibt es diesen Computer nicht mehr, entfernen Sie, was die Prüfung des Ressourcenverzeichnisses als von ihm erstellt aufführt.',
  },
};
