import type { FieldTexts } from './field-texts.ts';

export const compartmentCloudFields: FieldTexts = {
  'compartment-cloud/connection/ca_certificate': {
    title: 'Zertifizierungsstelle',
    help: 'Zertifikat der Stelle, die das Serverzertifikat ausgestellt hat, im PEM-Format. Erforderlich, wenn das System ihr nicht vertraut.',
  },
  'compartment-cloud/connection/caller_address': {
    title: 'Aufruferadresse',
    help: 'Durch Kommas getrennte Adressen oder Bereiche, die sich mit Workern verbinden dürfen. Die Ports der Worker sind nur für diese offen. Erforderlich, wenn dieser Computer hinter NAT ist.',
  },
  'compartment-cloud/connection/worker_ssh_port': {
    title: 'SSH-Port der Worker',
    help: 'Port für SSH-Verbindungen zu Workern, wenn NAT oder ein Jump-Host einen anderen Port weiterleitet.',
  },
  'compartment-cloud/connection/region': {
    title: 'Region',
    help: 'Region des Endpunkts.',
  },
  'compartment-cloud/connection/sign_in': {
    title: 'Anmeldung',
    help: 'Wie Anforderungen signiert werden: mit dem API-Schlüssel eines Benutzers, mit einem Sitzungstoken des Befehlszeilentools der Plattform oder als die Instanz, auf der Causeway läuft.',
  },
  'compartment-cloud/connection/tenancy': {
    title: 'Tenancy',
    help: 'ID der Tenancy. Eine Instanz ermittelt ihre eigene.',
  },
  'compartment-cloud/connection/user': {
    title: 'Benutzer',
    help: 'ID des Benutzers, der Anforderungen signiert. Nur für einen API-Schlüssel.',
  },
  'compartment-cloud/connection/private_key_data': {
    title: 'Privater Schlüssel',
    help: 'Privater Schlüssel, der Anforderungen signiert, im PEM-Format. Wird im Tresor gespeichert.',
  },
  'compartment-cloud/connection/private_key_passphrase': {
    title: 'Passphrase des privaten Schlüssels',
    help: 'Nur für einen verschlüsselten Schlüssel. Wird im Tresor gespeichert.',
  },
  'compartment-cloud/connection/fingerprint': {
    title: 'Fingerabdruck',
    help: 'Fingerabdruck des öffentlichen Schlüssels, der für den Benutzer registriert ist.',
  },
  'compartment-cloud/connection/session_token': {
    title: 'Sitzungstoken',
    help: 'Sicherheitstoken einer Sitzung, mit dem privaten Schlüssel dieser Sitzung oben. Es läuft nach einer Stunde ab, wenn es nicht erneuert wird. Wird im Tresor gespeichert.',
  },
  'compartment-cloud/connection/realm_domain': {
    title: 'Domäne des Realms',
    help: 'Domäne der Dienste, für einen behördlichen, souveränen oder dedizierten Realm.',
  },
  'compartment-cloud/connection/service_url': {
    title: 'Dienste',
    help: 'URL, unter der die Dienste jeweils mit ihrem Namen erreichbar sind, wenn sie über ein Gateway statt unter eigenen Adressen erreicht werden.',
  },
  'compartment-cloud/connection/volume_performance': {
    title: 'Volume-Leistung',
    help: 'Leistungseinheiten pro GB der Volumes: 0 niedrigere Kosten, 10 ausgewogen, 20 höhere Leistung, 30 bis 120 ultrahohe Leistung.',
  },
  'compartment-cloud/connection/deployment_copies': {
    title: 'Kopien für Bereitstellungen',
    help: 'Woraus die Volumes einer Bereitstellung erstellt werden: aus clones, die innerhalb von Sekunden bereit sind, oder aus inkrementellen Sicherungen (backups), die der Objektspeicher getrennt von den Volumes aufbewahrt.',
  },
  'compartment-cloud/connection/data_transfer_mechanism': {
    title: 'Datenübertragung',
    help: 'Wie Daten an Worker gesendet werden: über HTTPS an den Port des Agenten oder innerhalb von SSH.',
  },
  'compartment-cloud/connection/worker_use_public_ip': {
    title: 'Öffentliche IP der Worker',
    help: 'Workern öffentliche Adressen zuweisen, wenn ihr Subnetz es zulässt. Deaktivieren Sie dies, um sie unter privaten Adressen zu erreichen.',
  },
  'compartment-cloud/connection/worker_https_port': {
    title: 'HTTPS-Port der Worker',
    help: 'Port für HTTPS-Verbindungen zum Agenten auf Workern, wenn NAT oder ein Jump-Host einen anderen Port weiterleitet.',
  },
  'compartment-cloud/destination/storage_mappings/backend_mappings/source': {
    title: 'Quell-Backend',
    help: 'Kennung eines Speicher-Backends der Quelle, z. B. eines Datenspeichers.',
  },
  'compartment-cloud/destination/storage_mappings/disk_mappings/disk_id': {
    title: 'Quelldatenträger',
    help: 'Kennung eines Datenträgers der VM.',
  },
  'compartment-cloud/destination/availability_domain': {
    title: 'Verfügbarkeitsdomäne',
    help: 'ID der Verfügbarkeitsdomäne für Instanzen und Volumes.',
  },
  'compartment-cloud/destination/network_map': {
    title: 'Netzwerkzuordnung',
    help: 'Ordnet Namen von Quellnetzwerken IDs von Zielnetzwerken zu, mit optionalen Sicherheitsgruppen.',
  },
  'compartment-cloud/destination/network_map/id': {
    title: 'Zielnetzwerk',
    help: 'ID des Zielnetzwerks für NICs im Quellnetzwerk.',
  },
  'compartment-cloud/destination/network_map/security_groups': {
    title: 'Sicherheitsgruppen',
    help: 'IDs der Sicherheitsgruppen für diese NICs.',
  },
  'compartment-cloud/destination/storage_mappings': {
    title: 'Speicherzuordnungen',
    help: 'Ordnet Quelldatenträger oder Speicher-Backends Volume-Anbindungstypen zu. Root-Datenträger haben keinen Anbindungstyp.',
  },
  'compartment-cloud/destination/storage_mappings/default': {
    title: 'Standard',
    help: 'Der Volume-Anbindungstyp für Datenträger, auf die kein anderer Eintrag zutrifft.',
  },
  'compartment-cloud/destination/storage_mappings/backend_mappings': {
    title: 'Nach Quell-Backend',
    help: 'Der Volume-Anbindungstyp für alle Datenträger in einem Speicher-Backend der Quelle.',
  },
  'compartment-cloud/destination/storage_mappings/backend_mappings/destination': {
    title: 'Ziel-Volume-Anbindungstyp',
    help: 'Der Volume-Anbindungstyp für die Datenträger.',
  },
  'compartment-cloud/destination/storage_mappings/disk_mappings/destination': {
    title: 'Ziel-Volume-Anbindungstyp',
    help: 'Der Volume-Anbindungstyp für die Datenträger.',
  },
  'compartment-cloud/destination/storage_mappings/disk_mappings': {
    title: 'Nach Datenträger',
    help: 'Der Volume-Anbindungstyp für einzelne Datenträger. Hat Vorrang vor dem Eintrag des Speicher-Backends und dem Standard.',
  },
  'compartment-cloud/destination/use_pv_mode': {
    title: 'Paravirtualisierter Modus',
    help: 'Paravirtualisierter Modus für Instanzen mit BIOS-Firmware.',
  },
  'compartment-cloud/destination/migr_image_map': {
    title: 'Worker-Images',
    help: 'Image-IDs der Worker nach Betriebssystemtyp. Schlüssel: linux, windows.',
  },
  'compartment-cloud/destination/migr_image_map/linux': {
    title: 'Linux-Worker-Image',
    help: 'Image-ID für den Worker zur Datenträgerkopie und für die Vorbereitung von Linux-Gästen.',
  },
  'compartment-cloud/destination/migr_image_map/windows': {
    title: 'Windows-Worker-Image',
    help: 'Image-ID für die Vorbereitung von Windows-Gästen.',
  },
  'compartment-cloud/destination/migr_subnet_id': {
    title: 'Worker-Subnetz',
    help: 'ID des Subnetzes für Worker-NICs.',
  },
  'compartment-cloud/destination/migr_shape_name': {
    title: 'Worker-Shape',
    help: 'Shape der Worker-Instanzen.',
  },
  'compartment-cloud/destination/compartment': {
    title: 'Compartment',
    help: 'Compartment, in dem die Migration oder das Replikat ausgeführt wird.',
  },
  'compartment-cloud/destination/vcn_compartment': {
    title: 'Compartment der Netzwerke',
    help: 'Compartment der virtuellen Netzwerke, wenn sie in einem anderen Compartment sind.',
  },
  'compartment-cloud/destination/set_public_ip': {
    title: 'Öffentliche IP',
    help: 'Der migrierten VM eine öffentliche IP zuweisen.',
  },
  'compartment-cloud/destination/shape_name': {
    title: 'Shape',
    help: 'Shape der migrierten Instanz.',
  },
};
