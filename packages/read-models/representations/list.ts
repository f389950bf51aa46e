import type { ListFields } from '@waymark/domain/list/events.ts';
import type { Prepared } from './files.ts';

/** The API's answer, as JSON text, in the contract's order of fields. */
export const listText = (id: number, { name, description }: ListFields): string => JSON.stringify({ id, name, description });

/** The fields that a text was prepared from. */
export const listFields = ({ text }: Pick<Prepared, 'text'>): ListFields => {
  const { name, description } = JSON.parse(text);
  return { name, description };
};
