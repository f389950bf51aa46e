/** How many of a kind the map holds now, and how many of them this run made. */
export type Count = { readonly there: number; readonly made: number };

export const kinds = ['categories', 'pinpoints', 'lists', 'events'] as const;
export type Counts = Readonly<Record<(typeof kinds)[number], Count>>;
