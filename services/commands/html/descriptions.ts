import { descriptionCharactersMax } from '@waymark/http/api/schemas/fields.ts';
import type { FieldErrors } from '@waymark/http/errors.ts';
import { storedText, textFaultMessage } from '@waymark/http/request/text.ts';
import { createSanitizer } from './sanitizer.ts';

/** A submitted description in the form in which it is stored. */
export type SanitizedDescription = { readonly description: string | undefined; readonly changed: boolean; readonly errors: FieldErrors };

const rule = { trimmed: false, charactersMax: descriptionCharactersMax };

/** Sanitises a description; null stands for the default. */
export type SanitizeDescription = (text: string | null | undefined) => Promise<SanitizedDescription>;

/** Creates the sanitiser of descriptions. Its result must satisfy the same rule as the input, so that a client can always send back a
 * description that it has read.
 * @param memoryBytes the memory that the process plans with */
export const createDescriptionSanitizer = (memoryBytes: number): SanitizeDescription => {
  const sanitized = createSanitizer(memoryBytes);
  return async (text) => {
    if (text === undefined || text === null) {
      return { description: text === null ? '' : undefined, changed: false, errors: {} };
    }
    const { html, changed } = await sanitized(text);
    // An unchanged text was checked when it was parsed.
    if (!changed) return { description: html, changed, errors: {} };
    const stored = storedText(html, rule);
    if (!('fault' in stored) && stored.text === html) return { description: html, changed, errors: {} };
    // If sanitising and composing did not converge, combining marks were the cause.
    const fault = 'fault' in stored ? stored.fault : 'marks';
    return { description: html, changed, errors: { description: [textFaultMessage(fault, descriptionCharactersMax)] } };
  };
};
