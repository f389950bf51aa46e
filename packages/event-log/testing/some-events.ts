import type { DomainEvent, NewEvent } from '@waymark/domain/event.ts';
import type { Appended, Position } from '../event-log.ts';
import { newEventId, seal, sealFact } from '../seal.ts';

/** An event as good as any other. It names no object, so that readers of its content take it for an erased one. */
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

/** An event that says something. */
export const someFact = (fact: DomainEvent): NewEvent =>
  sealFact('account' in fact ? { ...fact, account: 'contract' } : fact, {
    account: 'contract',
    origin: { actor: 'contract', token: null, request: null },
  });

export const someEvents = (count: number): NewEvent[] => Array.from({ length: count }, () => someEvent());

/** Ids from here on are in tests of the log only: no allocator ever gives one so high. */
export const unallocatedFrom = 2 ** 40;

/** A stream that no other test uses. */
export const newStream = (): string => `pinpoint-${unallocatedFrom + Math.floor(Math.random() * 2 ** 50)}`;

export const idsOf = (events: readonly { readonly envelope: { readonly id: string } }[]): string[] =>
  events.map(({ envelope }) => envelope.id);

/** What an append that must succeed came to. */
export const appended = async (appending: Promise<Appended>): Promise<{ revision: number; position: Position }> => {
  const outcome = await appending;
  if (outcome.outcome !== 'appended') throw new Error('It was refused.');
  return outcome;
};
