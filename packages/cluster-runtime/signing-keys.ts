import { installationStream } from '@waymark/domain/streams.ts';
import { appendOnce } from '@waymark/event-log/append-once.ts';
import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { operators, sealHousekeeping } from '@waymark/event-log/seal.ts';
import type { Signer } from '@waymark/signing/signer.ts';

/** The log keeps a check value of each signing key that its installation has accepted. A process with another key would reject all values
 * that the other processes sign. */

type Log = Pick<EventLog, 'read' | 'lastRevisions' | 'append'>;
type Checks = Pick<Signer, 'checks'>;

/** The number of keys that an installation can accept in total. Accepted keys are never dropped. */
export const signingKeysMax = 1_000;
/** Each failed try means that another process has accepted a key meanwhile. */
const triesMax = 20;
const acceptedType = 'SigningKeyAccepted';

/** The reason why a process may not work with its keys, as a sentence. */
export type KeyRefusal = string;

const noneText =
  'WAYMARK_SIGNING_KEY: this installation has accepted none of these keys. Set a key that it has accepted. If no such key is left, ' +
  '`waymark adopt --signing-key` accepts these.';
const fullText = `WAYMARK_SIGNING_KEY: this installation has accepted ${signingKeysMax} keys, which is the maximum. Set only keys that it has accepted.`;

/** Accepts a process's keys if the installation has accepted one of them before, or none at all. So keys can be replaced one after the
 * other.
 * @returns the reason for a refusal, or undefined if all of them are accepted
 * @throws LogUnavailable, AppendUndecided */
export const acceptKeys = (log: Log, { checks }: Checks): Promise<KeyRefusal | undefined> =>
  accept(log, checks, (accepted) => accepted.size === 0 || checks.some((check) => accepted.has(check)));

/** Accepts a process's keys, whichever keys were accepted before.
 * @returns the reason for a refusal, or undefined if all of them are accepted
 * @throws LogUnavailable, AppendUndecided */
export const adoptKeys = (log: Log, { checks }: Checks): Promise<KeyRefusal | undefined> => accept(log, checks, () => true);

const accept = async (
  log: Log,
  checks: readonly string[],
  isRight: (accepted: ReadonlySet<string>) => boolean,
): Promise<KeyRefusal | undefined> => {
  for (let tries = 0; tries < triesMax; tries += 1) {
    // Read the end of the stream first: an event that another process appends after it makes the append below a conflict.
    const [end = 'none'] = await log.lastRevisions([installationStream]);
    const accepted = await acceptedIn(log);
    if (!isRight(accepted)) return noneText;
    const missing = [...new Set(checks)].filter((check) => !accepted.has(check));
    if (missing.length === 0) return undefined;
    if (accepted.size + missing.length > signingKeysMax) return fullText;
    const { outcome } = await appendOnce(log, installationStream, missing.map(acceptance), end);
    if (outcome !== 'conflict') return undefined;
  }
  throw new LogUnavailable('Other processes keep accepting signing keys.');
};

const acceptedIn = async (log: Log): Promise<ReadonlySet<string>> => {
  const accepted = new Set<string>();
  for await (const { envelope, content } of readEvents(log.read, installationStream)) {
    if (envelope.type === acceptedType && content !== null) accepted.add((JSON.parse(content) as StoredAcceptance).check);
    if (accepted.size > signingKeysMax) break;
  }
  return accepted;
};

/** The content of `SigningKeyAccepted`. Stored: never rename. */
type StoredAcceptance = { readonly check: string };

const toStored = (value: string): StoredAcceptance => ({ check: value });

const acceptance = (check: string) => sealHousekeeping({ type: acceptedType, version: 1, content: toStored(check), origin: operators });
