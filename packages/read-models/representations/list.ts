import type { ListFields } from '@waymark/domain/list/events.ts';
import type { Prepared } from './files.ts';

/** Returns the representation, with its fields in the order of the contract. */
export const listText = (id: number, { name, description }: ListFields): string => JSON.stringify({ id, name, description });

/** Returns the fields that a text was prepared from. */
export const listFields = ({ text }: Pick<Prepared, 'text'>): ListFields => {
  const { name, description } = JSON.parse(text);
  return { name, description };
};
