import { type ExpiredBefore, refusalsExpiredBefore } from '@waymark/operations/housekeeping.ts';
import { dropExpired } from './housekeeping.ts';
import { dropRefusals } from './refusals.ts';

type DroppingOptions = Parameters<typeof dropExpired>[0] & Parameters<typeof dropRefusals>[0];

/** Drops all housekeeping that has expired.
 * @returns the counts for the log
 * @throws LogUnavailable, AppendUndecided */
export const dropAll = async (options: DroppingOptions, refusalsDays: number, expired: ExpiredBefore): Promise<object> => ({
  dropped: await dropExpired(options, expired),
  refusals: await dropRefusals(options, refusalsExpiredBefore(expired, refusalsDays)),
});
