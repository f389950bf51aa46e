const mebibyte = 1024 * 1024;
const pinpoint = { name: 'x', latitude: 1, longitude: 1 };
const wide = (json: string): string => `{"name":"x","latitude":1,"longitude":1,"x":${json}}`;

/** Bodies that are small enough to be read, but costly to process. The API accepts none of them. */
export const costlyBodies = {
  'empty objects': () => wide(`[${'{},'.repeat(2_700_000)}{}]`),
  'a million keys, nearly': () => wide(`{${Array.from({ length: 843_656 }, (_, nth) => `"${nth.toString(36)}":1`).join(',')}}`),
  numbers: () => wide(`[${'1,'.repeat(4_000_000)}1]`),
  brackets: () => '['.repeat(8 * mebibyte),
  '8 MB of combining marks': () => JSON.stringify({ ...pinpoint, name: '\u0301'.repeat(4_000_000) }),
  '99,999 combining marks': () => JSON.stringify({ ...pinpoint, description: '\u0301'.repeat(99_999) }),
  'a description of tags': () => JSON.stringify({ ...pinpoint, latitude: 200, description: '<b>'.repeat(16_000) + '</i>'.repeat(12_000) }),
} as const satisfies Record<string, () => string>;

/** A description close to the length limit, of characters that take three bytes each in UTF-8. */
export const longDescription = '語'.repeat(95_000);
