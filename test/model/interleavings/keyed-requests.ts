import { aFile } from '../../api/pictures.ts';
import { aCategory, aList, anEvent, aPinpoint, members } from '../../api/samples.ts';
import type { Fixture } from './fixture.ts';
import type { Request } from './instance.ts';

/** Every POST of content, with a key. */
export const keyedRequests: Readonly<Record<string, (ground: Fixture) => Promise<Request>>> = {
  'a pinpoint': async ({ account }) => ({ endpoint: 'POST /pinpoints', account, body: aPinpoint(), key: 'key' }),
  'a pinpoint with media': async ({ account }) => ({
    endpoint: 'POST /pinpoints',
    account,
    body: aPinpoint({ media_file: await aFile() }),
    key: 'key',
  }),
  'a list': async ({ account }) => ({ endpoint: 'POST /lists', account, body: aList(), key: 'key' }),
  'a category': async ({ account }) => ({ endpoint: 'POST /categories', account, body: await aCategory(), key: 'key' }),
  'an event': async ({ account, lasting }) => ({ endpoint: 'POST /events', account, body: anEvent(lasting), key: 'key' }),
  'a membership': async ({ account, list, lasting }) => ({
    endpoint: 'POST /lists/:id/pinpoints',
    account,
    id: list,
    body: [...members(lasting, 999_999_999), 'x'],
    key: 'key',
  }),
  'a membership that changes nothing': async ({ account, fullList, lasting }) => ({
    endpoint: 'POST /lists/:id/pinpoints',
    account,
    id: fullList,
    body: members(lasting),
    key: 'key',
  }),
};

/** Returns how many events a request has to leave in the log. */
export const factsOf = (name: string): number => (name === 'a membership that changes nothing' ? 0 : 1);
