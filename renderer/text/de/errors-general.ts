import type { ErrorWords } from '../catalogue.ts';

export const generalErrors: Readonly<Record<string, ErrorWords>> = {
  'general.bug': {
    title: 'Unerwarteter interner Zustand',
    cause: 'Dies ist ein Fehler in Causeway, kein Problem mit Ihren Eingaben.',
    remedy:
      'Melden Sie das Problem mit den Details. Sie können die Ausführung erneut starten; sie wird am letzten Prüfpunkt fortgesetzt.',
  },
  'general.cancelled': {
    title: 'Abgebrochen',
    cause: 'Der Vorgang wurde abgebrochen, oder der Prozess wurde zum Beenden aufgefordert.',
    remedy:
      'Starten Sie den Vorgang erneut, sobald Sie bereit sind. Bereits dauerhaft geschriebene Daten bleiben erhalten.',
  },
  'general.deadline': {
    title: 'Zeitüberschreitung des Vorgangs',
    cause: 'Der erwartete Zustand wurde nicht rechtzeitig erreicht.',
    remedy: 'Prüfen Sie den zuletzt gemeldeten Zustand in den Details, und starten Sie dann erneut.',
  },
  'general.invalid-input': {
    title: 'Ungültige Eingabe',
    cause: 'Ein Wert fehlt oder hat die falsche Form.',
    remedy: 'Korrigieren Sie den in den Details genannten Wert.',
  },
  'general.page-failed': {
    title: 'Diese Seite kann nicht angezeigt werden',
    cause:
      'Dies ist ein Fehler in Causeway, kein Problem mit Ihren Eingaben. Ausführungen und Bereitstellungen laufen weiter: Sie hängen nicht von der Seite ab.',
    remedy:
      'Laden Sie die Seite neu. Tritt der Fehler erneut auf, kopieren Sie die Details und melden Sie das Problem.',
  },
  'general.runtime-lacks': {
    title: 'Dieser Laufzeitumgebung fehlt Kryptografie, die Causeway benötigt',
    cause:
      'Node oder Electron wurde mit einer Bibliothek erstellt, die den in den Details genannten Algorithmus nicht enthält.',
    remedy: 'Verwenden Sie die mit Causeway ausgelieferte Version von Node oder Electron.',
  },
  'general.sample-failed': {
    title: 'Das Beispiel wurde nicht gestartet',
    cause: 'Das Lab, das das Beispiel benötigt, konnte auf diesem Computer nicht gestartet werden.',
    remedy:
      'Prüfen Sie die letzte Zeile der Ausgabe in den Details. Führen Sie "npm run lab" in einem Terminal aus, um die vollständige Ausgabe zu sehen.',
  },
};
