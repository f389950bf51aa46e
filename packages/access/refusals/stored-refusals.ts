import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { NewerEvent } from '@waymark/domain/event-types.ts';
import { sealHousekeeping, waymark } from '@waymark/event-log/seal.ts';
import type { RefusedRequest } from '@waymark/http/refused-requests.ts';

/** A refused request with its time, in ISO 8601, UTC, milliseconds. The account is that of the stream. */
export type Refusal = Omit<RefusedRequest, 'account'> & { readonly time: string };

/** What one process recorded about the refused requests of an account: those that it kept, and the number of the others. */
export type Refusals = { readonly refusals: readonly Refusal[]; readonly more: number };

/** A refusal in `RefusalsRecorded`. Stored: never rename. */
type StoredRefusal = {
  readonly time: string;
  readonly application: string;
  readonly method: string;
  readonly route: string;
  readonly object: number | null;
  readonly status: number;
  readonly error: string | null;
  readonly fields: readonly string[];
  readonly request: string;
  readonly correlation: string | null;
  readonly address: string | null;
};

/** The content of `RefusalsRecorded`. Stored: never rename. */
type StoredRefusals = { readonly refusals: readonly StoredRefusal[]; readonly more: number };

const [type, version] = ['RefusalsRecorded', 1];

const toStored = (refusal: Refusal): StoredRefusal => ({
  time: refusal.time,
  application: refusal.application,
  method: refusal.method,
  route: refusal.route,
  object: refusal.object,
  status: refusal.status,
  error: refusal.error,
  fields: refusal.fields,
  request: refusal.request,
  correlation: refusal.correlation,
  address: refusal.address,
});

export const sealRefusals = ({ refusals, more }: Refusals): NewEvent => {
  const content: StoredRefusals = { refusals: refusals.map(toStored), more };
  return sealHousekeeping({ type, version, content, origin: waymark });
};

/** Returns what an event recorded; undefined if another program wrote it.
 * @throws NewerEvent */
export const refusalsIn = (event: RecordedEvent): Refusals | undefined => {
  if (event.content === null) return undefined;
  if (event.envelope.type !== type || event.envelope.version > version) throw new NewerEvent(event);
  const stored = parsed(event.content);
  return isStored(stored) ? stored : undefined;
};

const parsed = (content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const isStored = (value: unknown): value is StoredRefusals =>
  isObject(value) && Number.isSafeInteger(value['more']) && Array.isArray(value['refusals']) && value['refusals'].every(isStoredRefusal);

const isStoredRefusal = (value: unknown): value is StoredRefusal => {
  if (!isObject(value)) return false;
  const areTexts = ['time', 'application', 'method', 'route', 'request'].every((name) => typeof value[name] === 'string');
  const mayBeTexts = ['error', 'correlation', 'address'].every((name) => value[name] === null || typeof value[name] === 'string');
  const isNumbered = value['object'] === null || Number.isSafeInteger(value['object']);
  const { status, fields } = value;
  const areFields = Array.isArray(fields) && fields.every((field) => typeof field === 'string');
  return areTexts && mayBeTexts && isNumbered && areFields && Number.isSafeInteger(status);
};
