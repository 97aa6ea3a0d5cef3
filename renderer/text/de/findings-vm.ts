import type { GermanFindings } from './finding-row.ts';

/** Findings about the description of the VM. */
export const vmFindings = {
  'no-disks': [
    'Die VM hat keine Datenträger',
    'Es gibt nichts zu replizieren.',
    'Fügen Sie jeden Datenträger mit id und size_bytes hinzu, oder importieren Sie die VM erneut.',
  ],
  'repeated-id': [
    'Zwei Datenträger oder NICs haben dieselbe ID',
    'Zuordnungen könnten sie nicht unterscheiden.',
    'Geben Sie jedem Datenträger und jeder NIC eine eigene ID.',
  ],
  'disk-size': [
    'Die Größe eines Datenträgers ist unplausibel',
    'Größen sind in Byte angegeben. Eine kleine Zahl ist meist in einer anderen Einheit.',
    'Geben Sie die Größe in Byte an.',
  ],
  'memory-size': [
    'Die Größe des Arbeitsspeichers ist unplausibel',
    'Arbeitsspeicher ist in MB angegeben. Die Zahl ist meist in GiB oder in Byte.',
    'Geben Sie den Arbeitsspeicher in MB an.',
  ],
  vcpus: [
    'Die Anzahl der vCPUs ist unplausibel',
    'Keine Plattform bietet einer VM so viele.',
    'Korrigieren Sie die Anzahl, oder lesen Sie die VM erneut.',
  ],
  blank: [
    'Ein Name ist leer',
    'Der Text besteht nur aus Leerzeichen, daher kann damit nichts gefunden werden.',
    'Geben Sie den Namen an, oder entfernen Sie den Eintrag.',
  ],
  'mac-address': [
    'Die MAC-Adresse ist nicht verwendbar',
    'Die Adresse ist fehlerhaft, besteht nur aus Nullen, ist eine Multicast-Adresse oder in anderer Form geschrieben.',
    'Schreiben Sie sechs Paare von Hexadezimalziffern mit Doppelpunkten, oder entfernen Sie den Schlüssel.',
  ],
  'ip-address': [
    'Die IP-Adresse ist nicht verwendbar',
    'Die Adresse ist fehlerhaft, oder keine NIC kann sie haben.',
    'Korrigieren oder entfernen Sie die Adresse.',
  ],
  'repeated-address': [
    'Eine Adresse kommt zweimal vor',
    'Zwei NICs haben dieselbe MAC-Adresse, oder die VM hat eine IP-Adresse zweimal in einem Netzwerk.',
    'Korrigieren Sie die Beschreibung der VM.',
  ],
  'guest-not-supported': [
    'Das Gastbetriebssystem wird nicht unterstützt',
    'Gäste können Linux oder Windows sein.',
    'Setzen Sie os_type auf linux oder windows, wenn der Gast eines davon ist. Andere Gäste können nicht migriert werden.',
  ],
  'secure-boot-needs-uefi': [
    'Secure Boot erfordert UEFI',
    'Secure Boot ist aktiviert, die Firmware ist aber BIOS.',
    'Setzen Sie die Firmware auf UEFI, oder deaktivieren Sie Secure Boot.',
  ],
  'volume-larger-than-disk': [
    'Das Volume ist größer als der Datenträger',
    'Volumes der Plattform haben ganze GiB, daher wird die Größe aufgerundet.',
    'Keine Maßnahme erforderlich. Die Dateisysteme des Gasts behalten ihre Größe.',
  ],
  'no-uefi': [
    'Die Plattform hat kein UEFI',
    'Die VM startet mit UEFI, und die Plattform bietet nur BIOS.',
    'Wählen Sie eine andere Plattform, oder stellen Sie den Gast vor der Migration auf BIOS um.',
  ],
} as const satisfies GermanFindings;
