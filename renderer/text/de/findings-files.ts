import type { GermanFindings } from './finding-row.ts';

/** Findings about the text of a file. */
export const fileFindings = {
  unreadable: [
    'Die Datei kann nicht gelesen werden',
    'Die Datei wurde verschoben oder gelöscht, oder ihre Berechtigungen erlauben das Lesen nicht.',
    'Wählen Sie die Datei erneut aus, oder korrigieren Sie ihre Berechtigungen.',
  ],
  empty: [
    'Die Datei ist leer',
    'Die Datei enthält keinen Wert oder nur Kommentare.',
    'Fügen Sie eine Quelle, ein Ziel oder beides hinzu.',
  ],
  encoding: [
    'Die Datei ist nicht in UTF-8',
    'Der Editor hat die Datei in einer anderen Codierung wie UTF-16 gespeichert.',
    'Speichern Sie die Datei in UTF-8.',
  ],
  syntax: [
    'Der Text enthält einen Syntaxfehler',
    'An der Stelle in der Meldung fehlt eine Klammer, ein Anführungszeichen, ein Komma oder eine Einrückung oder ist falsch.',
    'Korrigieren Sie den Text in dieser Zeile.',
  ],
  'too-large': [
    'Die Datei ist zu groß',
    'Umgebungsdateien haben wenige Kilobyte. Eine größere ist meist eine andere Datei.',
    'Wählen Sie die Umgebungsdatei aus, oder teilen Sie sie in eine Datei pro VM auf.',
  ],
  'too-deep': [
    'Der Text ist zu tief verschachtelt',
    'Listen und Objekte sind in mehr Ebenen verschachtelt, als eine Einstellung braucht.',
    'Entfernen Sie die Verschachtelung.',
  ],
  'multiple-documents': [
    'Die Datei enthält mehrere YAML-Dokumente',
    'Eine Zeile mit --- beginnt ein weiteres Dokument. Pro Datei ist nur ein Dokument zulässig.',
    'Verwenden Sie eine Datei pro VM.',
  ],
  'yaml-alias': [
    'Ein YAML-Alias kann nicht verwendet werden',
    'Ein Alias hat keinen Anker, enthält sich selbst oder wiederholt zu viele Werte.',
    'Schreiben Sie den Wert aus.',
  ],
  'yaml-tag': [
    'YAML-Tags sind nicht zulässig',
    'Ein Tag wie !!python/object verlangt einen Typ, den Einstellungen nicht haben.',
    'Entfernen Sie das Tag, und schreiben Sie einen einfachen Wert.',
  ],
  'duplicate-key': [
    'Ein Schlüssel ist doppelt gesetzt',
    'Derselbe Schlüssel steht zweimal in einem Objekt. Nur ein Wert könnte gelten.',
    'Entfernen Sie einen der beiden.',
  ],
  'forbidden-key': [
    'Der Schlüssel __proto__ ist nicht zulässig',
    'Der Schlüssel hat in Programmen eine besondere Bedeutung und ist nie eine Einstellung.',
    'Entfernen Sie den Schlüssel.',
  ],
  'inline-comment': [
    'Ein Kommentar wird als Teil des Werts gelesen',
    'In INI-Dateien gibt es keine Kommentare hinter einem Wert.',
    'Schreiben Sie den Kommentar in eine eigene Zeile.',
  ],
  'unknown-section': [
    'Der Abschnitt wird nicht gelesen',
    'Kein Plugin liest einen Abschnitt mit diesem Namen, daher haben seine Optionen keine Wirkung.',
    'Korrigieren Sie den Namen des Abschnitts, oder ignorieren Sie die Meldung, wenn der Abschnitt für ein anderes Programm ist.',
  ],
} as const satisfies GermanFindings;
