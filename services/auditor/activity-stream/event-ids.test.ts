import { HttpError } from '@waymark/http/errors.ts';
import { createEventIds } from './event-ids.ts';

const key = 'k'.repeat(32);
const ids = createEventIds([key], 'log-1');

/** Returns the place that an id names, or the status that refuses it. */
const opened = (one: typeof ids, account: string, id: string): number | string => {
  try {
    return one.open(account, id);
  } catch (error) {
    return error instanceof HttpError ? `${error.status}` : 'failed';
  }
};

describe('the id of an event', () => {
  it('names a place in the activity of its account', () => {
    expect(opened(ids, 'account-a', ids.seal('account-a', 7))).toBe(7);
    expect(opened(ids, 'account-b', ids.seal('account-a', 7))).toBe('400');
  });

  it('is refused with 400 where any of its characters was changed', () => {
    const id = ids.seal('account-a', 7);
    for (let at = 0; at < id.length; at += 1) {
      const changed = `${id.slice(0, at)}${id[at] === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`;
      expect([at, opened(ids, 'account-a', changed)]).toEqual([at, '400']);
    }
    for (const bad of ['', 'x', `${id}=`, `${id}${id}`]) expect([bad, opened(ids, 'account-a', bad)]).toEqual([bad, '400']);
  });

  it('is refused with 410 once the log was renewed', () => {
    const renewed = createEventIds([key], 'log-2');
    expect(opened(renewed, 'account-a', ids.seal('account-a', 7))).toBe('410');
    expect(opened(renewed, 'account-b', ids.seal('account-a', 7))).toBe('400');
  });

  it('is accepted while its key is', () => {
    const id = ids.seal('account-a', 7);
    expect(opened(createEventIds(['n'.repeat(32), key], 'log-1'), 'account-a', id)).toBe(7);
    expect(opened(createEventIds(['n'.repeat(32)], 'log-1'), 'account-a', id)).toBe('400');
  });
});
