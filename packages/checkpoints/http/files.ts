import { type FilePath, noteBytesMax, requestMs, type WriteOnceFiles } from '../files.ts';
import { PlaceUnavailable, reasonOf } from '../place.ts';

/** Files of an HTTP server, below a URL: written by `PUT` with `If-None-Match: *`, read by `GET`. A user and a password in the URL are sent as
 * Basic credentials.
 * @param name of the server in messages, without credentials */
export const filesOverHttp = (base: URL, name: string): WriteOnceFiles => {
  const { username, password } = base;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const authorization: Record<string, string> = username === '' ? {} : { authorization: `Basic ${credentials}` };
  const urlOf = ({ folder, file }: FilePath): string => `${base.origin}${base.pathname.replace(/\/$/, '')}/${folder}/${file}`;

  const send = async (path: FilePath, { headers, ...request }: RequestInit): Promise<Response> => {
    const options: RequestInit = { ...request, redirect: 'error', signal: AbortSignal.timeout(requestMs) };
    try {
      return await fetch(urlOf(path), { ...options, headers: { ...(headers as Record<string, string>), ...authorization } });
    } catch (error) {
      throw new PlaceUnavailable(`${name} cannot be reached: ${reasonOf(error)}.`, { cause: error });
    }
  };
  const refused = async (response: Response): Promise<never> => {
    await response.body?.cancel();
    throw new PlaceUnavailable(`${name} answered with status ${response.status}.`);
  };
  return {
    read: async (path) => {
      const response = await send(path, {});
      if (response.status === 200) return bodyOf(response, name);
      if (response.status !== 404) return refused(response);
      await response.body?.cancel();
      return undefined;
    },
    write: async (path, text) => {
      const headers = { 'if-none-match': '*', 'content-type': 'text/plain; charset=utf-8' };
      const response = await send(path, { method: 'PUT', body: text, headers });
      if (!response.ok && response.status !== exists) return refused(response);
      await response.body?.cancel();
    },
    close: () => undefined,
  };
};

/** Precondition Failed: the server has the file already. */
const exists = 412;

const bodyOf = async (response: Response, name: string): Promise<string> => {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of response.body ?? []) {
      pieces.push(piece);
      length += piece.length;
      if (length > noteBytesMax) break;
    }
  } catch (error) {
    throw new PlaceUnavailable(`${name} cut off its answer: ${reasonOf(error)}.`, { cause: error });
  }
  if (length > noteBytesMax) throw new PlaceUnavailable(`${name} returned a file that is too long for a checkpoint.`);
  return Buffer.concat(pieces).toString('utf8');
};
