import type { CategoryFields } from '@waymark/domain/category/events.ts';
import { fileReference, type Prepared } from './files.ts';

/** The API's answer, as JSON text, in the contract's order of fields. */
export const categoryText = (id: number, { name, image }: CategoryFields): string =>
  JSON.stringify({ id, name, image_url: fileReference(image) });

/** The fields that a text was prepared from. A category always has its image. */
export const categoryFields = ({ text, file }: Prepared): CategoryFields => ({
  name: JSON.parse(text).name,
  image: JSON.parse(file ?? 'null'),
});
