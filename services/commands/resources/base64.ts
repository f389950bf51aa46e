const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/** Decodes base64; returns undefined if the text is not the canonical encoding of its bytes. The text can be large, so it is not encoded again
 * to compare it: only its last four characters could stand for the same bytes as others. */
export const decodeBase64 = (text: string): Buffer | undefined => {
  if (text.length % 4 !== 0 || !alphabet.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  const lastBytes = bytes.subarray(((text.length - 4) / 4) * 3);
  return text.endsWith(lastBytes.toString('base64')) ? bytes : undefined;
};
