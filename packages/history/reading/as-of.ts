import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { HistoryReads } from '../history.ts';
import { asOfPage } from './as-of-page.ts';
import { momentOf } from './moment.ts';
import { refusalOf } from './owner.ts';
import { seenObjects } from './presence.ts';
import type { Moment, Question, Reply } from './questions.ts';
import { representation } from './version.ts';

type AsOf = Extract<Question, { type: 'as-of' }>;

/** Answers a read of `/v3.0` as it would have been answered at a moment, in today's format. */
export const asOf = async (reads: HistoryReads, question: AsOf): Promise<Reply> => {
  const moment = typeof question.moment === 'string' ? await momentOf(reads, question.account, question.moment) : question.moment;
  if ('outcome' in moment) return moment;
  const { read } = question;
  return read.type === 'page' ? asOfPage(reads, read.query, moment, question.base) : object(reads, question, read.stream, moment);
};

const object = async (reads: HistoryReads, { account, base }: AsOf, stream: string, { position: at, event }: Moment): Promise<Reply> => {
  const { resource, id } = resourceOfStream(stream) ?? {};
  if (resource === undefined || id === undefined) return { outcome: 'not-found' };
  const refusal = await refusalOf(reads, account, stream);
  if (refusal) return refusal;
  const [{ seen } = { seen: undefined }] = await seenObjects(reads, { account, at }, resource, [id]);
  if (seen === undefined) return { outcome: 'not-found' };
  if (seen === 'erased') return { outcome: 'erased' };
  return { outcome: 'found', text: representation(seen, base), event };
};
