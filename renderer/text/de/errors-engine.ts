import type { ErrorWords } from '../catalogue.ts';

export const engineErrors: Readonly<Record<string, ErrorWords>> = {
  'inventory.unreadable': {
    title: 'Die Datei ist kein lesbares Inventar',
    cause: 'Sie ist weder eine CSV-Datei noch eine Excel-Arbeitsmappe, oder sie ist beschädigt.',
    remedy: 'Exportieren Sie das Inventar erneut als CSV oder .xlsx. Die Details nennen das Problem mit der Datei.',
  },
  'inventory.file-damaged': {
    title: 'Ein importiertes Inventar kann nicht gelesen werden',
    cause: 'Seine Datei im Projektordner ist beschädigt oder wurde durch eine manuelle Änderung unbrauchbar.',
    remedy:
      'Korrigieren Sie die in den Details genannte Datei, oder löschen Sie sie, und importieren Sie das Inventar erneut.',
  },
  'engine.defaults-damaged': {
    title: 'Eine Datei mit Projektvorgaben kann nicht gelesen werden',
    cause:
      'Die Datei ist beschädigt, oder sie hat nach einer manuellen Änderung eine Form, die Causeway nicht versteht.',
    remedy: 'Korrigieren Sie die in den Details genannte Datei, oder stellen Sie eine frühere Version wieder her.',
  },
  'engine.description-damaged': {
    title: 'Eine Projektdatei kann nicht geladen werden',
    cause:
      'Die Datei eines Endpunkts oder Replikats ist beschädigt, unvollständig oder widersprüchlich, zum Beispiel nach einem Merge.',
    remedy:
      'Korrigieren Sie die in den Details genannte Datei, oder stellen Sie eine frühere Version wieder her. Bis dahin gilt weiterhin die letzte gültige Version.',
  },
  'engine.wave-in-use': {
    title: 'Die Welle ist nicht leer',
    cause: 'Replikate gehören zu der Welle und übernehmen Einstellungen von ihr.',
    remedy: 'Verschieben Sie die Replikate zuerst in eine andere Welle, oder entfernen Sie sie aus dieser.',
  },
  'engine.database-unreadable': {
    title: 'Die Projektdatenbank kann nicht gelesen werden',
    cause: 'Die Datei ist beschädigt oder keine Causeway-Datenbank. Sie wurde unverändert beiseitegelegt.',
    remedy:
      'Stellen Sie eine intakte Kopie unter dem ursprünglichen Namen wieder her, oder verschieben Sie die beiseitegelegte Datei aus dem Ordner, um mit einer leeren Datenbank zu beginnen. Bei einer leeren Datenbank führt das Ressourcenverzeichnis die erstellten Cloud-Ressourcen nicht mehr auf.',
  },
  'engine.database-version': {
    title: 'Die Projektdatenbank gehört zu einer anderen Version von Causeway',
    cause: 'Sie wurde von einer neueren Version geschrieben, oder ihr Schema wurde verändert.',
    remedy: 'Öffnen Sie das Projekt mit der Version, die es geschrieben hat, oder mit einer neueren.',
  },
  'engine.project-busy': {
    title: 'Das Projekt ist in einem anderen Prozess geöffnet',
    cause: 'Nur eine Engine kann in ein Projekt schreiben, und die andere antwortet nicht an ihrem lokalen Socket.',
    remedy: 'Schließen Sie das Projekt dort, oder beenden Sie den in den Details genannten Prozess.',
  },
  'engine.connection-lost': {
    title: 'Verbindung zur Engine unterbrochen',
    cause: 'Der Prozess, in dem das Projekt geöffnet war, wurde beendet.',
    remedy: 'Öffnen Sie das Projekt erneut. Unterbrochene Ausführungen können fortgesetzt werden.',
  },
  'engine.message-too-large': {
    title: 'Nachricht zu groß',
    cause:
      'Ein Aufruf oder seine Antwort ist größer, als der Prozess, in dem das Projekt geöffnet ist, mit anderen Prozessen austauscht.',
    remedy: 'Verwenden Sie kleinere Teile, zum Beispiel mehrere Inventare mit jeweils weniger VMs.',
  },
  'engine.unknown-call': {
    title: 'Unbekannter Aufruf',
    cause: 'Die beiden Seiten haben verschiedene Versionen, oder der Name ist falsch geschrieben.',
    remedy: 'Verwenden Sie auf beiden Seiten dieselbe Version von Causeway.',
  },
  'engine.not-found': {
    title: 'In diesem Projekt nicht gefunden',
    cause: 'Die ID oder der Name ist falsch geschrieben, oder das Element wurde entfernt.',
    remedy:
      'Lassen Sie sich die vorhandenen Elemente anzeigen, und verwenden Sie eine ihrer IDs oder einen ihrer Namen.',
  },
  'engine.ambiguous-name': {
    title: 'Der Name ist mehrdeutig',
    cause: 'Mehrere Elemente haben diesen Namen.',
    remedy: 'Verwenden Sie stattdessen die ID.',
  },
  'engine.name-taken': {
    title: 'Der Name wird bereits verwendet',
    cause: 'Namen von Endpunkten und Replikaten sind innerhalb eines Projekts eindeutig.',
    remedy: 'Wählen Sie einen anderen Namen.',
  },
  'engine.in-use': {
    title: 'Das Element wird noch verwendet',
    cause: 'Etwas anderes im Projekt hängt von ihm ab.',
    remedy: 'Entfernen Sie zuerst die in den Details genannten Elemente.',
  },
  'engine.execution-active': {
    title: 'Eine Ausführung dieses Replikats läuft',
    cause: 'Ausführungen eines Replikats überschneiden sich nie, weil beide auf dieselben Volumes schreiben würden.',
    remedy: 'Warten Sie auf ihr Ende, oder brechen Sie sie ab.',
  },
  'engine.execution-interrupted': {
    title: 'Eine Ausführung dieses Replikats ist unterbrochen',
    cause: 'Sie kann noch fortgesetzt werden und hat möglicherweise temporäre Ressourcen in der Cloud.',
    remedy:
      'Setzen Sie sie fort, und warten Sie auf ihr Ende, oder brechen Sie sie ab, damit sie bereinigt. Versuchen Sie es dann erneut.',
  },
  'engine.not-active': {
    title: 'Die Ausführung läuft nicht',
    cause: 'Sie ist bereits beendet oder wurde nie gestartet.',
    remedy: 'Prüfen Sie ihren Zustand. Starten Sie bei Bedarf eine neue Ausführung des Replikats.',
  },
  'engine.own-vm-unsupported': {
    title: 'Volumes dieses Endpunkts können nicht an diesen Computer angehängt werden',
    cause:
      'Causeway kann die VM, auf der es läuft, bei Zielen mit STACKIT, OpenStack, Azure, OCI und Oracle Classic als Disk-Copy-Worker verwenden, und bei Quellen mit OpenStack und AWS als Export-Worker. Bei Oracle VM tragen Disks nichts, woran die VM sie von ihren eigenen unterscheiden könnte.',
    remedy: 'Lassen Sie in den Einstellungen des Projekts für diesen Endpunkt wieder Worker starten.',
  },
  'engine.own-vm-unusable': {
    title: 'Die VM, auf der Causeway läuft, kann nicht verwendet werden',
    cause:
      'Die Cloud hat im Projekt oder in der Region des Endpunkts keine VM mit dieser ID, meldet, dass sie nicht läuft, oder kann die Volumes nicht an sie anhängen: Sie ist in einer anderen Zone, hat keinen Platz für sie, oder deren Geräte tragen nichts, woran sie zu erkennen sind. Die Meldung sagt, was davon.',
    remedy: 'Prüfen Sie die ID der VM sowie Projekt und Region des Endpunkts. Legen Sie die VM dann neu fest.',
  },
  'engine.own-vm-not-found': {
    title: 'Causeway hat nicht herausgefunden, auf welcher VM es läuft',
    cause:
      'Kein Metadatendienst hat geantwortet, oder die Cloud hat keine laufende VM mit der ID, die der Metadatendienst, cloud-init oder die Firmware nennt.',
    remedy: 'Geben Sie die ID der VM an, wie die Cloud sie anzeigt.',
  },
  'engine.own-vm-mismatch': {
    title: 'Causeway läuft auf einer anderen VM als der festgelegten',
    cause:
      'Der Metadatendienst, cloud-init oder die Firmware dieses Computers nennt eine andere VM, die es in der Cloud gibt, oder eine Disk, die hier erschien, während ein Volume an die VM angehängt wurde, blieb, als das Volume abgehängt wurde. Es wurde nichts gelesen oder geschrieben.',
    remedy:
      'Legen Sie die VM neu fest, mit der ID derjenigen, auf der Causeway läuft, oder lassen Sie Causeway sie finden. Ist dies diese VM, finden Sie heraus, was die Disk noch verwendet, oder warten Sie, bis niemand Disks anhängt, und starten Sie die Ausführung erneut.',
  },
  'engine.own-vm-unclear': {
    title: 'Es ist nicht klar, auf welcher VM Causeway läuft',
    cause: 'Der Metadatendienst, cloud-init und die Firmware nennen mehrere VMs.',
    remedy: 'Geben Sie die ID der VM an, wie die Cloud sie anzeigt.',
  },
  'engine.pool-in-fleet': {
    title: 'Eine Flotte hat keinen Worker-Pool',
    cause:
      'Mehrere Computer teilen sich dieses Projekt. Ein Worker gehört dort zur Ausführung eines einzelnen Replikats, damit ein anderer Computer sie übernehmen kann.',
    remedy: 'Überlassen Sie die Worker jeder Ausführung, oder verlassen Sie die Flotte.',
  },
  'engine.graph-invalid': {
    title: 'Der Aufgabengraph ist ungültig',
    cause:
      'Eine Aufgabe benötigt eine Eingabe, die keine frühere Aufgabe liefert, oder Aufgaben hängen voneinander ab.',
    remedy: 'Dies ist ein Fehler in Causeway. Melden Sie ihn mit den Details.',
  },
  'engine.environment-invalid': {
    title: 'Eine Umgebung enthält Fehler',
    cause: 'Die Prüfungen haben Werte gefunden, mit denen die Ausführung fehlschlagen würde.',
    remedy: 'Korrigieren Sie die Befunde in den Details. Die Prüfung des Dokuments zeigt dieselben Befunde.',
  },
  'engine.plugin-not-here': {
    title: 'Diese Version kann keine Verbindung zur Plattform herstellen',
    cause: 'Die Parameter des Plugins können geprüft werden, diese Version hat aber keinen Adapter dafür.',
    remedy: 'Verwenden Sie für diesen Endpunkt ein anderes Plugin.',
  },
  'engine.volume-not-matched': {
    title: 'Ein Volume wurde unter den Geräten des Workers nicht gefunden',
    cause:
      'Kein Gerät oder mehr als eines hat die Identität des Volumes (Seriennummer, LUN, Pfad oder Reihenfolge der Anbindung) und seine Größe. Es wurde nichts geschrieben.',
    remedy:
      'Starten Sie die Ausführung erneut. Bleibt der Fehler bestehen, vergleichen Sie die Identität und die Liste der Geräte in den Details.',
  },
  'engine.snapshot-gone': {
    title: 'Der Quell-Snapshot ist während der Ausführung verschwunden',
    cause: 'Die VM oder ihr Host wurde neu gestartet, oder der Snapshot wurde gelöscht.',
    remedy: 'Starten Sie die Ausführung erneut. Sie erstellt einen neuen Snapshot und sendet nur die Unterschiede.',
  },
  'engine.left-behind': {
    title: 'Temporäre Ressourcen wurden zurückgelassen',
    cause: 'Sie konnten am Ende der Ausführung oder Bereitstellung nicht gelöscht werden.',
    remedy: 'Löschen Sie die Ressourcen, die das Ressourcenverzeichnis als zurückgelassen aufführt.',
  },
  'engine.source-not-cleaned': {
    title: 'Ressourcen an der Quelle konnten nicht entfernt werden',
    cause:
      'Die Quelle ist nicht erreichbar oder hat die Anforderung abgelehnt. Die Ressourcen des Replikats am Ziel sind bereits gelöscht.',
    remedy:
      'Machen Sie die Quelle erreichbar, und löschen Sie dann das Replikat erneut. Existiert die Quelle nicht mehr, wählen Sie beim Löschen des Replikats diese Option: Seine Quellressourcen werden dann aus dem Ressourcenverzeichnis entfernt.',
  },
  'engine.not-removable': {
    title: 'Der Eintrag im Ressourcenverzeichnis kann jetzt nicht entfernt werden',
    cause: 'Er gehört zu einem Replikat oder zu einer laufenden Bereitstellung oder Ausführung.',
    remedy: 'Brechen Sie stattdessen die Ausführung ab, oder löschen Sie das Replikat.',
  },
};
