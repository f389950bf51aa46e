import type { HappeningFields } from '@waymark/domain/happening/events.ts';
import { fileReference, type Prepared, storedFile } from './files.ts';

/** Returns the representation, with its fields in the order of the contract. */
export const happeningText = (id: number, fields: HappeningFields): string =>
  JSON.stringify({
    id,
    name: fields.name,
    pinpoint: fields.pinpoint,
    dates: fields.dates,
    description: fields.description,
    media_credits: fields.mediaCredits,
    media_url: fileReference(fields.media),
    tags: fields.tags,
  });

/** Returns the fields that a text was prepared from. */
export const happeningFields = ({ text, file }: Prepared): HappeningFields => {
  const { name, pinpoint, dates, description, media_credits, tags } = JSON.parse(text);
  return { name, pinpoint, dates, description, mediaCredits: media_credits, media: storedFile(file), tags };
};
