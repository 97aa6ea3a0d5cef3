import type { GermanFindings } from './finding-row.ts';

/** Findings about keys and values of any part of a document. */
export const shapeFindings = {
  'no-side': [
    'Weder Quelle noch Ziel',
    'Das Dokument hat keinen Teil, der geprüft werden kann.',
    'Fügen Sie source, destination oder beides hinzu.',
  ],
  'unknown-plugin': [
    'Unbekanntes Plugin',
    'Die Plugin-ID ist falsch geschrieben oder ist der Name eines Produkts.',
    'Schreiben Sie die ID, die der Vorschlag nennt.',
  ],
  'plugin-side': [
    'Das Plugin hat diese Seite nicht',
    'Manche Plattformen sind nur Quelle, andere nur Ziel.',
    'Wählen Sie eines der Plugins, die der Vorschlag aufführt.',
  ],
  'other-endpoint': [
    'Das Dokument ist für eine andere Plattform',
    'Das Plugin im Text ist nicht das Plugin des Endpunkts.',
    'Entfernen Sie die Zeile mit dem Plugin, oder öffnen Sie die VM, die den anderen Endpunkt verwendet.',
  ],
  'unknown-key': [
    'Unbekannter Schlüssel',
    'Der Schlüssel ist falsch geschrieben, gehört zu einem anderen Plugin oder zur anderen Seite oder ist eine Einstellung des Endpunkts.',
    'Folgen Sie dem Vorschlag: Benennen Sie den Schlüssel um, verschieben oder entfernen Sie ihn. Die Seite des Plugins führt alle Schlüssel auf.',
  ],
  'missing-key': [
    'Ein erforderlicher Schlüssel fehlt',
    'Der Schlüssel hat keinen Standardwert, und keine andere Ebene setzt ihn.',
    'Fügen Sie den Schlüssel hier, in der Welle, im Projekt oder in der Anbieterkonfiguration hinzu.',
  ],
  'wrong-key': [
    'Ein Name in einer Zuordnung ist nicht zulässig',
    'Die Zuordnung lässt nur bestimmte Namen zu, zum Beispiel linux und windows.',
    'Benennen Sie den Eintrag um.',
  ],
  'wrong-type': [
    'Der Wert hat den falschen Typ',
    'Zum Beispiel ein Text anstelle einer Liste, eine Zahl in Anführungszeichen oder eine Größe mit ihrer Einheit.',
    'Schreiben Sie den Wert in der Form, die der Vorschlag zeigt.',
  ],
  'wrong-form': [
    'Der Wert hat die falsche Form',
    'Der Text hat nicht die Form, die der Schlüssel erfordert, etwa eine URL, eine Version oder <network>/<subnet>.',
    'Korrigieren Sie den Wert; die Seite des Plugins enthält ein Beispiel für jeden Schlüssel.',
  ],
  'wrong-length': [
    'Der Wert ist zu lang oder zu kurz',
    'Die Plattform begrenzt die Länge des Texts oder die Anzahl der Elemente.',
    'Kürzen oder verlängern Sie den Wert auf die Grenze in der Meldung.',
  ],
  'out-of-range': [
    'Die Zahl liegt außerhalb des Bereichs',
    'Der Schlüssel lässt nur Zahlen innerhalb von Grenzen zu.',
    'Wählen Sie eine Zahl innerhalb der Grenzen in der Meldung.',
  ],
  'value-not-allowed': [
    'Der Wert ist keiner der zulässigen Werte',
    'Der Schlüssel lässt nur bestimmte Wörter in dieser Schreibweise zu.',
    'Wählen Sie einen der Werte in der Meldung.',
  ],
  'surrounding-blanks': [
    'Der Wert beginnt oder endet mit einem Leerzeichen',
    'Ein Leerzeichen wurde mitkopiert. Die Plattform würde nach einem Namen mit dem Leerzeichen suchen.',
    'Entfernen Sie das Leerzeichen.',
  ],
  'other-spelling': [
    'Der Schlüssel hat eine andere Schreibweise',
    'Die Schreibweise ist zulässig, aber es sollte nur eine davon verwendet werden.',
    'Benennen Sie den Schlüssel wie vorgeschlagen um.',
  ],
  'two-spellings': [
    'Der Schlüssel ist in zwei Schreibweisen gesetzt',
    'Beide Schreibweisen meinen dieselbe Einstellung, daher könnte nur ein Wert gelten.',
    'Entfernen Sie den Schlüssel, den der Vorschlag nennt.',
  ],
  'no-catalog': [
    'Namen wurden nicht mit dem Ziel verglichen',
    'Ohne Katalog ist der Prüfung nicht bekannt, welche Netzwerke, Images und Größen das Ziel hat.',
    'Prüfen Sie erneut, während der Endpunkt erreichbar ist, oder erfassen Sie einen Katalog, und geben Sie ihn bei der Prüfung an.',
  ],
  'other-catalog': [
    'Der Katalog ist von einer anderen Plattform',
    'Der Katalog wurde mit einem anderen Plugin erfasst und wird nicht verwendet.',
    'Erfassen Sie einen Katalog vom Ziel dieses Dokuments.',
  ],
  'rule-failed': [
    'Eine Prüfung hat mit einem Defekt abgebrochen',
    'Dies ist ein Defekt von Causeway. Die anderen Prüfungen sind nicht betroffen.',
    'Melden Sie die Meldung. Prüfen Sie die darin genannte Einstellung selbst.',
  ],
} as const satisfies GermanFindings;
