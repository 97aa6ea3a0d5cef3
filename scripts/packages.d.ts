export interface DebianPackage {
  /** What it is for. */
  readonly why: string;
  /** Programs of the search path, and files by their absolute path. Without it, dpkg is asked. */
  readonly provides?: readonly string[];
  /** Only root has a use for it. */
  readonly forRoot?: boolean;
}
export type PackageGroup = 'demo' | 'test' | 'windows' | 'bench' | 'openstack';
/** Group → package. */
export const groups: Readonly<Record<PackageGroup, Readonly<Record<string, DebianPackage>>>>;
/** Every package of every group. */
export const packages: Readonly<Record<string, DebianPackage>>;
/** The packages of these groups and of the groups that they need. */
export function packagesOf(groups: readonly string[]): string[];
/** Those of the packages that are not there. */
export function missingOf(packages: readonly string[]): string[];
export function isPresent(name: string): boolean;
