import { descriptionCharactersMax } from '@waymark/http/api/schemas/fields.ts';
import type { FieldErrors } from '@waymark/http/errors.ts';
import { storedText, textFaultMessage } from '@waymark/http/request/text.ts';
import { createSanitizer } from './sanitizer.ts';

/** A description that was sent, as it is stored. */
export type SanitizedDescription = { readonly description: string | undefined; readonly changed: boolean; readonly errors: FieldErrors };

const rule = { trimmed: false, charactersMax: descriptionCharactersMax };

/** Sanitises a description; null means the default. */
export type SanitizeDescription = (text: string | null | undefined) => Promise<SanitizedDescription>;

/** What the sanitiser made of a description is held to the same rule as what was sent, so that what a client reads it can always send again.
 * @param memoryBytes what the process plans with */
export const createDescriptionSanitizer = (memoryBytes: number): SanitizeDescription => {
  const sanitized = createSanitizer(memoryBytes);
  return async (text) => {
    if (text === undefined || text === null) {
      return { description: text === null ? '' : undefined, changed: false, errors: {} };
    }
    const { html, changed } = await sanitized(text);
    // Whatever is left as it is was checked when it was parsed.
    if (!changed) return { description: html, changed, errors: {} };
    const stored = storedText(html, rule);
    if (!('fault' in stored) && stored.text === html) return { description: html, changed, errors: {} };
    // Where sanitising and composing never came to an end, it was because of its marks.
    const fault = 'fault' in stored ? stored.fault : 'marks';
    return { description: html, changed, errors: { description: [textFaultMessage(fault, descriptionCharactersMax)] } };
  };
};
