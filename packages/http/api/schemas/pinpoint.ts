import { type Static, Type } from '@sinclair/typebox';
import { createParser } from '../../request/validation.ts';
import { Description, FileUrl, Id, Name, nullable, OptionalFile, ShortText, Tags } from './fields.ts';

const latitude = Type.Number({ minimum: -90, maximum: 90, description: 'Decimal degrees' });
const longitude = Type.Number({ minimum: -180, maximum: 180, description: 'Decimal degrees' });
const altitude = nullable(Type.Number({ minimum: -12_000, maximum: 1_000_000, description: 'Meters' }));

/** Body of a create or update request. */
export const PinpointBody = Type.Object({
  name: Name,
  address: ShortText,
  latitude,
  longitude,
  altitude: Type.Optional(altitude),
  category: Type.Optional(nullable(Type.Integer({ description: 'Id of a category' }))),
  description: Description,
  media_credits: ShortText,
  media_file: OptionalFile,
  tags: Tags,
});
export type PinpointBody = Static<typeof PinpointBody>;

export const Pinpoint = Type.Object({
  id: Id,
  name: Type.String(),
  address: Type.String(),
  latitude,
  longitude,
  altitude,
  category: nullable(Id),
  description: Type.String(),
  media_credits: Type.String(),
  media_url: nullable(FileUrl),
  tags: Type.Array(Type.String()),
});

export const parsePinpoint = createParser(PinpointBody);
