import { checkLog } from '../sqlite/maintenance.ts';

/** All that the check finds in a log of events that name no object (`someEvent`), but for that: it counts their contents as contradictory. */
export const foundInLog = async (file: string): Promise<readonly string[]> =>
  (await checkLog(file, 1_000_000)).filter((finding) => !finding.includes('the content contradicts'));
