import type { RecordedEvent } from '@waymark/domain/event.ts';
import { accountStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { badRequest, conflict } from '@waymark/http/errors.ts';
import type { ImportState } from './state.ts';

/** Accepts only events of accounts and applications that this import opened, because an export may come from an untrusted party.
 * @throws HttpError 400 if a stream has events of two accounts, 409 if an account or a stream does not belong to the import; LogUnavailable */
export const expectOwn = async (log: EventLog, state: ImportState, events: readonly RecordedEvent[]): Promise<void> => {
  const owners = ownersIn(events);
  const openings = new Map(events.filter(isOpening).map(({ envelope }) => [envelope.account, envelope.id]));
  for (const account of new Set(owners.values())) {
    if (!state.accounts.has(account)) await expectOpened(log, state, account, openings.get(account));
  }
  for (const stream of owners.keys()) if (stream.startsWith('application-')) await expectBegun(log, state, stream);
  await expectSameOwners(log, events, owners);
};

/** Returns the account of each stream. */
const ownersIn = (events: readonly RecordedEvent[]): ReadonlyMap<string, string> => {
  const owners = new Map<string, string>();
  for (const event of events) {
    const { stream, revision, envelope } = event;
    const owner = owners.get(stream) ?? envelope.account;
    if (owner !== envelope.account)
      throw badRequest(`${stream}, revision ${revision}: it belongs to another account than the event before it`);
    if (stream.startsWith('account-') && !isOpening(event))
      throw badRequest(`${stream}, revision ${revision}: it does not open its account`);
    owners.set(stream, owner);
  }
  return owners;
};

const isOpening = ({ stream, revision, envelope }: RecordedEvent): boolean => stream === accountStream(envelope.account) && revision === 0;

/** Checks an account that the import has not recorded as its own.
 * @param opening the id of the event by which the export opens the account. It is already here if a failure followed the append. */
const expectOpened = async (log: EventLog, state: ImportState, account: string, opening: string | undefined): Promise<void> => {
  const [first] = await log.read(accountStream(account), 0);
  if (first === undefined && opening === undefined)
    throw conflict(`The export does not open the account ${account}, which its events belong to.`);
  if (first !== undefined && (first.position < state.begun || first.envelope.id !== opening))
    throw conflict(`The account ${account} was not opened by this import.`);
};

const expectBegun = async (log: EventLog, state: ImportState, stream: string): Promise<void> => {
  const [first] = await log.read(stream, 0);
  if (first !== undefined && first.position < state.begun) throw conflict(`${stream} was not registered by this import.`);
};

/** Checks the owners of streams that already exist here. For all other streams the append itself detects a conflict. */
const expectSameOwners = async (log: EventLog, events: readonly RecordedEvent[], owners: ReadonlyMap<string, string>): Promise<void> => {
  const begunBefore = new Set(events.filter(({ revision }) => revision > 0).map(({ stream }) => stream));
  for (const { stream, revision } of events) if (revision === 0) begunBefore.delete(stream);
  const streams = [...begunBefore];
  const present = await log.owners(streams);
  for (const [nth, stream] of streams.entries()) {
    const owner = present[nth];
    if (owner !== undefined && owner !== owners.get(stream)) throw conflict(`${stream} belongs to another account here.`);
  }
};
