import type { ErrorWords } from '../catalogue.ts';

export const transportErrors: Readonly<Record<string, ErrorWords>> = {
  'transport.unreachable': {
    title: 'Der Worker ist nicht erreichbar',
    cause:
      'Er startet noch, eine Firewall oder Sicherheitsgruppe blockiert diese Adresse, oder es gibt keine Route zu ihm.',
    remedy:
      'Prüfen Sie, ob der in den Details genannte Port von diesem Computer zum Worker offen ist, und starten Sie dann erneut.',
  },
  'transport.worker-down': {
    title: 'Der Worker läuft nicht',
    cause: 'Er ist abgestürzt oder wurde angehalten oder gelöscht, bevor eine Verbindung hergestellt werden konnte.',
    remedy:
      'Keine Aktion erforderlich: Ein neuer Worker ersetzt ihn, und die Ausführung wird anhand dauerhaft gespeicherter Daten fortgesetzt.',
  },
  'transport.login-refused': {
    title: 'SSH-Anmeldung am Worker fehlgeschlagen',
    cause:
      'Das Schlüsselpaar ist auf dem Worker noch nicht installiert, oder sein Image verwendet einen anderen Benutzernamen.',
    remedy: 'Prüfen Sie den Benutzernamen des Worker-Images. Starten Sie erneut, um einen neuen Worker zu erhalten.',
  },
  'transport.host-key-mismatch': {
    title: 'Der SSH-Hostschlüssel des Workers stimmt nicht überein',
    cause:
      'Unter dieser Adresse antwortet eine andere Maschine, oder die Verbindung wird abgefangen. Es wurde nichts gesendet.',
    remedy:
      'Stellen Sie fest, welche Maschine unter dieser Adresse antwortet. Wurde der Worker absichtlich ersetzt, löschen Sie ihn, damit ein neuer erstellt wird.',
  },
  'transport.certificate-mismatch': {
    title: 'Das Zertifikat des Workers stimmt nicht überein',
    cause: 'An diesem Port antwortet ein anderer Dienst, oder ein Proxy fängt TLS ab. Es wurde nichts gesendet.',
    remedy: 'Umgehen Sie den Proxy, oder wählen Sie SSH für die Datenübertragung.',
  },
  'transport.python-missing': {
    title: 'Auf dem Worker fehlt Python 3.6 oder höher',
    cause: 'Das Worker-Image enthält kein Python 3.',
    remedy: 'Wählen Sie ein Worker-Image mit Python 3.6 oder höher (jedes Image mit cloud-init enthält es).',
  },
  'transport.not-privileged': {
    title: 'Der Benutzer des Workers kann sudo nicht ohne Passwort ausführen',
    cause: 'Blockgeräte werden als root geschrieben, und `sudo -n` wurde abgelehnt.',
    remedy:
      'Wählen Sie ein Worker-Image, dessen Standardbenutzer sudo ohne Passwort ausführen darf, wie bei Cloud-Images.',
  },
  'transport.here-not-linux': {
    title: 'Auf diesem Computer läuft kein Linux',
    cause: 'Volumes können nur an eine Linux-VM angehängt werden, auf der Causeway läuft.',
    remedy: 'Verwenden Sie einen Mover mit Linux, oder lassen Sie Worker starten.',
  },
  'transport.here-not-privileged': {
    title: 'Causeway darf auf diesem Computer keine Blockgeräte öffnen',
    cause: 'Causeway läuft hier nicht als root, und `sudo -n` wurde abgelehnt.',
    remedy:
      'Erlauben Sie dem Benutzer, unter dem Causeway läuft, auf dieser VM sudo ohne Passwort, oder lassen Sie Worker starten.',
  },
  'transport.here-python-missing': {
    title: 'Auf diesem Computer gibt es kein Python 3',
    cause: 'Was auf die Blockgeräte schreibt, ist ein Python-Programm.',
    remedy: 'Installieren Sie auf dieser VM Python 3.6 oder neuer, oder lassen Sie Worker starten.',
  },
  'transport.agent-start': {
    title: 'Der Agent ist auf dem Worker nicht gestartet',
    cause:
      'Sein Port wird verwendet, der Datenträger ist voll, oder Python ist defekt. Die Details enthalten die letzte Ausgabe.',
    remedy: 'Prüfen Sie die Details. Ein neuer Worker löst das Problem meistens.',
  },
  'transport.upload-damaged': {
    title: 'Der Agent wurde beim Hochladen auf den Worker beschädigt',
    cause:
      'Der Worker hat keinen freien Speicherplatz mehr, oder seine Anmelde-Shell gibt Text aus oder verändert Daten.',
    remedy: 'Wählen Sie ein anderes Worker-Image oder eine größere Worker-Größe.',
  },
  'transport.protocol': {
    title: 'Protokollfehler des Worker-Agenten',
    cause: 'Ein Frame war beschädigt, oder der Agent hat eine andere Version.',
    remedy: 'Starten Sie erneut. Die Ausführung wird anhand dauerhaft gespeicherter Daten fortgesetzt.',
  },
  'transport.lost': {
    title: 'Die Verbindung zum Worker wurde unterbrochen',
    cause:
      'Das Netzwerk ist ausgefallen, dieser Computer war im Energiesparmodus, oder der Worker oder sein Agent wurde beendet.',
    remedy: 'Starten Sie erneut. Die Ausführung wird anhand dauerhaft gespeicherter Daten fortgesetzt.',
  },
  'transport.closed': {
    title: 'Die Verbindung zum Worker ist bereits geschlossen',
    cause: 'Eine Anforderung wurde nach dem Schließen der Sitzung gestellt.',
    remedy: 'Starten Sie erneut.',
  },
  'transport.device-in-use': {
    title: 'Das Gerät wird auf dem Worker verwendet',
    cause:
      'Es ist eingebunden, dient als Swap, wird von einem anderen Gerät belegt, ist von einem anderen Programm geöffnet oder enthält das System des Workers selbst.',
    remedy: 'Prüfen Sie das in den Details genannte Gerät. Ein neuer Worker löst das Problem meistens.',
  },
  'transport.device-refused': {
    title: 'Der Agent hat einen Gerätepfad abgelehnt',
    cause: 'Der Pfad ist kein Blockgerät, existiert nicht, oder der Agent darf dorthin nicht schreiben.',
    remedy: 'Prüfen Sie, ob das Volume mit dem Worker verbunden ist.',
  },
  'transport.login-failed': {
    title: 'Der Worker konnte sich nicht bei einem iSCSI-Volume anmelden',
    cause:
      'Das Image des Workers hat keinen iSCSI-Initiator, oder das iSCSI-Ziel der Plattform hat nicht geantwortet oder die Anmeldung abgelehnt.',
    remedy:
      'Verwenden Sie ein Worker-Image, in dem open-iscsi installiert ist und sein Dienst läuft, oder ordnen Sie dem Datenträger einen anderen Anbindungstyp zu.',
  },
  'transport.out-of-range': {
    title: 'Schreibzugriff hinter dem Ende des Volumes',
    cause: 'Das Volume ist kleiner als der Datenträger, der darauf kopiert wird.',
    remedy: 'Prüfen Sie die Größen des Datenträgers und des Volumes.',
  },
  'transport.write-failed': {
    title: 'Der Worker konnte das Volume nicht lesen oder schreiben',
    cause: 'Der zugrunde liegende Speicher hat einen Fehler gemeldet oder ist voll.',
    remedy: 'Prüfen Sie den Zustand des Volumes auf der Plattform, und starten Sie dann erneut.',
  },
  'transport.request-refused': {
    title: 'Der Agent hat eine Anforderung abgelehnt',
    cause: 'Die Anforderung ist im aktuellen Zustand der Sitzung nicht gültig.',
    remedy: 'Melden Sie das Problem mit den Details.',
  },
  'transport.command-failed': {
    title: 'Ein Befehl auf dem Worker ist fehlgeschlagen',
    cause: 'Er hat einen Fehler zurückgegeben, sein Zeitlimit überschritten oder zu viel ausgegeben.',
    remedy: 'Prüfen Sie die Ausgabe des Befehls in den Details.',
  },
  'transport.proxy-refused': {
    title: 'Der Proxy hat die Verbindung nicht geöffnet',
    cause:
      'Der Proxy lässt keine Verbindungen zu diesem Port zu oder verlangt eine andere Anmeldung als die übermittelte. NTLM und Negotiate werden nicht unterstützt.',
    remedy:
      'Bitten Sie den Betreiber des Proxys, CONNECT zu der in den Details genannten Adresse zuzulassen, prüfen Sie Benutzer und Passwort des Proxys, oder verwenden Sie einen lokalen Proxy, der sich für Sie anmeldet.',
  },
  'transport.proxy-not-trusted': {
    title: 'Dem Zertifikat des Proxys wird nicht vertraut',
    cause:
      'Die Verbindung zum Proxy selbst verwendet TLS, und sein Zertifikat ist selbstsigniert, abgelaufen, für einen anderen Namen oder von einer unbekannten Zertifizierungsstelle.',
    remedy:
      'Lassen Sie die Zertifizierungsstelle des Proxys im Zertifikatspeicher des Betriebssystems installieren, oder verwenden Sie die Adresse des Proxys, die in seinem Zertifikat steht.',
  },
  'transport.forward-refused': {
    title: 'Der SSH-Server hat eine Verbindung nicht weitergeleitet',
    cause:
      'Unter der in den Details genannten Adresse lauscht niemand, der Benutzer darf sie nicht öffnen, oder die Weiterleitung ist in den Einstellungen des Servers deaktiviert.',
    remedy:
      'Prüfen Sie die Adresse in den Details. Erlauben Sie die Weiterleitung in den Einstellungen des SSH-Servers (AllowTcpForwarding, AllowStreamLocalForwarding).',
  },
  'transport.winrm-protocol': {
    title: 'Unerwartete WinRM-Antwort',
    cause: 'Der WinRM-Dienst hat eine Anforderung abgelehnt oder das Protokoll verletzt. Siehe Details.',
    remedy: 'Prüfen Sie, ob der Server ein Windows Server mit WinRM über HTTPS ist, und starten Sie dann erneut.',
  },
  'transport.kerberos-unavailable': {
    title: 'Anmeldung mit Kerberos nicht möglich',
    cause:
      'Kein Domänencontroller war erreichbar, die Domäne kennt den Host nicht unter diesem Namen, die Uhren weichen voneinander ab, oder das Konto hat keinen AES-Schlüssel. Siehe Details.',
    remedy:
      'Geben Sie den Host mit seinem vollständigen Namen in der Domäne an und den Benutzer als user@domain. Nennt DNS die Domänencontroller nicht, setzen Sie `kerberos_kdc` des Endpunkts; TCP 88 muss zu ihnen offen sein. Setzen Sie andernfalls `authentication` auf ntlm, oder verwalten Sie den Host mit SSH.',
  },
};
