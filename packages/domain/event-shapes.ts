import type { DomainEvent, RecordedEvent } from './event.ts';
import { isOpaqueId } from './opaque-id.ts';
import { type ResourceKind, resourceKinds } from './streams.ts';

/** Returns whether the field of an event may hold a value. The limits are as wide as those of every release so far. */
type Shape = (value: unknown) => boolean;

/** No request was ever longer than this. */
const textCharactersMax = 8 * 1024 * 1024;
const nameCharactersMax = 10_000;
const elementsMax = 20_000;

const text: Shape = (value) => typeof value === 'string' && value.length <= textCharactersMax;
const name: Shape = (value) => typeof value === 'string' && value.length <= nameCharactersMax;
const id: Shape = (value) => Number.isSafeInteger(value) && (value as number) >= 1;
const count: Shape = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const between =
  (least: number, most: number): Shape =>
  (value) =>
    typeof value === 'number' && value >= least && value <= most;
const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value);
const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.length <= elementsMax && value.every(shape);
const oneOf =
  (...values: readonly unknown[]): Shape =>
  (value) =>
    values.includes(value);

const missing: Shape = (value) => value === undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Matches an object that has all of these fields. */
const having = (shapes: Readonly<Record<string, Shape>>): Shape => {
  const fields = Object.entries(shapes);
  return (value) => isObject(value) && fields.every(([field, shape]) => shape(value[field]));
};

/** Matches an object that has some of these fields. */
const havingSome = (shapes: Readonly<Record<string, Shape>>): Shape => {
  const fields = Object.entries(shapes);
  return (value) => isObject(value) && fields.every(([field, shape]) => value[field] === undefined || shape(value[field]));
};

const instant: Shape = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
const hex =
  (digits: number): Shape =>
  (value) =>
    typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/.test(value);
/** Restricted, because the name becomes a path or a key of a store. */
const fileName: Shape = (value) => typeof value === 'string' && /^[0-9a-f]{32}\.[a-z]{3,4}$/.test(value);
const file = having({ name: fileName, digest: hex(64), type: name, bytes: count });
const summary = having({ count, digest: hex(64) });
const secret = having({ id: name, hash: name });
const scopes = listOf(oneOf('write', 'read', 'audit'));

const pinpointFields = {
  name,
  address: text,
  latitude: between(-90, 90),
  longitude: between(-180, 180),
  altitude: orNull(between(-12_000, 1_000_000)),
  category: orNull(id),
  description: text,
  mediaCredits: text,
  media: orNull(file),
  tags: listOf(name),
};
const listFields = { name, description: text };
const categoryFields = { name, image: file };
const happeningFields = {
  name,
  pinpoint: id,
  dates: listOf(having({ start: instant, end: instant })),
  description: text,
  mediaCredits: text,
  media: orNull(file),
  tags: listOf(name),
};

type About = ResourceKind | 'application' | 'account' | 'changeset' | 'undo';
/** `key`: the field whose value follows the prefix in the name of the stream. */
type Form = { readonly prefix: string; readonly key: string; readonly shape: Shape };
const of = (about: About, fields: Readonly<Record<string, Shape>> = {}): Form => ({
  prefix: about,
  key: about,
  shape: having({ [about]: resourceKinds.some((kind) => kind === about) ? id : name, ...fields }),
});

const objectStream: Shape = (value) =>
  typeof value === 'string' && /^(pinpoint|list|category|happening|application|changeset)-[\w-]{1,64}$/.test(value);
const code: Shape = (value) => typeof value === 'string' && /^[a-z_-]{1,64}$/.test(value);
const order: Form = {
  prefix: 'orders',
  key: 'account',
  shape: having({ account: name, object: objectStream, by: orNull(isOpaqueId), reason: orNull(code), case: orNull(isOpaqueId) }),
};
const membersOfRange: Shape = (value) => {
  if (!having({ list: id, from: id, to: id, members: listOf(id) })(value)) return false;
  const { from, to, members } = value as { readonly from: number; readonly to: number; readonly members: readonly number[] };
  return members.every((member, nth) => member >= (nth === 0 ? from : (members[nth - 1] ?? 0) + 1) && member <= to);
};
const undoLine = having({
  object: objectStream,
  outcome: oneOf('undone', 'partly', 'kept'),
  revision: orNull(count),
  reason: orNull(code),
  fields: listOf(name),
  pinpoints: listOf(id),
});

/** The kind of object that each event is about, and the fields of its content. */
const forms: Readonly<Record<DomainEvent['type'], Form>> = {
  PinpointCreated: of('pinpoint', { account: name, fields: having(pinpointFields) }),
  PinpointEdited: of('pinpoint', { fields: havingSome(pinpointFields) }),
  PinpointDeleted: of('pinpoint'),
  PinpointRestored: of('pinpoint', { fields: having(pinpointFields) }),
  PinpointRedacted: of('pinpoint', { account: name, summary, fields: orNull(having(pinpointFields)) }),
  ListCreated: of('list', { account: name, fields: having(listFields) }),
  ListEdited: of('list', { fields: havingSome(listFields) }),
  ListDeleted: of('list'),
  PinpointsAdded: of('list', { pinpoints: listOf(id), notAdded: listOf(having({ pinpoint: count, reason: oneOf('not_found', 'limit') })) }),
  PinpointsRemoved: of('list', { pinpoints: listOf(id) }),
  ListRestored: of('list', { fields: having(listFields) }),
  ListMembersRestated: { prefix: 'list', key: 'list', shape: membersOfRange },
  ListRedacted: of('list', { account: name, summary, fields: orNull(having(listFields)) }),
  CategoryCreated: of('category', { account: name, fields: having(categoryFields) }),
  CategoryEdited: of('category', { fields: havingSome(categoryFields) }),
  CategoryRedacted: of('category', { account: name, summary, fields: having(categoryFields) }),
  HappeningCreated: of('happening', { account: name, fields: having(happeningFields) }),
  HappeningEdited: of('happening', { fields: havingSome(happeningFields) }),
  HappeningDeleted: of('happening'),
  HappeningRestored: of('happening', { fields: having(happeningFields) }),
  HappeningRedacted: of('happening', { account: name, summary, fields: orNull(having(happeningFields)), pinpoint: id }),
  ApplicationRegistered: of('application', { account: name, name, scopes, secret }),
  SecretAdded: of('application', { secret }),
  SecretDropped: of('application', { secretId: name }),
  ApplicationSuspended: of('application'),
  ApplicationResumed: of('application'),
  ApplicationDeleted: of('application'),
  ApplicationScopesChanged: of('application', { scopes }),
  ApplicationRedacted: of('application', {
    account: name,
    summary,
    status: oneOf('active', 'suspended', 'deleted'),
    scopes,
    secrets: listOf(secret),
    suspended: orNull(count),
  }),
  AccountOpened: of('account', { name }),
  ChangesetOpened: of('changeset', { account: name, comment: name, by: name }),
  ChangesetRedacted: of('changeset', { account: name, summary }),
  ErasureOrdered: order,
  HoldPlaced: order,
  HoldReleased: order,
  UndoStarted: of('undo', {
    account: name,
    correlation: orNull(name),
    application: orNull(name),
    from: orNull(instant),
    to: orNull(instant),
    through: name,
  }),
  UndoReported: of('undo', { lines: listOf(undoLine) }),
  UndoEnded: of('undo', { outcome: oneOf('done', 'stopped'), reason: orNull(code) }),
};

/** The fields that only some versions of a type have. */
const versionShapes: Readonly<Partial<Record<DomainEvent['type'], Readonly<Record<number, Shape>>>>> = {
  ListRedacted: { 1: having({ members: listOf(id) }), 2: having({ restatedFrom: count, members: missing }) },
};

/** Returns whether an event's content has the shape of its type, names the object of its stream, and names the same account as its
 * envelope. */
export const isConsistent = ({ stream, envelope }: RecordedEvent, type: DomainEvent['type'], content: unknown): boolean => {
  const { prefix, key, shape } = forms[type];
  if (!isObject(content) || !shape(content) || stream !== `${prefix}-${content[key]}`) return false;
  const versionShape = versionShapes[type]?.[envelope.version];
  if (versionShape !== undefined && !versionShape(content)) return false;
  return content['account'] === undefined || content['account'] === envelope.account;
};
