import type { Item } from '@waymark/history/reading/questions.ts';
import { streamRetryMs } from '../limits.ts';

// The format is that of the HTML standard, "Server-sent events". JSON texts have no line breaks. A block without data dispatches no event, but
// the client keeps its id: so it also resumes after entries that its filter has left out.

/** Returns the first block of a stream, which names the place where it begins. */
export const beginning = (id: string): string => `retry: ${streamRetryMs}\nid: ${id}\n\n`;

export const heartbeat = (id: string): string => `: heartbeat\nid: ${id}\n\n`;

/** Returns the blocks of entries.
 * @param idOf returns the id of an entry */
export const blocks = (items: readonly Item[], idOf: (item: Item) => string): string =>
  items.map((item) => `id: ${idOf(item)}\ndata: ${item.text}\n\n`).join('');
