import type { ErrorWords } from '../catalogue.ts';

export const sourceErrors: Readonly<Record<string, ErrorWords>> = {
  'source.unreachable': {
    title: 'Die Quelle ist nicht erreichbar',
    cause:
      'Die Adresse oder der Socket ist falsch, der Dienst läuft nicht, oder eine Firewall blockiert die Verbindung.',
    remedy:
      'Prüfen Sie die Verbindungseinstellungen des Endpunkts und ob der Hypervisor läuft, und prüfen Sie dann den Endpunkt.',
  },
  'source.connection-lost': {
    title: 'Die Verbindung zur Quelle wurde unterbrochen',
    cause:
      'Die Quelle hat die Verbindung geschlossen oder antwortet nicht mehr, zum Beispiel weil der Hypervisor oder sein Host neu gestartet wurde.',
    remedy: 'Starten Sie erneut. Die Ausführung wird am letzten Prüfpunkt fortgesetzt.',
  },
  'source.ssh-unreachable': {
    title: 'Der Host des Hypervisors ist nicht über SSH erreichbar',
    cause:
      'Die Adresse ist falsch, der Host oder sein SSH-Server läuft nicht, eine Firewall blockiert die Verbindung, oder die Verbindung wurde unterbrochen.',
    remedy:
      'Prüfen Sie `ssh_host`, `ssh_port` und das Netzwerk, und prüfen Sie dann den Endpunkt. Eine Ausführung wird am letzten Prüfpunkt fortgesetzt.',
  },
  'source.ssh-host-key-mismatch': {
    title: 'Der SSH-Hostschlüssel des Hypervisors stimmt nicht überein',
    cause:
      'Unter dieser Adresse antwortet eine andere Maschine, der Host wurde neu installiert, oder die Verbindung wird abgefangen. Es wurde kein Passwort gesendet.',
    remedy:
      'Vergleichen Sie den Fingerabdruck in den Details mit dem auf dem Host (`ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub`). Ist es der richtige Host, ändern Sie `ssh_host_keys` des Endpunkts.',
  },
  'source.socket-denied': {
    title: 'Der SSH-Benutzer darf einen Socket des Hypervisors nicht öffnen',
    cause: 'Der in den Details genannte Unix-Socket gehört einem anderen Benutzer oder einer anderen Gruppe.',
    remedy:
      'Fügen Sie den SSH-Benutzer der Gruppe des Sockets hinzu (bei libvirt: libvirt), oder melden Sie sich als ein Benutzer an, der ihn öffnen darf.',
  },
  'source.tls-refused': {
    title: 'Keine vertrauenswürdige TLS-Verbindung zur Quelle',
    cause:
      'Die Quelle verwendet kein TLS, oder ihr Zertifikat ist weder das festgelegte noch von der angegebenen Zertifizierungsstelle ausgestellt.',
    remedy:
      'Vergleichen Sie das Zertifikat mit der Zertifizierungsstelle oder dem festgelegten Zertifikat des Endpunkts. Es wurde nichts unverschlüsselt gesendet.',
  },
  'source.protocol': {
    title: 'Protokollfehler der Quelle',
    cause: 'Die Antwort ist kein gültiges NBD oder QMP. Möglicherweise läuft unter dieser Adresse ein anderer Dienst.',
    remedy: 'Prüfen Sie die Adresse. Ist sie richtig, melden Sie das Problem mit den Details.',
  },
  'source.request-refused': {
    title: 'Die Quelle hat eine Anforderung abgelehnt',
    cause: 'Der Hypervisor hat einen Fehler zurückgegeben; siehe Details.',
    remedy:
      'Prüfen Sie die Details. Häufig verwendet ein anderer Vorgang den Datenträger, etwa eine Sicherung oder ein Block-Commit.',
  },
  'source.read-failed': {
    title: 'Die Quelle konnte ihren Datenträger nicht lesen',
    cause: 'Der zugrunde liegende Speicher hat einen Fehler gemeldet, oder das Image ist beschädigt.',
    remedy: 'Prüfen Sie den Speicher der Quelle (zum Beispiel mit `qemu-img check`), und starten Sie dann erneut.',
  },
  'source.vm-not-found': {
    title: 'VM an der Quelle nicht gefunden',
    cause: 'Die VM wurde umbenannt, gelöscht oder verschoben.',
    remedy: 'Lassen Sie sich die VMs des Endpunkts anzeigen, und wählen Sie erneut aus.',
  },
  'source.os-type-unknown': {
    title: 'Das Gastbetriebssystem ist nicht bekannt',
    cause: 'Das Image der VM nennt ein Betriebssystem, das weder als Linux noch als Windows bekannt ist.',
    remedy:
      'Ordnen Sie den Namen mit `custom_os_type_map` in der Quellumgebung linux oder windows zu, z. B. `{"haiku": "linux"}`, und starten Sie die Ausführung erneut.',
  },
  'source.disk-not-found': {
    title: 'Datenträger nicht gefunden',
    cause: 'Der Datenträger wurde getrennt oder sein Image gelöscht, seit die VM zuletzt gelesen wurde.',
    remedy: 'Aktualisieren Sie die VM. Schließen Sie den fehlenden Datenträger aus, oder verbinden Sie ihn wieder.',
  },
  'source.snapshot-lost': {
    title: 'Der Snapshot kann nicht mehr gelesen werden',
    cause:
      'Die VM wurde neu gestartet, oder der Arbeitsbereich des Snapshots ist voll oder ausgefallen. Der Gast war nicht betroffen.',
    remedy:
      'Starten Sie die Ausführung erneut, um einen neuen Snapshot zu erstellen. War der Arbeitsordner voll, stellen Sie mehr Speicherplatz bereit.',
  },
  'source.snapshot-failed': {
    title: 'Der Snapshot konnte nicht erstellt werden',
    cause: 'Der Hypervisor hat einen der Schritte abgelehnt. Alle abgeschlossenen Schritte wurden rückgängig gemacht.',
    remedy: 'Die Details nennen den abgelehnten Schritt.',
  },
  'source.changed-while-reading': {
    title: 'Ein Image wurde während des Lesens geändert',
    cause:
      'Ein Programm hat nach dem Erstellen des Snapshots in das Image geschrieben, zum Beispiel weil seine VM gestartet wurde.',
    remedy: 'Stellen Sie sicher, dass kein Programm die Images verwendet, und starten Sie dann die Ausführung erneut.',
  },
  'source.quiesce-failed': {
    title: 'Die Dateisysteme des Gasts konnten nicht eingefroren werden',
    cause: 'Der Gast-Agent läuft nicht, oder ein Dateisystem konnte nicht eingefroren werden.',
    remedy:
      'Prüfen Sie den Gast-Agenten, oder entfernen Sie `quiesce`, um einen absturzkonsistenten Snapshot zu erstellen.',
  },
  'source.shutdown-refused': {
    title: 'Die VM wurde nicht heruntergefahren',
    cause:
      'Der Gast ignoriert die Anforderung oder ist beschäftigt, oder die Quelle lässt das Anhalten der VM nicht zu. Siehe Details.',
    remedy:
      'Nennen die Details, was das Anhalten der VM verbietet, ändern Sie dies zuerst. Andernfalls fahren Sie die VM vom Gast aus herunter, und setzen Sie dann fort.',
  },
  'source.tool-missing': {
    title: 'Ein Programm zum Lesen dieser Quelle ist nicht installiert',
    cause:
      'Volumes eines Ceph-Clusters werden über rbd und qemu-nbd gelesen, die Datenträgerbibliothek des Herstellers von vSphere über nbdkit und dessen vddk-Plugin.',
    remedy:
      'Installieren Sie das in den Details genannte Debian-Paket oder das entsprechende Paket Ihres Systems. Volumes eines Ceph-Clusters brauchen keines, wenn service_backups_options einen Export-Worker beschreibt.',
  },
  'source.image-unreadable': {
    title: 'Das Image kann nicht geöffnet werden',
    cause:
      'Es ist beschädigt oder verschlüsselt, hat ein Format oder eine Variante, die nicht unterstützt wird, oder seine Berechtigungen lassen es nicht zu.',
    remedy:
      'Siehe Details. Exportieren Sie den Datenträger erneut, oder konvertieren Sie ihn in ein unterstütztes Format (z. B. mit `qemu-img convert`).',
  },
  'source.image-refers-outside': {
    title: 'Das Image verweist auf Dateien außerhalb seines Ordners',
    cause:
      'Es nennt eine Basisdatei, ein übergeordnetes Image oder einen Extent, der nicht geöffnet wird. Mit einem solchen Image ließe sich Causeway dazu bringen, beliebige Dateien dieses Computers zu kopieren.',
    remedy:
      'Wenn Sie dem Image vertrauen, legen Sie die von ihm genannten Dateien daneben ab, oder konvertieren Sie es in eine einzelne Datei (`qemu-img convert`).',
  },
  'source.image-part-missing': {
    title: 'Eine Datei des Images fehlt',
    cause:
      'Das Image besteht aus mehreren Dateien (Extents, einem übergeordneten Image oder einer Basisdatei), und eine davon existiert nicht.',
    remedy: 'Legen Sie die fehlende Datei neben dem Image ab, und versuchen Sie es dann erneut.',
  },
  'source.description-invalid': {
    title: 'Die Beschreibung der VM kann nicht gelesen werden',
    cause: 'Die OVF oder OVA ist beschädigt oder nennt Datenträger, die nicht vorhanden sind.',
    remedy: 'Exportieren Sie die VM erneut, oder entfernen Sie die Beschreibung, um nur die Images zu verwenden.',
  },
  'source.unsupported': {
    title: 'Von der Quelle nicht unterstützt',
    cause: 'Der Version oder Konfiguration der Quelle fehlt eine erforderliche Funktion; siehe Details.',
    remedy: 'Die Details nennen die Voraussetzung.',
  },
  'source.guest-not-ready': {
    title: 'Kein konsistenter Prüfpunkt des Gasts',
    cause: 'Die Integrationsdienste des Gasts laufen nicht, oder der Gast konnte seine Dateisysteme nicht einfrieren.',
    remedy:
      'Starten oder aktualisieren Sie die Integrationsdienste des Gasts, oder setzen Sie `fallback_to_crash_consistent_snapshots` auf yes, um einen absturzkonsistenten Zustand zu akzeptieren.',
  },
  'source.host-restricted': {
    title: 'Der Host schränkt PowerShell ein',
    cause:
      'Eine Richtlinie des Hosts (AppLocker, Windows Defender Application Control) lässt dieses Konto PowerShell nur im eingeschränkten Sprachmodus ausführen.',
    remedy:
      'Lassen Sie einen Administrator den vollständigen Sprachmodus für das Konto auf diesem Host erlauben. Causeway umgeht die Richtlinie nicht.',
  },
  'source.reader-failed': {
    title: 'Der Reader ist auf dem Host nicht gestartet',
    cause:
      'Das Programm, das Datenträger auf dem Host liest, konnte nicht kompiliert oder gestartet werden, oder sein Port ist nicht erreichbar. Siehe Details.',
    remedy:
      'Öffnen Sie den Port des Readers auf dem Host für diesen Computer, verwalten Sie den Host über SSH, oder installieren Sie den RCT-Dienst. Hat Sicherheitssoftware des Hosts das Programm angehalten, bitten Sie den Administrator, es zuzulassen.',
  },
  'source.encryption-key-denied': {
    title: 'Der Verschlüsselungsschlüssel eines Volumes kann nicht verwendet werden',
    cause:
      'Das Volume ist verschlüsselt, und die Schlüsselrichtlinie oder die Richtlinie des Kontos erlaubt die Verwendung des Schlüssels zum Lesen nicht, oder der Schlüssel ist deaktiviert.',
    remedy:
      'Erlauben Sie die in den Details genannten Aktionen für den dort genannten Schlüssel in der Schlüsselrichtlinie und in der Richtlinie des Kontos, und starten Sie dann erneut.',
  },
  'source.block-damaged': {
    title: 'Ein Block wurde beschädigt empfangen',
    cause:
      'Die Prüfsumme eines Blocks unterscheidet sich von der mitgesendeten Prüfsumme der Cloud, auch bei erneutem Lesen. Möglicherweise verändert ein Proxy dazwischen Daten.',
    remedy: 'Starten Sie erneut. Tritt der Fehler wieder auf, greifen Sie ohne den Proxy auf die Cloud zu.',
  },
  'source.resource-busy': {
    title: 'Eine Ressource an der Quelle kann noch nicht entfernt werden',
    cause:
      'Die Quelle verwendet sie noch, oder etwas hängt von ihr ab: ein aus dem Snapshot erstelltes Volume oder eine spätere inkrementelle Sicherung.',
    remedy:
      'Löschen Sie die in den Details genannten abhängigen Ressourcen, und bereinigen Sie dann erneut. Die VM ist nicht betroffen.',
  },
  'source.backup-failed': {
    title: 'Eine Volume-Sicherung ist fehlgeschlagen',
    cause:
      'Der Sicherungsdienst hat die Anforderung abgelehnt oder ist ausgefallen. Seine Meldung steht in den Details.',
    remedy:
      'Prüfen Sie, ob der Sicherungsdienst läuft und freien Speicherplatz hat, oder wählen Sie ein anderes Exportverfahren.',
  },
  'source.backup-unreadable': {
    title: 'Eine Sicherung kann nicht aus dem Objektspeicher gelesen werden',
    cause:
      'Ihre Objekte fehlen, sind beschädigt oder liegen in einem Konto, das dieser Endpunkt nicht lesen darf (backup_swift_auth ungleich per_user).',
    remedy:
      'Die Details nennen die fehlenden Objekte. Konfigurieren Sie die Cloud so, dass Sicherungen im Konto des Projekts gespeichert werden, oder wählen Sie ein anderes Exportverfahren.',
  },
};
