import type { FieldTexts } from './field-texts.ts';

export const resourceGroupCloudFields: FieldTexts = {
  'resource-group-cloud/connection/ca_certificate': {
    title: 'Zertifizierungsstelle',
    help: 'Zertifikat der Stelle, die das Serverzertifikat ausgestellt hat, im PEM-Format. Erforderlich, wenn das System ihr nicht vertraut.',
  },
  'resource-group-cloud/connection/caller_address': {
    title: 'Aufruferadresse',
    help: 'Durch Kommas getrennte Adressen oder Bereiche, die sich mit Workern verbinden dürfen. Die Ports der Worker sind nur für diese offen. Erforderlich, wenn dieser Computer hinter NAT ist.',
  },
  'resource-group-cloud/connection/subscription_id': {
    title: 'Abonnement-ID',
    help: 'Abonnement des Endpunkts.',
  },
  'resource-group-cloud/connection/sign_in': {
    title: 'Anmeldung',
    help: 'Anmeldung als Dienstprinzipal mit client_secret oder client_certificate, als Person, die einen Code in einem Browser eingibt (device_code), als Benutzer der Azure CLI auf diesem Computer (cli) oder als Identität der Azure-VM, auf der Causeway läuft (managed_identity).',
  },
  'resource-group-cloud/connection/tenant': {
    title: 'Mandant',
    help: 'ID oder Domäne des Verzeichnisses, zu dem der Dienstprinzipal oder die Person gehört. Für cli und managed_identity nicht erforderlich.',
  },
  'resource-group-cloud/connection/service_principal_credentials': {
    title: 'Dienstprinzipal',
    help: 'Identität, mit der sich der Endpunkt anmeldet. Bei managed_identity wählt die Client-ID eine benutzerseitig zugewiesene Identität aus; bei device_code die Anwendung, bei der sich Personen anmelden (Standard: die der Azure CLI).',
  },
  'resource-group-cloud/connection/service_principal_credentials/client_id': {
    title: 'Client-ID',
    help: 'Anwendungs-ID des Dienstprinzipals.',
  },
  'resource-group-cloud/connection/service_principal_credentials/client_secret': {
    title: 'Client-Geheimnis',
    help: 'Geheimnis des Dienstprinzipals. Wird im Tresor gespeichert. Wird mit einem Zertifikat nicht verwendet.',
  },
  'resource-group-cloud/connection/service_principal_credentials/client_certificate': {
    title: 'Clientzertifikat',
    help: 'Zertifikat des Dienstprinzipals und sein privater Schlüssel im PEM-Format. Wird im Tresor gespeichert und statt eines Geheimnisses verwendet.',
  },
  'resource-group-cloud/connection/default_resource_group': {
    title: 'Standardressourcengruppe',
    help: 'Ressourcengruppe, die zuerst vorgeschlagen wird.',
  },
  'resource-group-cloud/connection/cloud_profile': {
    title: 'Cloud-Profil',
    help: 'Cloud-Umgebung: AzureCloud, AzureChinaCloud, AzureUSGovernment oder eine benutzerdefinierte Cloud mit ihren Endpunkten unten.',
  },
  'resource-group-cloud/connection/custom_cloud_properties': {
    title: 'Endpunkte einer benutzerdefinierten Cloud',
    help: 'Adressen einer benutzerdefinierten Cloud: active_directory, resource_manager, storage_suffix und, wenn Token für eine andere Adresse ausgestellt werden, audience.',
  },
  'resource-group-cloud/connection/disk_access': {
    title: 'Datenträgerzugriff',
    help: 'Wie Datenträger dieses Endpunkts als Quelle gelesen werden: direkt aus Snapshots oder durch einen temporären Export-Worker, der export_worker_size erfordert. Mit auto direkt, und durch einen Worker, wenn die Cloud dies verweigert.',
  },
  'resource-group-cloud/connection/first_copy': {
    title: 'Erstkopie',
    help: 'Wie die Erstkopie eines Replikats geschrieben wird: durch einen temporären Worker oder mit direct_upload ohne Worker direkt auf die Datenträger. Azure nimmt Uploads nur für neue Datenträger an, daher verwenden alle späteren Ausführungen einen Worker.',
  },
  'resource-group-cloud/connection/worker_subnet': {
    title: 'Worker-Subnetz',
    help: 'Vorhandenes <network>/<subnet> für Worker. Ist es nicht gesetzt, erhalten Worker ein temporäres virtuelles Netzwerk.',
  },
  'resource-group-cloud/connection/worker_use_public_ip': {
    title: 'Öffentliche IP für Worker',
    help: 'Jedem Worker eine temporäre öffentliche IP-Adresse zuweisen. Deaktivieren Sie dies, wenn dieser Computer das Worker-Subnetz direkt erreicht.',
  },
  'resource-group-cloud/connection/worker_ssh_port': {
    title: 'SSH-Port der Worker',
    help: 'Port für SSH-Verbindungen zu Workern, wenn NAT oder ein Jump-Host einen anderen Port weiterleitet.',
  },
  'resource-group-cloud/connection/worker_https_port': {
    title: 'HTTPS-Port der Worker',
    help: 'Port für HTTPS-Verbindungen zu Workern, wenn NAT oder ein Jump-Host einen anderen Port weiterleitet.',
  },
  'resource-group-cloud/connection/data_transfer_mechanism': {
    title: 'Datenübertragung',
    help: 'Wie Datenträgerdaten an Worker gesendet werden.',
  },
  'resource-group-cloud/connection/network_security_group': {
    title: 'Netzwerksicherheitsgruppe',
    help: 'Vorhandene Netzwerksicherheitsgruppe für die NICs migrierter VMs.',
  },
  'resource-group-cloud/connection/use_public_ip': {
    title: 'Öffentliche IP für migrierte VMs',
    help: 'Der ersten NIC jeder migrierten VM eine öffentliche IP-Adresse zuweisen.',
  },
  'resource-group-cloud/connection/availability_zone': {
    title: 'Verfügbarkeitszone',
    help: 'Zone migrierter VMs und ihrer Datenträger. Kann nicht mit einer Verfügbarkeitsgruppe kombiniert werden.',
  },
  'resource-group-cloud/connection/availability_set': {
    title: 'Verfügbarkeitsgruppe',
    help: 'Vorhandene Verfügbarkeitsgruppe für migrierte VMs.',
  },
  'resource-group-cloud/connection/tags': {
    title: 'Tags',
    help: 'Tags migrierter VMs und aller anderen Ressourcen, die für sie erstellt werden.',
  },
  'resource-group-cloud/connection/license_type': {
    title: 'Lizenztyp',
    help: 'Vorhandene Lizenz, die für migrierte VMs verwendet wird (Azure-Hybridvorteil).',
  },
  'resource-group-cloud/connection/security_type': {
    title: 'Sicherheitstyp',
    help: 'Sicherheitstyp migrierter VMs. Mit auto erhalten VMs mit sicherem Start den vertrauenswürdigen Start, andere den Typ Standard.',
  },
  'resource-group-cloud/source/location': {
    title: 'Region',
    help: 'Region der VM.',
  },
  'resource-group-cloud/source/resource_group': {
    title: 'Ressourcengruppe',
    help: 'Name der Ressourcengruppe der VMs.',
  },
  'resource-group-cloud/source/export_worker_size': {
    title: 'Worker-Größe',
    help: 'Größe der temporären Worker-VM für die Datenträgerreplikation. Sie liest Kopien von Datenträgern, die nicht direkt aus Snapshots gelesen werden können.',
  },
  'resource-group-cloud/source/export_worker_image': {
    title: 'Worker-Image',
    help: 'Marketplace-Image des temporären Workers für die Datenträgerreplikation.',
  },
  'resource-group-cloud/source/export_worker_image/publisher': {
    title: 'Herausgeber',
    help: 'Herausgeber des Images.',
  },
  'resource-group-cloud/destination/linux_migr_image/publisher': {
    title: 'Herausgeber',
    help: 'Herausgeber des Images.',
  },
  'resource-group-cloud/destination/windows_migr_image/publisher': {
    title: 'Herausgeber',
    help: 'Herausgeber des Images.',
  },
  'resource-group-cloud/source/export_worker_image/offer': {
    title: 'Angebot',
    help: 'Produktlinie des Herausgebers.',
  },
  'resource-group-cloud/destination/linux_migr_image/offer': {
    title: 'Angebot',
    help: 'Produktlinie des Herausgebers.',
  },
  'resource-group-cloud/destination/windows_migr_image/offer': {
    title: 'Angebot',
    help: 'Produktlinie des Herausgebers.',
  },
  'resource-group-cloud/source/export_worker_image/sku': {
    title: 'SKU',
    help: 'Edition des Angebots, meist mit der Betriebssystemversion.',
  },
  'resource-group-cloud/destination/linux_migr_image/sku': {
    title: 'SKU',
    help: 'Edition des Angebots, meist mit der Betriebssystemversion.',
  },
  'resource-group-cloud/destination/windows_migr_image/sku': {
    title: 'SKU',
    help: 'Edition des Angebots, meist mit der Betriebssystemversion.',
  },
  'resource-group-cloud/source/export_worker_image/version': {
    title: 'Version',
    help: 'Version des Images. latest wählt die neueste Version.',
  },
  'resource-group-cloud/destination/linux_migr_image/version': {
    title: 'Version',
    help: 'Version des Images. latest wählt die neueste Version.',
  },
  'resource-group-cloud/destination/windows_migr_image/version': {
    title: 'Version',
    help: 'Version des Images. latest wählt die neueste Version.',
  },
  'resource-group-cloud/source/storage_account_name': {
    title: 'Speicherkonto',
    help: 'Erforderlich für die Migration oder Replikation in Blob-Speicher. Das Konto muss in der ausgewählten Ressourcengruppe sein. Falls angegeben, kopiert Azure die Snapshots verwalteter Datenträger in Seitenblobs dieses Kontos, aus denen sie gelesen werden; die Kopien werden mit der Ausführung entfernt.',
  },
  'resource-group-cloud/source/storage_container_name': {
    title: 'Speichercontainer',
    help: 'Erforderlich für die Migration oder Replikation in Blob-Speicher. Der Container gehört zu diesem Konto und wird erstellt, falls er nicht existiert. Falls nicht angegeben, der Container vhds.',
  },
  'resource-group-cloud/destination/storage_map/backend_mappings/source': {
    title: 'Quell-Backend',
    help: 'Kennung eines Speicher-Backends der Quelle, z. B. eines Datenspeichers.',
  },
  'resource-group-cloud/destination/storage_map/disk_mappings/disk_id': {
    title: 'Quelldatenträger',
    help: 'Kennung eines Datenträgers der VM.',
  },
  'resource-group-cloud/destination/location': {
    title: 'Region',
    help: 'Zielregion.',
  },
  'resource-group-cloud/destination/resource_group': {
    title: 'Ressourcengruppe',
    help: 'Vorhandene Ressourcengruppe in dieser Region für alle erstellten Ressourcen.',
  },
  'resource-group-cloud/destination/network_map': {
    title: 'Netzwerkzuordnung',
    help: 'Ordnet Namen von Quellnetzwerken <network>/<subnet> in der Ressourcengruppe zu.',
  },
  'resource-group-cloud/destination/storage_map': {
    title: 'Speicherzuordnung',
    help: 'Ordnet Quelldatenträger oder Speicher-Backends Speicherkontotypen zu.',
  },
  'resource-group-cloud/destination/storage_map/default': {
    title: 'Standard',
    help: 'Der Speicherkontotyp für Datenträger, auf die kein anderer Eintrag zutrifft.',
  },
  'resource-group-cloud/destination/storage_map/backend_mappings': {
    title: 'Nach Quell-Backend',
    help: 'Der Speicherkontotyp für alle Datenträger in einem Speicher-Backend der Quelle.',
  },
  'resource-group-cloud/destination/storage_map/backend_mappings/destination': {
    title: 'Ziel-Speicherkontotyp',
    help: 'Der Speicherkontotyp für die Datenträger.',
  },
  'resource-group-cloud/destination/storage_map/disk_mappings/destination': {
    title: 'Ziel-Speicherkontotyp',
    help: 'Der Speicherkontotyp für die Datenträger.',
  },
  'resource-group-cloud/destination/storage_map/disk_mappings': {
    title: 'Nach Datenträger',
    help: 'Der Speicherkontotyp für einzelne Datenträger. Hat Vorrang vor dem Eintrag des Speicher-Backends und dem Standard.',
  },
  'resource-group-cloud/destination/storage_account_name': {
    title: 'Speicherkonto',
    help: 'Speicherkonto der Ressourcengruppe. Ist es gesetzt, werden Datenträger ohne Worker in Seitenblobs dieses Kontos repliziert; beim Bereitstellen der VM werden daraus verwaltete Datenträger erstellt.',
  },
  'resource-group-cloud/destination/storage_container_name': {
    title: 'Speichercontainer',
    help: 'Container dieses Kontos für die Seitenblobs. Er wird erstellt, falls er nicht existiert. Ist er nicht gesetzt, wird der Container vhds verwendet.',
  },
  'resource-group-cloud/destination/vm_size': {
    title: 'Größe',
    help: 'Größe der neuen VM. Sie muss mindestens so viele Datenträger unterstützen, wie die Quell-VM hat.',
  },
  'resource-group-cloud/destination/worker_size': {
    title: 'Worker-Größe',
    help: 'Größe temporärer Worker für Replikation und OSMorphing.',
  },
  'resource-group-cloud/destination/linux_migr_image': {
    title: 'Linux-Worker-Image',
    help: 'Marketplace-Image für die Replikation und für die Vorbereitung von Linux-Gästen. Für das integrierte Image gibt es keinen Support mehr.',
  },
  'resource-group-cloud/destination/windows_migr_image': {
    title: 'Windows-Worker-Image',
    help: 'Marketplace-Image für die Vorbereitung von Windows-Gästen. Muss dieselbe Version wie der Gast oder eine neuere haben.',
  },
  'resource-group-cloud/destination/preserve_nic_ips': {
    title: 'IPs beibehalten',
    help: 'Jeder migrierten NIC die Quell-IP-Adresse zuweisen, wenn sie im Bereich des zugeordneten Subnetzes liegt.',
  },
};
