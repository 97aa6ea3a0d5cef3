import type { FieldTexts } from './field-texts.ts';

export const serverVirtualizationManagerFields: FieldTexts = {
  'server-virtualization-manager/connection/port': {
    title: 'Port',
    help: 'TCP-Port der Schnittstelle.',
  },
  'server-virtualization-manager/connection/password': {
    title: 'Passwort',
    help: 'Passwort des Benutzers. Wird im Tresor gespeichert.',
  },
  'server-virtualization-manager/connection/ca_certificate': {
    title: 'Zertifizierungsstelle',
    help: 'Zertifikat der Stelle, die das Serverzertifikat ausgestellt hat, im PEM-Format. Erforderlich, wenn das System ihr nicht vertraut.',
  },
  'server-virtualization-manager/connection/allow_untrusted': {
    title: 'Nicht vertrauenswürdige Zertifikate zulassen',
    help: 'Das TLS-Zertifikat des Servers nicht prüfen. Geben Sie besser seine Zertifizierungsstelle an: Ohne Prüfung kann jeder im Netzwerkpfad den Datenverkehr lesen und verändern.',
  },
  'server-virtualization-manager/connection/host': {
    title: 'Host',
    help: 'Name oder Adresse des Managers.',
  },
  'server-virtualization-manager/connection/username': {
    title: 'Benutzername',
    help: 'Benutzer des Managers.',
  },
  'server-virtualization-manager/source/repository_name': {
    title: 'Repository',
    help: 'Repository, in dem temporäre Worker-VMs erstellt werden.',
  },
  'server-virtualization-manager/source/export_template_name': {
    title: 'Worker-Vorlage',
    help: 'Linux-Vorlage für Export-VMs. Ihre NIC muss in einem Netzwerk mit DHCP-Server sein, das von diesem Computer aus erreichbar ist.',
  },
  'server-virtualization-manager/source/export_template_username': {
    title: 'Benutzername der Vorlage',
    help: 'SSH-Benutzername auf der Export-VM.',
  },
  'server-virtualization-manager/source/export_template_password': {
    title: 'Passwort der Vorlage',
    help: 'Passwort dieses Benutzers. Verwenden Sie einen Verweis auf den Tresor: {"$secret": "name"}.',
  },
  'server-virtualization-manager/source/virtual_disk_clone_type': {
    title: 'Klonmethode',
    help: 'Wie Quelldatenträger geklont werden. Thin Clones werden empfohlen, manche Repository-Typen unterstützen sie jedoch nicht.',
  },
  'server-virtualization-manager/destination/storage_mappings/backend_mappings/source': {
    title: 'Quell-Backend',
    help: 'Kennung eines Speicher-Backends der Quelle, z. B. eines Datenspeichers.',
  },
  'server-virtualization-manager/destination/storage_mappings/disk_mappings/disk_id': {
    title: 'Quelldatenträger',
    help: 'Kennung eines Datenträgers der VM.',
  },
  'server-virtualization-manager/destination/network_map': {
    title: 'Netzwerkzuordnung',
    help: 'Ordnet Namen von Quellnetzwerken vorhandenen Zielnetzwerken zu.',
  },
  'server-virtualization-manager/destination/storage_mappings': {
    title: 'Speicherzuordnungen',
    help: 'Ordnet Quelldatenträger oder Speicher-Backends Repositorys zu.',
  },
  'server-virtualization-manager/destination/storage_mappings/default': {
    title: 'Standard',
    help: 'Das Repository für Datenträger, auf die kein anderer Eintrag zutrifft.',
  },
  'server-virtualization-manager/destination/storage_mappings/backend_mappings': {
    title: 'Nach Quell-Backend',
    help: 'Das Repository für alle Datenträger in einem Speicher-Backend der Quelle.',
  },
  'server-virtualization-manager/destination/storage_mappings/backend_mappings/destination': {
    title: 'Ziel-Repository',
    help: 'Das Repository für die Datenträger.',
  },
  'server-virtualization-manager/destination/storage_mappings/disk_mappings/destination': {
    title: 'Ziel-Repository',
    help: 'Das Repository für die Datenträger.',
  },
  'server-virtualization-manager/destination/storage_mappings/disk_mappings': {
    title: 'Nach Datenträger',
    help: 'Das Repository für einzelne Datenträger. Hat Vorrang vor dem Eintrag des Speicher-Backends und dem Standard.',
  },
  'server-virtualization-manager/destination/server_pool_name': {
    title: 'Serverpool',
    help: 'Serverpool für migrierte VMs und temporäre Worker.',
  },
  'server-virtualization-manager/destination/repository_name': {
    title: 'Repository',
    help: 'Repository, in dem migrierte VMs gespeichert werden.',
  },
  'server-virtualization-manager/destination/migr_template_name_map': {
    title: 'Worker-Vorlagen',
    help: 'Worker-Vorlagen nach Betriebssystemtyp. Schlüssel: linux, windows.',
  },
  'server-virtualization-manager/destination/migr_template_name_map/linux': {
    title: 'Linux-Worker-Vorlage',
    help: 'Vorlage für den Worker zur Datenträgerkopie und für die Vorbereitung von Linux-Gästen.',
  },
  'server-virtualization-manager/destination/migr_template_name_map/windows': {
    title: 'Windows-Worker-Vorlage',
    help: 'Vorlage für die Vorbereitung von Windows-Gästen.',
  },
  'server-virtualization-manager/destination/migr_template_username_map': {
    title: 'Benutzer der Vorlagen',
    help: 'Benutzernamen der Worker-Vorlagen nach Betriebssystemtyp.',
  },
  'server-virtualization-manager/destination/migr_template_username_map/linux': {
    title: 'Benutzer der Linux-Vorlage',
    help: 'Benutzer der Linux-Vorlage.',
  },
  'server-virtualization-manager/destination/migr_template_username_map/windows': {
    title: 'Benutzer der Windows-Vorlage',
    help: 'Benutzer der Windows-Vorlage.',
  },
  'server-virtualization-manager/destination/migr_template_password_map': {
    title: 'Passwörter der Vorlagen',
    help: 'Passwörter der Vorlagenbenutzer nach Betriebssystemtyp. Verwenden Sie Verweise auf den Tresor: {"$secret": "name"}.',
  },
  'server-virtualization-manager/destination/migr_template_password_map/linux': {
    title: 'Passwort der Linux-Vorlage',
    help: 'Passwort des Benutzers der Linux-Vorlage. Verwenden Sie einen Verweis auf den Tresor.',
  },
  'server-virtualization-manager/destination/migr_template_password_map/windows': {
    title: 'Passwort der Windows-Vorlage',
    help: 'Passwort des Benutzers der Windows-Vorlage. Verwenden Sie einen Verweis auf den Tresor.',
  },
  'server-virtualization-manager/destination/leave_migrated_vm_off': {
    title: 'Nicht einschalten',
    help: 'Die VM erstellen, aber nicht einschalten.',
  },
  'server-virtualization-manager/destination/os_label': {
    title: 'Betriebssystembezeichnung',
    help: 'Betriebssystembezeichnung der neuen VM, wie der Manager sie anzeigt.',
  },
  'server-virtualization-manager/destination/virtual_disk_clone_type': {
    title: 'Klonmethode',
    help: 'Wie migrierte Datenträger geklont werden. Thin Clones werden empfohlen, manche Repository-Typen unterstützen sie jedoch nicht.',
  },
};
