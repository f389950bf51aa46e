import { type Static, Type } from '@sinclair/typebox';
import { createParser } from '../../request/validation.ts';
import { nullable } from './fields.ts';

/** Body of a request to open a changeset. */
export const ChangesetBody = Type.Object({
  comment: Type.String({
    text: 'trimmed',
    minLength: 1,
    maxLength: 1_000,
    description: 'Why the changes are made. Trimmed, 1 to 1,000 characters',
  }),
  by: Type.Optional(
    nullable(
      Type.String({
        text: 'trimmed',
        maxLength: 255,
        description: 'The person who makes the changes, as the application claims. Trimmed, at most 255 characters',
      }),
    ),
  ),
});
export type ChangesetBody = Static<typeof ChangesetBody>;

export const OpenedChangeset = Type.Object({ id: Type.String({ format: 'uuid', description: 'The Correlation-Id of its changes' }) });

export const parseChangeset = createParser(ChangesetBody);
