import type { ErrorWords } from '../catalogue.ts';

export const deploymentErrors: Readonly<Record<string, ErrorWords>> = {
  'deployment.active': {
    title: 'Eine Bereitstellung dieses Replikats läuft',
    cause:
      'Eine andere Bereitstellung des Replikats ist nicht beendet oder wurde unterbrochen und kann fortgesetzt werden.',
    remedy: 'Warten Sie auf ihr Ende, setzen Sie sie fort oder brechen Sie sie ab.',
  },
  'deployment.never-executed': {
    title: 'Das Replikat hat keine abgeschlossene Ausführung',
    cause: 'Seine Volumes enthalten noch keine vollständige Kopie der VM.',
    remedy: 'Führen Sie das Replikat aus, und stellen Sie es dann bereit.',
  },
  'deployment.inconsistent': {
    title: 'Die Volumes des Replikats sind inkonsistent',
    cause: 'Eine Ausführung wurde nicht abgeschlossen, daher enthalten die Volumes Daten von zwei Zeitpunkten.',
    remedy:
      'Führen Sie das Replikat erneut aus. Ist die Quelle verloren, können Sie mit der Option zum Akzeptieren inkonsistenter Volumes bereitstellen; rechnen Sie mit beschädigten Daten.',
  },
  'deployment.volume-gone': {
    title: 'Ein Volume des Replikats existiert nicht mehr',
    cause: 'Es wurde am Ziel außerhalb von Causeway gelöscht.',
    remedy: 'Führen Sie das Replikat erneut aus. Das Volume wird neu erstellt und vollständig kopiert.',
  },
  'deployment.not-supported': {
    title: 'Dieses Ziel unterstützt keine Bereitstellungen',
    cause: 'Der Adapter unterstützt nur die Replikation.',
    remedy: 'Erstellen Sie die VM in der Konsole des Ziels aus den Volumes des Replikats.',
  },
  'deployment.execution-failed': {
    title: 'Die Ausführung der Migration ist fehlgeschlagen',
    cause: 'Die VM wurde nicht bereitgestellt, weil ihre Kopie unvollständig ist.',
    remedy:
      'Prüfen Sie den Fehler der Ausführung, und starten Sie dann die Migration erneut. Bereits kopierte Daten werden nicht noch einmal kopiert.',
  },
  'deployment.address-differs': {
    title: 'Der Gast behält eine andere Adresse als seine NIC',
    cause:
      'set_dhcp ist false, daher behält der Gast seine statische Adresse. Die NIC am Ziel hat eine andere, meist weil die Quelle die Adresse nicht gemeldet hat. Die VM wäre nicht erreichbar.',
    remedy:
      'Starten Sie die VM an der Quelle mit laufenden Gast-Tools, damit sie ihre Adressen meldet, oder setzen Sie ip_addresses in der VM-Beschreibung; stellen Sie dann erneut bereit. Alternativ setzen Sie set_dhcp auf true.',
  },
  'deployment.boot-failed': {
    title: 'Der Gast ist nicht gestartet',
    cause:
      'Die Konsole zeigt einen Startfehler, oder bis zum Fristende gab es kein Anzeichen eines abgeschlossenen Starts.',
    remedy:
      'Prüfen Sie die mit der Bereitstellung gespeicherte Konsolenausgabe. Das Replikat ist nicht betroffen; Sie können es mit anderen Optionen erneut bereitstellen.',
  },
  'deployment.clean-up-failed': {
    title: 'Der OSMorphing-Worker konnte nicht gelöscht werden',
    cause: 'Die Volumes sind möglicherweise noch mit ihm verbunden, daher wurde kein Server aus ihnen erstellt.',
    remedy: 'Löschen Sie die im Ressourcenverzeichnis aufgeführten Ressourcen, und stellen Sie dann erneut bereit.',
  },
  'deployment.no-server': {
    title: 'Die VM existiert noch nicht',
    cause: 'Die Bereitstellung hat den Schritt, der die VM erstellt, noch nicht erreicht oder wurde zurückgesetzt.',
    remedy: 'Warten Sie auf diesen Schritt, oder prüfen Sie die mit der Bereitstellung gespeicherte Konsolenausgabe.',
  },
  'deployment.not-deletable': {
    title: 'Die Bereitstellung kann jetzt nicht gelöscht werden',
    cause: 'Die Bereitstellung ist noch nicht beendet.',
    remedy: 'Warten Sie auf ihr Ende, oder brechen Sie sie ab. Beim Abbrechen werden ihre Ressourcen entfernt.',
  },
  'deployment.check-failed': {
    title: 'Eine Prüfung der bereitgestellten VM ist fehlgeschlagen',
    cause:
      'Der Gast ist gestartet, aber etwas zu Prüfendes hat in der vorgesehenen Zeit nicht wie erwartet geantwortet.',
    remedy:
      'Lesen Sie die Ergebnisse der Prüfungen in der Bereitstellung. Korrigieren Sie Gast, Netzwerk oder Prüfung, und stellen Sie erneut bereit; stellen Sie die Prüfung auf Warnung, wenn sie die Bereitstellung nicht beenden soll.',
  },
  'life.wrong-state': {
    title: 'Das ist im jetzigen Zustand der VM nicht möglich',
    cause:
      'Der Schritt passt nicht zum Stand der VM: Nur eine Umschaltung lässt sich zurücksetzen, und nur eine VM, die am Ziel läuft, lässt sich abschließen.',
    remedy: 'Prüfen Sie den Zustand und den nächsten Schritt in der Liste der Replikate.',
  },
  'life.finalised': {
    title: 'Das Replikat ist abgeschlossen',
    cause: 'Seine Volumes, Snapshots und die Änderungsverfolgung wurden freigegeben oder werden gerade freigegeben.',
    remedy: 'Löschen Sie das Replikat und erstellen Sie ein neues, um die VM erneut zu kopieren.',
  },
  'life.busy': {
    title: 'Das Replikat wird gerade zurückgesetzt oder abgeschlossen',
    cause: 'Ein anderer Vorgang dieser Art für dasselbe Replikat ist noch nicht beendet.',
    remedy: 'Warten Sie auf sein Ende.',
  },
  'life.rehearsal-network': {
    title: 'Die Probe hat kein isoliertes Netzwerk',
    cause:
      'Eine NIC käme in ein Netzwerk, das für die VM vorgesehen ist und in dem sie auf ihre Quelle träfe, oder für sie wurde kein Netzwerk angegeben.',
    remedy: 'Geben Sie für die Probe ein anderes Zielnetzwerk an, für alle NICs oder für jedes Quellnetzwerk.',
  },
  'life.source-not-started': {
    title: 'Die Quell-VM wurde nicht gestartet',
    cause:
      'Die Quellplattform kann keine VMs starten oder hat diese nicht gestartet. Die bereitgestellte VM wurde entfernt.',
    remedy:
      'Starten Sie die Quell-VM auf ihrer Plattform, und setzen Sie dann erneut zurück mit der Angabe, dass sie von Hand gestartet wurde.',
  },
};
