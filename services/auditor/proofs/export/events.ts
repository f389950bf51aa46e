import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { isWithheld } from '@waymark/proof/export/erasures.ts';
import type { ExportedEvent } from '@waymark/proof/export/format.ts';
import { type PlacedLeaf, ProofsUnavailable } from '@waymark/proof-store/proof-store.ts';
import { pageCharactersMax } from '../limits.ts';

/** The event of a leaf. */
export type LeafEvent = { readonly leaf: PlacedLeaf; readonly event: RecordedEvent };

/** Reads the events of leaves from the log, in the order of the leaves: all of them, or those before which a page ends. One read of a stream
 * returns the events of several leaves.
 * @throws ProofsUnavailable where the log lacks one of them */
export const readLeafEvents = async (log: Pick<EventLog, 'read'>, leaves: readonly PlacedLeaf[]): Promise<readonly LeafEvent[]> => {
  const wanted = new Set(leaves.map(keyOf));
  const known = new Map<string, RecordedEvent>();
  const found: LeafEvent[] = [];
  let characters = 0;
  for (const leaf of leaves) {
    if (characters >= pageCharactersMax) break;
    if (!known.has(keyOf(leaf)))
      for (const event of await log.read(leaf.stream, leaf.revision)) if (wanted.has(keyOf(event))) known.set(keyOf(event), event);
    const event = known.get(keyOf(leaf));
    known.delete(keyOf(leaf));
    if (event === undefined) throw new ProofsUnavailable(`The log lacks ${leaf.stream}, revision ${leaf.revision}.`);
    characters += event.content?.length ?? 0;
    found.push({ leaf, event });
  }
  return found;
};

const keyOf = ({ stream, revision }: Pick<PlacedLeaf, 'stream' | 'revision'>): string => `${stream} ${revision}`;

/** Returns an event as an export has it. */
export const exported = (
  { stream, revision, envelope, salt, content }: RecordedEvent,
  inclusion: ExportedEvent['inclusion'],
): ExportedEvent => ({
  ...{ stream, revision, envelope, inclusion },
  ...(isWithheld(stream) ? { salt: null, content: null } : { salt, content }),
});
