import type { ErrorWords } from '../catalogue.ts';

export const wavesErrors: Readonly<Record<string, ErrorWords>> = {
  'wave.active': {
    title: 'Die Welle läuft',
    cause:
      'Eine Aktion für die Mitglieder dieser Welle ist noch nicht beendet. Ihre Mitglieder und deren Reihenfolge können nicht geändert werden, und keine andere Aktion kann starten.',
    remedy: 'Warten Sie auf ihr Ende, oder brechen Sie sie ab.',
  },
  'wave.not-active': {
    title: 'Die Welle läuft nicht',
    cause: 'In dieser Welle läuft nichts, was angehalten, fortgesetzt oder abgebrochen werden könnte.',
    remedy: 'Starten Sie die Welle.',
  },
  'wave.empty': {
    title: 'Die Welle hat keine Mitglieder',
    cause: 'Zu der Welle gehört kein Replikat, daher gibt es nichts zu starten.',
    remedy: 'Weisen Sie der Welle Replikate zu, und starten Sie sie dann.',
  },
  'wave.no-go-due': {
    title: 'Keine Gruppe wartet auf eine Freigabe',
    cause:
      'Derzeit wartet keine Gruppe der Welle auf eine Entscheidung: Eine frühere Gruppe läuft, oder alle Gruppen wurden gestartet.',
    remedy: 'Zeigen Sie die Welle an, um zu sehen, welche Gruppe läuft.',
  },
  'wave.nothing-to-retry': {
    title: 'Nichts zu wiederholen',
    cause: 'Kein Mitglied der Welle ist bei seiner letzten Aktion fehlgeschlagen, blockiert oder abgebrochen worden.',
    remedy: 'Starten Sie die Welle erneut, wenn alle Mitglieder noch einmal verarbeitet werden sollen.',
  },
  'wave.no-isolated-network': {
    title: 'Die Probe hat kein isoliertes Netzwerk',
    cause:
      'Weder der Plan der Welle noch wer ihre Probe startet nennt ein isoliertes Netzwerk. Die VMs würden in den Netzwerken starten, für die sie bestimmt sind, neben ihren laufenden Quellen.',
    remedy:
      'Geben Sie ein isoliertes Netzwerk des Ziels an, im Plan der Welle oder beim Start der Probe. Um eine VM neben ihrer Quelle in ihren eigenen Netzwerken zu starten, erstellen Sie eine Bereitstellung.',
  },
  'wave.order-circular': {
    title: 'Die Reihenfolge der Welle ist zirkulär',
    cause:
      'Mitglieder warten aufeinander, oder ein Mitglied einer früheren Gruppe wartet auf eines einer späteren Gruppe. Keines von ihnen könnte je starten.',
    remedy: 'Entfernen Sie eine der in den Details genannten Abhängigkeiten.',
  },
};
