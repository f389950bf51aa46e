import { hash } from 'node:crypto';
import type { DomainEvent, Envelope } from '@waymark/domain/event.ts';
import { encode, eventVersions } from '@waymark/domain/event-types.ts';
import type { PinpointFields } from '@waymark/domain/pinpoint/events.ts';
import { createDigest } from '@waymark/event-log/erasure/erasure-summary.ts';
import { commitmentTo } from '@waymark/event-log/seal.ts';
import type { ExportedEvent } from '../export/format.ts';

export const someAccount = '5d41402abc4b2a76b9719d911017c592';

/** An event before it is exported. */
export type SomeEvent = Omit<ExportedEvent, 'inclusion'>;

const idOf = (text: string): string => hash('sha256', text).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5');

/** Collects events in the order of an account. All is derived from the number of the event, so it is the same each time. */
export const createCollector = () => {
  const events: SomeEvent[] = [];
  const revisionsOf = (stream: string): readonly SomeEvent[] => events.filter((event) => event.stream === stream);
  const add = (stream: string, fact: DomainEvent): void => {
    const nth = events.length;
    const content = encode(fact);
    const salt = hash('sha256', `salt ${nth}`, 'buffer').subarray(0, 16);
    const envelope: Envelope = {
      id: idOf(`event ${nth}`),
      type: fact.type,
      version: eventVersions[fact.type],
      account: someAccount,
      actor: nth < 2 ? 'operator' : 'app-1',
      token: nth < 2 ? null : 'token-1',
      request: null,
      correlation: idOf(`event ${nth}`),
      cause: null,
      time: new Date(Date.UTC(2026, 10, 25, 9, 0, nth)).toISOString(),
      release: '0.4.0',
      commitment: commitmentTo(salt, content),
      sanitized: false,
    };
    events.push({ stream, revision: revisionsOf(stream).length, envelope, salt: salt.toString('base64url'), content });
  };
  /** Erases the first events of a stream. Returns their summary. */
  const erase = (stream: string, before: number) => {
    const digest = createDigest();
    for (const [nth, event] of events.entries()) {
      if (event.stream !== stream || event.revision >= before) continue;
      events[nth] = { ...event, salt: null, content: null };
      digest.add(event);
    }
    return digest.value();
  };
  const withhold = (stream: string): void => void erase(stream, Number.POSITIVE_INFINITY);
  return { events, add, erase, withhold };
};

const fields = {
  name: 'Harbour light',
  address: 'Mole 1, Nida',
  latitude: 55.303,
  longitude: 21.005,
  altitude: null,
  category: null,
  description: '<p>White, then red. \u{1f6a8}</p>',
  mediaCredits: '',
  media: null,
  tags: ['light'],
};

/** Returns the fields of a pinpoint. */
export const somePinpoint = (name: string): PinpointFields => ({ ...fields, name });

/** An account's history with every kind of event that an export treats in its own way: events without content, and two erased objects, one of
 * them a list, whose members are restated in events of their own. */
export const someHistory = (): readonly SomeEvent[] => {
  const { events, add, erase, withhold } = createCollector();
  const account = someAccount;
  add(`account-${account}`, { type: 'AccountOpened', account, name: 'acme' });
  const secret = { id: 'secret-1', hash: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' };
  add('application-app-1', { type: 'ApplicationRegistered', account, application: 'app-1', name: 'Guide', scopes: ['write'], secret });
  add('pinpoint-1', { type: 'PinpointCreated', account, pinpoint: 1, fields });
  add('pinpoint-2', { type: 'PinpointCreated', account, pinpoint: 2, fields: { ...fields, name: 'Church' } });
  add('list-1', { type: 'ListCreated', account, list: 1, fields: { name: 'Coast', description: '' } });
  add('pinpoint-1', { type: 'PinpointEdited', pinpoint: 1, fields: { name: 'Harbour light, north' } });
  add('list-1', { type: 'PinpointsAdded', list: 1, pinpoints: [1, 2], notAdded: [] });
  add('pinpoint-2', { type: 'PinpointEdited', pinpoint: 2, fields: { tags: [] } });
  add('pinpoint-1', { type: 'PinpointEdited', pinpoint: 1, fields: { latitude: 55.304 } });
  add('pinpoint-2', { type: 'PinpointRedacted', account, pinpoint: 2, summary: erase('pinpoint-2', 2), fields });
  add('list-1', { type: 'ListMembersRestated', list: 1, from: 1, to: Number.MAX_SAFE_INTEGER, members: [1, 2] });
  add('list-1', { type: 'PinpointsRemoved', list: 1, pinpoints: [2] });
  const listFields = { name: 'Coast', description: '' };
  add('list-1', { type: 'ListRedacted', account, list: 1, summary: erase('list-1', 2), fields: listFields, restatedFrom: 2 });
  add('pinpoint-1', { type: 'PinpointDeleted', pinpoint: 1 });
  for (const stream of [`account-${account}`, 'application-app-1']) withhold(stream);
  return events;
};
