import type { ErrorWords } from '../catalogue.ts';

export const cloudErrors: Readonly<Record<string, ErrorWords>> = {
  'cloud.service-missing': {
    title: 'Ein erforderlicher Cloud-Dienst ist nicht verfügbar',
    cause: 'Der Dienstkatalog führt den Dienst für dieses Projekt, diese Region und diese Schnittstelle nicht auf.',
    remedy:
      'Setzen Sie Region und Schnittstelle des Endpunkts auf Werte aus den Details, oder bitten Sie den Cloud-Betreiber, den Dienst für das Projekt zu aktivieren.',
  },
  'cloud.port-in-use': {
    title: 'Ein Port mit der benötigten MAC-Adresse gehört zu einem laufenden Server',
    cause:
      'port_reuse_policy legt fest, dass Ports mit den MAC-Adressen der VM wiederverwendet oder neu erstellt werden, und einer davon wird verwendet.',
    remedy:
      'Löschen Sie den in den Details genannten Server, oder setzen Sie port_reuse_policy auf replace_mac. Es wurde nichts geändert.',
  },
  'cloud.unreachable': {
    title: 'Die API der Cloud ist nicht erreichbar',
    cause:
      'Mögliche Ursachen: kein Netzwerk, eine falsche Adresse, ein Name, der nicht aufgelöst wird, oder ein Proxy oder eine Firewall dazwischen.',
    remedy: 'Prüfen Sie das Netzwerk und die Adresse in den Details, und starten Sie dann erneut.',
  },
  'cloud.certificate-not-trusted': {
    title: 'Dem Serverzertifikat wird nicht vertraut',
    cause:
      'Das Zertifikat ist selbstsigniert, wurde von einer diesem Computer unbekannten Zertifizierungsstelle ausgestellt, ist abgelaufen oder gilt für einen anderen Namen.',
    remedy:
      'Vergleichen Sie den Fingerabdruck mit dem des Betreibers, und fügen Sie dann das Zertifikat oder seine Zertifizierungsstelle zum Endpunkt hinzu.',
  },
  'cloud.tls-inspected': {
    title: 'Ein Proxy mit TLS-Prüfung ersetzt das Serverzertifikat',
    cause:
      'Das Zertifikat wurde von dem in den Details genannten Sicherheitsprodukt ausgestellt, das den Datenverkehr dieses Netzwerks entschlüsselt, und dessen Zertifizierungsstelle hier nicht vertraut wird.',
    remedy:
      'Lassen Sie die Zertifizierungsstelle des Produkts im Zertifikatspeicher des Betriebssystems installieren oder die Adresse von der Prüfung ausnehmen. Hat der Endpunkt ein eigenes `ca_certificate`, fügen Sie dort die Zertifizierungsstelle des Produkts hinzu.',
  },
  'cloud.proxy-refused': {
    title: 'Der Proxy hat die Verbindung zur Cloud nicht geöffnet',
    cause:
      'Der Proxy lässt die in den Details genannte Adresse nicht zu oder verlangt eine Anmeldung. NTLM und Negotiate werden nicht unterstützt.',
    remedy:
      'Bitten Sie den Betreiber des Proxys, die Adresse zuzulassen. Verlangt der Proxy eine Anmeldung, legen Sie Benutzer und Passwort fest (siehe Unternehmensnetzwerke im Handbuch), oder verwenden Sie einen lokalen Proxy, der sich für Sie anmeldet.',
  },
  'cloud.proxy-script-failed': {
    title: 'Das Proxyskript nennt keinen Proxy',
    cause:
      'Das Skript (PAC), das den Proxy wählt, konnte nicht geladen werden, enthält einen Fehler, brauchte zu lange oder nennt nur Proxys unbekannter Art. Die Details sagen, was davon.',
    remedy:
      'Prüfen Sie die Adresse des Skripts, und nennen Sie dem Betreiber des Netzwerks die Details. Legen Sie bis dahin den Proxy selbst fest, oder keinen (siehe Unternehmensnetzwerke im Handbuch).',
  },
  'cloud.no-answer': {
    title: 'Die API der Cloud hat nicht rechtzeitig geantwortet',
    cause: 'Die Verbindung wurde unterbrochen, oder die Antwort dauerte länger als das Zeitlimit der Anforderung.',
    remedy:
      'Starten Sie erneut. In der Zwischenzeit erstellte Ressourcen werden gefunden und wiederverwendet, nicht doppelt erstellt.',
  },
  'cloud.insecure-address': {
    title: 'Die API-Adresse der Cloud ist nicht sicher',
    cause: 'Ein Zugriffstoken würde unverschlüsselt gesendet.',
    remedy: 'Verwenden Sie eine https://-Adresse. Einfaches http:// wird nur für Loopback-Adressen akzeptiert.',
  },
  'cloud.key-unreadable': {
    title: 'Ungültiger Dienstkontoschlüssel',
    cause:
      'Der Text ist weder ein JSON-Schlüssel noch dessen Base64-Form, oder der private Schlüssel fehlt oder ist beschädigt.',
    remedy:
      'Laden Sie den Schlüssel erneut herunter, und fügen Sie ihn vollständig ein. Haben Sie das Schlüsselpaar selbst erstellt, fügen Sie den privaten Schlüssel hinzu.',
  },
  'cloud.authentication-failed': {
    title: 'Anmeldung fehlgeschlagen',
    cause: 'Der Schlüssel wurde gelöscht, ist abgelaufen oder gehört zu einer anderen Cloud-Umgebung.',
    remedy:
      'Erstellen Sie einen neuen Dienstkontoschlüssel, geben Sie ihn im Endpunkt ein, und prüfen Sie den Endpunkt erneut.',
  },
  'cloud.sign-in-needed': {
    title: 'Niemand ist angemeldet',
    cause:
      'Der Endpunkt meldet sich als Person an. Auf diesem Computer hat sich noch niemand angemeldet, oder die Sitzung ist abgelaufen.',
    remedy: 'Melden Sie sich auf der Seite „Endpunkte“ oder über die Befehlszeile an, und starten Sie dann erneut.',
  },
  'cloud.sign-in-incomplete': {
    title: 'Die Anmeldung wurde nicht abgeschlossen',
    cause: 'Der Code wurde nicht rechtzeitig eingegeben, oder die Anmeldung wurde im Browser abgelehnt.',
    remedy: 'Starten Sie die Anmeldung erneut, und geben Sie den neuen Code ein.',
  },
  'cloud.permission-denied': {
    title: 'Zugriff verweigert',
    cause: 'Das Konto kann sich anmelden, ihm fehlt für dieses Projekt aber die in den Details genannte Berechtigung.',
    remedy:
      'Erteilen Sie dem Konto die in den Details genannte Berechtigung oder die Rolle, die die Endpunktprüfung nennt, und starten Sie dann erneut.',
  },
  'cloud.not-found': {
    title: 'Ressource in der Cloud nicht gefunden',
    cause: 'Sie wurde gelöscht oder befindet sich in einem anderen Projekt oder einer anderen Region.',
    remedy: 'Vergleichen Sie Projekt, Region und Name mit der Cloud-Konsole.',
  },
  'cloud.conflict': {
    title: 'Die Ressource ist belegt oder in einem unerwarteten Zustand',
    cause: 'Ein anderer Vorgang an der Ressource läuft, oder sie wird verwendet.',
    remedy:
      'Warten Sie, bis der Vorgang abgeschlossen ist, oder geben Sie die Ressource frei, und starten Sie dann erneut.',
  },
  'cloud.rate-limited': {
    title: 'Die Cloud begrenzt die Anzahl der Anforderungen',
    cause:
      'Dieses Konto hat zu viele Anforderungen gesendet. Wiederholungen in wachsenden Abständen haben nicht geholfen.',
    remedy: 'Starten Sie in einigen Minuten erneut, oder lassen Sie weniger Ausführungen parallel laufen.',
  },
  'cloud.unavailable': {
    title: 'Die API der Cloud ist nicht verfügbar',
    cause: 'Der Dienst hat einen Serverfehler zurückgegeben, auch bei Wiederholungen.',
    remedy:
      'Prüfen Sie die Statusseite der Cloud, und starten Sie dann erneut. Vorhandene Ressourcen werden nicht doppelt erstellt.',
  },
  'cloud.request-refused': {
    title: 'Die Cloud hat die Anforderung abgelehnt',
    cause: 'Ein Wert ist nicht zulässig. Die Details enthalten die Meldung der Cloud.',
    remedy: 'Korrigieren Sie den in den Details genannten Parameter.',
  },
  'cloud.unexpected-answer': {
    title: 'Unerwartete Antwort der Cloud',
    cause: 'Die API hat sich geändert, oder ein Proxy oder eine Anmeldeseite hat anstelle der Cloud geantwortet.',
    remedy:
      'Prüfen Sie die Adressen und Proxys des Endpunkts. Sind sie richtig, melden Sie das Problem mit den Details.',
  },
  'cloud.operation-failed': {
    title: 'Ein Cloud-Vorgang ist fehlgeschlagen',
    cause: 'Die Cloud hat die Anforderung angenommen, der Vorgang endete aber mit einem Fehler.',
    remedy:
      'Lesen Sie die Meldung der Cloud in den Details; häufig hat die Zone keine Kapazität mehr. Starten Sie dann erneut.',
  },
  'cloud.volume-failed': {
    title: 'Ein Volume des Replikats ist im Fehlerzustand',
    cause:
      'Ein Vorgang am Volume, etwa seine Erweiterung, ist in der Cloud fehlgeschlagen, und das Volume kann nicht mehr verwendet werden. Seine Daten sind möglicherweise intakt.',
    remedy:
      'Bitten Sie den Cloud-Betreiber, den Zustand des Volumes zurückzusetzen (siehe Details), oder löschen Sie das Volume: Die nächste Ausführung erstellt ein neues und kopiert den gesamten Datenträger.',
  },
  'cloud.not-ready': {
    title: 'Eine Ressource wurde nicht rechtzeitig bereit',
    cause: 'Die Cloud war langsamer als die Frist, oder der Vorgang hängt.',
    remedy:
      'Prüfen Sie die Ressource in der Cloud, und starten Sie dann erneut. Sie wird wiederverwendet, wenn sie bis dahin bereit ist.',
  },
  'cloud.parameter-missing': {
    title: 'Ein erforderlicher Parameter fehlt',
    cause: 'Weder die Zielumgebung noch die Anbieterkonfiguration setzt ihn.',
    remedy: 'Setzen Sie den in den Details genannten Parameter.',
  },
  'cloud.name-unknown': {
    title: 'Unbekannter Name in der Cloud',
    cause:
      'Der Name ist falsch geschrieben, oder die Ressource wurde gelöscht oder befindet sich in einem anderen Projekt oder einer anderen Region.',
    remedy: 'Wählen Sie einen der in den Details genannten Namen.',
  },
  'cloud.name-ambiguous': {
    title: 'Der Name der Ressource ist mehrdeutig',
    cause: 'Mehrere Ressourcen in der Cloud haben diesen Namen.',
    remedy: 'Verwenden Sie statt des Namens die ID aus den Details.',
  },
  'cloud.quota-exceeded': {
    title: 'Kontingent überschritten',
    cause: 'Das verbleibende Kontingent des Projekts ist zu klein für die erforderlichen Ressourcen.',
    remedy:
      'Beantragen Sie höhere Kontingente (siehe Details), oder geben Sie Ressourcen frei. Es wurde nichts erstellt.',
  },
  'cloud.disk-too-large': {
    title: 'Ein Datenträger überschreitet die maximale Volume-Größe',
    cause: 'Die Cloud begrenzt die Größe eines Volumes.',
    remedy: 'Teilen Sie den Datenträger im Gast auf, oder lassen Sie ihn bei der Migration weg.',
  },
  'cloud.zone-mismatch': {
    title: 'Ein Volume ist in einer anderen Verfügbarkeitszone',
    cause:
      'Die Zone wurde nach dem Erstellen der Volumes geändert. Ein Server und seine Volumes müssen in derselben Zone sein.',
    remedy:
      'Setzen Sie availability_zone zurück, oder löschen Sie das Replikat, und erstellen Sie es in der anderen Zone neu.',
  },
  'cloud.volume-in-use': {
    title: 'Ein Volume des Replikats ist mit einem anderen Server verbunden',
    cause: 'Das Volume wurde manuell verbunden, oder aus ihm wurde ein Server erstellt.',
    remedy: 'Trennen Sie das Volume von dem in den Details genannten Server, und starten Sie dann erneut.',
  },
  'cloud.caller-address-unknown': {
    title: 'Die Aufruferadresse ist unbekannt',
    cause:
      'Worker akzeptieren nur Verbindungen von der Adresse dieses Computers, die sich hinter einem NAT-Router nicht ermitteln lässt.',
    remedy:
      'Setzen Sie die Aufruferadresse in der Verbindung des Endpunkts (eine Adresse oder ein Bereich in CIDR-Notation).',
  },
  'cloud.address-out-of-range': {
    title: 'Eine feste IP-Adresse liegt außerhalb des zugeordneten Netzwerks',
    cause:
      'preserve_fixed_ips ist aktiviert, und die Quelladresse liegt außerhalb des Bereichs des Zielnetzwerks oder ist reserviert.',
    remedy:
      'Ordnen Sie der NIC ein Netzwerk zu, dessen Bereich die Adresse enthält, oder deaktivieren Sie preserve_fixed_ips. Es wurde nichts erstellt.',
  },
  'cloud.clean-up-incomplete': {
    title: 'Einige temporäre Ressourcen konnten nicht gelöscht werden',
    cause: 'Die Cloud hat das Löschen der in den Details genannten Ressourcen abgelehnt oder nicht abgeschlossen.',
    remedy:
      'Löschen Sie die Ressourcen, die das Ressourcenverzeichnis als zurückgelassen aufführt. Nicht mehr vorhandene Ressourcen werden als entfernt gekennzeichnet.',
  },
};
