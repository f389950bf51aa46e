import { type Static, Type } from '@sinclair/typebox';
import { createParser } from '../../request/validation.ts';
import { Description, FileUrl, Id, Instant, Name, nullable, OptionalFile, ShortText, Tags } from './fields.ts';

export const DateRange = Type.Object({ start: Instant, end: Instant }, { inOrder: true, description: 'end is not before start' });
const dates = Type.Array(DateRange, { minItems: 1, maxItems: 1_000 });

/** Body of a create or update request. */
export const HappeningBody = Type.Object({
  name: Name,
  pinpoint: Type.Integer({ description: 'Id of the pinpoint where it takes place' }),
  dates,
  description: Description,
  media_credits: ShortText,
  media_file: OptionalFile,
  tags: Tags,
});
export type HappeningBody = Static<typeof HappeningBody>;

export const Happening = Type.Object({
  id: Id,
  name: Type.String(),
  pinpoint: Id,
  dates,
  description: Type.String(),
  media_credits: Type.String(),
  media_url: nullable(FileUrl),
  tags: Type.Array(Type.String()),
});

export const parseHappening = createParser(HappeningBody);
