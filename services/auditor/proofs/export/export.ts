import type { Answer, Call, Handler } from '@waymark/http/call.ts';
import { badRequest, invalidFields, invalidPage } from '@waymark/http/errors.ts';
import type { Seals } from '@waymark/http/paging/seals.ts';
import { type ExportCursor, exportCursor, exportPlaceOf, queryOf } from '../../cursors.ts';
import { streamOf } from '../../streams.ts';
import { type Covered, coveredNow, isNumber, lastCheckpoint, numbered, treeAt } from '../checkpoints.ts';
import { uncovered } from '../inclusion.ts';
import { checkpointsMax } from '../limits.ts';
import type { ProofOptions } from '../options.ts';
import type { ProvenRoots } from '../proven-roots.ts';
import { exportHeader, type HeaderQuery } from './header.ts';
import { accountPage, objectPage } from './pages.ts';

export type ExportOptions = ProofOptions & {
  readonly roots: ProvenRoots;
  readonly seals: Seals;
  /** The public base URL, without a trailing slash. */
  readonly base: string;
};

/** Returns the handler that exports all events of the account. */
export const exportAccount =
  (options: ExportOptions): Handler =>
  async (call) =>
    pageOf(options, call, null, `${options.base}/audit/v1/export`);

/** Returns the handler that exports the events of an object. */
export const exportObject =
  (options: ExportOptions): Handler =>
  async (call) => {
    const { kind, id } = call.parameters;
    return pageOf(options, call, streamOf(call), `${options.base}/audit/v1/${kind}/${id}/export`);
  };

const pageOf = async (options: ExportOptions, call: Call, object: string | null, url: string): Promise<Answer> => {
  const { account } = call.access;
  const query = queryOf(call.url);
  const place = exportPlaceOf(query, account, object, options.seals);
  const covered = await coveredBy(options, account, place);
  const from = place?.from ?? 0;
  const { lines, next } =
    object === null
      ? await accountPage(options, account, covered.tree, from)
      : await objectPage(options, account, covered.tree, { stream: object, from });
  if (object !== null && lines.length === 0) throw await uncovered(options, account, object, from);
  const header = place === undefined ? [await exportHeader(options, account, object, covered, headerQuery(query))] : [];
  const cursor = next === null ? null : exportCursor(account, object, { number: covered.checkpoint.number, from: next }, options.seals);
  return {
    status: 200,
    body: [...header, ...lines].map((line) => `${line}\n`).join(''),
    headers: { 'Content-Type': 'application/x-ndjson', ...(cursor === null ? {} : { Link: `<${url}?cursor=${cursor}>; rel="next"` }) },
  };
};

/** Returns the tree at the last checkpoint, or at that of a cursor: all pages are of one checkpoint.
 * @throws HttpError 404, 409; ProofsUnavailable */
const coveredBy = async ({ reads, roots }: ExportOptions, account: string, place: ExportCursor | undefined): Promise<Covered> => {
  if (place === undefined) return coveredNow(reads, roots, account);
  const [checkpoint] = await numbered(reads, await lastCheckpoint(reads), [place.number]);
  if (checkpoint === undefined) throw invalidPage();
  return { checkpoint, tree: await treeAt(roots, account, checkpoint) };
};

/** Returns what a query asks of the header.
 * @throws HttpError 400 */
const headerQuery = (query: URLSearchParams): HeaderQuery => {
  const numbers = query.getAll('checkpoint').flatMap((text) => text.split(','));
  if (!numbers.every(isNumber)) throw invalidFields({ checkpoint: ['Enter numbers of checkpoints, with commas between them.'] });
  if (numbers.length > checkpointsMax) throw invalidFields({ checkpoint: [`Enter at most ${checkpointsMax} numbers.`] });
  const announcements = query.get('announcements') ?? 'all';
  if (announcements !== 'all' && announcements !== 'none') throw badRequest('announcements: enter "all" or "none".');
  return { numbers: numbers.map(Number), announcements: announcements === 'all' };
};
