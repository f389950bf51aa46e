import { badRequest } from '@waymark/http/problems.ts';

const charactersMax = 255;

/** A text of an order's body, in NFC and trimmed. @throws Problem 400 */
export const text = (body: unknown, name: string, most = charactersMax): string => {
  const value = (body as Record<string, unknown> | null)?.[name];
  const normal = typeof value === 'string' && value.isWellFormed() ? value.normalize('NFC').trim() : '';
  if (normal === '' || normal.length > most || normal.includes('\0')) {
    throw badRequest(`${name}: a text of 1 to ${most} characters is required`);
  }
  return normal;
};
