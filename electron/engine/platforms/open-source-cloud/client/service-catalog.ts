import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { OpenStackConnection, ServiceKind } from './connection.ts';
import type { CatalogService, Identity } from './identity.ts';

/** The types under which clouds list a service, the preferred one first. */
const types: Readonly<Record<ServiceKind, readonly string[]>> = {
  compute: ['compute'],
  network: ['network'],
  volume: ['volumev3', 'block-storage', 'block-store', 'volume'],
  image: ['image'],
  objectstore: ['object-store'],
};

/** The version that a URL of the catalogue may leave to the client. */
const versions: Readonly<Partial<Record<ServiceKind, { readonly there: RegExp; readonly add: string }>>> = {
  compute: { there: /\/v2(\.\d+)?(\/|$)/, add: '/v2.1' },
  network: { there: /\/v2\.0$/, add: '/v2.0' },
  image: { there: /\/v2(\.\d+)?$/, add: '/v2' },
};

/**
 * The URL of a service in the region and interface of the connection, with its version.
 *
 * @throws `cloud.service-missing` naming what the catalogue has in its place
 */
export function serviceUrl(
  identity: Pick<Identity, 'services'>,
  connection: Pick<OpenStackConnection, 'region' | 'interfaceOf'>,
  kind: ServiceKind,
): string {
  const region = connection.region(kind);
  const wanted = connection.interfaceOf(kind);
  const listed = types[kind].flatMap((type) => identity.services.filter((service) => service.type === type));
  if (listed.length === 0)
    throw missing(
      kind,
      `the service catalog lists no ${kind} service (it has ${list(identity.services.map((each) => each.type))})`,
    );
  for (const service of listed) {
    const here = service.endpoints.filter(
      (endpoint) => endpoint.interface === wanted && (region === undefined || regionOf(endpoint) === region),
    );
    const regions = new Set(here.map(regionOf));
    if (regions.size > 1)
      throw missing(kind, `the ${kind} service is in several regions (${list([...regions])}): set the region`);
    const [first] = here;
    if (first !== undefined) return versioned(kind, first.url);
  }
  const there = listed.flatMap((service) =>
    service.endpoints.map((endpoint) => `${endpoint.interface} in ${regionOf(endpoint)}`),
  );
  throw missing(
    kind,
    `the ${kind} service has no ${wanted} interface${region === undefined ? '' : ` in region ${region}`} (it has ${list(there)})`,
  );
}

function versioned(kind: ServiceKind, url: string): string {
  const bare = url.replace(/\/+$/, '');
  const version = versions[kind];
  return version === undefined || version.there.test(bare) ? bare : `${bare}${version.add}`;
}

function regionOf(endpoint: CatalogService['endpoints'][number]): string {
  return endpoint.region_id ?? endpoint.region ?? '';
}

function list(names: readonly string[]): string {
  return [...new Set(names)].join(', ') || 'none';
}

function missing(kind: ServiceKind, message: string): CausewayError {
  return new CausewayError('cloud.service-missing', message, { details: { service: kind } });
}
