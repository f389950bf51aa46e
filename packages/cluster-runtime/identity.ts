import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog, LogState } from '@waymark/event-log/event-log.ts';
import type { ProcessSettings, SigningSettings } from '@waymark/runtime/common-settings.ts';
import { retryUntilReady } from '@waymark/runtime/retry-until-ready.ts';
import { WrongSettings } from '@waymark/runtime/settings.ts';
import { signerOf } from './connections.ts';
import type { Context } from './run.ts';
import { acceptKeys, adoptKeys, type KeyRefusal } from './signing-keys.ts';

type SigningContext = Context<ProcessSettings & SigningSettings>;

/** The signing keys of a process, as far as its installation accepts them. */
export type OwnKeys = {
  /** Resolves once the log has told whether it accepts them. @throws what the process was stopped with */
  readonly known: Promise<void>;
  /** Why the process may not work with them; undefined where it may, or where that is not known yet. */
  readonly refused: () => KeyRefusal | undefined;
  /** Has the installation accept them. @returns why not @throws LogUnavailable */
  readonly adopt: () => Promise<KeyRefusal | undefined>;
};

/** Another process may have the keys accepted. */
const lookEveryMs = 1_000;

/** Waits until the log tells which installation this is, and accepts the signing keys.
 * @throws WrongSettings where it does not accept them */
export const awaitIdentity = async (context: SigningContext, log: EventLog): Promise<LogState> => {
  const state = await retryUntilReady('asking which log this is', log.state, context.logger, context.stopped);
  const keys = ownKeys(context, log);
  await keys.known;
  insist(keys);
  return state;
};

/** Asks the log whether it accepts the signing keys, and again for as long as it does not. */
export const ownKeys = (context: SigningContext, log: EventLog): OwnKeys => {
  const { logger, stopped } = context;
  const signer = signerOf(context);
  let refusal: KeyRefusal | undefined;
  const ask = async (): Promise<void> => {
    refusal = await retryUntilReady('asking for the accepted signing keys', () => acceptKeys(log, signer), logger, stopped);
  };
  const askAgain = async (): Promise<void> => {
    while (refusal !== undefined) {
      await pause(lookEveryMs, undefined, { signal: stopped });
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

/** @throws WrongSettings where the keys are refused */
export const insist = ({ refused }: Pick<OwnKeys, 'refused'>): void => {
  const refusal = refused();
  if (refusal !== undefined) throw new WrongSettings(refusal);
};
