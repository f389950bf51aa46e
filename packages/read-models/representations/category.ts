import type { CategoryFields } from '@waymark/domain/category/events.ts';
import { fileReference, type Prepared } from './files.ts';

/** Returns the representation, with its fields in the order of the contract. */
export const categoryText = (id: number, { name, image }: CategoryFields): string =>
  JSON.stringify({ id, name, image_url: fileReference(image) });

/** Returns the fields that a text was prepared from. A category always has its image. */
export const categoryFields = ({ text, file }: Prepared): CategoryFields => ({
  name: JSON.parse(text).name,
  image: JSON.parse(file ?? 'null'),
});
