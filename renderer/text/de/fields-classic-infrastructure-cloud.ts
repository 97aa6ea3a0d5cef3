import type { FieldTexts } from './field-texts.ts';

export const classicInfrastructureCloudFields: FieldTexts = {
  'classic-infrastructure-cloud/connection/password': {
    title: 'Passwort',
    help: 'Passwort des Benutzers. Wird im Tresor gespeichert.',
  },
  'classic-infrastructure-cloud/connection/ca_certificate': {
    title: 'Zertifizierungsstelle',
    help: 'Zertifikat der Stelle, die das Serverzertifikat ausgestellt hat, im PEM-Format. Erforderlich, wenn das System ihr nicht vertraut.',
  },
  'classic-infrastructure-cloud/connection/caller_address': {
    title: 'Aufruferadresse',
    help: 'Durch Kommas getrennte Adressen oder Bereiche, die sich mit Workern verbinden dürfen. Die Ports der Worker sind nur für diese offen. Erforderlich, wenn dieser Computer hinter NAT ist.',
  },
  'classic-infrastructure-cloud/connection/worker_ssh_port': {
    title: 'SSH-Port der Worker',
    help: 'Port für SSH-Verbindungen zu Workern, wenn NAT oder ein Jump-Host einen anderen Port weiterleitet.',
  },
  'classic-infrastructure-cloud/connection/data_transfer_mechanism': {
    title: 'Datenübertragung',
    help: 'Wie Daten an Worker gesendet werden: über HTTPS an den Port des Agenten oder innerhalb von SSH.',
  },
  'classic-infrastructure-cloud/connection/worker_https_port': {
    title: 'HTTPS-Port der Worker',
    help: 'Port für HTTPS-Verbindungen zum Agenten auf Workern, wenn NAT oder ein Jump-Host einen anderen Port weiterleitet.',
  },
  'classic-infrastructure-cloud/connection/identity_domain': {
    title: 'Identitätsdomäne',
    help: 'Domäne des Kontos, wie sie in den dreiteiligen Namen von Ressourcen verwendet wird.',
  },
  'classic-infrastructure-cloud/connection/username': {
    title: 'Benutzername',
    help: 'Benutzer der Identitätsdomäne.',
  },
  'classic-infrastructure-cloud/connection/api_endpoint': {
    title: 'Compute-Endpunkt',
    help: 'URL der Compute-Schnittstelle des Standorts.',
  },
  'classic-infrastructure-cloud/connection/storage_api_endpoint': {
    title: 'Speicherendpunkt',
    help: 'URL der Schnittstelle des Objektspeichers.',
  },
  'classic-infrastructure-cloud/connection/storage_auth_endpoint': {
    title: 'Anmeldeendpunkt des Speichers',
    help: 'URL, die Token für den Objektspeicher ausstellt.',
  },
  'classic-infrastructure-cloud/source/export_image_name': {
    title: 'Worker-Image',
    help: 'Linux-Image für temporäre Export-VMs.',
  },
  'classic-infrastructure-cloud/source/export_img_username': {
    title: 'Benutzername auf dem Worker',
    help: 'SSH-Benutzername auf dem Worker für die Datenträgerkopie. Hängt vom Image ab.',
  },
  'classic-infrastructure-cloud/source/export_shape_name': {
    title: 'Worker-Shape',
    help: 'Shape temporärer Export-VMs.',
  },
  'classic-infrastructure-cloud/source/export_root_disk_size': {
    title: 'Größe des Root-Datenträgers der Worker',
    help: 'Größe des Root-Datenträgers der Worker. Sie muss nur für das ausgewählte Image ausreichen: Ein Export benötigt keinen zusätzlichen Speicherplatz.',
  },
  'classic-infrastructure-cloud/destination/storage_mappings/backend_mappings/source': {
    title: 'Quell-Backend',
    help: 'Kennung eines Speicher-Backends der Quelle, z. B. eines Datenspeichers.',
  },
  'classic-infrastructure-cloud/destination/storage_mappings/disk_mappings/disk_id': {
    title: 'Quelldatenträger',
    help: 'Kennung eines Datenträgers der VM.',
  },
  'classic-infrastructure-cloud/destination/network_map': {
    title: 'Netzwerkzuordnung',
    help: 'Ordnet Namen von Quellnetzwerken Namen vorhandener IP-Netzwerke zu. Jede NIC wird mit dem zugeordneten Netzwerk verbunden.',
  },
  'classic-infrastructure-cloud/destination/storage_mappings': {
    title: 'Speicherzuordnungen',
    help: 'Ordnet Quelldatenträger oder Speicher-Backends Speicherpools zu.',
  },
  'classic-infrastructure-cloud/destination/storage_mappings/default': {
    title: 'Standard',
    help: 'Der Speicherpool für Datenträger, auf die kein anderer Eintrag zutrifft.',
  },
  'classic-infrastructure-cloud/destination/storage_mappings/backend_mappings': {
    title: 'Nach Quell-Backend',
    help: 'Der Speicherpool für alle Datenträger in einem Speicher-Backend der Quelle.',
  },
  'classic-infrastructure-cloud/destination/storage_mappings/backend_mappings/destination': {
    title: 'Ziel-Speicherpool',
    help: 'Der Speicherpool für die Datenträger.',
  },
  'classic-infrastructure-cloud/destination/storage_mappings/disk_mappings/destination': {
    title: 'Ziel-Speicherpool',
    help: 'Der Speicherpool für die Datenträger.',
  },
  'classic-infrastructure-cloud/destination/storage_mappings/disk_mappings': {
    title: 'Nach Datenträger',
    help: 'Der Speicherpool für einzelne Datenträger. Hat Vorrang vor dem Eintrag des Speicher-Backends und dem Standard.',
  },
  'classic-infrastructure-cloud/destination/migr_image_map': {
    title: 'Worker-Images',
    help: 'Worker-Images nach Betriebssystemtyp. Schlüssel: linux, windows.',
  },
  'classic-infrastructure-cloud/destination/migr_image_map/linux': {
    title: 'Linux-Worker-Image',
    help: 'Image für den Worker zur Datenträgerkopie und für die Vorbereitung von Linux-Gästen.',
  },
  'classic-infrastructure-cloud/destination/migr_image_map/windows': {
    title: 'Windows-Worker-Image',
    help: 'Image für die Vorbereitung von Windows-Gästen.',
  },
  'classic-infrastructure-cloud/destination/migr_shape_name': {
    title: 'Worker-Shape',
    help: 'Shape temporärer Worker-VMs.',
  },
  'classic-infrastructure-cloud/destination/shape_name': {
    title: 'Shape',
    help: 'Shape der migrierten VM. Fehlt die Angabe, wird die kleinste ausreichende Shape verwendet.',
  },
  'classic-infrastructure-cloud/destination/default_volume_pool': {
    title: 'Standardspeicherpool',
    help: 'Speicherpool für Datenträger, die weder nach Datenträger noch nach Speicher-Backend zugeordnet sind.',
  },
  'classic-infrastructure-cloud/destination/keypair_name': {
    title: 'Schlüsselpaar',
    help: 'Vorhandenes Schlüsselpaar des Kontos, das auf der migrierten Instanz installiert wird.',
  },
  'classic-infrastructure-cloud/destination/set_public_ip': {
    title: 'Öffentliche IP',
    help: 'Der ersten virtuellen NIC der migrierten Instanz eine öffentliche IP zuweisen.',
  },
};
