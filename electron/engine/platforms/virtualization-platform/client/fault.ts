import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { textStart } from '../../../../../shared/model/cut-text.ts';
import type { ErrorCode } from '../../../../../shared/model/errors/catalogue.ts';
import { childOf, textAt, typeOf, type XmlElement } from './xml.ts';

/** Faults that say more than that a request was refused. */
const codes: Readonly<Record<string, ErrorCode>> = {
  InvalidLogin: 'source.login-refused',
  InvalidLocale: 'source.login-refused',
  NotAuthenticated: 'source.login-refused',
  NoPermission: 'source.permission-denied',
  RestrictedVersion: 'source.not-licensed',
  RestrictedByAdministrator: 'source.permission-denied',
  LicenseRestricted: 'source.not-licensed',
  NotEnoughLicenses: 'source.not-licensed',
  TaskInProgress: 'source.vm-busy',
  InvalidPowerState: 'source.vm-busy',
  InvalidState: 'source.vm-busy',
  ConcurrentAccess: 'source.vm-busy',
  FileLocked: 'source.vm-busy',
  FileFault: 'source.read-failed',
  FileNotFound: 'source.read-failed',
  InaccessibleDatastore: 'source.read-failed',
  NoDiskSpace: 'source.snapshot-failed',
  ApplicationQuiesceFault: 'source.quiesce-failed',
  FilesystemQuiesceFault: 'source.quiesce-failed',
  QuiesceDatastoreIOForHAFault: 'source.quiesce-failed',
  SnapshotFault: 'source.snapshot-failed',
  TooManySnapshotLevels: 'source.snapshot-failed',
  SnapshotIncompatibleDeviceInVm: 'source.unsupported',
  MethodNotFound: 'source.unsupported',
  NotSupported: 'source.unsupported',
  ToolsUnavailable: 'source.shutdown-refused',
};

/** After these, the same request can succeed a little later. */
const passing = new Set([
  'TaskInProgress',
  'ConcurrentAccess',
  'HostCommunication',
  'HostNotReachable',
  'HostNotConnected',
  'Timedout',
  'RequestCanceled',
]);

const longestMessage = 500;

/**
 * The fault of an answer or of a task as an error. `details.fault` is its type, `details.privilege` what a NoPermission asks for.
 *
 * @param fault the element with the fault's own type
 */
export function faultError(operation: string, fault: XmlElement | undefined, message: string): CausewayError {
  const type = fault === undefined ? 'unknown' : (typeOf(fault) ?? fault.name.replace(/Fault$/, ''));
  const privilege = textAt(fault, 'privilegeId');
  const on = childOf(fault, 'object')?.text;
  const file = textAt(fault, 'file');
  const property = textAt(fault, 'invalidProperty');
  const said = [message, file, property === undefined ? undefined : `property ${property}`]
    .filter((part) => part !== undefined && part !== '')
    .join('; ');
  const code = codes[type] ?? 'source.request-refused';
  const missing = privilege === undefined ? '' : `: privilege ${privilege}${on === undefined ? '' : ` on ${on}`}`;
  return new CausewayError(
    code,
    textStart(`${operation}: ${type}${missing}${said === '' ? '' : `: ${said}`}`, longestMessage),
    {
      details: {
        operation,
        fault: type,
        ...(privilege === undefined ? {} : { privilege }),
        ...(on === undefined ? {} : { object: on }),
        ...(file === undefined ? {} : { file }),
      },
      ...(passing.has(type) ? { retryable: true } : {}),
    },
  );
}

/** The fault of a SOAP answer. */
export function answerFault(operation: string, fault: XmlElement): CausewayError {
  return faultError(operation, childOf(fault, 'detail')?.children[0], textAt(fault, 'faultstring') ?? '');
}

/** The fault in a task's or a property's `LocalizedMethodFault`. */
export function localizedFault(operation: string, error: XmlElement | undefined): CausewayError {
  return faultError(operation, childOf(error, 'fault'), textAt(error, 'localizedMessage') ?? '');
}

export function isFault(error: unknown, ...types: readonly string[]): boolean {
  return (
    error instanceof CausewayError &&
    typeof error.details['fault'] === 'string' &&
    types.includes(error.details['fault'])
  );
}

/** The object is gone: never there, or deleted meanwhile. */
export const isGone = (error: unknown): boolean => isFault(error, 'ManagedObjectNotFound');
