import type { ErrorWords } from '../catalogue.ts';

export const osmorphingErrors: Readonly<Record<string, ErrorWords>> = {
  'osmorphing.not-supported': {
    title: 'Gastbetriebssystem nicht unterstützt',
    cause:
      'OSMorphing unterstützt Debian, Ubuntu, die RHEL-Familie (CentOS, AlmaLinux, Rocky, Oracle, Amazon, Fedora), SUSE sowie Windows 7, Server 2008 R2 und höher. Die Datenträger enthalten ein anderes System.',
    remedy:
      'Hat der Gast bereits Treiber für das Ziel, stellen Sie ihn ohne OSMorphing bereit. Andernfalls übertragen Sie seine Daten auf ein unterstütztes System.',
  },
  'osmorphing.root-not-found': {
    title: 'Auf den Datenträgern wurde kein Betriebssystem gefunden',
    cause:
      'Kein Dateisystem enthält eine Release-Datei zusammen mit /etc/fstab oder mit einem Kernel und einem Init-Programm. Möglicherweise fehlt ein Datenträger, oder das Speicherlayout wird nicht unterstützt.',
    remedy: 'Prüfen Sie, ob alle Datenträger der VM repliziert werden. Die Details führen die durchsuchten Geräte auf.',
  },
  'osmorphing.several-roots': {
    title: 'Mehr als ein Betriebssystem gefunden',
    cause:
      'Mehrere Dateisysteme sehen wie ein Root-Dateisystem aus, zum Beispiel eine zweite Installation oder eine alte Kopie.',
    remedy: 'Wählen Sie das System aus, von dem die VM startet; die Details führen die Kandidaten auf.',
  },
  'osmorphing.locked': {
    title: 'Das Betriebssystem liegt auf einem verschlüsselten Volume',
    cause:
      'Für das verschlüsselte Volume (LUKS oder BitLocker) wurde kein Schlüssel angegeben, oder keiner der angegebenen Schlüssel öffnet es. Oder BitLocker war noch dabei, das Volume zu ver- oder entschlüsseln.',
    remedy:
      'Speichern Sie die Passphrase oder den BitLocker-Wiederherstellungsschlüssel als Geheimnis, und nennen Sie das Geheimnis in den Bereitstellungsoptionen. Die Details nennen das Volume. Ein Volume, dessen BitLocker-Schutz angehalten ist, braucht keinen Schlüssel. Ist BitLocker mit einem Volume noch nicht fertig, warten Sie das ab und führen Sie das Replikat erneut aus.',
  },
  'osmorphing.duplicate-volume-groups': {
    title: 'Zwei Volume-Gruppen haben denselben Namen',
    cause:
      'LVM kann Volume-Gruppen mit demselben Namen nicht unterscheiden. Entweder stammen zwei Datenträger der VM aus einer Vorlage, oder der Worker hat eine Volume-Gruppe mit diesem Namen.',
    remedy:
      'Benennen Sie eine der Gruppen an der Quelle um (vgrename mit ihrer UUID), und replizieren Sie erneut, oder verwenden Sie ein Worker-Image ohne LVM.',
  },
  'osmorphing.file-system-damaged': {
    title: 'Ein Dateisystem ist beschädigt',
    cause:
      'Die automatische Prüfung hat Fehler gefunden, die sie nicht reparieren kann. Die Quelle hat denselben Schaden, oder der Snapshot wurde erstellt, während Daten geschrieben wurden.',
    remedy: 'Prüfen Sie das Dateisystem an der Quelle, und replizieren Sie erneut.',
  },
  'osmorphing.worker-too-old': {
    title: 'Das Worker-Image ist zu alt für diesen Gast',
    cause:
      'Ein Dateisystem des Gasts hat eine Funktion, die die Tools oder der Kernel des Workers nicht unterstützen. Das Dateisystem ist nicht beschädigt.',
    remedy:
      'Wählen Sie ein Worker-Image mit einer neueren Distribution, mindestens so neu wie der Gast, und stellen Sie erneut bereit.',
  },
  'osmorphing.mount-failed': {
    title: 'Ein Dateisystem des Gasts kann nicht eingebunden werden',
    cause:
      'Eine Zeile in /etc/fstab nennt ein Gerät, das auf keinem der replizierten Datenträger vorhanden ist, oder nennt es so, dass nur die Quelle es versteht; oder der Worker unterstützt das Dateisystem nicht.',
    remedy:
      'Prüfen Sie, ob alle Datenträger repliziert werden. Geben Sie Dateisysteme an der Quelle mit UUID=… an, und kennzeichnen Sie nicht benötigte mit nofail. Verwenden Sie ein Worker-Image, das so neu ist wie der Gast.',
  },
  'osmorphing.disk-names-unclear': {
    title: 'Ein Datenträgername im Gast kann mehrere Datenträger bezeichnen',
    cause:
      'Eine Konfigurationsdatei nennt einen Datenträger nach seiner Position (zum Beispiel /dev/sdb1). Das Ziel nummeriert Datenträger anders, und nichts auf den Datenträgern zeigt, welcher gemeint ist.',
    remedy:
      'Ersetzen Sie den Namen an der Quelle durch UUID=… (`blkid` führt die UUIDs auf), führen Sie das Replikat erneut aus, und stellen Sie es erneut bereit. Kann der Gast ohne das Dateisystem starten, fügen Sie stattdessen die Option nofail hinzu.',
  },
  'osmorphing.device-missing': {
    title: 'Ein Datenträger fehlt auf dem Worker',
    cause: 'Das Volume wurde nicht verbunden oder in der Zwischenzeit getrennt.',
    remedy: 'Starten Sie die Bereitstellung erneut.',
  },
  'osmorphing.packages-unreachable': {
    title: 'Der Gast kann keine Pakete installieren',
    cause:
      'Seine Paketquellen sind vom Worker aus nicht erreichbar, erfordern ein Abonnement oder existieren nicht mehr.',
    remedy:
      'Erlauben Sie dem Netzwerk des Workers den Zugriff auf die Paketquellen, geben Sie einen HTTP-Proxy oder einen Ordner mit den Paketen an, oder installieren Sie cloud-init an der Quelle. Kommt der Gast ohne cloud-init aus, machen Sie es in den Bereitstellungsoptionen optional.',
  },
  'osmorphing.no-virtio': {
    title: 'Kein Kernel unterstützt die Datenträger des Ziels',
    cause: 'Kein installierter Kernel hat Treiber für die Datenträger des Ziels: VirtIO oder Hyper-V-Speicher.',
    remedy:
      'Installieren Sie an der Quelle den Standardkernel der Distribution, oder wählen Sie einen anderen Datenträgerbus.',
  },
  'osmorphing.initramfs': {
    title: 'Das Initramfs konnte nicht neu erstellt werden',
    cause:
      'Das Programm des Gasts ist fehlgeschlagen oder hat Treiber übersprungen. Seine Ausgabe steht in den Details.',
    remedy:
      'Erstellen Sie es an der Quelle neu (update-initramfs, dracut, mkinitrd), und beheben Sie die dort angezeigten Fehler.',
  },
  'osmorphing.no-space': {
    title: 'Ein Dateisystem des Gasts ist zu voll',
    cause:
      'Ein neues Initramfs benötigt freien Speicherplatz neben dem alten, und Pakete benötigen ihn dort, wo sie installiert werden.',
    remedy:
      'Entfernen Sie alte Kernel und andere Dateien, oder erweitern Sie das Dateisystem an der Quelle, und replizieren Sie dann erneut.',
  },
  'osmorphing.command-failed': {
    title: 'Ein Programm ist beim OSMorphing fehlgeschlagen',
    cause: 'Die Ausgabe des Programms steht in den Details.',
    remedy: 'Beheben Sie das gemeldete Problem an der Quelle, oder behalten Sie den Worker zur Fehlerbehebung.',
  },
  'osmorphing.script-failed': {
    title: 'Ein Benutzerskript ist fehlgeschlagen',
    cause: 'Das Skript hat einen Fehler zurückgegeben oder sein Zeitlimit überschritten.',
    remedy:
      'Prüfen Sie seine Ausgabe, die mit der Bereitstellung gespeichert ist. Korrigieren Sie das Skript, und stellen Sie erneut bereit.',
  },
  'osmorphing.hibernated': {
    title: 'Der Gast ist im Ruhezustand',
    cause:
      'Die VM wurde in den Ruhezustand versetzt statt heruntergefahren, in einen Swap-Bereich oder eine Swap-Datei (Windows tut dies mit Schnellstart bei jedem Herunterfahren). Änderungen an ihren Datenträgern gingen verloren oder würden sie beschädigen.',
    remedy:
      'Starten Sie die VM an der Quelle, und fahren Sie sie herunter (Windows: führen Sie zuerst `powercfg /h off` aus). Führen Sie dann das Replikat erneut aus.',
  },
  'osmorphing.not-shut-down': {
    title: 'Die Protokolle eines laufenden Windows können nicht angewendet werden',
    cause:
      'Das Replikat wurde erstellt, während Windows lief: Die neuesten Änderungen an Dateisystem und Registrierung stehen nur in deren Protokollen, und diese sind unvollständig oder beschädigt.',
    remedy:
      'Migrieren Sie mit einer abschließenden Ausführung, die zuerst die Quelle herunterfährt, oder fahren Sie sie herunter, und replizieren Sie erneut.',
  },
  'osmorphing.registry-damaged': {
    title: 'Die Windows-Registrierung kann nicht gelesen werden',
    cause: 'Eine Struktur ist beschädigt oder unvollständig.',
    remedy: 'Prüfen Sie, ob Windows an der Quelle startet, fahren Sie es herunter, und replizieren Sie erneut.',
  },
  'osmorphing.drivers-missing': {
    title: 'Keine VirtIO-Treiber für diese Windows-Version',
    cause:
      'Das Treiber-ISO konnte nicht gelesen werden oder enthält für diese Version und Architektur keine Treiber, die Windows lädt: Manche sind nur für Tests signiert, andere benötigen ein Update von Windows 7 und Server 2008 R2.',
    remedy:
      'Prüfen Sie windows_virtio_iso_url und ob der Worker die Adresse erreichen kann. Ältere ISOs enthalten Treiber für ältere Windows-Versionen.',
  },
  'osmorphing.init-agent-missing': {
    title: 'Der Initialisierungs-Agent für Gäste kann nicht installiert werden',
    cause:
      'Sein Archiv konnte nicht heruntergeladen werden oder passt nicht zu diesem Gast. Der Agent führt die Konfiguration beim ersten Start aus.',
    remedy:
      'Prüfen Sie winguestinit_x64_url und ob der Worker die Adresse erreichen kann, oder installieren Sie den Agenten an der Quelle.',
  },
  'osmorphing.download-differs': {
    title: 'Der Digest eines Downloads stimmt nicht überein',
    cause:
      'Der Digest der Datei unterscheidet sich von dem in der URL: Sie wurde durch eine andere Version ersetzt oder unterwegs verändert.',
    remedy: 'Stellen Sie fest, welcher Digest richtig ist, bevor Sie ihn ändern. Der Download wurde nicht verwendet.',
  },
  'osmorphing.worker-tools': {
    title: 'Dem Worker fehlen Tools für Windows-Gäste',
    cause: 'Er benötigt ntfs-3g und das Python-Paket hivex und konnte sie nicht installieren.',
    remedy:
      'Verwenden Sie ein Debian- oder Ubuntu-Worker-Image, das seine Paketquellen erreichen kann, oder eines, in dem diese Tools installiert sind.',
  },
  'osmorphing.busy': {
    title: 'Der Worker ist mit diesem Gast beschäftigt',
    cause: 'Ein früherer Befehl derselben Vorbereitung ist noch nicht beendet.',
    remedy: 'Warten Sie eine Minute, und starten Sie erneut, oder verwenden Sie einen neuen Worker.',
  },
  'osmorphing.inspection-active': {
    title: 'Der Gast wird untersucht',
    cause:
      'Die Volumes des Replikats sind an einem Worker angehängt, der den Gast untersucht. Wurde die Engine während einer Untersuchung beendet, sind sie es möglicherweise noch.',
    remedy:
      'Warten Sie, bis die Untersuchung beendet ist, oder brechen Sie sie ab. Das löscht auch den Worker einer unterbrochenen Untersuchung.',
  },
  'osmorphing.not-mounted': {
    title: 'Der Gast ist nicht eingebunden',
    cause: 'Die Einbindung wurde in der Zwischenzeit durch einen Stopp oder einen anderen Befehl aufgehoben.',
    remedy: 'Starten Sie die Bereitstellung erneut.',
  },
  'osmorphing.not-unmounted': {
    title: 'Die Einbindung des Gasts konnte nicht vollständig aufgehoben werden',
    cause: 'Ein Prozess auf dem Worker verwendet noch seine Dateisysteme; siehe Details.',
    remedy:
      'Die Volumes der Bereitstellung sind möglicherweise unvollständig. Starten Sie die Bereitstellung erneut; das Replikat ist nicht betroffen.',
  },
  'osmorphing.program-failed': {
    title: 'Das Vorbereitungsprogramm wurde unerwartet beendet',
    cause:
      'Mögliche Ursachen: ein Programmfehler, oder dem Worker ging der Arbeitsspeicher aus oder er verlor seine Verbindung. Die Details enthalten die letzte Ausgabe.',
    remedy: 'Starten Sie die Bereitstellung erneut. Tritt der Fehler wieder auf, melden Sie ihn mit den Details.',
  },
  'osmorphing.doubtful-disks': {
    title: 'Datenträger oder Volumes des Gasts erfordern Aufmerksamkeit',
    cause:
      'Ein Dateisystem, Volume oder Gerät, das der Gast nennt, konnte nicht erkannt, geöffnet oder gelesen werden oder heißt am Ziel anders.',
    remedy:
      'Berichtigen Sie /etc/fstab, /etc/crypttab oder die genannte Datei an der Quelle (UUID= statt Gerätenamen), oder ergänzen Sie `nofail` bei dem, worauf der Gast verzichten kann. Führen Sie das Replikat dann erneut aus.',
  },
  'osmorphing.doubtful-boot': {
    title: 'Ein Kernel oder Starteintrag funktioniert am Ziel möglicherweise nicht',
    cause:
      'Einem Kernel fehlt ein Treiber, ein Initramfs oder Bootloader konnte nicht untersucht werden, oder ein Starteintrag nennt ein anderes Root-Dateisystem. Andere Kernel oder Einträge können dennoch starten.',
    remedy:
      'Installieren Sie an der Quelle den Standardkernel der Distribution, entfernen Sie unbenutzte Kernel, und erstellen Sie das Initramfs neu. Führen Sie das Replikat dann erneut aus.',
  },
  'osmorphing.doubtful-network': {
    title: 'Eine Netzwerkeinstellung erfordert Aufmerksamkeit',
    cause:
      'Eine Einstellung kann nicht unverändert übernommen werden: ein Bond, eine Bridge oder ein VLAN, ein Schnittstellenname, den am Ziel nichts trägt, oder eine Datei, die nicht verstanden wird.',
    remedy:
      'Prüfen Sie die Netzwerkeinstellungen nach der Bereitstellung im Gast, oder stellen Sie mit `set_dhcp: false` bereit, um sie zu behalten. Halten Sie für den ersten Start einen Konsolenzugang bereit.',
  },
  'osmorphing.doubtful-packages': {
    title: 'Die Pakete des Gasts konnten nicht vollständig untersucht werden',
    cause:
      'Seine Paketdatenbank wurde nicht gelesen oder antwortet nicht, oder die Werkzeuge der Quellplattform können nicht entfernt werden.',
    remedy:
      'Prüfen Sie die Paketdatenbank an der Quelle mit den Programmen der Distribution. Programme des Gasts laufen nur auf einem Worker: Ein Gast in einem Abbild auf diesem Computer wird ohne sie untersucht.',
  },
  'osmorphing.doubtful-settings': {
    title: 'Eine Einstellung des Gasts hängt von der Quelle ab',
    cause: 'Der Gast verwendet etwas, das es nur an der Quelle gibt, beispielsweise ihren Zeitserver.',
    remedy: 'Tragen Sie an der Quelle oder nach der Bereitstellung im Gast ein, was das Ziel anbietet.',
  },
  'osmorphing.local-inspection': {
    title: 'Images können auf diesem Computer nicht untersucht werden',
    cause:
      'Für die Untersuchung werden Dateisysteme eines Gasts schreibgeschützt eingebunden; dies erfordert Linux, root, Python 3.6 und Loop-Geräte.',
    remedy: 'Führen Sie den Befehl als root auf einem Linux-Computer aus, auf dem die Images vorhanden sind.',
  },
};
