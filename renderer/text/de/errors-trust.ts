import type { ErrorWords } from '../catalogue.ts';

export const trustErrors: Readonly<Record<string, ErrorWords>> = {
  'trust.project-not-accepted': {
    title: 'Diesem Projekt wird auf diesem Computer nicht vertraut',
    cause:
      'Der Ordner stammt von einem anderen Ort. Bis Sie ihn akzeptieren, wird kein Endpunkt kontaktiert, kein Programm gestartet und kein Geheimnis verwendet.',
    remedy: 'Prüfen Sie unter „Vertrauen“, worauf das Projekt zugreift, und akzeptieren Sie es dann.',
  },
  'trust.endpoint-not-accepted': {
    title: 'Diesem Endpunkt wird auf diesem Computer nicht vertraut',
    cause: 'Seine Verbindung stammt aus den Projektdateien und wurde hier noch von niemandem akzeptiert.',
    remedy: 'Prüfen Sie die Verbindung unter „Vertrauen“, und akzeptieren Sie sie dann.',
  },
  'trust.environment-not-accepted': {
    title: 'Die Umgebung verwendet eine Adresse oder ein Geheimnis, dem auf diesem Computer nicht vertraut wird',
    cause: 'Eine URL, ein Socket oder ein Verweis auf ein Geheimnis in den Projektdateien ist neu oder wurde geändert.',
    remedy: 'Prüfen Sie die Änderung unter „Vertrauen“, und akzeptieren Sie sie dann.',
  },
  'trust.connection-missing': {
    title: 'Die Verbindung dieses Endpunkts ist auf diesem Computer nicht vorhanden',
    cause: 'Die Projektdateien nennen den Endpunkt ohne seine Adressen, und sie wurden hier nie eingegeben.',
    remedy: 'Öffnen Sie den Endpunkt, geben Sie seine Verbindung ein und speichern Sie sie.',
  },
  'trust.unsafe-connection': {
    title: 'Die Verbindung dieses Endpunkts ist nicht sicher',
    cause:
      'Sie würde Geheimnisse unverschlüsselt senden, ein Programm starten oder eine Datei aus dem gemeinsamen Projektordner verwenden.',
    remedy: 'Öffnen Sie den Endpunkt, und korrigieren Sie das in den Details genannte Feld.',
  },
  'trust.changed-meanwhile': {
    title: 'Das Projekt wurde während Ihrer Prüfung geändert',
    cause: 'Eine Projektdatei wurde geändert, nachdem die Liste angezeigt wurde. Es wurde nichts akzeptiert.',
    remedy: 'Prüfen Sie die neue Liste, und akzeptieren Sie sie.',
  },
};
