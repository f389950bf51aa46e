import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientCredentials, openApi } from '../client/api.ts';
import { type Answer, jsonOf } from '../client/http.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { orNotWritten } from '../terminal/named-files.ts';

export type ExportRequest = {
  /** The public base URL of the installation. */
  readonly url: string;
  readonly credentials: ClientCredentials;
  /** `pinpoints/12`; undefined for all of the account. */
  readonly object: string | undefined;
  /** Numbers of earlier checkpoints that the export must continue. */
  readonly checkpoints: readonly number[];
  /** False if the reader trusts the last key only. */
  readonly announcements: boolean;
  /** The new file. */
  readonly file: string;
};

export type FetchedExport = { readonly file: string; readonly events: number; readonly pages: number; readonly bytes: number };

/** Fetches an export, page by page, and writes it into a new file.
 * @throws CommandFailed */
export const fetchExport = async (request: ExportRequest): Promise<FetchedExport> => {
  const { url, credentials, file } = request;
  const descriptor = newFile(file);
  const api = openApi({ url, credentials: async () => credentials, inFlight: 1 });
  let [pages, lines, bytes]: [number, number, number] = [0, 0, 0];
  try {
    for (let path: string | undefined = firstPath(request); path !== undefined; pages += 1) {
      const answer = await api.send({ method: 'GET', root: '/audit/v1', path, conflicts: true });
      if (answer.status !== 200) throw new CommandFailed('refused', `The server refused the export: ${reasonOf(answer)}`);
      orNotWritten(file, () => writeFileSync(descriptor, answer.text));
      bytes += Buffer.byteLength(answer.text);
      lines += answer.text.split('\n').length - 1;
      path = nextPath(answer);
    }
    closeSync(descriptor);
    return { file, events: lines - 1, pages, bytes };
  } catch (error) {
    closeSync(descriptor);
    rmSync(file);
    throw error;
  } finally {
    api.close();
  }
};

const newFile = (file: string): number => {
  try {
    return openSync(file, 'wx');
  } catch (error) {
    throw new CommandFailed('usage', `${file} cannot be created: ${(error as Error).message}`, { cause: error });
  }
};

const firstPath = ({ object, checkpoints, announcements }: ExportRequest): string => {
  const query = new URLSearchParams();
  if (checkpoints.length > 0) query.set('checkpoint', checkpoints.join(','));
  if (!announcements) query.set('announcements', 'none');
  const path = object === undefined ? '/export' : `/${object}/export`;
  return query.size === 0 ? path : `${path}?${query}`;
};

/** Returns the path of the next page below `/audit/v1`; undefined after the last one. */
const nextPath = ({ headers }: Answer): string | undefined => {
  const link = [headers['link']].flat().join();
  return /^<[^>]*\/audit\/v1(\/[^>]*)>; rel="next"$/.exec(link)?.[1];
};

const reasonOf = (answer: Answer): string => jsonOf<{ detail?: string }>(answer)?.detail ?? `${answer.status} ${answer.text.slice(0, 200)}`;
