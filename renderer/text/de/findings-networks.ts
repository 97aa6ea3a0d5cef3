import type { GermanFindings } from './finding-row.ts';

/** Findings about networks and addresses. */
export const networkFindings = {
  'nic-not-mapped': [
    'Ein Quellnetzwerk ist nicht zugeordnet',
    'Die VM hat eine NIC in einem Netzwerk, das network_map nicht nennt.',
    'Fügen Sie das Quellnetzwerk zu network_map hinzu. Namen werden genau verglichen, auch nach Groß- und Kleinschreibung.',
  ],
  'network-form': [
    'Das Netzwerk ist nicht als <network>/<subnet> angegeben',
    'Die Plattform erfordert beide Namen, durch einen Schrägstrich getrennt.',
    'Schreiben Sie <network>/<subnet>.',
  ],
  'address-outside-network': [
    'Eine feste Adresse liegt außerhalb des zugeordneten Netzwerks',
    'Die Adresse der NIC liegt in keinem Bereich des Netzwerks, dem sie zugeordnet ist.',
    'Ordnen Sie die NIC einem Netzwerk mit diesem Bereich zu, oder lassen Sie die Plattform Adressen zuweisen.',
  ],
  'address-reserved': [
    'Eine feste Adresse ist reserviert',
    'Die Plattform verwendet die Adresse selbst, zum Beispiel für Gateway, DHCP oder Broadcast.',
    'Ordnen Sie die NIC einem anderen Netzwerk zu, oder lassen Sie die Plattform Adressen zuweisen.',
  ],
  'ipv6-dropped': [
    'IPv6-Adressen werden nicht beibehalten',
    'Nur IPv4-Adressen können beibehalten werden.',
    'Planen Sie eine neue IPv6-Adresse für die VM, wenn sie eine benötigt.',
  ],
  'further-addresses': [
    'Nur die erste Adresse einer NIC wird beibehalten',
    'Die NIC hat mehrere IPv4-Adressen.',
    'Fügen Sie die anderen Adressen nach der Migration im Gast oder auf der Plattform hinzu.',
  ],
  'static-address-changes': [
    'Ein Gast mit statischer Adresse erhält eine neue Adresse',
    'set_dhcp ist false, daher behält der Gast seine statische Konfiguration, während die Plattform andere Adressen zuweist.',
    'Behalten Sie die festen Adressen bei, oder ändern Sie nach der Migration die Adressen im Gast.',
  ],
  'floating-ip-without-nic': [
    'Eine Floating IP ohne NIC',
    'Die VM hat keine NIC, der die Floating IP zugewiesen werden könnte.',
    'Deaktivieren Sie die Floating IP, oder fügen Sie die NIC zur Beschreibung der VM hinzu.',
  ],
  'floating-ip-pool-missing': [
    'Kein Floating-IP-Pool ist angegeben',
    'Ohne Namen wird das einzige externe Netzwerk verwendet; bei mehreren schlägt die Bereitstellung fehl.',
    'Geben Sie den Pool an.',
  ],
  'worker-fip-pool-missing': [
    'Kein Floating-IP-Pool für Worker ist angegeben',
    'Ohne Namen wird das einzige externe Netzwerk verwendet; bei mehreren startet kein Worker.',
    'Geben Sie den Pool an.',
  ],
  'export-fip-pool-missing': [
    'Kein Floating-IP-Pool für den Export-Worker ist angegeben',
    'Ohne Namen wird das einzige externe Netzwerk verwendet; bei mehreren startet kein Worker.',
    'Geben Sie den Pool an.',
  ],
} as const satisfies GermanFindings;
