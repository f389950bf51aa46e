import type { DomainEvent, NewEvent } from '@waymark/domain/event.ts';
import type { Appended, Position } from '../event-log.ts';
import { newEventId, seal, sealFact } from '../seal.ts';

/** Returns an event for tests that accept any. It names no object, so that readers of its content treat it as an erased one. */
export const someEvent = (content: string = JSON.stringify({ name: 'Somewhere' })): NewEvent =>
  seal({
    id: newEventId(),
    type: 'PinpointEdited',
    version: 1,
    content,
    account: 'contract',
    origin: { actor: 'contract', token: null, request: null },
    sanitized: false,
  });

/** Returns an event that records a fact. */
export const someFact = (fact: DomainEvent): NewEvent =>
  sealFact('account' in fact ? { ...fact, account: 'contract' } : fact, {
    account: 'contract',
    origin: { actor: 'contract', token: null, request: null },
  });

export const someEvents = (count: number): NewEvent[] => Array.from({ length: count }, () => someEvent());

/** Ids from here on are used only in tests of the log: no allocator ever gives out such a high one. */
export const unallocatedFrom = 2 ** 40;

/** Returns a stream that no other test uses. */
export const newStream = (): string => `pinpoint-${unallocatedFrom + Math.floor(Math.random() * 2 ** 50)}`;

export const idsOf = (events: readonly { readonly envelope: { readonly id: string } }[]): string[] =>
  events.map(({ envelope }) => envelope.id);

/** Returns the result of an append that must succeed. */
export const appended = async (appending: Promise<Appended>): Promise<{ revision: number; position: Position }> => {
  const outcome = await appending;
  if (outcome.outcome !== 'appended') throw new Error('The append was refused.');
  return outcome;
};
