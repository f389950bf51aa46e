import { checkLog } from '../sqlite/maintenance.ts';

/** Returns all findings of the check in a log of events that name no object (`someEvent`), except one kind: the check reports their
 * contents as contradictory. */
export const foundInLog = async (file: string): Promise<readonly string[]> =>
  (await checkLog(file, 1_000_000)).faults.filter((finding) => !finding.includes('the content contradicts'));
