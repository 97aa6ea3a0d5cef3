import type { FieldTexts } from './field-texts.ts';

export const qemuHypervisorFields: FieldTexts = {
  'qemu-hypervisor/connection/ssh_jump_hosts': {
    title: 'Jump-Hosts',
    help: 'SSH-Server, über die die Verbindung läuft, von hier aus der erste zuerst, jeder als user@host:port <type> <base64> mit seinem Hostschlüssel. Die Anmeldung erfolgt mit demselben privaten Schlüssel, oder mit demselben Passwort, wenn kein privater Schlüssel gesetzt ist.',
  },
  'qemu-hypervisor/connection/ssh_proxy': {
    title: 'Proxy für SSH',
    help: 'Proxy, über den die Verbindung läuft: ein HTTP-Proxy, der CONNECT zulässt und unverschlüsselt (http) oder über TLS (https) angesprochen wird, oder ein SOCKS-5-Proxy (socks5). Ist er nicht gesetzt, wird die Verbindung direkt hergestellt.',
  },
  'qemu-hypervisor/connection/ssh_proxy_username': {
    title: 'Benutzername für den Proxy',
    help: 'Benutzername, falls der Proxy einen verlangt. Bei HTTP-Proxys erfolgt die Anmeldung mit der Basic-Authentifizierung.',
  },
  'qemu-hypervisor/connection/ssh_proxy_password': {
    title: 'Passwort für den Proxy',
    help: 'Passwort des Proxybenutzers. Wird im Tresor gespeichert.',
  },
  'qemu-hypervisor/connection/ssh_host': {
    title: 'SSH-Host',
    help: 'Name oder Adresse des Hosts, auf dem QEMU läuft. Alle Sockets und Ordner dieses Endpunkts befinden sich dann auf diesem Host, und alles läuft über eine SSH-Verbindung. Ist er nicht gesetzt, läuft QEMU auf diesem Computer.',
  },
  'qemu-hypervisor/connection/ssh_port': {
    title: 'SSH-Port',
    help: 'TCP-Port des SSH-Servers des Hosts.',
  },
  'qemu-hypervisor/connection/ssh_username': {
    title: 'SSH-Benutzer',
    help: 'Benutzer, der sich anmeldet. Er benötigt Lese- und Schreibzugriff auf die Sockets von QEMU oder auf den Socket von libvirt (Gruppe libvirt) und die im Arbeitsordner.',
  },
  'qemu-hypervisor/connection/ssh_private_key': {
    title: 'Privater SSH-Schlüssel',
    help: 'Privater Schlüssel des Benutzers im OpenSSH- oder PEM-Format. Wird im Tresor gespeichert.',
  },
  'qemu-hypervisor/connection/ssh_passphrase': {
    title: 'Passphrase des privaten Schlüssels',
    help: 'Passphrase, wenn der private Schlüssel verschlüsselt ist. Wird im Tresor gespeichert.',
  },
  'qemu-hypervisor/connection/ssh_password': {
    title: 'SSH-Passwort',
    help: 'Passwort des Benutzers, wenn er sich nicht mit einem Schlüssel anmeldet. Wird im Tresor gespeichert.',
  },
  'qemu-hypervisor/connection/ssh_host_keys': {
    title: 'SSH-Hostschlüssel',
    help: 'Hostschlüssel des Hosts als <type> <base64>: die Ausgabe von ssh-keyscan ohne den Namen, verglichen mit den Dateien /etc/ssh/ssh_host_*_key.pub auf dem Host. An einen Host mit anderen Schlüsseln wird nichts gesendet.',
  },
  'qemu-hypervisor/connection/qmp_socket': {
    title: 'QMP-Socket',
    help: 'Pfad des QMP-Unix-Sockets einer VM. Die VM wird nach dem QEMU-Namen (-name) oder der Datei benannt.',
  },
  'qemu-hypervisor/connection/qmp_sockets': {
    title: 'QMP-Sockets nach VM',
    help: 'Ordnet VM-Namen den Pfaden ihrer QMP-Unix-Sockets zu, für mehrere VMs auf einem Host.',
  },
  'qemu-hypervisor/connection/libvirt_uri': {
    title: 'Libvirt-URI',
    help: 'URI eines libvirt-Daemons: qemu:///system, qemu:///session oder qemu+tls://host/system, ohne Parameter. Seine laufenden Domains werden als VMs aufgeführt. Erfordert einen Arbeitsordner, in den QEMU schreiben kann. Mit einem SSH-Host wird der Daemon dieses Hosts verwendet. Auf diesem Computer ist kein libvirt erforderlich.',
  },
  'qemu-hypervisor/connection/libvirt_tls_credentials': {
    title: 'TLS-Zugangsdaten für libvirt',
    help: 'Ordner auf diesem Computer mit cacert.pem, clientcert.pem und clientkey.pem, für einen libvirt-Daemon, der über TLS erreicht wird. Ist er nicht gesetzt, werden die Dateien verwendet, die auch die libvirt-Programme verwenden: in ~/.pki/libvirt oder in /etc/pki.',
  },
  'qemu-hypervisor/connection/scratch_folder': {
    title: 'Arbeitsordner',
    help: 'Ordner auf dem QEMU-Host für Snapshot-Overlays. Benötigt genügend Speicherplatz für die Daten, die der Gast während einer Ausführung überschreibt. Ist er nicht gesetzt, wird der Ordner des QMP-Sockets verwendet.',
  },
  'qemu-hypervisor/connection/nbd_listen': {
    title: 'NBD-Adresse',
    help: 'Adresse (host:port), unter der QEMU Snapshots exportiert. Ist sie nicht gesetzt, wird ein Unix-Socket im Arbeitsordner verwendet, und keine Daten verlassen den Host.',
  },
  'qemu-hypervisor/connection/nbd_tls_server_credentials': {
    title: 'TLS-Zugangsdaten von QEMU',
    help: 'Ordner auf dem QEMU-Host mit ca-cert.pem, server-cert.pem und server-key.pem. Erforderlich für einen Export über TCP.',
  },
  'qemu-hypervisor/connection/nbd_tls_client_credentials': {
    title: 'TLS-Zugangsdaten des Readers',
    help: 'Ordner auf diesem Computer mit ca-cert.pem, client-cert.pem und client-key.pem, für gegenseitiges TLS mit QEMU.',
  },
  'qemu-hypervisor/connection/os_type': {
    title: 'Typ des Gastbetriebssystems',
    help: 'Standard für VMs, deren Gast-Agent nicht antwortet. Kann in der Umgebung einer VM überschrieben werden.',
  },
  'qemu-hypervisor/source/os_type': {
    title: 'Typ des Gastbetriebssystems',
    help: 'Typ des Gastbetriebssystems. Ist er nicht gesetzt, wird er vom Gast-Agenten oder vom Standard des Endpunkts übernommen.',
  },
  'qemu-hypervisor/source/firmware': {
    title: 'Firmware des Gasts',
    help: 'Firmware des Gasts. Ist sie nicht gesetzt, wird sie nach Möglichkeit von der QEMU-Maschine übernommen.',
  },
  'qemu-hypervisor/source/quiesce': {
    title: 'Dateisysteme einfrieren',
    help: 'Die Dateisysteme über den Gast-Agenten einfrieren, während der Snapshot erstellt wird. Ohne Gast-Agent sind Snapshots absturzkonsistent.',
  },
  'qemu-hypervisor/source/guest_agent_socket': {
    title: 'Socket des Gast-Agenten',
    help: 'Pfad des Unix-Sockets für den Kanal des Gast-Agenten. Wird verwendet, um Dateisysteme einzufrieren und Betriebssystem und IP-Adressen des Gasts zu lesen.',
  },
  'qemu-hypervisor/source/bitmap_granularity': {
    title: 'Granularität der Änderungsverfolgung',
    help: 'Bytes, die ein Bit der Dirty Bitmap abdeckt. Ein kleinerer Wert sendet weniger Daten, benötigt aber mehr Arbeitsspeicher in QEMU. Wird nur beim Erstellen der Bitmap verwendet.',
  },
};
