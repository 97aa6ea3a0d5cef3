import type { FieldTexts } from './field-texts.ts';

export const europeanCloudFields: FieldTexts = {
  'european-cloud/connection/ca_certificate': {
    title: 'Zertifizierungsstelle',
    help: 'Zertifikat der Stelle, die das Serverzertifikat ausgestellt hat, im PEM-Format. Erforderlich, wenn das System ihr nicht vertraut.',
  },
  'european-cloud/connection/caller_address': {
    title: 'Aufruferadresse',
    help: 'Durch Kommas getrennte Adressen oder Bereiche, die sich mit Workern verbinden dürfen. Die Ports der Worker sind nur für diese offen. Erforderlich, wenn dieser Computer hinter NAT ist.',
  },
  'european-cloud/connection/worker_ssh_port': {
    title: 'SSH-Port der Worker',
    help: 'Port für SSH-Verbindungen zu Workern, wenn NAT oder ein Jump-Host einen anderen Port weiterleitet.',
  },
  'european-cloud/connection/worker_https_port': {
    title: 'HTTPS-Port der Worker',
    help: 'Port für HTTPS-Verbindungen zum Agenten auf Workern, wenn NAT oder ein Jump-Host einen anderen Port weiterleitet.',
  },
  'european-cloud/connection/organization_id': {
    title: 'Organisations-ID',
    help: 'Organisation, zu der das Projekt gehört. Nur erforderlich, um ihre Projekte aufzulisten.',
  },
  'european-cloud/connection/project_id': {
    title: 'Projekt-ID',
    help: 'Projekt des Dienstkontos. Ressourcen werden hier erstellt, sofern eine Umgebung kein anderes Projekt festlegt.',
  },
  'european-cloud/connection/region_name': {
    title: 'Region',
    help: 'Region, in der Ressourcen erstellt werden. Groß- und Kleinschreibung wird nicht unterschieden.',
  },
  'european-cloud/connection/service_account_key': {
    title: 'Dienstkontoschlüssel',
    help: 'Dienstkontoschlüssel, als JSON aus dem Portal oder in Base64. Wird im Tresor gespeichert.',
  },
  'european-cloud/connection/private_key': {
    title: 'Privater Schlüssel',
    help: 'Privater Schlüssel im PEM-Format. Nur für ein eigenes Schlüsselpaar erforderlich, wenn der Dienstkontoschlüssel ihn nicht enthält. Wird im Tresor gespeichert.',
  },
  'european-cloud/connection/iaas_url': {
    title: 'Infrastrukturschnittstelle',
    help: 'URL der Infrastrukturschnittstelle.',
  },
  'european-cloud/connection/token_url': {
    title: 'Token-Endpunkt',
    help: 'URL, die Token ausstellt. Hat Vorrang vor der URL im Dienstkontoschlüssel.',
  },
  'european-cloud/destination/storage_mappings/backend_mappings/source': {
    title: 'Quell-Backend',
    help: 'Kennung eines Speicher-Backends der Quelle, z. B. eines Datenspeichers.',
  },
  'european-cloud/destination/storage_mappings/disk_mappings/disk_id': {
    title: 'Quelldatenträger',
    help: 'Kennung eines Datenträgers der VM.',
  },
  'european-cloud/destination/migr_image_map/linux': {
    title: 'Linux-Worker-Image',
    help: 'Name oder ID des Images für den Worker zur Datenträgerkopie und für die Vorbereitung von Linux-Gästen.',
  },
  'european-cloud/destination/migr_image_map/windows': {
    title: 'Windows-Worker-Image',
    help: 'Name oder ID des Images für die Vorbereitung von Windows-Gästen.',
  },
  'european-cloud/destination/network_map': {
    title: 'Netzwerkzuordnung',
    help: 'Ordnet Quellnetzwerke Namen oder IDs vorhandener Netzwerke zu. Für jede Quell-NIC wird eine NIC im zugeordneten Netzwerk erstellt.',
  },
  'european-cloud/destination/storage_mappings': {
    title: 'Speicherzuordnungen',
    help: 'Ordnet Quelldatenträger oder Speicher-Backends Leistungsklassen zu. Fehlt die Angabe oder ist sie leer, verwendet die Plattform ihre Standardklasse. Nicht zugeordnete Datenträger können die Standardklasse der Anbieterkonfiguration verwenden.',
  },
  'european-cloud/destination/storage_mappings/default': {
    title: 'Standard',
    help: 'Die Volume-Leistungsklasse für Datenträger, auf die kein anderer Eintrag zutrifft.',
  },
  'european-cloud/destination/storage_mappings/backend_mappings': {
    title: 'Nach Quell-Backend',
    help: 'Die Volume-Leistungsklasse für alle Datenträger in einem Speicher-Backend der Quelle.',
  },
  'european-cloud/destination/storage_mappings/backend_mappings/destination': {
    title: 'Ziel-Volume-Leistungsklasse',
    help: 'Die Volume-Leistungsklasse für die Datenträger.',
  },
  'european-cloud/destination/storage_mappings/disk_mappings/destination': {
    title: 'Ziel-Volume-Leistungsklasse',
    help: 'Die Volume-Leistungsklasse für die Datenträger.',
  },
  'european-cloud/destination/storage_mappings/disk_mappings': {
    title: 'Nach Datenträger',
    help: 'Die Volume-Leistungsklasse für einzelne Datenträger. Hat Vorrang vor dem Eintrag des Speicher-Backends und dem Standard.',
  },
  'european-cloud/destination/machine_type': {
    title: 'Maschinentyp',
    help: 'Vorhandener Maschinentyp des migrierten Servers. Fehlt die Angabe, wird der kleinste Typ mit genügend vCPUs und Arbeitsspeicher für die Quell-VM verwendet. Windows-Gäste benötigen die Angabe eines Windows-kompatiblen Typs.',
  },
  'european-cloud/destination/project': {
    title: 'Projekt',
    help: 'ID des Projekts für alle erstellten Ressourcen, einschließlich der Worker. Ist sie nicht gesetzt, wird das Projekt des Dienstkontos des Endpunkts verwendet.',
  },
  'european-cloud/destination/keypair_name': {
    title: 'Schlüsselpaar',
    help: 'Schlüsselpaar, das über Metadaten eingefügt wird. Hat keine Wirkung, wenn die Zugangsdaten der Benutzer beibehalten werden.',
  },
  'european-cloud/destination/delete_disks_on_server_termination': {
    title: 'Start-Volume mit dem Server löschen',
    help: 'Das Start-Volume löschen, wenn der migrierte Server gelöscht wird. Andere Volumes bleiben immer erhalten.',
  },
  'european-cloud/destination/security_groups': {
    title: 'Sicherheitsgruppen',
    help: 'Namen oder IDs von Sicherheitsgruppen im Projekt des Endpunkts. Sie werden zu den Standardsicherheitsgruppen der Anbieterkonfiguration hinzugefügt.',
  },
  'european-cloud/destination/affinity_group': {
    title: 'Affinitätsgruppe',
    help: 'Name oder ID der Affinitätsgruppe für den migrierten Server.',
  },
  'european-cloud/destination/availability_zone': {
    title: 'Verfügbarkeitszone',
    help: 'Zone für Server und Volumes, einschließlich der von Workern.',
  },
  'european-cloud/destination/server_labels': {
    title: 'Labels',
    help: 'Labels des migrierten Servers: höchstens 50, jeweils höchstens 60 Zeichen und ohne / oder Komma. key=value setzt ein Label mit einem Wert.',
  },
  'european-cloud/destination/server_properties': {
    title: 'Eigenschaften',
    help: 'Schlüssel-Wert-Paare, die am migrierten Server als Eigenschaften gesetzt werden.',
  },
  'european-cloud/destination/use_public_ip': {
    title: 'Öffentliche IP',
    help: 'Eine öffentliche IP reservieren und der ersten NIC des migrierten Servers zuweisen.',
  },
  'european-cloud/destination/disk_bus': {
    title: 'Datenträgerbus',
    help: 'Bus, mit dem die migrierten Volumes verbunden werden. Der Gast benötigt die passenden Treiber.',
  },
  'european-cloud/destination/use_config_drive': {
    title: 'Config Drive',
    help: 'Metadaten auf einem Config Drive an den migrierten Server übergeben.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata': {
    title: 'Image-Metadaten des Start-Volumes',
    help: 'Zusätzliche Image-Konfiguration des Start-Volumes. operating_system, uefi und secure_boot werden vom Gast übernommen und können hier überschrieben werden. disk_bus kann für das Start-Volume überschrieben werden.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/operating_system': {
    title: 'Betriebssystem',
    help: 'Betriebssystem, für das der Server optimiert wird. Ist es nicht gesetzt, wird es vom Betriebssystemtyp des Gasts übernommen.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/uefi': {
    title: 'UEFI',
    help: 'Mit UEFI starten. Ist dies nicht gesetzt, wird es von der Firmware des Gasts übernommen.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/secure_boot': {
    title: 'Sicherer Start',
    help: 'Mit sicherem Start (Secure Boot) starten. Ist dies nicht gesetzt, wird es vom Gast übernommen.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/architecture': {
    title: 'Architektur',
    help: 'CPU-Architektur des Gasts.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/boot_menu': {
    title: 'Startmenü',
    help: 'Das Startmenü des BIOS anzeigen.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/cdrom_bus': {
    title: 'CD-ROM-Bus',
    help: 'Bus der CD-ROM-Laufwerke.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/disk_bus': {
    title: 'Datenträgerbus',
    help: 'Bus des Start-Volumes. Hat Vorrang vor disk_bus der Umgebung.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/nic_model': {
    title: 'NIC-Modell',
    help: 'Modell der Netzwerkschnittstellen.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/operating_system_distro': {
    title: 'Distribution',
    help: 'Name der Betriebssystemdistribution, zur Anzeige.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/operating_system_version': {
    title: 'Betriebssystemversion',
    help: 'Version des Betriebssystems, zur Anzeige.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/rescue_bus': {
    title: 'Rettungsbus',
    help: 'Bus des Rettungsimages.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/rescue_device': {
    title: 'Rettungsgerät',
    help: 'Gerätetyp des Rettungsimages.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/video_model': {
    title: 'Grafikmodell',
    help: 'Modell des Grafikgeräts.',
  },
  'european-cloud/destination/custom_boot_volume_image_metadata/virtio_scsi': {
    title: 'VirtIO SCSI',
    help: 'Datenträger über VirtIO SCSI verbinden.',
  },
  'european-cloud/destination/migr_image_map': {
    title: 'Worker-Images',
    help: 'Vorhandene Worker-Images nach Betriebssystemtyp. Schlüssel: linux, windows. Windows-VMs benötigen beide. Das Betriebssystem eines Workers muss dieselbe Version wie der Gast oder eine neuere haben, mit dem für den ersten Start vorbereiteten Initialisierungs-Agenten.',
  },
  'european-cloud/destination/migr_network': {
    title: 'Worker-Netzwerk',
    help: 'Name oder ID des Netzwerks für Worker-NICs. Ohne öffentliche IPs für Worker benötigt dieser Computer eine Route dorthin.',
  },
  'european-cloud/destination/migr_machine_type': {
    title: 'Maschinentyp der Worker',
    help: 'Maschinentyp temporärer Worker.',
  },
  'european-cloud/destination/migr_worker_use_public_ip': {
    title: 'Öffentliche IPs für Worker',
    help: 'Öffentliche IPs für temporäre Worker reservieren.',
  },
  'european-cloud/destination/migr_worker_volume_size': {
    title: 'Volume-Größe der Worker',
    help: 'Größe des Start-Volumes der Worker. Ist sie nicht gesetzt, wird die Mindestgröße des Images oder die Größe des Worker-Maschinentyps verwendet.',
  },
  'european-cloud/destination/migr_worker_volume_performance_class': {
    title: 'Volume-Leistungsklasse der Worker',
    help: 'Leistungsklasse der Worker-Volumes.',
  },
  'european-cloud/destination/preserve_fixed_ips': {
    title: 'Feste IPs beibehalten',
    help: 'Jede Ziel-NIC erhält die feste private IPv4-Adresse der Quell-NIC, die im Bereich des zugeordneten Netzwerks liegen muss. IPv6- und MAC-Adressen werden nicht beibehalten. Ist dies deaktiviert, weist die Plattform Adressen zu.',
  },
  'european-cloud/destination/volumes_are_zeroed': {
    title: 'Neue Volumes enthalten Nullen',
    help: 'Nicht belegte Blöcke neuer Volumes enthalten Nullen, daher werden leere Bereiche bei der Datenträgerkopie übersprungen.',
  },
  'european-cloud/destination/data_transfer_mechanism': {
    title: 'Datenübertragung',
    help: 'Wie Datenträgerdaten an Worker gesendet werden. HTTPS (TCP/5566) ist schneller, wird aber möglicherweise von Firewalls blockiert. SSH (TCP/22) ist langsamer, aber meist erlaubt. SSH-Zugriff auf den Worker ist immer erforderlich.',
  },
  'european-cloud/destination/set_dhcp': {
    title: 'DHCP konfigurieren',
    help: 'Die NICs des Gasts beim OSMorphing für DHCP konfigurieren; dadurch werden auch MTU und Routen richtig gesetzt. Ist dies deaktiviert, muss der Gast eine statische Netzwerkkonfiguration haben.',
  },
  'european-cloud/destination/retain_user_credentials': {
    title: 'Zugangsdaten der Benutzer beibehalten',
    help: 'Den Initialisierungs-Agenten für Gäste so konfigurieren, dass er keinen Benutzer erstellt, weder root noch vorhandene Benutzer deaktiviert, die SSH-Anmeldung mit Passwort nicht deaktiviert und kein Konto sperrt. Dann wird kein Schlüsselpaar installiert.',
  },
  'european-cloud/destination/windows_virtio_iso_url': {
    title: 'VirtIO-Treiber für Windows',
    help: 'URL eines ISOs mit VirtIO-Treibern für Windows-Gäste. Es muss vom OSMorphing-Worker aus erreichbar sein. Hängen Sie #sha256= und einen Digest an, um den Download zu prüfen.',
  },
};
