import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog, LogState } from '@waymark/event-log/event-log.ts';
import type { MongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';
import type { ProcessSettings, SigningSettings } from '@waymark/runtime/common-settings.ts';
import { retryUntilReady } from '@waymark/runtime/retry-until-ready.ts';
import { type OwnKeys, ownKeys, requireAcceptedKeys } from './identity.ts';
import type { Context } from './run.ts';

type Identity = Pick<LogState, 'incarnation' | 'installation'> & {
  /** Whether the log has reported it; otherwise it is from the read models. */
  readonly isFromLog: boolean;
};

type JoinOptions = {
  readonly context: Context<ProcessSettings & SigningSettings>;
  /** The log as the process reads it. */
  readonly log: EventLog;
  /** The same log, with longer waits. */
  readonly store: EventLog;
  readonly side: MongoReadSide;
  readonly readsOnly: boolean;
  /** Whether the process starts even if its signing keys are not accepted. */
  readonly adopts: boolean;
};

/** Waits until the identity of the log and of the installation is known, and until the installation accepts the signing keys. A process
 * that only reads and starts while the log is unavailable checks the keys later.
 * @throws WrongSettings if it does not accept them */
export const joinInstallation = async ({ context, log, store, side, readsOnly, adopts }: JoinOptions) => {
  const { logger, stopped, fatal } = context;
  const identity = await retryUntilReady('reading the identity of the event log', () => identityOf(log, side, readsOnly), logger, stopped);
  const keys: OwnKeys = ownKeys(context, store);
  const accepted = keys.known.then(() => (adopts ? undefined : requireAcceptedKeys(keys)));
  if (identity.isFromLog) {
    side.setInstallation(identity.installation);
    await accepted;
  } else accepted.catch((error: Error) => (stopped.aborted ? undefined : fatal(error)));
  void watchIdentity(log, side, identity, context);
  return { ...identity, keys };
};

/** Returns the identity from the log. A process that only reads takes it from the read models while the log is unavailable. */
const identityOf = async (log: EventLog, side: MongoReadSide, readsOnly: boolean): Promise<Identity> => {
  try {
    return { ...(await log.state()), isFromLog: true };
  } catch (error) {
    const installation = readsOnly ? await side.installation() : undefined;
    if (installation === undefined) throw error;
    return { incarnation: (await side.live.position(0)).incarnation, installation, isFromLog: false };
  }
};

const identityEveryMs = 5_000;

/** Watches the identity of the log. Cursors, entity tags and tokens carry the log's incarnation, and names in Redis carry the installation:
 * when one of them changes, the process ends and restarts with the new one. */
const watchIdentity = async (
  log: EventLog,
  side: MongoReadSide,
  known: Identity,
  { stopped, fatal }: Context<ProcessSettings>,
): Promise<void> => {
  while (!stopped.aborted) {
    await pause(identityEveryMs, undefined, { signal: stopped }).catch(() => undefined);
    const present = await log.state().catch(() => undefined);
    if (present === undefined) continue;
    // The process may have started while the log was unavailable.
    side.setInstallation(present.installation);
    if (present.incarnation === known.incarnation && present.installation === known.installation) continue;
    fatal(new Error('The event log has another incarnation or installation than before.'));
  }
};
