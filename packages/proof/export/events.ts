import { isAltered } from '@waymark/event-log/seal.ts';
import { eventLeaf } from '../leaf.ts';
import { verifiesInclusion } from '../proofs.ts';
import { createGrowingTree } from '../tree.ts';
import { createErasureCheck, isWithheld, placeOf } from './erasures.ts';
import type { ExportedEvent, ExportHeader } from './format.ts';
import type { KnownRoot } from './roots.ts';

/** The events of an export, counted. */
export type EventCounts = {
  readonly events: number;
  /** Contents that were compared with their commitments. */
  readonly contents: number;
  /** Events whose content was erased. */
  readonly erased: number;
  /** Events of applications and accounts, which are exported without content. */
  readonly withheld: number;
};

/** The streams whose revisions are followed in an account's export. The tree covers the events of all others too; only the sentence about a
 * missing revision is lost. */
const followedStreamsMax = 100_000;

type Report = (finding: string) => void;

/** Checks the events of an export one by one, in bounded memory. */
export const createEventCheck = (header: ExportHeader, roots: readonly KnownRoot[], report: Report) => {
  const checkPlace = createPlaceCheck(header, report);
  const tree = header.object === null ? createTreeCheck(header, roots, report) : createInclusionCheck(header, report);
  const erasures = createErasureCheck(isWithheld);
  let [events, contents, erased, withheld] = [0, 0, 0, 0];
  return {
    add: (event: ExportedEvent): void => {
      events += 1;
      if (event.content !== null) contents += 1;
      else if (isWithheld(event.stream)) withheld += 1;
      else erased += 1;
      checkPlace(event);
      tree.add(event);
      const missing = erasures.add(event);
      if (missing !== undefined) report(missing);
      if (isAltered(event, event.envelope.commitment)) report(`${placeOf(event)}: the content does not match its commitment.`);
    },
    end: (): void => {
      tree.end();
      for (const finding of erasures.end()) report(`${finding} If the object was erased after the checkpoint, export again.`);
    },
    counts: (): EventCounts => ({ events, contents, erased, withheld }),
  };
};

/** Checks that an event belongs to the export, and follows the event before it in its stream. */
const createPlaceCheck = ({ account, object }: ExportHeader, report: Report) => {
  const revisions = new Map<string, number>();
  return (event: ExportedEvent): void => {
    const { stream, revision, envelope } = event;
    if (envelope.account !== account) report(`${placeOf(event)}: it belongs to another account.`);
    if (object !== null && stream !== object) report(`${placeOf(event)}: it is no event of ${object}.`);
    const before = revisions.get(stream) ?? (revisions.size < followedStreamsMax ? -1 : revision - 1);
    if (revision !== before + 1)
      report(`${placeOf(event)}: ${before < 0 ? 'revision 0 does not precede it' : `it follows revision ${before}`}.`);
    if (before >= 0 || revisions.size < followedStreamsMax) revisions.set(stream, revision);
  };
};

/** Checks that all events of an account give the roots that its checkpoints cover. */
const createTreeCheck = ({ head }: ExportHeader, roots: readonly KnownRoot[], report: Report) => {
  const tree = createGrowingTree();
  const expected = [...roots];
  return {
    add: (event: ExportedEvent): void => {
      tree.append(eventLeaf(event));
      if (tree.size() === head.size + 1) report(`The export has more events than the ${head.size} that its checkpoint covers.`);
      while (expected[0]?.size === tree.size()) {
        const { root, checkpoint } = expected.shift() as KnownRoot;
        if (tree.root().equals(root)) continue;
        report(`The first ${tree.size()} events are not those that checkpoint ${checkpoint.number} of ${checkpoint.origin} covers.`);
        expected.length = 0;
      }
    },
    end: (): void => {
      if (tree.size() < head.size) report(`The export has ${tree.size()} of the ${head.size} events that its checkpoint covers.`);
    },
  };
};

/** Checks that each event of an object is in the account's tree, in its order. */
const createInclusionCheck = ({ head }: ExportHeader, report: Report) => {
  let last = -1;
  return {
    add: (event: ExportedEvent): void => {
      const { index = -1, path = [] } = event.inclusion ?? {};
      if (index <= last) report(`${placeOf(event)}: it precedes the event before it in the account's order.`);
      last = index;
      const isIncluded = verifiesInclusion({ leaf: eventLeaf(event), index, size: head.size, root: head.root, proof: path });
      if (!isIncluded) report(`${placeOf(event)}: its proof does not show that it is in the account's history at ${index}.`);
    },
    end: (): void => {
      if (last < 0) report('The export has no event.');
    },
  };
};
