import type { GermanFindings } from './finding-row.ts';

/** Findings about workers, their images, sizes and credentials. */
export const workerFindings = {
  'worker-image-missing': [
    'Ein Worker-Image fehlt',
    'Der Worker zur Datenträgerkopie benötigt ein Linux-Image. Ein Windows-Gast wird von einem Windows-Worker vorbereitet, wenn es ein Image dafür gibt.',
    'Fügen Sie das Image für das Betriebssystem in der Meldung hinzu.',
  ],
  'worker-incomplete': [
    'Einstellungen des Workers fehlen',
    'Temporäre Worker können ohne sie nicht starten.',
    'Setzen Sie die Schlüssel hier oder in einer Ebene, von der diese VM Werte übernimmt.',
  ],
  'export-worker-incomplete': [
    'Einstellungen des Export-Workers fehlen',
    'Temporäre Worker an der Quelle können ohne sie nicht starten.',
    'Setzen Sie die Schlüssel hier oder in einer Ebene, von der diese VM Werte übernimmt.',
  ],
  'one-image-for-windows': [
    'Ein Image für beide Worker einer Windows-VM',
    'Der Worker zur Datenträgerkopie läuft mit Linux, der zur Vorbereitung mit Windows.',
    'Setzen Sie migr_image_map mit linux und windows.',
  ],
  'image-map-overridden': [
    'Die Image-Zuordnung hat keine Wirkung',
    'migr_image hat Vorrang vor ihr.',
    'Entfernen Sie eines von beiden.',
  ],
  'retired-image': [
    'Das Image wird nicht mehr unterstützt',
    'Die Version des Betriebssystems erhält keine Updates mehr, oder bald nicht mehr.',
    'Verwenden Sie ein Image mit einer unterstützten Version. Sie muss die Version des Gasts oder neuer sein.',
  ],
  'built-in-image-retired': [
    'Das integrierte Image wird nicht mehr unterstützt',
    'Kein Image ist festgelegt, und der Standard ist eine alte Version.',
    'Legen Sie ein Image mit einer unterstützten Version fest.',
  ],
  'image-id-form': [
    'Dies ist keine Image-ID',
    'Die Plattform erfordert die ID; Namen werden nicht aufgelöst.',
    'Geben Sie die ID des Images an.',
  ],
  'worker-volume-too-small': [
    'Das Start-Volume des Workers ist zu klein',
    'Das Worker-Image benötigt mehr Speicherplatz.',
    'Setzen Sie mindestens die Größe in der Meldung, oder entfernen Sie den Schlüssel.',
  ],
  'worker-disk-too-small': [
    'Der Datenträger des Worker-Flavors ist zu klein',
    'Das Worker-Image benötigt mehr Speicherplatz, oder der Flavor hat keinen Datenträger.',
    'Wählen Sie einen größeren Flavor, oder starten Sie Worker von einem Volume.',
  ],
  'worker-volume-has-no-effect': [
    'Einstellungen des Worker-Volumes haben keine Wirkung',
    'Worker starten nicht von einem Volume.',
    'Setzen Sie migr_worker_boot_from_volume, oder entfernen Sie die Schlüssel.',
  ],
  'worker-fip-pool-has-no-effect': [
    'Der Floating-IP-Pool der Worker hat keine Wirkung',
    'Worker erhalten keine Floating IP.',
    'Setzen Sie migr_worker_use_fip, oder entfernen Sie den Schlüssel.',
  ],
  'floating-ip-pool-has-no-effect': [
    'Der Floating-IP-Pool hat keine Wirkung',
    'Die migrierte VM erhält keine Floating IP.',
    'Setzen Sie use_floating_ip, oder entfernen Sie den Schlüssel.',
  ],
  'export-volume-has-no-effect': [
    'Einstellungen des Export-Volumes haben keine Wirkung',
    'Export-Worker starten nicht von einem Volume.',
    'Setzen Sie export_worker_boot_from_volume, oder entfernen Sie die Schlüssel.',
  ],
  'export-fip-pool-has-no-effect': [
    'Der Floating-IP-Pool des Export-Workers hat keine Wirkung',
    'Export-Worker erhalten keine Floating IP.',
    'Setzen Sie export_worker_use_fip, oder entfernen Sie den Schlüssel.',
  ],
  'service-backups-options-have-no-effect': [
    'Die Optionen von service_backups haben keine Wirkung',
    'Ein anderes Exportverfahren ist ausgewählt.',
    'Entfernen Sie die Optionen, oder wählen Sie service_backups.',
  ],
  'instance-type-form': [
    'Dies ist kein Instanztyp',
    'Instanztypen werden als <family>.<size> geschrieben.',
    'Schreiben Sie den Typ wie in t3.medium.',
  ],
  'previous-generation': [
    'Der Instanztyp ist von einer früheren Generation',
    'Neuere Regionen bieten ihn nicht an.',
    'Wählen Sie einen aktuellen Typ wie t3.medium.',
  ],
  'template-credentials': [
    'Eine Vorlage und ihre Zugangsdaten passen nicht zusammen',
    'Eine Vorlage hat keinen Benutzernamen oder kein Passwort, oder zu Zugangsdaten gibt es keine Vorlage.',
    'Fügen Sie den in der Meldung genannten Eintrag hinzu, oder entfernen Sie ihn.',
  ],
  'plain-text-secret': [
    'Ein Passwort steht im Klartext',
    'Wer die Datei lesen kann, kann das Passwort lesen.',
    'Speichern Sie das Passwort im Tresor, und schreiben Sie {"$secret": "<name>"}. Ändern Sie das Passwort, wenn andere die Datei lesen konnten.',
  ],
} as const satisfies GermanFindings;
