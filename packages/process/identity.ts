import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog, LogState } from '@waymark/event-log/event-log.ts';
import type { ProcessSettings, SigningSettings } from './common-settings.ts';
import { signerOf } from './engines.ts';
import { persistently } from './patience.ts';
import type { Context } from './run.ts';
import { WrongSettings } from './settings.ts';
import { acceptKeys, adoptKeys, type KeyRefusal } from './signing-keys.ts';

type SigningContext = Context<ProcessSettings & SigningSettings>;

/** The signing keys of a process, as far as its installation accepts them. */
export type OwnKeys = {
  /** Why the process may not work with them; undefined where it may. */
  readonly refused: () => KeyRefusal | undefined;
  /** Has the installation accept them. @returns why not @throws LogUnavailable */
  readonly adopt: () => Promise<KeyRefusal | undefined>;
};

/** Another process may have the keys accepted. */
const lookEveryMs = 1_000;

/** Waits until the log tells which installation this is, and accepts the signing keys.
 * @throws WrongSettings where it does not accept them */
export const identified = async (context: SigningContext, log: EventLog): Promise<LogState> => {
  const state = await stateOf(context, log);
  insist(await keysOf(context, log));
  return state;
};

/** Waits until the log tells which log, and which installation, this is. */
export const stateOf = ({ logger, stopped }: SigningContext, log: EventLog): Promise<LogState> =>
  persistently('asking which log this is', log.state, logger, stopped);

/** Waits until the log tells whether it accepts the signing keys. Where it does not, it is asked again until it does. */
export const keysOf = async (context: SigningContext, log: EventLog): Promise<OwnKeys> => {
  const { logger, stopped } = context;
  const signer = signerOf(context);
  let refusal = await persistently('accepting the signing keys', () => acceptKeys(log, signer), logger, stopped);
  const look = async (): Promise<void> => {
    while (refusal !== undefined) {
      await pause(lookEveryMs, undefined, { signal: stopped });
      refusal = await acceptKeys(log, signer).catch(() => refusal);
    }
  };
  look().catch(() => undefined);
  return {
    refused: () => refusal,
    adopt: async () => {
      const why = await adoptKeys(log, signer);
      if (why === undefined) refusal = undefined;
      return why;
    },
  };
};

/** @throws WrongSettings where the keys are refused */
export const insist = ({ refused }: OwnKeys): void => {
  const refusal = refused();
  if (refusal !== undefined) throw new WrongSettings(refusal);
};
