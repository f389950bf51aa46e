import type { PinpointFields } from '@waymark/domain/pinpoint/events.ts';
import { fileReference, type Prepared, storedFile } from './files.ts';

/** Returns the representation, with its fields in the order of the contract. */
export const pinpointText = (id: number, fields: PinpointFields): string =>
  JSON.stringify({
    id,
    name: fields.name,
    address: fields.address,
    latitude: fields.latitude,
    longitude: fields.longitude,
    altitude: fields.altitude,
    category: fields.category,
    description: fields.description,
    media_credits: fields.mediaCredits,
    media_url: fileReference(fields.media),
    tags: fields.tags,
  });

/** Returns the fields that a text was prepared from. */
export const pinpointFields = ({ text, file }: Prepared): PinpointFields => {
  const { name, address, latitude, longitude, altitude, category, description, media_credits, tags } = JSON.parse(text);
  const place = { name, address, latitude, longitude, altitude, category };
  return { ...place, description, mediaCredits: media_credits, media: storedFile(file), tags };
};
