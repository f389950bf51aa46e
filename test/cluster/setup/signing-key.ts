import { adoptKeys } from '@waymark/cluster-runtime/signing-keys.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import { withLog } from '../history/facts.ts';

/** One key for all clusters of the tests: they share an event store, and with it an installation. */
export const signingKey = 'the-signing-key-of-clusters-that-tests-start';

/** Whatever keys the event store's installation has accepted before. */
export const acceptSigningKey = (): Promise<void> =>
  withLog(async (log) => {
    // The first event of the stream is the installation's id.
    await log.state();
    const refusal = await adoptKeys(log, createSigner([signingKey]));
    if (refusal !== undefined) throw new Error(refusal);
  });
