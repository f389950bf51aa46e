import { AllStreamPosition, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { toStoredEvents } from '../eventstoredb/events.ts';
import type { Answer, FakeCall } from './fake-store.ts';
import { someEvent } from './some-events.ts';

/** Returns an event at a position of the fake store's log. */
export const eventAt = (position: number, stream = 'pinpoint-1', metadata?: string, content?: string): ReadResp => {
  const [event] = toStoredEvents([someEvent(content)]);
  if (event === undefined) throw new Error('The event is missing.');
  const message = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new UUID().setString(event.id))
    .setStreamIdentifier(new StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setStreamRevision(String(position))
    .setCommitPosition(String(position))
    .setPreparePosition(String(position))
    .setCustomMetadata(metadata === undefined ? (event.metadata as Uint8Array) : Buffer.from(metadata))
    .setData(event.data);
  message.getMetadataMap().set('type', event.type).set('content-type', event.contentType).set('created', '17000000000000000');
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(message).setCommitPosition(String(position)));
};

export const confirmation = (): ReadResp =>
  new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId('one'));

export const checkpointAt = (position: number): ReadResp =>
  new ReadResp().setCheckpoint(new ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position)));

/** The request of a read. */
export type Asked = { readonly isSubscription: boolean; readonly from: number };

const noStream = (): ReadResp => new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound());

/** Answers reads of the whole log according to the request. The only stream is the one that names the log.
 * @param named returns the last event of that stream */
export const readsAnswered =
  (answer: (asked: Asked, call: FakeCall) => void, named: () => ReadResp = noStream): Answer =>
  (call) =>
    call.onMessage((bytes) => {
      const options = ReadReq.deserializeBinary(bytes).getOptions();
      if (options?.hasStream()) {
        call.write(named());
        return call.end();
      }
      const from = Number(options?.getAll()?.getPosition()?.getCommitPosition() ?? 0);
      answer({ isSubscription: options?.hasSubscription() ?? false, from }, call);
    });

/** Answers appends, each with what the test makes of its id. */
export const appendsAnswered =
  (answer: (appended: (position: number, id?: string) => BatchAppendResp, call: FakeCall) => void): Answer =>
  (call) =>
    call.onMessage((bytes) => {
      const request = BatchAppendReq.deserializeBinary(bytes);
      const asked = request.getCorrelationId()?.getString() ?? '';
      answer((position, id = asked) => success(position, id), call);
    });

const success = (position: number, id: string): BatchAppendResp => {
  const place = new AllStreamPosition().setCommitPosition(String(position)).setPreparePosition(String(position));
  const message = new BatchAppendResp.Success().setCurrentRevision('0').setPosition(place);
  return new BatchAppendResp().setCorrelationId(new UUID().setString(id)).setSuccess(message);
};
