import type { FieldTexts } from './field-texts.ts';

export const openSourceCloudFields: FieldTexts = {
  'open-source-cloud/connection/password': {
    title: 'Passwort',
    help: 'Passwort des Benutzers. Wird im Tresor gespeichert.',
  },
  'open-source-cloud/connection/ca_certificate': {
    title: 'Zertifizierungsstelle',
    help: 'Zertifikat der Stelle, die das Serverzertifikat ausgestellt hat, im PEM-Format. Erforderlich, wenn das System ihr nicht vertraut.',
  },
  'open-source-cloud/connection/allow_untrusted': {
    title: 'Nicht vertrauenswürdige Zertifikate zulassen',
    help: 'Das TLS-Zertifikat des Servers nicht prüfen. Geben Sie besser seine Zertifizierungsstelle an: Ohne Prüfung kann jeder im Netzwerkpfad den Datenverkehr lesen und verändern.',
  },
  'open-source-cloud/connection/auth_url': {
    title: 'Identitäts-URL',
    help: 'URL des Identitätsdiensts mit dessen Version.',
  },
  'open-source-cloud/connection/identity_api_version': {
    title: 'Version der Identitäts-API',
    help: 'Version der Identitätsschnittstelle.',
  },
  'open-source-cloud/connection/username': {
    title: 'Benutzername',
    help: 'Benutzer mit Zugriff auf das Projekt. Wird mit Anwendungs-Zugangsdaten nicht verwendet.',
  },
  'open-source-cloud/connection/project_name': {
    title: 'Projekt',
    help: 'Projekt des Endpunkts. Wird mit Anwendungs-Zugangsdaten nicht verwendet, da diese ein eigenes Projekt haben.',
  },
  'open-source-cloud/connection/user_domain_name': {
    title: 'Domäne des Benutzers',
    help: 'Domäne, zu der der Benutzer gehört.',
  },
  'open-source-cloud/connection/project_domain_name': {
    title: 'Domäne des Projekts',
    help: 'Domäne, zu der das Projekt gehört.',
  },
  'open-source-cloud/connection/application_credential_id': {
    title: 'Anwendungs-Zugangsdaten',
    help: 'ID von Anwendungs-Zugangsdaten (Application Credential), die statt Benutzer, Passwort und Projekt verwendet werden.',
  },
  'open-source-cloud/connection/application_credential_secret': {
    title: 'Geheimnis der Anwendungs-Zugangsdaten',
    help: 'Geheimnis der Anwendungs-Zugangsdaten. Wird im Tresor gespeichert.',
  },
  'open-source-cloud/connection/region_name': {
    title: 'Region',
    help: 'Region der Dienste. Erforderlich, wenn der Dienstkatalog mehrere Regionen aufführt.',
  },
  'open-source-cloud/connection/region_names': {
    title: 'Region nach Dienst',
    help: 'Region einzelner Dienste, falls abweichend. Schlüssel: compute, network, volume, image, objectstore.',
  },
  'open-source-cloud/connection/interface_name': {
    title: 'Schnittstelle',
    help: 'URL-Typ der Dienste: public, internal oder admin.',
  },
  'open-source-cloud/connection/interface_names': {
    title: 'Schnittstelle nach Dienst',
    help: 'Schnittstelle einzelner Dienste, falls abweichend. Schlüssel: compute, network, volume, image, objectstore.',
  },
  'open-source-cloud/connection/glance_api_version': {
    title: 'Version der Image-API',
    help: 'Version der Image-Schnittstelle.',
  },
  'open-source-cloud/connection/ceph_options': {
    title: 'Verteilter Speicher',
    help: 'Zugriff auf den Speichercluster für die Exportverfahren distributed_backups und distributed_snapshots.',
  },
  'open-source-cloud/connection/ceph_options/ceph_conf_file': {
    title: 'Konfigurationsdatei',
    help: 'Pfad der Konfigurationsdatei des Speicherclusters auf diesem Computer.',
  },
  'open-source-cloud/connection/ceph_options/ceph_username': {
    title: 'Benutzer',
    help: 'Benutzer des Speicherclusters.',
  },
  'open-source-cloud/connection/ceph_options/ceph_keyring_file': {
    title: 'Schlüsselbunddatei',
    help: 'Pfad des Schlüsselbunds (Keyring) des Benutzers auf diesem Computer.',
  },
  'open-source-cloud/connection/ceph_options/ceph_pool_name': {
    title: 'Pool',
    help: 'Pool, der die Volumes enthält.',
  },
  'open-source-cloud/connection/ceph_options/ceph_cluster_name': {
    title: 'Cluster',
    help: 'Name des Speicherclusters.',
  },
  'open-source-cloud/connection/ceph_options/ceph_connection_timeout': {
    title: 'Zeitlimit für Verbindungen',
    help: 'Zeitlimit für Verbindungen zum Speichercluster.',
  },
  'open-source-cloud/connection/caller_address': {
    title: 'Aufruferadresse',
    help: 'Durch Kommas getrennte Adressen oder Bereiche, die sich mit Workern verbinden dürfen. Die Ports der Worker sind nur für diese offen. Erforderlich, wenn dieser Computer hinter NAT ist.',
  },
  'open-source-cloud/connection/allow_untrusted_swift': {
    title: 'Nicht vertrauenswürdigen Objektspeicher zulassen',
    help: 'Das TLS-Zertifikat des Objektspeichers nicht prüfen.',
  },
  'open-source-cloud/source/custom_os_type_map': {
    title: 'Zuordnung der Betriebssystemtypen',
    help: 'Ordnet os_type oder os_distro von Quell-Images einem unterstützten Betriebssystemtyp zu: linux oder windows.',
  },
  'open-source-cloud/source/replica_export_mechanism': {
    title: 'Exportverfahren',
    help: 'Wie Datenträgerinhalte gelesen werden: aus Sicherungen im Objektspeicher, aus Sicherungen oder Snapshots im verteilten Speicher oder aus Volume-Kopien über einen temporären Worker. Standard: service_backups. Das gilt auch anstelle des verteilten Speichers, wenn auf diesem Computer die Programme dafür fehlen.',
  },
  'open-source-cloud/source/objectstore_backups_options': {
    title: 'Optionen für Objektspeicher-Sicherungen',
    help: 'Optionen des Verfahrens objectstore_backups.',
  },
  'open-source-cloud/source/objectstore_backups_options/volume_backups_container': {
    title: 'Container der Volume-Sicherungen',
    help: 'Name des Objektspeicher-Containers für Volume-Sicherungen. Wird nur mit dem Verfahren objectstore_backups verwendet.',
  },
  'open-source-cloud/source/service_backups_options': {
    title: 'Optionen für Dienstsicherungen',
    help: 'Optionen des Verfahrens service_backups: der temporäre Export-Worker und sein Netzwerk. Mit distributed_backups und distributed_snapshots gelten sie, wenn dieser Computer den Speicher nicht lesen kann.',
  },
  'open-source-cloud/source/service_backups_options/export_interim_volume_type': {
    title: 'Typ der Zwischen-Volumes',
    help: 'Vorhandener Volume-Typ für temporäre Volumes bei Exporten von Instanz-Images. Sekundäre Volumes behalten ihren Typ, sodass keine Daten zwischen Speicher-Backends verschoben werden.',
  },
  'open-source-cloud/source/service_backups_options/export_image': {
    title: 'Worker-Image',
    help: 'Name oder ID eines Ubuntu-Images für den temporären Export-Worker. Das Image muss im Projekt des Endpunkts sichtbar sein und den für den ersten Start vorbereiteten Linux-Initialisierungs-Agenten für Gäste enthalten.',
  },
  'open-source-cloud/source/service_backups_options/export_worker_use_config_drive': {
    title: 'Config Drive für den Worker',
    help: 'Metadaten auf einem Config Drive an Export-Worker übergeben, für Netzwerke ohne Metadatendienst.',
  },
  'open-source-cloud/source/service_backups_options/export_network': {
    title: 'Worker-Netzwerk',
    help: 'Name oder ID eines vorhandenen Netzwerks für den Export-Worker: im Projekt des Endpunkts, geteilt oder extern. Ohne Floating IPs benötigt dieser Computer eine Route dorthin.',
  },
  'open-source-cloud/source/service_backups_options/export_flavor_name': {
    title: 'Flavor des Workers',
    help: 'Vorhandener Compute-Flavor für Export-Worker. Er muss für das Worker-Image ausreichen.',
  },
  'open-source-cloud/source/service_backups_options/export_worker_use_fip': {
    title: 'Floating IPs für Worker',
    help: 'Floating IPs für Export-Worker aus dem Floating-IP-Pool zuweisen.',
  },
  'open-source-cloud/source/service_backups_options/export_fip_pool_name': {
    title: 'Floating-IP-Pool',
    help: 'Externes Netzwerk für Floating IPs der Worker. Dieser Computer benötigt eine Route dorthin. Wird nur mit Floating IPs für Worker verwendet.',
  },
  'open-source-cloud/source/service_backups_options/export_worker_boot_from_volume': {
    title: 'Worker von einem Volume starten',
    help: 'Das Worker-Image auf ein Volume kopieren und den Worker von diesem starten.',
  },
  'open-source-cloud/source/service_backups_options/export_worker_volume_type': {
    title: 'Volume-Typ des Workers',
    help: 'Vorhandener Volume-Typ für den Root-Datenträger des Workers. Wird nur verwendet, wenn der Worker von einem Volume startet.',
  },
  'open-source-cloud/source/service_backups_options/export_worker_volume_size': {
    title: 'Volume-Größe des Workers',
    help: 'Größe des Start-Volumes. Wird nur verwendet, wenn der Worker von einem Volume startet. Ist sie nicht gesetzt, wird die Datenträgergröße des Flavors verwendet.',
  },
  'open-source-cloud/destination/network_map': {
    title: 'Netzwerkzuordnung',
    help: 'Ordnet Namen von Quellnetzwerken Namen oder IDs vorhandener Netzwerke zu. Der Port jeder Quell-NIC wird im zugeordneten Netzwerk erstellt.',
  },
  'open-source-cloud/destination/storage_mappings': {
    title: 'Speicherzuordnungen',
    help: 'Ordnet Quelldatenträger oder Speicher-Backends Volume-Typen zu.',
  },
  'open-source-cloud/destination/storage_mappings/default': {
    title: 'Standard',
    help: 'Der Volume-Typ für Datenträger, auf die kein anderer Eintrag zutrifft.',
  },
  'open-source-cloud/destination/storage_mappings/backend_mappings': {
    title: 'Nach Quell-Backend',
    help: 'Der Volume-Typ für alle Datenträger in einem Speicher-Backend der Quelle.',
  },
  'open-source-cloud/destination/storage_mappings/backend_mappings/source': {
    title: 'Quell-Backend',
    help: 'Kennung eines Speicher-Backends der Quelle, z. B. eines Datenspeichers.',
  },
  'open-source-cloud/destination/storage_mappings/backend_mappings/destination': {
    title: 'Ziel-Volume-Typ',
    help: 'Der Volume-Typ für die Datenträger.',
  },
  'open-source-cloud/destination/storage_mappings/disk_mappings/destination': {
    title: 'Ziel-Volume-Typ',
    help: 'Der Volume-Typ für die Datenträger.',
  },
  'open-source-cloud/destination/storage_mappings/disk_mappings': {
    title: 'Nach Datenträger',
    help: 'Der Volume-Typ für einzelne Datenträger. Hat Vorrang vor dem Eintrag des Speicher-Backends und dem Standard.',
  },
  'open-source-cloud/destination/storage_mappings/disk_mappings/disk_id': {
    title: 'Quelldatenträger',
    help: 'Kennung eines Datenträgers der VM.',
  },
  'open-source-cloud/destination/hypervisor_type': {
    title: 'Hypervisor',
    help: 'Hypervisor der Compute-Hosts am Ziel. Bestimmt die Treiber, die im Gast installiert werden: Hyper-V bei hyperv, sonst VirtIO.',
  },
  'open-source-cloud/destination/flavor_name': {
    title: 'Flavor',
    help: 'Vorhandener Compute-Flavor für die migrierte Instanz.',
  },
  'open-source-cloud/destination/keypair_name': {
    title: 'Schlüsselpaar',
    help: 'Vorhandenes Schlüsselpaar, das in die Instanz eingefügt wird.',
  },
  'open-source-cloud/destination/delete_disks_on_vm_termination': {
    title: 'Volumes mit der VM löschen',
    help: 'Die Volumes löschen, wenn die VM gelöscht wird.',
  },
  'open-source-cloud/destination/security_groups': {
    title: 'Sicherheitsgruppen',
    help: 'Namen oder IDs vorhandener Sicherheitsgruppen für die Ports der Instanz.',
  },
  'open-source-cloud/destination/migr_image': {
    title: 'Worker-Image',
    help: 'Name oder ID des Images für alle Worker: Datenträgerkopie und OSMorphing. Der Name muss am Ziel eindeutig sein. Hat Vorrang vor den Worker-Images nach Betriebssystemtyp.',
  },
  'open-source-cloud/destination/migr_image_map': {
    title: 'Worker-Images nach Betriebssystemtyp',
    help: 'Worker-Images nach Betriebssystemtyp. Schlüssel: linux, windows.',
  },
  'open-source-cloud/destination/migr_image_map/linux': {
    title: 'Linux-Worker-Image',
    help: 'Name oder ID des Images für den Worker zur Datenträgerkopie und für die Vorbereitung von Linux-Gästen.',
  },
  'open-source-cloud/destination/migr_image_map/windows': {
    title: 'Windows-Worker-Image',
    help: 'Name oder ID des Images für die Vorbereitung von Windows-Gästen.',
  },
  'open-source-cloud/destination/migr_network': {
    title: 'Worker-Netzwerk',
    help: 'Vorhandenes Netzwerk für temporäre Worker. Ohne Floating IPs benötigt dieser Computer eine Route dorthin.',
  },
  'open-source-cloud/destination/migr_worker_use_fip': {
    title: 'Floating IPs für Worker',
    help: 'Floating IPs für Worker aus dem Floating-IP-Pool der Worker zuweisen.',
  },
  'open-source-cloud/destination/migr_fip_pool_name': {
    title: 'Floating-IP-Pool der Worker',
    help: 'Externes Netzwerk für Floating IPs der Worker, optional mit einem Subnetz: <network>/<subnet>. Wird nur mit Floating IPs für Worker verwendet.',
  },
  'open-source-cloud/destination/migr_flavor_name': {
    title: 'Flavor der Worker',
    help: 'Vorhandener Compute-Flavor für Worker.',
  },
  'open-source-cloud/destination/migr_worker_boot_from_volume': {
    title: 'Worker von einem Volume starten',
    help: 'Worker von einem Volume starten, das aus dem Worker-Image erstellt wird.',
  },
  'open-source-cloud/destination/migr_worker_volume_size': {
    title: 'Volume-Größe der Worker',
    help: 'Größe des Start-Volumes. Wird nur verwendet, wenn Worker von einem Volume starten. Ist sie nicht gesetzt, wird die Datenträgergröße des Flavors verwendet.',
  },
  'open-source-cloud/destination/migr_worker_volume_type': {
    title: 'Volume-Typ der Worker',
    help: 'Vorhandener Volume-Typ für Worker-Volumes. Wird nur verwendet, wenn Worker von einem Volume starten.',
  },
  'open-source-cloud/destination/migr_worker_use_config_drive': {
    title: 'Config Drive für Worker',
    help: 'Metadaten auf einem Config Drive an Worker übergeben, für Netzwerke ohne Metadatendienst.',
  },
  'open-source-cloud/destination/port_reuse_policy': {
    title: 'Ports mit derselben MAC-Adresse',
    help: 'Wie mit vorhandenen Ports verfahren wird, die eine von der VM benötigte MAC-Adresse haben. keep_mac löscht sie und erstellt sie neu, replace_mac erstellt Ports mit anderen Adressen, reuse_ports versucht, sie wiederzuverwenden. Ports vorhandener Server werden nicht geändert. Standard: keep_mac.',
  },
  'open-source-cloud/destination/list_all_destination_networks': {
    title: 'Alle Netzwerke auflisten',
    help: 'Alle Netzwerke auflisten, nicht nur die des Projekts des Endpunkts.',
  },
  'open-source-cloud/destination/volumes_are_zeroed': {
    title: 'Neue Volumes enthalten Nullen',
    help: 'Nicht belegte Blöcke neuer Volumes enthalten Nullen, daher werden leere Bereiche nicht geschrieben.',
  },
  'open-source-cloud/destination/set_dhcp': {
    title: 'DHCP konfigurieren',
    help: 'Jede NIC des Gasts beim OSMorphing für DHCP konfigurieren.',
  },
  'open-source-cloud/destination/preserve_fixed_ips': {
    title: 'Feste IPs beibehalten',
    help: 'Die festen IPs der Ports der VM beibehalten.',
  },
  'open-source-cloud/destination/server_group': {
    title: 'Servergruppe',
    help: 'Name oder ID der Servergruppe für die migrierte VM.',
  },
  'open-source-cloud/destination/use_floating_ip': {
    title: 'Floating IP',
    help: 'Der migrierten VM eine Floating IP zuweisen.',
  },
  'open-source-cloud/destination/floating_ip_pool': {
    title: 'Floating-IP-Pool',
    help: 'Pool für die Floating IP der migrierten VM, optional mit einem Subnetz: <network>/<subnet>. Wird nur mit einer Floating IP verwendet.',
  },
  'open-source-cloud/destination/instance_tags': {
    title: 'Tags',
    help: 'Schlüssel-Wert-Paare, die an der VM als Metadaten und, wo das Format es zulässt, als key=value-Tags gesetzt werden.',
  },
};
