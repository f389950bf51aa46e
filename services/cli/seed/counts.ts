/** How many objects of a kind the map has now, and how many of them this run created. */
export type Count = { readonly there: number; readonly made: number };

export const kinds = ['categories', 'pinpoints', 'lists', 'events'] as const;
export type Counts = Readonly<Record<(typeof kinds)[number], Count>>;
