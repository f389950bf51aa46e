/** A place of the demonstration map. */
export type DemoPlace = {
  readonly name: string;
  readonly address: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly description: string;
  readonly media_credits: string;
  readonly tags: readonly string[];
  /** The name of the category. */
  readonly category: string;
  readonly lists: readonly string[];
};

/** Returns the key that identifies a place, here and in the responses of the API. */
export const keyOf = ({ name, latitude, longitude }: Pick<DemoPlace, 'name' | 'latitude' | 'longitude'>): string =>
  `${name} ${latitude} ${longitude}`;

/** Returns each place once. A place that is found twice is in the lists of both. */
export const distinct = (places: readonly DemoPlace[]): readonly DemoPlace[] => {
  const found = new Map<string, DemoPlace>();
  for (const place of places) {
    const known = found.get(keyOf(place));
    found.set(keyOf(place), known === undefined ? place : { ...known, lists: [...new Set([...known.lists, ...place.lists])] });
  }
  return [...found.values()];
};

const regions = new Intl.DisplayNames(['en'], { type: 'region' });

export const countryName = (code: string): string => regions.of(code) ?? code;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for HTML. */
export const html = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');

/** Returns text in the form in which the API returns it. */
export const normal = (text: string): string => text.normalize('NFC').trim();

export const continents: readonly { readonly code: string; readonly name: string }[] = [
  { code: 'AF', name: 'Africa' },
  { code: 'AS', name: 'Asia' },
  { code: 'EU', name: 'Europe' },
  { code: 'NA', name: 'North America' },
  { code: 'OC', name: 'Oceania' },
  { code: 'SA', name: 'South America' },
];
