import type { ErrorWords } from '../catalogue.ts';

export const fleetErrors: Readonly<Record<string, ErrorWords>> = {
  'fleet.unreachable': {
    title: 'Die Server der Flotte sind nicht erreichbar',
    cause:
      'Kein NATS-Server der Flotte antwortet, die meisten sind ausgefallen, oder der Benutzer darf die Subjects dieses Projekts nicht verwenden.',
    remedy:
      'Prüfen Sie die Server, das Netz und die Berechtigungen des Benutzers. Ohne sie wird nichts an einem Replikat geändert.',
  },
  'fleet.forbidden': {
    title: 'Ihre Rolle in der Flotte erlaubt das nicht',
    cause:
      'Die NATS-Server lassen diesen Benutzer nicht in die Journale des Projekts schreiben: Betrachter können nur lesen.',
    remedy: 'Bitten Sie einen Eigentümer der Flotte um eine andere Rolle.',
  },
  'fleet.claimed-elsewhere': {
    title: 'Ein anderer Computer arbeitet an diesem Replikat',
    cause: 'In einer Flotte arbeitet jeweils ein Computer an einem Replikat. Die Details nennen ihn.',
    remedy: 'Warten Sie, bis er fertig ist, oder brechen Sie die Ausführung dort ab.',
  },
  'fleet.claim-lost': {
    title: 'Ein anderer Computer setzt dieses Replikat fort',
    cause:
      'Von diesem Computer war eine Weile nichts zu hören, daher hat ein anderer übernommen. Was danach hier geschah, wurde nicht aufgezeichnet.',
    remedy: 'Es ist nichts zu tun: Die Ausführung wird dort fortgesetzt.',
  },
  'fleet.journal-unreadable': {
    title: 'Ein Eintrag in einem Journal der Flotte ist nicht lesbar',
    cause:
      'Eine neuere Version von Causeway hat ihn geschrieben, oder jemand mit Schreibrecht auf die Journale hat dort etwas anderes abgelegt.',
    remedy:
      'Aktualisieren Sie Causeway auf diesem Computer. Ist es aktuell, sehen Sie sich den Eintrag mit den Werkzeugen von NATS an.',
  },
  'fleet.runs-active': {
    title: 'In diesem Projekt läuft etwas',
    cause:
      'Die Engine startet neu, wenn dieser Computer einer Flotte beitritt, sie verlässt oder einen anderen Anteil übernimmt. Was läuft, würde abgebrochen.',
    remedy:
      'Warten Sie, bis Ausführungen und Bereitstellungen beendet sind, oder brechen Sie sie ab. Versuchen Sie es dann erneut.',
  },
  'fleet.not-waiting': {
    title: 'Von diesem Replikat wartet nichts auf ein Mitglied',
    cause: 'Seine Ausführung hat begonnen, ist beendet oder wurde nie der Flotte überlassen.',
    remedy: 'Sehen Sie sich die Warteschlange der Flotte noch einmal an.',
  },
  'fleet.changed-meanwhile': {
    title: 'Die Datei wurde noch einmal geändert',
    cause: 'Ein anderes Mitglied der Flotte hat die Datei erneut geändert, seit der Unterschied angezeigt wurde.',
    remedy: 'Sehen Sie sich den neuen Unterschied an und entscheiden Sie dann.',
  },
};
