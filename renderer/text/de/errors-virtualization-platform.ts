import type { ErrorWords } from '../catalogue.ts';

export const virtualizationPlatformErrors: Readonly<Record<string, ErrorWords>> = {
  'source.host-unreachable': {
    title: 'Der Datenport des Hosts ist nicht erreichbar',
    cause:
      'Datenträger werden vom ESXi-Host selbst gelesen, nicht von vCenter. Eine Firewall blockiert den Port (meist TCP 902), der Host ist ausgeschaltet, oder sein Name wird hier nicht aufgelöst.',
    remedy:
      'Öffnen Sie den in den Details genannten Port von diesem Computer zu jedem ESXi-Host, oder lesen Sie über Dateien des Datenspeichers oder einen Export (HTTPS, Port 443).',
  },
  'source.host-certificate-mismatch': {
    title: 'Das Zertifikat des Hosts stimmt nicht überein',
    cause:
      'vCenter hat für diesen Host ein anderes Zertifikat genannt: Es wurde gerade ersetzt, unter dieser Adresse antwortet eine andere Maschine, oder die Verbindung wird abgefangen. Es wurde kein Datenträger geöffnet.',
    remedy:
      'Verbinden Sie den Host in vCenter neu, falls sein Zertifikat ersetzt wurde. Andernfalls stellen Sie fest, welche Maschine am Datenport antwortet.',
  },
  'source.host-encryption-missing': {
    title: 'Der Host verschlüsselt seinen Datenport nicht',
    cause: 'Der Host bietet für Datenträgerdaten kein TLS an, oder das Angebot wurde unterwegs entfernt.',
    remedy:
      'Aktualisieren Sie den Host auf ESXi 6.5 oder höher, oder lesen Sie über Dateien des Datenspeichers oder einen Export (HTTPS, Port 443). Es wurde nichts unverschlüsselt gesendet. In einem vertrauenswürdigen Netzwerk setzen Sie disk_access_encryption des Endpunkts auf preferred.',
  },
  'source.data-session-refused': {
    title: 'Der Host hat die Datensitzung abgelehnt',
    cause:
      'Das Ticket wurde bereits verwendet oder ist abgelaufen, oder der Host hat seine maximale Anzahl von Verbindungen erreicht.',
    remedy:
      'Starten Sie erneut. Tritt der Fehler wieder auf, beenden Sie andere Sicherungen, die von diesem Host lesen, oder führen Sie weniger VMs dieses Hosts parallel aus.',
  },
  'source.host-too-old': {
    title: 'Der Host ist zu alt für den direkten Datenträgerzugriff',
    cause: 'ESXi 6.0 und früher bieten nur eine ältere Art des Datenträgerzugriffs.',
    remedy:
      'Aktualisieren Sie den Host auf ESXi 6.5 oder höher, verschieben Sie die VM auf einen solchen Host, oder lesen Sie über Dateien des Datenspeichers oder einen Export.',
  },
  'source.disk-access-denied': {
    title: 'Der Host verweigert den Zugriff auf den Datenträger',
    cause: 'Der Datenträger gehört zu einer anderen VM, oder dem Konto fehlt eine Berechtigung.',
    remedy:
      'Prüfen Sie, ob das Konto für die VM VirtualMachine.Provisioning.DiskRandomRead und VirtualMachine.Provisioning.GetVmFiles hat, und starten Sie dann erneut.',
  },
  'source.disk-locked': {
    title: 'Der Datenträger wird verwendet und kann nicht geöffnet werden',
    cause: 'Eine laufende VM schreibt in diese Datei, oder ein anderes Programm lädt sie herunter.',
    remedy:
      'Beenden Sie andere Sicherungen oder Downloads dieser VM, und starten Sie die Ausführung erneut: Sie erstellt einen neuen Snapshot.',
  },
  'source.host-busy': {
    title: 'Der Host hat keinen Arbeitsspeicher mehr für den Datenträgerzugriff',
    cause:
      'Alle Verbindungen zum Datenport eines Hosts teilen sich einen kleinen Speicherpool (48 MB bei ESXi 7), und dieser ist aufgebraucht.',
    remedy:
      'Beenden Sie andere Sicherungen, die von diesem Host lesen, oder führen Sie weniger VMs dieses Hosts parallel aus, und starten Sie dann erneut.',
  },
  'source.disk-replaced': {
    title: 'Der Datenträger hat eine andere Größe als zuvor',
    cause:
      'Nach dem Verlust der Verbindung wurde der Datenträger erneut geöffnet und ist nicht der, der zuvor gelesen wurde.',
    remedy: 'Starten Sie die Ausführung erneut: Sie erstellt einen neuen Snapshot.',
  },
  'source.login-refused': {
    title: 'Anmeldung an der Quelle fehlgeschlagen',
    cause:
      'Der Benutzername oder das Passwort ist falsch, das Konto ist gesperrt, oder es darf sich an diesem Server nicht anmelden.',
    remedy: 'Prüfen Sie den Benutzernamen mit seiner Domäne und das Passwort des Endpunkts.',
  },
  'source.permission-denied': {
    title: 'Dem Konto fehlt eine Berechtigung an der Quelle',
    cause:
      'Die Rolle des Kontos enthält für diese VM oder ihren Ordner nicht die in den Details genannte Berechtigung.',
    remedy:
      'Fügen Sie der Rolle des Kontos die Berechtigung hinzu. Die Endpunktprüfung nennt alle fehlenden Berechtigungen nach Funktion.',
  },
  'source.not-licensed': {
    title: 'Die Lizenz der Quelle enthält diese Funktion nicht',
    cause:
      'Die Edition des Servers lässt den Aufruf nicht zu, zum Beispiel bei einem kostenlosen Hypervisor mit schreibgeschützter API.',
    remedy:
      'Verwenden Sie einen lizenzierten Host oder den Managementserver, oder replizieren Sie exportierte Images mit dem Plugin für Datenträger-Images.',
  },
  'source.vm-busy': {
    title: 'Die VM ist mit einer anderen Aufgabe beschäftigt',
    cause:
      'Eine Sicherung, eine Migration oder ein anderer Snapshot dieser VM läuft, oder ihr Betriebszustand lässt den Aufruf nicht zu.',
    remedy: 'Warten Sie, bis die in den Details genannte Aufgabe abgeschlossen ist, und starten Sie dann erneut.',
  },
  'source.consolidation-needed': {
    title: 'Datenträger der VM müssen konsolidiert werden',
    cause:
      'Ein früherer Snapshot wurde gelöscht, seine Dateien befinden sich aber noch in der Datenträgerkette, und ihre Konsolidierung ist fehlgeschlagen. Verfolgte Änderungen sind in diesem Zustand nicht zuverlässig.',
    remedy:
      'Konsolidieren Sie die Datenträger der VM im Client der Plattform. Schlägt das fehl, suchen Sie nach einer Sicherungs-Appliance, mit der ein Datenträger verbunden ist, und prüfen Sie den freien Speicherplatz des Datenspeichers.',
  },
  'source.tracking-incomplete': {
    title: 'Die Änderungsverfolgung hat eine unvollständige Liste zurückgegeben',
    cause:
      'Der Server hat vor dem Ende des Datenträgers aufgehört. Würden nur die aufgeführten Bereiche gelesen, könnten Änderungen fehlen.',
    remedy:
      'Starten Sie die Ausführung erneut. Tritt der Fehler wieder auf, deaktivieren und aktivieren Sie die Änderungsverfolgung der VM: Die nächste Ausführung vergleicht dann die gesamten Datenträger.',
  },
};
