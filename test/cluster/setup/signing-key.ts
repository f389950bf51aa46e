import { adoptKeys } from '@waymark/cluster-runtime/signing-keys.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import { withLog } from '../history/facts.ts';

/** One key for all clusters of the tests, because they share an event store and therefore an installation. */
export const signingKey = 'the-signing-key-of-clusters-that-tests-start';

/** Accepts the key of the tests, whatever keys the installation of the event store has accepted before. */
export const acceptSigningKey = (): Promise<void> =>
  withLog(async (log) => {
    // This makes sure that the first event of the stream is the id of the installation.
    await log.state();
    const refusal = await adoptKeys(log, createSigner([signingKey]));
    if (refusal !== undefined) throw new Error(refusal);
  });
