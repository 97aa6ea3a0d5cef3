/** The VM's name in the form of host names, which clouds want for servers. Two servers may share one. */
export function serverName(vmName: string): string {
  const parts = vmName
    .normalize('NFKD')
    .replaceAll(/[̀-ͯ]/g, '')
    .split('.')
    .map((part) => part.replaceAll(/[^A-Za-z0-9-]+/g, '-').replaceAll(/^-+|-+$/g, ''));
  const name = parts
    .filter((part) => part !== '')
    .join('.')
    .slice(0, 63)
    .replaceAll(/[-.]+$/g, '');
  return name === '' ? 'migrated' : name;
}
