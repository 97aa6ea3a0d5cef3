import type { GermanFindings } from './finding-row.ts';
import { networkFindings } from './findings-networks.ts';
import { serverFindings } from './findings-server.ts';
import { vmFindings } from './findings-vm.ts';
import { workerFindings } from './findings-workers.ts';

/** Findings of a check with the platform, shortly before it is used. */
export const onlineFindings = {
  'online-shape': [
    'Die Einstellungen können nicht gelesen werden',
    'Ein Schlüssel hat den falschen Typ oder die falsche Form, daher war die Prüfung mit der Plattform nicht möglich.',
    'Beheben Sie zuerst die anderen Befunde dieser VM, und prüfen Sie dann erneut.',
  ],
  'online-name-unknown': serverFindings['not-in-catalog'],
  'online-name-ambiguous': serverFindings['ambiguous-name'],
  'online-network-not-mapped': networkFindings['nic-not-mapped'],
  'online-network-without-subnet': [
    'Das Netzwerk hat kein Subnetz',
    'Für das Projekt ist kein Subnetz des Netzwerks sichtbar, daher erhielten Ports keine Adresse.',
    'Ordnen Sie ein anderes Netzwerk zu, oder lassen Sie das Subnetz für das Projekt freigeben.',
  ],
  'online-address-out-of-range': networkFindings['address-outside-network'],
  'online-address-reserved': networkFindings['address-reserved'],
  'online-address-twice': [
    'Zwei NICs benötigen dieselbe Adresse',
    'Zwei NICs der VM haben dieselbe feste Adresse in einem Netzwerk.',
    'Ordnen Sie die NICs verschiedenen Netzwerken zu, oder lassen Sie die Plattform Adressen zuweisen.',
  ],
  'online-address-taken': [
    'Eine feste Adresse wird bereits verwendet',
    'Eine andere NIC im Zielnetzwerk hat die Adresse.',
    'Geben Sie die Adresse frei, ordnen Sie ein anderes Netzwerk zu, oder lassen Sie die Plattform Adressen zuweisen.',
  ],
  'online-no-fixed-address': [
    'Die Adresse einer NIC ist nicht bekannt',
    'Die Quelle hat keine IPv4-Adresse gemeldet, daher kann keine beibehalten werden.',
    'Keine Maßnahme erforderlich, wenn die Plattform eine zuweisen darf. Lesen Sie die VM andernfalls erneut, während sie läuft.',
  ],
  'online-ipv6-dropped': networkFindings['ipv6-dropped'],
  'online-further-addresses': networkFindings['further-addresses'],
  'online-floating-ip-pool': [
    'Der Floating-IP-Pool kann nicht verwendet werden',
    'Kein Pool hat den Namen, oder es gibt mehrere externe Netzwerke und keines ist angegeben.',
    'Geben Sie einen der Pools in der Meldung an.',
  ],
  'online-image-missing': workerFindings['worker-image-missing'],
  'online-image-status': [
    'Das Worker-Image ist nicht aktiv',
    'Das Image wird noch hochgeladen, oder es ist deaktiviert.',
    'Warten Sie, bis das Image aktiv ist, oder wählen Sie ein anderes.',
  ],
  'online-image-system': [
    'Das Worker-Image hat ein anderes Betriebssystem',
    'Das Image für linux ist ein Windows-Image oder umgekehrt.',
    'Wählen Sie ein Image mit dem richtigen Betriebssystem.',
  ],
  'online-worker-memory': [
    'Der Worker hat zu wenig Arbeitsspeicher für sein Image',
    'Das Image benötigt mehr Arbeitsspeicher, als die Größe hat.',
    'Wählen Sie eine größere Größe für Worker.',
  ],
  'online-worker-architecture': [
    'Worker-Image und Worker-Größe passen nicht zusammen',
    'Eines ist für arm64, das andere für x86_64.',
    'Wählen Sie ein Image und eine Größe mit derselben Architektur.',
  ],
  'online-worker-disk': workerFindings['worker-disk-too-small'],
  'online-worker-without-disk': workerFindings['worker-disk-too-small'],
  'online-worker-volume-size': workerFindings['worker-volume-too-small'],
  'online-flavor-small': serverFindings['machine-type-too-small'],
  'online-flavor-none': serverFindings['no-machine-type-fits'],
  'online-machine-type-windows': serverFindings['windows-needs-machine-type'],
  'online-machine-type-none': serverFindings['no-machine-type-fits'],
  'online-machine-type-small': serverFindings['machine-type-too-small'],
  'online-disk-too-large': [
    'Ein Datenträger ist größer, als ein Volume sein kann',
    'Die Plattform oder das Kontingent des Projekts begrenzt die Größe von Volumes.',
    'Lassen Sie die Grenze erhöhen, oder verkleinern Sie den Datenträger vor der Migration.',
  ],
  'online-groups-mixed': [
    'Sicherheitsgruppen können nicht kombiniert werden',
    'Zustandsbehaftete und zustandslose Sicherheitsgruppen können nicht zusammen für eine NIC gelten.',
    'Wählen Sie Gruppen einer Art.',
  ],
  'online-label': serverFindings['label-alphabet'],
  'online-tag': serverFindings['tag-form'],
  'online-debug-key': [
    'Der Debug-Schlüssel kann nicht verwendet werden',
    'Der Wert ist nicht der Base64-Text eines öffentlichen SSH-Schlüssels.',
    'Codieren Sie die ganze Zeile des öffentlichen Schlüssels als Base64.',
  ],
  'online-project': [
    'Das Projekt kann nicht verwendet werden',
    'Das Dienstkonto hat keinen Zugriff auf das Projekt, oder das Projekt ist nicht vorhanden.',
    'Erteilen Sie dem Konto Zugriff, oder korrigieren Sie die Projekt-ID.',
  ],
  'online-caller-address': [
    'Die Adresse dieses Computers ist nicht bekannt',
    'Die Ports der Worker werden nur für diesen Computer geöffnet, und seine Adresse hinter dem Router ist nicht bekannt.',
    'Legen Sie die Aufruferadresse im Endpunkt fest.',
  ],
  'online-worker-size': [
    'Die Worker-Größe passt nicht',
    'Das Image läuft nicht auf dieser Größe, oder die Größe lässt die Datenträger nicht zu.',
    'Wählen Sie eine andere worker_size oder ein anderes Worker-Image.',
  ],
  'online-worker-in-turns': [
    'Der Worker lässt weniger Datenträger zu, als die VM hat',
    'Eine VM-Größe lässt eine bestimmte Anzahl von Datendatenträgern zu. Datenträger werden gruppenweise nacheinander kopiert; auf einem solchen Worker kann der Gast nicht vorbereitet werden.',
    'Wählen Sie vor der Bereitstellung eine größere worker_size.',
  ],
  'online-storage-account': [
    'Das Speicherkonto kann nicht verwendet werden',
    'Das Konto hat keine Seitenblobs, oder es ist in einer anderen Region als die Datenträger, die daraus erstellt werden.',
    'Geben Sie ein Universalkonto der Region an, oder entfernen Sie storage_account_name und storage_container_name.',
  ],
  'online-resource-group': [
    'Die Ressourcengruppe kann nicht verwendet werden',
    'Die Ressourcengruppe ist nicht vorhanden, oder das Konto hat keine Rechte darin.',
    'Korrigieren Sie den Namen, oder geben Sie dem Konto die Rolle, die causeway endpoint policy ausgibt.',
  ],
  'online-resource-group-region': [
    'Die Ressourcengruppe ist in einer anderen Region',
    'Ressourcen können in einer anderen Region als ihre Gruppe sein, die Gruppe kann aber nicht geändert werden, während ihre eigene Region nicht verfügbar ist.',
    'Wählen Sie eine Ressourcengruppe der Region, oder nehmen Sie dies in Kauf.',
  ],
  'online-os-disk-type': [
    'Der Datenträgertyp ist für ein Betriebssystem nicht möglich',
    'Die Plattform startet keine VMs von Datenträgern dieses Typs.',
    'Ordnen Sie den Speicher des ersten Datenträgers einem anderen Typ zu.',
  ],
  'online-zone': [
    'Der Datenträgertyp ist in der Zone nicht verfügbar',
    'Die Region bietet den Datenträgertyp in der Verfügbarkeitszone der VM nicht an.',
    'Wählen Sie einen anderen Typ, eine andere Zone oder keine Zone.',
  ],
  'online-size-restricted': [
    'Die Größe ist für das Abonnement nicht verfügbar',
    'Die Plattform schränkt die Größe für dieses Abonnement in der Region oder in der Zone ein.',
    'Wählen Sie eine andere Größe, oder bitten Sie den Betreiber der Plattform, die Einschränkung aufzuheben.',
  ],
  'online-size-does-not-fit': [
    'Die Größe passt nicht zur VM',
    'Die Anzahl der Datenträger oder NICs, die Generation, die Architektur oder die Datenträgertypen der VM gehen über das hinaus, was die Größe zulässt.',
    'Wählen Sie eine Größe, die erfüllt, was die Meldung nennt.',
  ],
  'online-compartment': [
    'Das Compartment kann nicht verwendet werden',
    'Das Compartment ist nicht vorhanden, oder der Benutzer hat keine Rechte darin.',
    'Korrigieren Sie den Namen oder die ID, oder geben Sie dem Benutzer die Rechte, die causeway endpoint policy ausgibt.',
  ],
  'online-group-of-other-vcn': [
    'Eine Sicherheitsgruppe ist von einem anderen Netzwerk',
    'Eine Netzwerksicherheitsgruppe gilt nur für NICs ihres eigenen virtuellen Cloud-Netzwerks.',
    'Wählen Sie eine Gruppe des Netzwerks, zu dem das Subnetz gehört.',
  ],
  'online-no-public-addresses': [
    'Das Subnetz hat keine öffentlichen Adressen',
    'Das Subnetz verbietet öffentliche Adressen, und die erste NIC muss eine erhalten.',
    'Ordnen Sie die erste NIC einem anderen Subnetz zu, oder deaktivieren Sie set_public_ip.',
  ],
  'online-shape-architecture': [
    'Die Shape hat eine andere Prozessorarchitektur',
    'Die VM ist für x86_64 erstellt, und die Shape hat ARM-Prozessoren.',
    'Wählen Sie eine Shape mit x86-Prozessoren.',
  ],
  'online-shape-small': serverFindings['machine-type-too-small'],
  'online-shape-too-small': [
    'Die VM passt nicht in die Shape',
    'Die flexible Shape kann nicht so viele Prozessoren oder so viel Arbeitsspeicher haben wie die VM.',
    'Wählen Sie eine größere Shape.',
  ],
  'online-no-uefi': vmFindings['no-uefi'],
  'online-too-many-disks': [
    'Die VM hat mehr Datenträger, als eine Instanz zulässt',
    'Die Plattform verbindet eine feste Anzahl von Volumes mit einer Instanz.',
    'Führen Sie Datenträger der VM vor der Migration zusammen, oder wählen Sie eine andere Plattform.',
  ],
  'online-os-label': [
    'Dem Manager ist das Betriebssystem nicht bekannt',
    'Die Bezeichnung ist keines der Betriebssysteme, die der Manager für VMs anbietet.',
    'Wählen Sie eines von denen, die die Meldung nennt, oder entfernen Sie os_label.',
  ],
  'online-disk-count': [
    'Einige Datenträger sind nur mit Xen-Treibern sichtbar',
    'Die Plattform emuliert wenige Datenträger. Weitere Datenträger findet nur ein Gast mit Treibern für Xen.',
    'Bereiten Sie den Gast bei der Bereitstellung vor, oder installieren Sie die Treiber vor der Migration.',
  ],
  'online-too-many-nics': [
    'Die VM hat mehr NICs, als eine Instanz zulässt',
    'Die Plattform gibt einer Instanz eine feste Anzahl von Netzwerkschnittstellen.',
    'Entfernen Sie NICs von der VM, oder wählen Sie eine andere Plattform.',
  ],
  'online-key-disabled': [
    'Das Schlüsselpaar ist deaktiviert',
    'Die Plattform installiert keinen deaktivierten Schlüssel in Instanzen.',
    'Aktivieren Sie den Schlüssel, oder wählen Sie einen anderen.',
  ],
  'online-shape-vnics': [
    'Die Shape hat zu wenige VNICs',
    'Die Anzahl der Netzwerkschnittstellen hängt von der Shape ab und bei einer flexiblen Shape von deren Prozessoren.',
    'Wählen Sie eine größere Shape, oder entfernen Sie NICs.',
  ],
  'online-parameter-missing': workerFindings['worker-incomplete'],
  'online-quota': [
    'Die Kontingente des Projekts sind zu klein',
    'Der Worker, die Volumes oder der Server benötigen mehr, als das Projekt noch verwenden darf.',
    'Lassen Sie die Kontingente in der Meldung erhöhen, oder löschen Sie nicht mehr benötigte Ressourcen.',
  ],
} as const satisfies GermanFindings;
