import type { VimSession } from './session.ts';
import { faultError, isFault, localizedFault } from './fault.ts';
import { data, objectOf, refer, value, type ManagedObject, type Part } from './request.ts';
import { childOf, childrenOf, textAt, typeOf, type XmlElement } from './xml.ts';

/** The properties of one managed object that were asked for and are there. */
export interface ObjectProperties {
  readonly object: ManagedObject;
  /** By path; absent when it is not set, or may not be read: see `propertyOf`. */
  readonly properties: ReadonlyMap<string, XmlElement>;
  /** Paths that the server kept back, with the fault's type. */
  readonly missing: ReadonlyMap<string, string>;
}

/**
 * A property that decides what is done; undefined when it is not set.
 *
 * @throws `source.permission-denied`, or what else the server keeps it back for: not shown is not the same as not there
 */
export function propertyOf({ object, properties, missing }: ObjectProperties, path: string): XmlElement | undefined {
  const fault = missing.get(path);
  if (fault === undefined) return properties.get(path);
  throw faultError(
    `read ${path} of ${object.type} ${object.id}`,
    { name: 'fault', rawName: 'fault', attributes: { 'xsi:type': fault }, children: [], text: '' },
    '',
  );
}

/** Objects in one answer; the rest follows by its token. Keeps answers to a few megabytes also for VMs with many devices. */
const pageSize = 250;

/** Properties by the type of object. */
export type WantedProperties = Readonly<Record<string, readonly string[]>>;

const propertySpecs = (wanted: WantedProperties): Part[] =>
  Object.entries(wanted).map(([type, paths]) =>
    data('propSet', [value('type', type), value('all', false), ...paths.map((path) => value('pathSet', path))]),
  );

/** Properties of objects that are known. An object that is gone ends it with `ManagedObjectNotFound`. */
export async function readObjects(
  session: VimSession,
  objects: readonly ManagedObject[],
  wanted: WantedProperties,
  signal: AbortSignal,
): Promise<readonly ObjectProperties[]> {
  if (objects.length === 0) return [];
  const objectSpecs = objects.map((object) => data('objectSet', [refer('obj', object), value('skip', false)]));
  const specs = data('specSet', [...propertySpecs(wanted), ...objectSpecs]);
  return againInNewSession(session, () => retrievePages(session, specs, signal), [], signal);
}

/** Properties of one object. */
export async function readObject(
  session: VimSession,
  object: ManagedObject,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ObjectProperties> {
  const [only] = await readObjects(session, [object], { [object.type]: paths }, signal);
  return only ?? { object, properties: new Map(), missing: new Map() };
}

/** Properties of everything of these types that the account can see, page by page. */
export async function readInventory(
  session: VimSession,
  wanted: WantedProperties,
  signal: AbortSignal,
): Promise<readonly ObjectProperties[]> {
  return againInNewSession(session, () => readThroughView(session, wanted, signal), ['ManagedObjectNotFound'], signal);
}

async function readThroughView(
  session: VimSession,
  wanted: WantedProperties,
  signal: AbortSignal,
): Promise<readonly ObjectProperties[]> {
  const content = await session.content(signal);
  const view = await session.callForObject(
    'CreateContainerView',
    content.object('viewManager'),
    [
      refer('container', content.object('rootFolder')),
      ...Object.keys(wanted).map((type) => value('type', type)),
      value('recursive', true),
    ],
    signal,
  );
  try {
    const throughView = data(
      'selectSet',
      [value('name', 'view'), value('type', 'ContainerView'), value('path', 'view'), value('skip', false)],
      'TraversalSpec',
    );
    const specs = data('specSet', [
      ...propertySpecs(wanted),
      data('objectSet', [refer('obj', view), value('skip', true), throughView]),
    ]);
    return await retrievePages(session, specs, signal);
  } finally {
    await letGo(session, 'DestroyView', view, signal);
  }
}

/**
 * Ends a view or a collector that was made for one question, also after a cancellation, which then waits for nothing: what is left ends with
 * its session, but a session may live for hours, and a server has few of them.
 */
export async function letGo(
  session: VimSession,
  method: 'DestroyView' | 'DestroyPropertyCollector',
  object: ManagedObject,
  signal: AbortSignal,
): Promise<void> {
  const gone = session.call(method, object, [], AbortSignal.timeout(10_000)).then(
    () => undefined,
    () => undefined,
  );
  if (!signal.aborted) await gone;
}

/** An ended session takes its views, and the token of the next page, with it: everything is read again, once. */
async function againInNewSession<T>(
  session: VimSession,
  read: () => Promise<T>,
  moreFaults: readonly string[],
  signal: AbortSignal,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isFault(error, 'NotAuthenticated', 'InvalidProperty', 'InvalidArgument', ...moreFaults)) throw error;
    if (isFault(error, 'NotAuthenticated')) await session.renew(signal);
    return read();
  }
}

async function retrievePages(
  session: VimSession,
  specs: Part,
  signal: AbortSignal,
): Promise<readonly ObjectProperties[]> {
  const collector = (await session.content(signal)).object('propertyCollector');
  const found: ObjectProperties[] = [];
  let page = await session.call(
    'RetrievePropertiesEx',
    collector,
    [specs, data('options', [value('maxObjects', pageSize)])],
    signal,
  );
  for (;;) {
    // Nothing at all is how the server says that there is nothing.
    const result = page.find(({ name }) => name === 'returnval');
    found.push(...childrenOf(result, 'objects').flatMap((content) => propertiesOf(content)));
    const token = textAt(result, 'token');
    if (token === undefined || token === '') return found;
    page = await session.call('ContinueRetrievePropertiesEx', collector, [value('token', token)], signal);
  }
}

function propertiesOf(content: XmlElement): readonly ObjectProperties[] {
  const object = objectOf(childOf(content, 'obj'));
  if (object === undefined) return [];
  const properties = new Map<string, XmlElement>();
  for (const set of childrenOf(content, 'propSet')) {
    const [path, found] = [textAt(set, 'name'), childOf(set, 'val')];
    if (path !== undefined && found !== undefined) properties.set(path, found);
  }
  const missing = new Map<string, string>();
  for (const set of childrenOf(content, 'missingSet')) {
    const fault = childOf(set, 'fault');
    // An ended session shows in each property here, and not as the fault of the request, with some servers.
    if (typeOf(childOf(fault, 'fault') ?? set) === 'NotAuthenticated')
      throw localizedFault('RetrievePropertiesEx', fault);
    missing.set(textAt(set, 'path') ?? '', typeOf(childOf(fault, 'fault') ?? set) ?? 'unknown');
  }
  return [{ object, properties, missing }];
}
