import { badRequest } from '@waymark/http/errors.ts';
import { storedText } from '@waymark/http/request/text.ts';

const charactersMax = 255;

/** Returns a text from a request body, trimmed and in NFC.
 * @throws HttpError 400 */
export const text = (body: unknown, name: string, most = charactersMax): string => {
  const value = (body as Record<string, unknown> | null)?.[name];
  const stored = typeof value === 'string' ? storedText(value, { trimmed: true, charactersMax: most }) : { text: '' };
  if ('fault' in stored || stored.text === '') throw badRequest(`${name}: a text of 1 to ${most} characters is required`);
  return stored.text;
};
