import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { redactionOf } from '@waymark/domain/redaction.ts';
import { storedFileOf } from '@waymark/domain/stored-files.ts';
import { accountStream, applicationStream, resourceOfStream, resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents, sampleFile } from '@waymark/domain/testing/samples.ts';
import { createDigest } from '@waymark/event-log/erasure/erasure-summary.ts';
import { sealFact } from '@waymark/event-log/seal.ts';
import { createEventDigest } from '@waymark/transfer/digest.ts';
import { type ExportSummary, exportFormat, kindOf } from '@waymark/transfer/format.ts';

/** An installation in which tests create events that they then export. */
export type SomeInstallation = {
  readonly incarnation: string;
  readonly events: RecordedEvent[];
  /** Appends an event to a stream. */
  readonly append: (stream: string, fact: DomainEvent, account?: string) => void;
  /** Erases an object: erases all events in its stream and appends events with its current state. */
  readonly erase: (stream: string) => void;
  /** Creates an account, pinpoints with pictures and a list that contains them; half of the pinpoints are deleted. A `from` above 1 adds
   * more pinpoints. */
  readonly populate: (pinpoints: number, from: number) => void;
  readonly manifest: (options?: { readonly final?: boolean }) => ExportSummary;
};

const { AccountOpened, ApplicationRegistered, PinpointCreated, PinpointEdited, PinpointDeleted, ListCreated, PinpointsAdded } =
  sampleEvents;

export const someInstallation = (incarnation: string): SomeInstallation => {
  const events: RecordedEvent[] = [];
  const revisions = new Map<string, number>();
  const append: SomeInstallation['append'] = (stream, fact, account = 'acme') => {
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    const own = 'account' in fact ? { ...fact, account } : fact;
    events.push({ stream, revision, position: events.length * 3 + 1, ...sealed(own, account) });
  };
  return {
    incarnation,
    events,
    append,
    erase: (stream) => {
      const [redaction, sum] = [redactionOf(stream), createDigest()];
      for (const [index, event] of events.entries()) {
        if (event.stream !== stream) continue;
        redaction?.add(event);
        sum.add(event);
        events[index] = { ...event, salt: null, content: null };
      }
      const before = (revisions.get(stream) ?? -1) + 1;
      for (let piece = redaction?.pieceFrom(1); piece !== undefined; piece = redaction?.pieceFrom(piece.to + 1)) append(stream, piece);
      const fact = redaction?.fact(sum.value(), before);
      if (fact) append(stream, fact);
    },
    populate: (pinpoints, from) => {
      if (from === 1) {
        append(accountStream('acme'), AccountOpened);
        append(applicationStream('app'), { ...ApplicationRegistered, application: 'app' });
        append(resourceStream('list', 1), { ...ListCreated, list: 1 });
      }
      for (let id = from; id < from + pinpoints; id += 1) {
        const stream = resourceStream('pinpoint', id);
        append(stream, { ...PinpointCreated, pinpoint: id, fields: { ...PinpointCreated.fields, media: sampleFile } });
        append(stream, { ...PinpointEdited, pinpoint: id });
        append(resourceStream('list', 1), { ...PinpointsAdded, list: 1, pinpoints: [id], notAdded: [] });
        if (id % 2 === 0) append(stream, { ...PinpointDeleted, pinpoint: id });
      }
    },
    manifest: ({ final = false } = {}) => manifestOf(incarnation, events, final),
  };
};

const sealed = (fact: DomainEvent, account: string) => sealFact(fact, { account, origin: { actor: 'app', token: null, request: null } });

const manifestOf = (incarnation: string, events: readonly RecordedEvent[], final: boolean): ExportSummary => {
  const digest = createEventDigest();
  const streams: Record<string, number> = {};
  const ids = { pinpoint: 0, list: 0, category: 0, happening: 0 };
  const files = new Set<string>();
  for (const event of events) {
    digest.add(event);
    const kind = kindOf(event.stream);
    if (event.revision === 0) streams[kind] = (streams[kind] ?? 0) + 1;
    const object = resourceOfStream(event.stream);
    if (object) ids[object.resource] = Math.max(object.id, ids[object.resource]);
    const file = storedFileOf(event);
    if (file) files.add(file.name);
  }
  return {
    format: exportFormat,
    release: '0.1.0',
    incarnation,
    time: '2026-01-01T00:00:00.000Z',
    position: events.at(-1)?.position ?? 0,
    final,
    events: {
      count: events.length,
      digest: digest.value(),
      forgotten: events.filter(({ content }) => content === null).length,
      streams,
    },
    files: { count: files.size, bytes: 0, missing: 0 },
    ids,
  };
};
