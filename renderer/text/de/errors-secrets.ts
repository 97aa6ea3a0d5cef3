import type { ErrorWords } from '../catalogue.ts';

export const secretsErrors: Readonly<Record<string, ErrorWords>> = {
  'secrets.no-vault': {
    title: 'Das Projekt hat noch keinen Tresor',
    cause: 'Ein Geheimnis wurde verwendet, bevor ein Tresor erstellt wurde.',
    remedy: 'Erstellen Sie den Tresor für das Projekt, und versuchen Sie es dann erneut.',
  },
  'secrets.vault-exists': {
    title: 'Das Projekt hat bereits einen Tresor',
    cause: 'Beim Erstellen eines neuen gingen seine Geheimnisse verloren.',
    remedy: 'Verwenden Sie den vorhandenen Tresor, oder verschieben Sie zuerst seine Datei.',
  },
  'secrets.locked': {
    title: 'Der Tresor ist gesperrt',
    cause: 'Es wurde weder eine Passphrase noch eine Schlüsseldatei angegeben.',
    remedy: 'Entsperren Sie den Tresor mit seiner Passphrase oder seiner Schlüsseldatei.',
  },
  'secrets.wrong-passphrase': {
    title: 'Die Passphrase oder der Schlüssel ist falsch',
    cause: 'Die Passphrase oder Schlüsseldatei öffnet diesen Tresor nicht.',
    remedy: 'Verwenden Sie die Passphrase oder Schlüsseldatei, mit der der Tresor erstellt wurde.',
  },
  'secrets.key-store-unavailable': {
    title: 'Kein Schlüsselspeicher verfügbar',
    cause:
      'Der Schlüsselspeicher des Betriebssystems antwortet nicht (unter Linux: ein Secret Service wie GNOME Keyring oder KWallet) oder ist gesperrt.',
    remedy:
      'Starten oder entsperren Sie den Schlüsselspeicher, und versuchen Sie es erneut, oder erstellen Sie den Tresor mit einer Passphrase.',
  },
  'secrets.key-store-weak': {
    title: 'Der Schlüsselspeicher schützt Geheimnisse nicht',
    cause:
      'Das Backend ist "basic_text": Es verschlüsselt mit einem allgemein bekannten Passwort und bietet daher keinen Schutz.',
    remedy:
      'Installieren und entsperren Sie einen Schlüsselspeicher (GNOME Keyring, KWallet), oder erstellen Sie den Tresor mit einer Passphrase.',
  },
  'secrets.key-store-changed': {
    title: 'Der Tresor gehört zu einem anderen Schlüsselspeicher',
    cause: 'Er wurde mit einem anderen Backend, auf einem anderen Computer oder von einem anderen Benutzer erstellt.',
    remedy:
      'Starten Sie Causeway in der Desktopsitzung, in der der Tresor erstellt wurde, oder erstellen Sie einen neuen Tresor und geben Sie die Geheimnisse erneut ein.',
  },
  'secrets.vault-damaged': {
    title: 'Der Tresor kann nicht gelesen werden',
    cause: 'Seine Datei ist unvollständig, oder ein Eintrag wurde verändert.',
    remedy:
      'Stellen Sie eine intakte Kopie der Datei wieder her, oder verschieben Sie die Datei, erstellen Sie einen neuen Tresor und geben Sie die Geheimnisse erneut ein.',
  },
  'secrets.unknown-secret': {
    title: 'Unbekanntes Geheimnis',
    cause: 'Ein Endpunkt oder eine Umgebung verweist auf ein Geheimnis, das nicht im Tresor ist.',
    remedy: 'Fügen Sie das Geheimnis unter dem in den Details genannten Namen zum Tresor hinzu.',
  },
  'secrets.plain-text': {
    title: 'Ein Geheimnis im Klartext kann nicht gespeichert werden',
    cause: 'Geheimnisse werden nur im Tresor gespeichert, und der Tresor ist gesperrt oder fehlt.',
    remedy: 'Erstellen oder entsperren Sie den Tresor, oder verweisen Sie mit {"$secret": "name"} auf ein Geheimnis.',
  },
  'secrets.weak-file-mode': {
    title: 'Eine Schlüssel- oder Passphrasendatei ist für andere Benutzer lesbar',
    cause: 'Ihre Berechtigungen erlauben anderen Benutzern als dem Eigentümer den Zugriff.',
    remedy:
      'Beschränken Sie die Datei auf ihren Eigentümer: Modus 600, unter Windows eine Zugriffsliste ohne weitere Benutzer (icacls DATEI /inheritance:r /grant:r %USERNAME%:F).',
  },
};
