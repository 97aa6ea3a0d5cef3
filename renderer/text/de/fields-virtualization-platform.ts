import type { FieldTexts } from './field-texts.ts';

export const virtualizationPlatformFields: FieldTexts = {
  'virtualization-platform/connection/host': {
    title: 'Host',
    help: 'Name oder Adresse des Managementservers oder eines einzelnen Hypervisor-Hosts.',
  },
  'virtualization-platform/connection/port': {
    title: 'Port',
    help: 'TCP-Port der Schnittstelle.',
  },
  'virtualization-platform/connection/username': {
    title: 'Benutzername',
    help: 'Benutzername mit Domäne.',
  },
  'virtualization-platform/connection/password': {
    title: 'Passwort',
    help: 'Passwort des Benutzers. Wird im Tresor gespeichert.',
  },
  'virtualization-platform/connection/disk_access': {
    title: 'Datenträgerzugriff',
    help: 'Wie Datenträger gelesen werden. auto verwendet die erste funktionierende Methode: den Datenport des Hosts (TCP 902), die Bibliothek des Herstellers, sofern ihr Ordner angegeben ist, Dateien des Datenspeichers oder einen Export des Snapshots. Ein Export sendet ganze Datenträger, daher verwendet auto ihn nur für Erstkopien.',
  },
  'virtualization-platform/connection/disk_access_encryption': {
    title: 'Verschlüsselung der Datenträgerdaten',
    help: 'Ob der Datenport eines Hosts TLS anbieten muss. required lehnt Hosts ohne TLS ab. preferred liest von ihnen unverschlüsselt: Jeder im Netzwerkpfad kann die Daten der Datenträger dann lesen und verändern.',
  },
  'virtualization-platform/connection/disk_library_folder': {
    title: 'Ordner der Datenträgerbibliothek des Herstellers',
    help: 'Ordner auf diesem Computer mit dem Virtual Disk Development Kit des Herstellers, falls vorhanden. Datenträger werden dann über nbdkit gelesen, wenn der Datenport eines Hosts nicht verwendet werden kann.',
  },
  'virtualization-platform/connection/ca_certificate': {
    title: 'Zertifizierungsstelle',
    help: 'Zertifikat der Stelle, die das Serverzertifikat ausgestellt hat, im PEM-Format. Erforderlich, wenn das System ihr nicht vertraut.',
  },
  'virtualization-platform/connection/allow_untrusted': {
    title: 'Nicht vertrauenswürdige Zertifikate zulassen',
    help: 'Das TLS-Zertifikat des Servers nicht prüfen. Geben Sie besser seine Zertifizierungsstelle an: Ohne Prüfung kann jeder im Netzwerkpfad den Datenverkehr lesen und verändern.',
  },
  'virtualization-platform/source/disklib_compatibility_version': {
    title: 'Version der Datenträgerbibliothek',
    help: 'Plattformversion, für die die Datenträgerbibliothek initialisiert wird, als <major>.<minor>. Erforderlich, wenn die Bibliothek sonst ein neueres Protokoll verwenden würde, als die Plattform unterstützt.',
  },
  'virtualization-platform/source/automatically_enable_cbt': {
    title: 'Changed Block Tracking aktivieren',
    help: 'Vor der ersten Ausführung versuchen, Changed Block Tracking der VM zu aktivieren. Ohne Änderungsverfolgung liest jede Ausführung die gesamten Datenträger.',
  },
};
