import type { FieldTexts } from './field-texts.ts';

export const diskImagesFields: FieldTexts = {
  'disk-images/connection/path': {
    title: 'Ordner oder Datei',
    help: 'Ein Ordner mit Datenträger-Images oder eine OVF-, OVA- oder Imagedatei (raw, qcow2, VMDK, VHD, VHDX, VDI). Wird schreibgeschützt geöffnet.',
  },
  'disk-images/connection/os_type': {
    title: 'Typ des Gastbetriebssystems',
    help: 'Standard für VMs aus einfachen Images. Eine OVF gibt das Betriebssystem selbst an.',
  },
  'disk-images/connection/firmware': {
    title: 'Firmware des Gasts',
    help: 'Standard für VMs aus einfachen Images. Kann in der Umgebung einer VM überschrieben werden.',
  },
  'disk-images/source/os_type': {
    title: 'Typ des Gastbetriebssystems',
    help: 'Typ des Gastbetriebssystems, wenn die Images ihn nicht richtig angeben.',
  },
  'disk-images/source/firmware': {
    title: 'Firmware des Gasts',
    help: 'Firmware des Gasts, wenn die Images sie nicht richtig angeben.',
  },
  'disk-images/source/vcpus': {
    title: 'Virtuelle CPUs',
    help: 'Anzahl der virtuellen CPUs, die die VM benötigt. Dient zur Auswahl eines Maschinentyps, wenn keiner gesetzt ist.',
  },
  'disk-images/source/memory_mb': {
    title: 'Arbeitsspeicher',
    help: 'Arbeitsspeicher, den die VM benötigt. Dient zur Auswahl eines Maschinentyps, wenn keiner gesetzt ist.',
  },
  'disk-images/source/network': {
    title: 'Netzwerk der NIC',
    help: 'Einfache Images beschreiben keine NICs. Die VM erhält eine NIC in einem Quellnetzwerk mit diesem Namen, auf das die Netzwerkzuordnung verweisen kann.',
  },
  'disk-images/source/digest_block_size': {
    title: 'Größe eines Vergleichsblocks',
    help: 'Images haben keine Änderungsverfolgung: Spätere Ausführungen finden Änderungen durch den Vergleich von Digests von Blöcken dieser Größe. Kleinere Blöcke senden weniger Daten, benötigen aber mehr Arbeitsspeicher.',
  },
};
