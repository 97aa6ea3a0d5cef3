import type { ErrorWords } from '../catalogue.ts';

export const moverErrors: Readonly<Record<string, ErrorWords>> = {
  'mover.unknown': {
    title: 'Kein Mover mit diesem Namen',
    cause: 'Auf diesem Computer wurde kein Mover mit diesem Namen hinzugefügt, oder er wurde entfernt.',
    remedy: 'Prüfen Sie den Namen, oder fügen Sie den Mover hinzu.',
  },
  'mover.host-key-unknown': {
    title: 'Der Hostschlüssel des SSH-Servers ist nicht bekannt',
    cause:
      'Dieser Server steht nicht in Ihrer Datei bekannter Hosts, und sein Schlüssel wurde nicht bestätigt. Es wurde nichts gesendet.',
    remedy:
      'Vergleichen Sie den Fingerabdruck in den Details mit dem, den Ihnen der Betreiber des Servers nennt, und fügen Sie den Mover mit diesem Fingerabdruck erneut hinzu.',
  },
  'mover.host-key-repeated': {
    title: 'Der Server hinter einem Sprunghost zeigt den Hostschlüssel des Sprunghosts',
    cause:
      'Der Sprunghost antwortet anstelle des Servers hinter ihm, oder beide haben denselben Hostschlüssel, zum Beispiel, weil einer ein Klon des anderen ist. Ein bestätigter Schlüssel eines Sprunghosts wird für keinen anderen Server akzeptiert. Ihm wurde weder ein Benutzername noch ein Kennwort gesendet.',
    remedy:
      'Prüfen Sie den Sprunghost. Wenn beide Server diesen Schlüssel haben, geben Sie einem von ihnen einen neuen Hostschlüssel, oder nehmen Sie den Server in Ihre Datei bekannter Hosts auf, nachdem sein Betreiber den Fingerabdruck bestätigt hat.',
  },
  'mover.unreachable': {
    title: 'Der Mover ist nicht erreichbar',
    cause:
      'Der Host oder ein Sprunghost antwortet nicht: Er ist ausgeschaltet, sein Name ist hier nicht bekannt, eine Firewall blockiert den Port, oder es gibt keine Route dorthin.',
    remedy:
      'Prüfen Sie mit ssh von diesem Computer aus, ob die Adresse in den Details antwortet, und versuchen Sie es dann erneut.',
  },
  'mover.login-refused': {
    title: 'Der Mover hat die Anmeldung abgelehnt',
    cause:
      'Der SSH-Server hat weder einen Schlüssel des SSH-Agenten oder der Schlüsseldatei noch das Kennwort akzeptiert.',
    remedy:
      'Prüfen Sie Benutzername und Schlüssel. An Sprunghosts wird mit einem Schlüssel oder dem SSH-Agenten angemeldet, nie mit einem Kennwort.',
  },
  'mover.platform': {
    title: 'Auf diesem System kann kein Mover laufen',
    cause: 'Mover laufen auf Linux für x86_64 und aarch64.',
    remedy: 'Wählen Sie einen anderen Host.',
  },
  'mover.archive-missing': {
    title: 'Die Engine für den Mover fehlt',
    cause: 'Diese Installation enthält kein Archiv der Engine für System und Prozessor des Movers.',
    remedy:
      'In einem Checkout derselben Version erstellt `npm run package -- --engine` das Archiv. Eine installierte Anwendung findet es über die Variable CAUSEWAY_MOVER_ARCHIVE: Setzen Sie sie auf den Pfad des Archivs, und starten Sie Causeway neu.',
  },
  'mover.archive-damaged': {
    title: 'Die Engine wurde beim Hochladen auf den Mover beschädigt',
    cause:
      'Der Digest der Datei auf dem Mover weicht von dem auf diesem Computer ab, oder sie konnte nicht entpackt werden: zum Beispiel, weil der Datenträger voll ist.',
    remedy: 'Prüfen Sie den freien Platz im Home-Verzeichnis auf dem Mover, und versuchen Sie es dann erneut.',
  },
  'mover.start-failed': {
    title: 'Die Engine wurde auf dem Mover nicht gestartet',
    cause: 'Das Projekt kann dort nicht geöffnet werden, oder der Host lässt die Engine nicht laufen.',
    remedy: 'Siehe Details. Das Protokoll ist mover.log im Zustandsordner des Projekts auf dem Mover.',
  },
  'mover.connection-lost': {
    title: 'Die Verbindung zum Mover ist abgebrochen',
    cause: 'Das Netz zwischen diesem Computer und dem Mover war unterbrochen, oder der Mover wurde heruntergefahren.',
    remedy:
      'Ausführungen auf dem Mover laufen ohne diese Verbindung weiter. Stellen Sie die Verbindung wieder her, oder führen Sie den Befehl erneut aus, um ihren Stand zu sehen.',
  },
  'mover.service-ended': {
    title: 'Die Engine auf dem Mover wurde beendet',
    cause:
      'Der Mover ist erreichbar, aber der Dienst des Projekts läuft nicht mehr: Er wurde angehalten, Causeway wurde vom Mover entfernt, oder der Mover wurde neu gestartet.',
    remedy:
      'Öffnen Sie das Projekt erneut: Das lädt die Engine hoch, wenn sie fehlt, und startet den Dienst. Ausführungen, die dabei unterbrochen wurden, können fortgesetzt werden, sobald der Tresor entsperrt ist.',
  },
  'mover.no-answer': {
    title: 'Die Engine auf dem Mover antwortet nicht',
    cause:
      'Der Mover ist erreichbar, und der Dienst des Projekts läuft dort, aber er hat nicht rechtzeitig geantwortet: Er hängt, oder der Mover ist überlastet.',
    remedy:
      'Prüfen Sie die Auslastung des Movers, und versuchen Sie es erneut. Hilft das nicht, halten Sie den Dienst mit dem Befehl dafür an, und öffnen Sie das Projekt erneut.',
  },
  'mover.version-differs': {
    title: 'Auf dem Mover läuft eine andere Version von Causeway',
    cause:
      'Seine Engine führt Ausführungen durch, oder eine andere Workbench hat sie seitdem gestartet. Nur das Öffnen des Projekts ersetzt sie, sobald dort nichts läuft.',
    remedy:
      'Warten Sie, bis seine Ausführungen beendet sind, und öffnen Sie das Projekt erneut, oder verwenden Sie die Version von Causeway, mit der sie gestartet wurde.',
  },
};
