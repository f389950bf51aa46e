import type { RecordedEvent } from '@waymark/domain/event.ts';
import { canonicalJson, membersByName } from './canonical-json.ts';
import { leafHash } from './hashes.ts';

/** What a leaf covers. It covers the content through the commitment in the envelope. Positions are not part of it, because another log assigns
 * other ones. */
export type EventInTree = Pick<RecordedEvent, 'stream' | 'revision' | 'envelope'>;

/** Returns the data of an event's leaf: the canonical JSON of stream, revision, and the envelope's pairs of name and value by name. */
export const leafData = ({ stream, revision, envelope }: EventInTree): string => canonicalJson([stream, revision, membersByName(envelope)]);

/** Returns the hash of an event's leaf in the tree of its account. */
export const eventLeaf = (event: EventInTree): Buffer => leafHash(leafData(event));
