import { Type } from '@sinclair/typebox';
import { createParser } from '../../request/validation.ts';
import { Instant, nullable } from './fields.ts';

/** Body of a request to restore a version of an object, or to undo a change of it. */
export const RevisionBody = Type.Object({
  revision: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'The number of a change of the object' }),
});

/** What was done to an object. */
export const UndoReport = Type.Object({
  object: Type.Object({ kind: Type.String(), id: Type.Integer() }),
  outcome: Type.Union([Type.Literal('restored'), Type.Literal('undone'), Type.Literal('kept')], {
    description: '`kept`: nothing was changed',
  }),
  event: Type.Union([Type.String(), Type.Null()], { description: 'The id of the new event; null: nothing had to be changed' }),
  revision: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: 'Its revision' }),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why something was kept' }),
  fields: Type.Array(Type.String(), { description: 'The fields that were kept' }),
  pinpoints: Type.Array(Type.Integer(), { description: 'Of a list: the pinpoints whose membership was kept' }),
});

export const KeptReport = Type.Object({ detail: Type.String(), report: UndoReport });

/** Body of a request to undo what a correlation, or an application, did. */
export const UndoJobBody = Type.Object({
  correlation: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 255, description: 'Undo all changes with this correlation, as the history has it' })),
  ),
  application: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 255, description: 'Undo all changes of this application; needs `from` and `to`' })),
  ),
  from: Type.Optional(nullable(Instant)),
  to: Type.Optional(nullable(Instant)),
  dry_run: Type.Boolean({ description: 'true: only report what would be undone' }),
});

const nullableText = Type.Union([Type.String(), Type.Null()]);
const count = Type.Integer({ minimum: 0 });
const nullableCount = Type.Union([count, Type.Null()]);

/** What a job has done to one object. */
export const UndoJobResult = Type.Object({
  object: Type.Object({ kind: Type.String(), id: Type.Union([Type.Integer(), Type.String()]) }),
  outcome: Type.Union([Type.Literal('undone'), Type.Literal('partly'), Type.Literal('kept')]),
  revision: Type.Union([count, Type.Null()], { description: 'The revision of the last change that undoes; null: none was needed' }),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why something was kept' }),
  fields: Type.Array(Type.String(), { description: 'The fields that were kept' }),
  pinpoints: Type.Array(Type.Integer(), { description: 'Of a list: the pinpoints whose membership was kept, up to 10,000' }),
});

/** An undo job. */
export const UndoJob = Type.Object({
  id: Type.String({ description: 'Also the Correlation-Id of the changes that it makes' }),
  status: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('stopped')]),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it stopped' }),
  dry_run: Type.Boolean(),
  correlation: nullableText,
  application: nullableText,
  from: nullableText,
  to: nullableText,
  progress: Type.Object({ objects: nullableCount, done: count }),
  report: Type.Union([
    Type.Object({
      changes: nullableCount,
      objects: nullableCount,
      ...{ undone: count, partly: count, kept: count },
      first: nullableText,
      last: nullableText,
      applications: Type.Array(Type.String()),
      results: Type.Array(UndoJobResult),
      next: Type.Union([Type.String(), Type.Null()], { description: 'The next page of the results' }),
    }),
    Type.Null(),
  ]),
});

export const parseUndoJob = createParser(UndoJobBody);

export const parseRevision = createParser(RevisionBody);
