import { Type } from '@sinclair/typebox';

const nullableText = Type.Union([Type.String(), Type.Null()]);

/** Who made a change. `name`: the present name of the application. */
export const Actor = Type.Object({
  kind: Type.Union([Type.Literal('application'), Type.Literal('operator')]),
  id: Type.String(),
  name: nullableText,
});

/** The changeset of a change, as the application claims it. */
export const Changeset = Type.Object({ id: Type.String(), comment: nullableText, by: nullableText });

const anything = Type.Unknown();

/** The old and the new value of a field. */
export const FieldChange = Type.Object({ old: anything, new: anything });

/** Ids of members of a list. */
const members = Type.Object({ added: Type.Array(Type.Integer()), removed: Type.Array(Type.Integer()) });

const entry = {
  id: Type.String(),
  revision: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  time: Type.String({ format: 'date-time' }),
  action: Type.String(),
  actor: Actor,
  changeset: Type.Union([Changeset, Type.Null()]),
  request_id: nullableText,
  correlation_id: Type.String(),
  cause: nullableText,
  as_of: nullableText,
  changes: Type.Optional(Type.Union([Type.Record(Type.String(), FieldChange), Type.Null()])),
  members: Type.Optional(members),
  related: Type.Optional(Type.Record(Type.String(), anything)),
};

/** An application as of a revision. Of its secrets only the ids are known; its name is missing once it was erased. */
export const ApplicationVersion = Type.Object({
  name: Type.Optional(Type.String()),
  status: Type.String(),
  scopes: Type.Array(Type.String()),
  secrets: Type.Array(Type.String()),
});

/** One change in the history of an object. */
export const HistoryEntry = Type.Object(entry);

/** One change in an account, and the object that was changed. */
export const ActivityEntry = Type.Object({
  object: Type.Object({ kind: Type.String(), id: Type.Union([Type.Integer(), Type.String()]) }),
  ...entry,
});

export const ActivityPage = Type.Object({ results: Type.Array(ActivityEntry), next: nullableText });

const nullableRevision = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]);

/** How many things of one kind a deletion ended. */
export const AtLeast = Type.Object({
  at_least: Type.Integer({ minimum: 0 }),
  complete: Type.Boolean({ description: 'Whether there were no more' }),
});

/** An object that differs between two moments. */
export const ChangedObject = Type.Object({
  object: Type.Object({ kind: Type.String(), id: Type.Integer() }),
  change: Type.Union([Type.Literal('added'), Type.Literal('removed'), Type.Literal('changed')]),
  revisions: Type.Object({ from: nullableRevision, to: Type.Integer({ minimum: 0 }) }),
  last: Type.Object({
    id: Type.String(),
    time: Type.String({ format: 'date-time' }),
    action: Type.String(),
    actor: Actor,
    changeset: Type.Union([Changeset, Type.Null()]),
  }),
  history: Type.String({ format: 'uri' }),
  diff: nullableText,
  ended: Type.Optional(Type.Record(Type.String(), AtLeast)),
});

export const ChangesPage = Type.Object({
  from: nullableText,
  to: nullableText,
  results: Type.Array(ChangedObject),
  next: nullableText,
});

/** Server-sent events. */
export const ActivityStream = Type.String({
  description: 'Server-sent events without a name: `data` is an `ActivityEntry` as JSON, on one line, and `id` is opaque.',
});

export const HistoryPage = Type.Object({ results: Type.Array(HistoryEntry), next: nullableText });

/** The fields that differ between two revisions; of a list also its members. */
export const Diff = Type.Object({
  from: Type.Integer({ minimum: 0 }),
  to: Type.Integer({ minimum: 0 }),
  fields: Type.Record(Type.String(), Type.Record(Type.String(), anything)),
  members: Type.Optional(members),
  next: Type.Optional(nullableText),
});

const setting = {
  revision: Type.Integer({ minimum: 0 }),
  time: Type.String({ format: 'date-time' }),
  id: Type.String(),
  actor: Actor,
  changeset: Type.Union([Changeset, Type.Null()]),
};

/** The event that set a field, or that erased how it was set. */
export const Setting = Type.Object(setting);

const nullableSetting = Type.Union([Setting, Type.Null()]);

export const Blame = Type.Object({
  revision: Type.Integer({ minimum: 0 }),
  fields: Type.Record(Type.String(), Type.Object({ value: anything, set: nullableSetting, before: anything, erased: nullableSetting })),
});

/** A refused request. `path`: with the id of the object. `fields`: the names of the fields that were refused. */
export const Refusal = Type.Object({
  time: Type.String({ format: 'date-time' }),
  actor: Actor,
  changeset: Type.Union([Changeset, Type.Null()]),
  method: Type.String(),
  path: Type.String(),
  status: Type.Integer({ minimum: 400, maximum: 499 }),
  error: nullableText,
  fields: Type.Array(Type.String()),
  request_id: Type.String(),
  correlation_id: nullableText,
  address: nullableText,
});

export const RefusalPage = Type.Object({
  results: Type.Array(Refusal),
  more: Type.Integer({ minimum: 0 }),
  next: nullableText,
});
