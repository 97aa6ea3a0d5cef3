import type { FieldTexts } from './field-texts.ts';

export const windowsHypervisorFields: FieldTexts = {
  'windows-hypervisor/connection/password': {
    title: 'Passwort',
    help: 'Passwort des Benutzers. Wird im Tresor gespeichert.',
  },
  'windows-hypervisor/connection/ca_certificate': {
    title: 'Zertifizierungsstelle',
    help: 'Zertifikat der Stelle, die das Serverzertifikat ausgestellt hat, im PEM-Format. Erforderlich, wenn das System ihr nicht vertraut.',
  },
  'windows-hypervisor/connection/allow_untrusted': {
    title: 'Nicht vertrauenswürdige Zertifikate zulassen',
    help: 'Das TLS-Zertifikat des Servers nicht prüfen. Geben Sie besser seine Zertifizierungsstelle an: Ohne Prüfung kann jeder im Netzwerkpfad den Datenverkehr lesen und verändern.',
  },
  'windows-hypervisor/connection/host': {
    title: 'Host',
    help: 'Name oder Adresse des Hypervisor-Hosts.',
  },
  'windows-hypervisor/connection/port': {
    title: 'Verwaltungsport',
    help: 'TCP-Port der Remoteverwaltung über HTTPS.',
  },
  'windows-hypervisor/connection/username': {
    title: 'Benutzername',
    help: 'Benutzer mit der Berechtigung, VMs auf dem Host zu verwalten.',
  },
  'windows-hypervisor/connection/management': {
    title: 'Verwaltung',
    help: 'Wie PowerShell auf den Hosts ausgeführt wird. winrm verwendet Windows-Remoteverwaltung über HTTPS. ssh verwendet den OpenSSH-Server von Windows; Datenträger können dann über dieselbe Verbindung gelesen werden, sodass kein weiterer Port erforderlich ist.',
  },
  'windows-hypervisor/connection/ssh_port': {
    title: 'SSH-Port',
    help: 'TCP-Port des OpenSSH-Servers der Hosts, für die Verwaltung mit ssh.',
  },
  'windows-hypervisor/connection/ssh_host_keys': {
    title: 'SSH-Hostschlüssel',
    help: 'Hostschlüssel der Hosts als <type> <base64>, einer für jeden Knoten eines Clusters. Erforderlich für die Verwaltung mit ssh: An Hosts mit anderen Schlüsseln wird kein Passwort gesendet.',
  },
  'windows-hypervisor/connection/ssh_jump_hosts': {
    title: 'Jump-Hosts',
    help: 'SSH-Server, über die die Verbindung läuft, von hier aus der erste zuerst, jeder als user@host:port <type> <base64> mit seinem Hostschlüssel. Die Anmeldung erfolgt mit demselben privaten Schlüssel, oder mit demselben Passwort, wenn kein privater Schlüssel gesetzt ist.',
  },
  'windows-hypervisor/connection/ssh_proxy': {
    title: 'Proxy für SSH',
    help: 'Proxy, über den die Verbindung läuft: ein HTTP-Proxy, der CONNECT zulässt und unverschlüsselt (http) oder über TLS (https) angesprochen wird, oder ein SOCKS-5-Proxy (socks5). Ist er nicht gesetzt, wird die Verbindung direkt hergestellt.',
  },
  'windows-hypervisor/connection/ssh_proxy_username': {
    title: 'Benutzername für den Proxy',
    help: 'Benutzername, falls der Proxy einen verlangt. Bei HTTP-Proxys erfolgt die Anmeldung mit der Basic-Authentifizierung.',
  },
  'windows-hypervisor/connection/ssh_proxy_password': {
    title: 'Passwort für den Proxy',
    help: 'Passwort des Proxybenutzers. Wird im Tresor gespeichert.',
  },
  'windows-hypervisor/connection/authentication': {
    title: 'Authentifizierung',
    help: 'Wie die Anmeldung mit winrm erfolgt. auto verwendet NTLM, wenn der Host Negotiate anbietet, sonst Basic, jedoch kein Basic, wenn das Zertifikat nicht geprüft wird. kerberos meldet sich mit Benutzername und Passwort bei einem Controller der Domäne an und zeigt dem Host nur ein Ticket: Der Host muss mit seinem Namen angegeben sein, nicht mit seiner Adresse. Erprobt wurde es mit MIT Kerberos, nicht mit Active Directory.',
  },
  'windows-hypervisor/connection/kerberos_kdc': {
    title: 'Domänencontroller',
    help: 'Domänencontroller, bei dem kerberos sich anmeldet, als Host oder host:port. Ist er nicht gesetzt, nennt DNS die Controller der Domäne. Die Domäne ist der Teil des Benutzernamens nach dem @, sonst die des Hosts. Es wird TCP-Port 88 verwendet, wenn kein anderer angegeben ist.',
  },
  'windows-hypervisor/connection/rct_port': {
    title: 'Port des RCT-Diensts',
    help: 'TCP-Port des RCT-Diensts, der geänderte Blöcke liefert.',
  },
  'windows-hypervisor/connection/rct_password': {
    title: 'Passwort des RCT-Diensts',
    help: 'Passwort des RCT-Diensts. Wird im Tresor gespeichert.',
  },
  'windows-hypervisor/connection/disk_access': {
    title: 'Datenträgerzugriff',
    help: 'Wie Datenträger gelesen werden. rct_service verwendet den RCT-Dienst, den ein Administrator auf den Hosts installiert hat. reader sendet für die Dauer einer Ausführung ein kleines Programm an den Host und entfernt es danach; dafür sind Administratorrechte erforderlich. auto verwendet den RCT-Dienst, wenn dessen Passwort gesetzt ist, sonst den Reader.',
  },
  'windows-hypervisor/connection/reader_port': {
    title: 'Erster Port des Readers',
    help: 'Erster von 32 TCP-Ports, von denen ein Reader den ersten freien mit TLS verwendet, wenn die Hosts mit winrm verwaltet werden; 0 für einen beliebigen freien Port. Während der Reader läuft, lässt die Firewall des Hosts die Computer zu, die mit WinRM verbunden sind.',
  },
  'windows-hypervisor/connection/certificate_sha256': {
    title: 'Zertifikat-Fingerabdrücke',
    help: 'SHA-256-Fingerabdrücke der zulässigen Zertifikate der Hosts, einer für jeden Knoten eines Clusters. Erforderlich, wenn sie selbstsigniert sind, wie bei WinRM üblich. Nur diese Zertifikate werden dann akzeptiert.',
  },
  'windows-hypervisor/source/fallback_to_crash_consistent_snapshots': {
    title: 'Absturzkonsistente Snapshots akzeptieren',
    help: 'Absturzkonsistente Snapshots verwenden, wenn die Integrationsdienste im Gast nicht installiert sind. Ist dies deaktiviert, wird eine solche VM abgelehnt.',
  },
  'windows-hypervisor/source/verify_rct_server': {
    title: 'RCT-Dienst prüfen',
    help: 'Das TLS-Zertifikat des RCT-Diensts prüfen. Setzen Sie bei einem selbstsignierten Zertifikat no.',
  },
};
