import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog, LogState } from '@waymark/event-log/event-log.ts';
import type { ProcessSettings, SigningSettings } from '@waymark/runtime/common-settings.ts';
import { retryUntilReady } from '@waymark/runtime/retry-until-ready.ts';
import { WrongSettings } from '@waymark/runtime/settings.ts';
import { signerOf } from './connections.ts';
import type { Context } from './run.ts';
import { acceptKeys, adoptKeys, type KeyRefusal } from './signing-keys.ts';

type SigningContext = Context<ProcessSettings & SigningSettings>;

/** The signing keys of a process, and whether its installation accepts them. */
export type OwnKeys = {
  /** Resolves once the log has reported whether it accepts the keys.
   * @throws the reason with which the process was stopped */
  readonly known: Promise<void>;
  /** Returns why the process may not work with the keys; undefined if it may, or if that is not known yet. */
  readonly refused: () => KeyRefusal | undefined;
  /** Has the installation accept the keys.
   * @returns the reason if it refuses them
   * @throws LogUnavailable, AppendUndecided */
  readonly adopt: () => Promise<KeyRefusal | undefined>;
};

/** The interval of the checks: another process may have the keys accepted. */
const checkEveryMs = 1_000;

/** Waits until the identity of the installation is known and it accepts the signing keys.
 * @throws WrongSettings if it does not accept them */
export const awaitIdentity = async (context: SigningContext, log: EventLog): Promise<LogState> => {
  const state = await retryUntilReady('reading the identity of the event log', log.state, context.logger, context.stopped);
  const keys = ownKeys(context, log);
  await keys.known;
  requireAcceptedKeys(keys);
  return state;
};

/** Checks in the log whether it accepts the signing keys, and repeats the check until it does. */
export const ownKeys = (context: SigningContext, log: EventLog): OwnKeys => {
  const { logger, stopped } = context;
  const signer = signerOf(context);
  let refusal: KeyRefusal | undefined;
  const ask = async (): Promise<void> => {
    refusal = await retryUntilReady('reading the accepted signing keys', () => acceptKeys(log, signer), logger, stopped);
  };
  const askAgain = async (): Promise<void> => {
    while (refusal !== undefined) {
      await pause(checkEveryMs, undefined, { signal: stopped });
      await ask();
    }
  };
  const known = ask();
  known.then(askAgain).catch(() => undefined);
  return {
    known,
    refused: () => refusal,
    adopt: async () => {
      const why = await adoptKeys(log, signer);
      if (why === undefined) refusal = undefined;
      return why;
    },
  };
};

/** Requires that the keys are not refused.
 * @throws WrongSettings if the keys are refused */
export const requireAcceptedKeys = ({ refused }: Pick<OwnKeys, 'refused'>): void => {
  const refusal = refused();
  if (refusal !== undefined) throw new WrongSettings(refusal);
};
