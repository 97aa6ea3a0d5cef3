import type { ErrorWords } from '../catalogue.ts';

export const notificationErrors: Readonly<Record<string, ErrorWords>> = {
  'notification.not-set-up': {
    title: 'Diese Benachrichtigung ist nicht eingerichtet',
    cause: 'Die Adresse des Webhooks oder der Mailserver mit seinem Passwort fehlt.',
    remedy: 'Vervollständigen Sie die Einstellungen der Benachrichtigungen, und senden Sie dann einen Test.',
  },
  'notification.mail-refused': {
    title: 'Der Mailserver hat die Nachricht abgelehnt',
    cause:
      'Er hat die Anmeldung, den Absender, einen Empfänger oder die Nachricht nicht angenommen. Seine Antwort steht in den Details.',
    remedy: 'Prüfen Sie Benutzername, Passwort, Absender und Empfänger in den Einstellungen der Benachrichtigungen.',
  },
  'notification.mail-not-sent': {
    title: 'Der Mailserver kann die Nachricht jetzt nicht annehmen',
    cause:
      'Er war nicht erreichbar, hat die Verbindung geschlossen oder bittet um einen späteren Versuch. Der Grund steht in den Details.',
    remedy:
      'Prüfen Sie Host, Port und Verschlüsselung in den Einstellungen der Benachrichtigungen. Es wird automatisch noch einmal versucht.',
  },
  'notification.mail-unprotected': {
    title: 'Der Mailserver bietet keine Verschlüsselung an',
    cause: 'Das Passwort wäre für alle auf dem Weg lesbar. Deshalb wurde nichts gesendet.',
    remedy: 'Wählen Sie TLS oder STARTTLS oder einen anderen Port des Mailservers.',
  },
  'evidence.no-browser': {
    title: 'Kein Browser kann den Bericht drucken',
    cause: 'Ein PDF wird von Chromium, Chrome oder Edge gedruckt, und keiner davon wurde auf diesem Computer gefunden.',
    remedy:
      'Öffnen Sie den HTML-Bericht in einem beliebigen Browser und drucken Sie ihn dort, oder installieren Sie Chromium, Chrome oder Edge.',
  },
  'evidence.not-printed': {
    title: 'Der Bericht konnte nicht gedruckt werden',
    cause: 'Der Browser endete ohne PDF. Was er sagte, steht in den Details.',
    remedy: 'Öffnen Sie den HTML-Bericht in einem beliebigen Browser und drucken Sie ihn dort.',
  },
  'evidence.foreign-page': {
    title: 'Der Bericht ist keiner von Causeway',
    cause:
      'Die Engine, z. B. die eines Movers, lieferte eine Seite ohne die Richtlinie, die Skripte und das Laden von Dateien in Berichten verhindert. Sie wurde weder gespeichert noch gedruckt.',
    remedy:
      'Prüfen Sie, wer den Mover verwaltet. Legen Sie dort die Engine dieser Version von Causeway neu ab, oder schreiben Sie den Bericht auf einem anderen Computer.',
  },
};
