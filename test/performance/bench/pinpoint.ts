// A number of 13 digits that JSON also preserves as a fraction.
const place = '1777777777777';

const template = JSON.stringify({
  name: `Old Harbour Lighthouse ${place}`,
  address: 'Kade 14, 1779 AB Den Oever, Noord-Holland, Netherlands',
  latitude: Number(`52.${place}`),
  longitude: Number(`5.${place}`),
  altitude: 11.5,
  description: `<p>Built in <strong>1885</strong> and lit every night since. Survey ${place}: the lantern room is open on Saturdays, and the keeper's house serves coffee.</p>`,
  media_credits: '© Harbour Museum, CC BY 4.0',
  tags: ['lighthouse', 'harbour', 'monument', 'open on saturday'],
});

/** A pinpoint as a CMS sends it (about 480 bytes), split where each request inserts its own number: `join(number)` makes a body. */
export const pinpointParts: readonly string[] = template.split(place);

/** Returns the number from which a load counts. Later calls return higher numbers, further apart than any load counts in between, so that
 * no two bodies are equal. */
export const firstNumber = (): number => 1_000_000_000_000 + (Date.now() % 1_000_000_000) * 1_000;
