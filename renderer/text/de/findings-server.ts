import type { GermanFindings } from './finding-row.ts';

/** Findings about the migrated VM and about names. */
export const serverFindings = {
  'windows-needs-machine-type': [
    'Ein Windows-Gast benötigt einen Maschinentyp',
    'Die Liste der Maschinentypen zeigt nicht, welche davon für Windows lizenziert sind.',
    'Setzen Sie machine_type auf einen Typ für Windows.',
  ],
  'no-machine-type-fits': [
    'Kein Maschinentyp ist groß genug',
    'Kein Typ hat so viele vCPUs und so viel Arbeitsspeicher wie die VM.',
    'Setzen Sie machine_type auf einen kleineren Typ, wenn dieser für die VM genügt.',
  ],
  'machine-type-too-small': [
    'Der Maschinentyp ist kleiner als die VM',
    'Er hat weniger vCPUs oder weniger Arbeitsspeicher als die Quelle.',
    'Wählen Sie einen größeren Typ, sofern der kleinere nicht beabsichtigt ist.',
  ],
  'too-many-disks': [
    'Die Größe lässt zu wenige Datenträger zu',
    'Die VM hat mehr Datendatenträger, als mit der Größe verbunden werden können.',
    'Wählen Sie eine größere Größe.',
  ],
  'size-without-uefi': [
    'Die Größe hat kein UEFI',
    'Die VM startet mit UEFI, und die Serie hat keine Generation 2.',
    'Wählen Sie eine Größe mit Generation 2.',
  ],
  'metadata-contradicts-vm': [
    'Die Image-Metadaten widersprechen der VM',
    'Die Metadaten nennen ein anderes Betriebssystem oder eine andere Firmware, als die VM hat.',
    'Entfernen Sie den Eintrag; Causeway setzt den richtigen Wert.',
  ],
  'pv-mode-has-no-effect': [
    'Der paravirtualisierte Modus hat keine Wirkung',
    'Er gilt nur für VMs mit BIOS-Firmware.',
    'Entfernen Sie den Schlüssel.',
  ],
  'keypair-has-no-effect': [
    'Das Schlüsselpaar hat keine Wirkung',
    'Mit retain_user_credentials installiert der Initialisierungs-Agent für Gäste keinen Schlüssel.',
    'Entfernen Sie das Schlüsselpaar, oder setzen Sie retain_user_credentials auf false.',
  ],
  'network-compartment-has-no-effect': [
    'Das Compartment des Netzwerks hat keine Wirkung',
    'Es ist dasselbe wie das Compartment.',
    'Entfernen Sie den Schlüssel.',
  ],
  'destination-incomplete': [
    'Einstellungen des Ziels fehlen',
    'Eine Bereitstellung schlägt ohne sie fehl.',
    'Setzen Sie die Schlüssel hier oder in einer Ebene, von der diese VM Werte übernimmt.',
  ],
  'not-in-catalog': [
    'Am Ziel nicht vorhanden',
    'Keine Ressource des Ziels hat diesen Namen oder diese ID. Die Angabe ist falsch geschrieben, die Ressource wurde umbenannt oder befindet sich in einem anderen Projekt.',
    'Wählen Sie einen der Namen, die das Formular anbietet, oder erfassen Sie den Katalog erneut.',
  ],
  'ambiguous-name': [
    'Der Name ist nicht eindeutig',
    'Mehrere Ressourcen des Ziels haben denselben Namen.',
    'Geben Sie statt des Namens die ID an.',
  ],
  'name-form': [
    'Der Name ist nicht möglich',
    'Die Plattform lässt nur Namen mit bestimmten Zeichen und Längen zu.',
    'Korrigieren Sie den Namen, wie die Meldung es beschreibt.',
  ],
  'name-length': ['Der Name ist zu lang', 'Die Plattform begrenzt die Länge von Namen.', 'Korrigieren Sie den Namen.'],
  'keypair-form': [
    'Der Name des Schlüsselpaars ist nicht möglich',
    'Die Plattform lässt nur Namen mit bestimmten Zeichen und Längen zu.',
    'Korrigieren Sie den Namen, wie die Meldung es beschreibt.',
  ],
  'project-id-form': [
    'Dies ist keine Projekt-ID',
    'Die Plattform erfordert die ID, eine UUID; Namen werden nicht aufgelöst.',
    'Geben Sie die ID des Projekts an.',
  ],
  'identifier-form': [
    'Dies ist keine ID der Plattform',
    'Die Plattform erfordert die ID; Namen werden nicht aufgelöst.',
    'Geben Sie die ID an, wie die Meldung es beschreibt.',
  ],
  'location-form': [
    'Der Name der Region hat eine andere Form',
    'Regionen werden klein und ohne Leerzeichen geschrieben.',
    'Schreiben Sie den Namen wie vorgeschlagen.',
  ],
  'resource-group-form': [
    'Der Name der Ressourcengruppe ist nicht möglich',
    'Die Plattform lässt nur bestimmte Zeichen und keinen Pfad zu.',
    'Geben Sie nur den Namen an.',
  ],
  'size-form': [
    'Der Name der Größe hat eine andere Form',
    'Größen werden wie Standard_D2s_v5 geschrieben.',
    'Schreiben Sie den Namen wie vorgeschlagen.',
  ],
  'availability-domain-form': [
    'Die Verfügbarkeitsdomäne hat eine andere Form',
    'Die ID besteht aus einem Präfix der Tenancy, der Region und einer Nummer.',
    'Kopieren Sie die ID aus der Konsole der Plattform.',
  ],
  'shape-form': [
    'Der Name der Shape hat eine andere Form',
    'Shapes werden wie VM.Standard2.1 geschrieben.',
    'Kopieren Sie den Namen aus der Konsole der Plattform.',
  ],
  'compartment-form': [
    'Das Compartment hat eine andere Form',
    'Die Plattform lässt einen Namen oder eine ID einer bestimmten Form zu.',
    'Korrigieren Sie den Wert, wie die Meldung es beschreibt.',
  ],
  'clone-type': [
    'Unbekanntes Klonverfahren',
    'Der Name ist keines der bekannten Verfahren der Plattform.',
    'Korrigieren Sie den Namen.',
  ],
  'disklib-version': [
    'Unbekannte Version der Quellplattform',
    'Die Version ist falsch geschrieben oder neuer als diese Version von Causeway.',
    'Geben Sie <major>.<minor> der Quelle an.',
  ],
  'quiesce-needs-guest-agent': [
    'Das Einfrieren erfordert den Gast-Agenten',
    'Dateisysteme werden durch den Gast-Agenten eingefroren, und sein Socket ist nicht festgelegt.',
    'Setzen Sie guest_agent_socket, oder entfernen Sie quiesce.',
  ],
  'iso-with-digest': [
    'Die Adresse des ISO-Images enthält eine Prüfsumme',
    'Nur Teile des ISO-Images werden gelesen, daher kann die Prüfsumme nicht geprüft werden.',
    'Entfernen Sie den Teil ab #.',
  ],
  'tag-form': [
    'Ein Tag ist nicht möglich',
    'Die Plattform lehnt den Schlüssel oder den Wert ab.',
    'Korrigieren Sie das Tag, wie die Meldung es beschreibt.',
  ],
  'tag-as-metadata-alone': [
    'Ein Tag wird nur in den Metadaten gespeichert',
    'Anzahl, Länge und Zeichen von Tags sind begrenzt, die der Metadaten nicht.',
    'Keine Maßnahme erforderlich, sofern der Server nicht durch eine Suche nach dem Tag gefunden werden muss.',
  ],
  'label-alphabet': [
    'Ein Label ist nicht möglich',
    'Die Plattform lehnt die Zeichen oder die Länge des Labels ab.',
    'Korrigieren Sie das Label, wie der Vorschlag es beschreibt.',
  ],
  'label-twice': [
    'Ein Label kommt zweimal vor',
    'Die Plattform speichert einen Wert pro Schlüssel.',
    'Entfernen Sie eines der beiden.',
  ],
  'property-form': [
    'Eine Eigenschaft wird geändert oder abgelehnt',
    'Eigenschaften sind Texte mit begrenzter Länge und begrenzten Zeichen.',
    'Korrigieren Sie die Eigenschaft, wie die Meldung es beschreibt.',
  ],
} as const satisfies GermanFindings;
