import { allocatorStream, awaitByResourceKind, type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import { appendOnce } from '@waymark/event-log/append-once.ts';
import { type EventLog, nextRevision } from '@waymark/event-log/event-log.ts';
import { reservedThrough, sealReservation } from '@waymark/event-log/id-allocator.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { newEventId } from '@waymark/event-log/seal.ts';
import { conflict, unavailable } from '@waymark/http/errors.ts';
import type { ExportSummary } from '@waymark/transfer/format.ts';
import { attemptsMax, idsAhead } from './limits.ts';
import { type ImportState, record } from './state.ts';
import type { Range, Ranges } from './stored-facts.ts';

/** Reserves the ids of the exported objects before any of these objects is imported. So the cluster never gives out one of them, and an
 * object whose id the cluster may have given out is not imported. The reservation is recorded first, so it is known after a crash.
 * @throws HttpError 409, LogUnavailable, AppendUndecided */
export const reserveIds = async (log: EventLog, state: ImportState, manifest: ExportSummary): Promise<ImportState> => {
  const { incarnation } = manifest;
  let reached = state;
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const ids = await rangesFor(log, reached, manifest);
    if (JSON.stringify(ids) !== JSON.stringify(reached.ranges)) reached = await record(log, incarnation, reached, { ImportBegun: { ids } });
    if (await areTaken(log, ids)) return reached;
  }
  throw unavailable('Too many processes reserve ids at the same time.');
};

const rangesFor = (log: EventLog, state: ImportState, manifest: ExportSummary): Promise<Ranges> =>
  awaitByResourceKind((resource) => rangeFor(log, state, resource, manifest));

const rangeFor = async (log: EventLog, state: ImportState, resource: ResourceKind, { ids, final }: ExportSummary): Promise<Range> => {
  const stream = allocatorStream(resource);
  const highest = ids[resource];
  const { revision: last, event: reserved } = await readEnd(log, stream);
  const next = nextRevision(last);
  const present = state.ranges?.[resource];
  const isOurs = present !== undefined && (present.revision === next || (await standsAt(log, stream, present)));
  if (isOurs && highest <= present.through) return present;
  const isLast = isOurs && present.revision >= next - 1;
  // The imported objects rely on a range that can no longer be extended.
  if (state.events > 0 && !isLast) throw conflict(overtaken(resource));
  const known = reserved === undefined ? 0 : reservedThrough(reserved);
  const through = Math.max(known, final ? highest : highest + idsAhead);
  return { floor: isLast ? present.floor : known, through, event: newEventId(), revision: next };
};

const overtaken = (resource: ResourceKind): string =>
  `The cluster itself has given out ids of the resource "${resource}" since the import began, and the export now has higher ids.`;

const standsAt = async (log: EventLog, stream: string, { event, revision }: Range): Promise<boolean> =>
  (await log.read(stream, revision))[0]?.envelope.id === event;

const areTaken = async (log: EventLog, ranges: Ranges): Promise<boolean> => {
  const taken = await Promise.all(resourceKinds.map((resource) => take(log, allocatorStream(resource), ranges[resource])));
  return taken.every((one) => one);
};

const take = async (log: EventLog, stream: string, { event, through, revision }: Range): Promise<boolean> => {
  const { outcome } = await appendOnce(log, stream, [sealReservation(event, through)], revision === 0 ? 'none' : revision - 1);
  return outcome !== 'conflict';
};
