import type { Answer } from '../api/client.ts';
import { aList, anEvent, aPinpoint, members, unknownId } from '../api/samples.ts';
import { formCall, tokenCall } from '../api/session.ts';
import type { Applications, Credentials, ObjectIds } from './operators.ts';
import type { Send } from './recorded.ts';

/** Sends a request with a token; `body` is sent as JSON. */
export type ClientCall = (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

/** The smallest picture, so that each run stores the same bytes. */
const file = {
  content: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  name: 'picture.png',
  type: 'image/png',
};

/** Replaces the picture above. */
const another = { content: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', name: 'another.gif', type: 'image/gif' };

/** Takes two tokens, and revokes one. All further requests use the other one. */
export const takeTokens = async (send: Send, { editor }: Applications): Promise<ClientCall> => {
  const token = await takeToken(send, editor);
  await send(formCall('revoke', { token: await takeToken(send, editor, { scope: 'read' }) }, editor));
  return callWith(send, token, '/v3.0');
};

export const takeToken = async (send: Send, application: Credentials, form: Record<string, string> = {}): Promise<string> =>
  ((await send(tokenCall(application, form))).body as { readonly access_token: string }).access_token;

/** Returns the function that sends requests with a token.
 * @param root the beginning of all paths */
export const callWith =
  (send: Send, token: string, root: string): ClientCall =>
  (method, path, body, headers) =>
    send({
      method,
      path: `${root}${path}`,
      headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });

export const keyed = (key: string) => ({ 'Idempotency-Key': key });

/** Returns the function that creates an object, and returns its id. */
export const creating =
  (call: ClientCall) =>
  async (...request: Parameters<ClientCall>): Promise<number> =>
    ((await call(...request)).body as { readonly id: number }).id;

/** The created objects. */
export type Made = ObjectIds & {
  /** The URL of a file that was replaced, and that is erased with the history of its pinpoint. */
  readonly replaced: string;
};

/** Makes every kind of edit, with and without an idempotency key, including edits that change nothing. */
export const edit = async (call: ClientCall): Promise<Made> => {
  const made = creating(call);
  const category = await made('POST', '/categories', { name: 'Lighthouses', image_file: file });
  await call('PUT', `/categories/${category}`, { name: 'Towers', image_file: file });
  const described = { address: '1 Harbour Road', altitude: 61.5, category, description: '<p>White.</p><script>x</script>' };
  const full = aPinpoint({ ...described, media_credits: '© A. Keeper', media_file: file, tags: ['sea', 'tower'] });
  const pinpoint = await made('POST', '/pinpoints', full, keyed('pinpoint'));
  const { media_url: replaced } = (await call('POST', '/pinpoints', full, keyed('pinpoint'))).body as { readonly media_url: string };
  const deleted = await made('POST', '/pinpoints', aPinpoint({ name: 'To be deleted' }));
  const bare = await made('POST', '/pinpoints', aPinpoint({ name: 'Bare' }));
  const renewed = aPinpoint({ name: 'New lighthouse', media_file: another });
  for (const body of [renewed, renewed]) await call('PUT', `/pinpoints/${pinpoint}`, body);

  const list = await made('POST', '/lists', aList({ description: '<p>All of them flat.</p>' }));
  const shortLived = await made('POST', '/lists', aList({ name: 'To be deleted' }));
  await call('PUT', `/lists/${list}`, aList({ name: 'Walks inland' }));
  await call('POST', `/lists/${list}/pinpoints`, [...members(pinpoint, deleted, unknownId), 'x'], keyed('members'));
  await call('POST', `/lists/${list}/pinpoints`, members(pinpoint, deleted, unknownId), keyed('no members'));
  await call('DELETE', `/lists/${list}/pinpoints`, members(pinpoint), { Prefer: 'return=minimal' });

  const event = await made(
    'POST',
    '/events',
    anEvent(pinpoint, { description: '<p>Bring a lamp.</p>', media_file: file, tags: ['night'] }),
  );
  const cancelled = await made('POST', '/events', anEvent(bare, { name: 'To be deleted' }));
  await call('PUT', `/events/${event}`, anEvent(bare, { name: 'Night without lamps' }));
  for (const path of [`/events/${cancelled}`, `/lists/${shortLived}`, `/pinpoints/${deleted}`]) await call('DELETE', path);
  return { category, pinpoint, deleted, list, event, replaced };
};

/** Requests every kind of response: objects, pages and their cursors, files, errors. */
export const read = async (call: ClientCall, { category, pinpoint, deleted, list, event }: Made): Promise<void> => {
  const objects = [`/pinpoints/${pinpoint}`, `/lists/${list}`, `/categories/${category}`, `/events/${event}`];
  const pages = ['/categories', '/lists', `/events?pinpoint=${pinpoint}`, `/pinpoints?list=${list}`];
  for (const path of [...objects, ...pages]) await call('GET', path);
  const { next } = (await call('GET', '/pinpoints?limit=1')).body as { readonly next: string };
  const { pathname, search } = new URL(next);
  await call('GET', `${pathname}${search}`.slice('/v3.0'.length));
  for (const path of [`/pinpoints/${deleted}`, '/pinpoints?limit=x', '/nothing']) await call('GET', path);
  await call('POST', '/pinpoints', {});
  await call('PATCH', `/pinpoints/${pinpoint}`, {});
};
