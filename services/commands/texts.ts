import type { FieldErrors } from '@waymark/http/problems.ts';
import { descriptionCharactersMax } from '@waymark/http/wire/fields.ts';
import { sanitized } from './html.ts';

/** A description that was sent, as it is stored. */
export type Described = { readonly description: string | undefined; readonly changed: boolean; readonly errors: FieldErrors };

/** Sanitises a description; null means the default. What sanitising made longer than allowed is refused, so that what a client reads it can
 * always send again. */
export const described = async (text: string | null | undefined): Promise<Described> => {
  if (text === undefined || text === null) {
    return { description: text === null ? '' : undefined, changed: false, errors: {} };
  }
  const { html, changed } = await sanitized(text);
  const errors: FieldErrors = tooLong(html)
    ? { description: [`Ensure this field has no more than ${descriptionCharactersMax} characters.`] }
    : {};
  return { description: html, changed, errors };
};

/** In code points, counted only where code units leave it open. */
const tooLong = (html: string): boolean => html.length > descriptionCharactersMax && [...html].length > descriptionCharactersMax;
