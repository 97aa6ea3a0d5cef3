import type { FieldTexts } from './field-texts.ts';

export const largePublicCloudFields: FieldTexts = {
  'large-public-cloud/connection/ca_certificate': {
    title: 'Zertifizierungsstelle',
    help: 'Zertifikat der Stelle, die das Serverzertifikat ausgestellt hat, im PEM-Format. Erforderlich, wenn das System ihr nicht vertraut.',
  },
  'large-public-cloud/connection/allow_untrusted': {
    title: 'Nicht vertrauenswürdige Zertifikate zulassen',
    help: 'Das TLS-Zertifikat des Servers nicht prüfen. Geben Sie besser seine Zertifizierungsstelle an: Ohne Prüfung kann jeder im Netzwerkpfad den Datenverkehr lesen und verändern.',
  },
  'large-public-cloud/connection/caller_address': {
    title: 'Aufruferadresse',
    help: 'Durch Kommas getrennte Adressen oder Bereiche, die sich mit Workern verbinden dürfen. Die Ports der Worker sind nur für diese offen. Erforderlich, wenn dieser Computer hinter NAT ist.',
  },
  'large-public-cloud/connection/region': {
    title: 'Region',
    help: 'Region der VMs.',
  },
  'large-public-cloud/connection/access_key_id': {
    title: 'Zugriffsschlüssel-ID',
    help: 'ID des Zugriffsschlüssels, der Anforderungen signiert. Wird mit einem Profil nicht verwendet.',
  },
  'large-public-cloud/connection/secret_access_key': {
    title: 'Geheimer Zugriffsschlüssel',
    help: 'Geheimer Teil des Zugriffsschlüssels. Wird im Tresor gespeichert.',
  },
  'large-public-cloud/connection/session_token': {
    title: 'Sitzungstoken',
    help: 'Sitzungstoken temporärer Zugangsdaten. Wird im Tresor gespeichert.',
  },
  'large-public-cloud/connection/profile': {
    title: 'Profil',
    help: 'Profil in den AWS-Konfigurationsdateien dieses Computers, das statt eines Zugriffsschlüssels verwendet wird. Führen Sie für Single Sign-On zuerst aws sso login für das Profil aus.',
  },
  'large-public-cloud/connection/role_arn': {
    title: 'Rolle',
    help: 'ARN einer Rolle, die mit dem Zugriffsschlüssel oder Profil übernommen wird.',
  },
  'large-public-cloud/connection/external_id': {
    title: 'Externe ID',
    help: 'Externe ID, die die Rolle verlangt.',
  },
  'large-public-cloud/connection/endpoint_urls': {
    title: 'Endpunkt-URLs',
    help: 'URLs einzelner Dienste, z. B. von VPC-Endpunkten. Schlüssel: ec2, ebs, sts. Standard: die Endpunkte der Region und ihrer Partition.',
  },
  'large-public-cloud/connection/use_fips_endpoints': {
    title: 'FIPS-Endpunkte verwenden',
    help: 'Die Endpunkte mit validierter Kryptografie verwenden, in Regionen, die sie anbieten.',
  },
  'large-public-cloud/connection/disk_access': {
    title: 'Datenträgerzugriff',
    help: 'Wie Datenträger gelesen werden. ebs_direct: über die EBS Direct APIs. worker: durch eine temporäre VM im Quellkonto, die migr_image_map erfordert. auto: über die EBS Direct APIs, oder durch einen Worker, wenn diese verweigert werden.',
  },
  'large-public-cloud/connection/worker_subnet_id': {
    title: 'Subnetz der Worker',
    help: 'ID des Subnetzes für temporäre Worker. Standard: das Subnetz der ersten Netzwerkschnittstelle der VM.',
  },
  'large-public-cloud/connection/worker_use_public_ip': {
    title: 'Öffentliche IP für Worker',
    help: 'Workern eine öffentliche IP-Adresse zuweisen. Bei false muss dieser Computer eine Route in ihr Subnetz haben.',
  },
  'large-public-cloud/source/migr_image_map': {
    title: 'Worker-Images',
    help: 'Maschinenimage-IDs für temporäre Worker, nach Betriebssystemtyp. Schlüssel: linux, windows.',
  },
  'large-public-cloud/source/migr_image_map/linux': {
    title: 'Linux-Worker-Image',
    help: 'Maschinenimage-ID für temporäre Linux-Worker.',
  },
  'large-public-cloud/source/migr_image_map/windows': {
    title: 'Windows-Worker-Image',
    help: 'Maschinenimage-ID für temporäre Windows-Worker.',
  },
  'large-public-cloud/source/worker_instance_type': {
    title: 'Instanztyp der Worker',
    help: 'Instanztyp temporärer Worker. Mehr Arbeitsspeicher und Netzwerkbandbreite beschleunigen die Replikation.',
  },
  'large-public-cloud/source/shutdown_migrated_instance': {
    title: 'VM herunterfahren',
    help: 'Die VM während der Migration herunterfahren, damit ihre Daten konsistent sind. Die VM bleibt aus, bis Sie sie wieder starten.',
  },
};
