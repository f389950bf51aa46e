import type { ClusterContext } from '@waymark/cluster-runtime/cluster-context.ts';
import { openHistoryReads } from '@waymark/cluster-runtime/history-reads.ts';
import type { Context } from '@waymark/cluster-runtime/run.ts';
import { HistoryUnavailable } from '@waymark/history/history.ts';
import { createQuestionLimit } from '@waymark/history/reading/question-limit.ts';
import type { CommandRole } from '@waymark/http/api/command-roles.ts';
import type { MongoSettings, ProcessSettings, RedisSettings, SigningSettings } from '@waymark/runtime/common-settings.ts';
import { accountQuestionsMax, historyWaitersMax, historyWaitMs, questionsMax } from './limits.ts';
import type { CommandsOptions } from './service.ts';

/** The history as a process of the cluster asks it. */
type AskedHistory = { readonly ask: CommandsOptions['askHistory']; readonly close: () => Promise<void> };

/** Opens the history in a process that has the role `audit`. No other role asks it. */
export const openHistory = (
  context: Context<ProcessSettings & MongoSettings & RedisSettings & SigningSettings>,
  clusterContext: ClusterContext,
  roles: readonly CommandRole[],
): AskedHistory => {
  if (!roles.includes('audit')) return withoutHistory;
  const reads = openHistoryReads(context, clusterContext, { waitMs: historyWaitMs, waitersMax: historyWaitersMax });
  const limited = createQuestionLimit({ questionsMax, accountQuestionsMax });
  return { ask: (question) => limited(question.account, () => reads.ask(question)), close: reads.close };
};

const withoutHistory: AskedHistory = {
  ask: async () => {
    throw new HistoryUnavailable('Only the role audit asks the history.');
  },
  close: async () => undefined,
};
