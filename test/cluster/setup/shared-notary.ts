import { notaryKey } from '../../api/evidence.ts';

/** Returns the settings of the notary of a cluster. Clusters that use the same event store sign for the same installation, so they have one key.
 * Those that run at the same time also have one place, from which a notary that starts learns what the others have signed. The place lasts as
 * long as the event store: it is on the same engines. */
export const notaryOfTests = (): Readonly<Record<string, string>> => ({
  WAYMARK_NOTARY_KEY: notaryKey.toString('base64'),
  ...(isStoreShared() ? { WAYMARK_CHECKPOINTS_TO: sharedPlace() } : {}),
});

/** Returns the place of their checkpoints, as a URL. */
export const sharedPlace = (): string => `${process.env['WAYMARK_MEDIA_URL']}/checkpoints`;

/** Whether clusters that run at the same time share this event store. Control tests run alone, and some of them restore an older log. */
const isStoreShared = (): boolean => typeof expect === 'undefined' || !expect.getState().testPath?.endsWith('.control.test.ts');
