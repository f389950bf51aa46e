import { setImmediate as turn } from 'node:timers/promises';
import type { PageQuery } from '@waymark/domain/pages.ts';
import { MongoClient } from 'mongodb';
import { collectionsOf } from './collections.ts';
import { accountPagesMax, accountPagesWaitingMax } from './limits.ts';
import { createPages } from './pages.ts';
import type { InTransaction } from './transactions.ts';

const query: PageQuery = { kind: 'pinpoint', account: 'account-a', within: null, direction: 'forward', from: 0, limit: 500 };

/** Creates pages whose transactions do not end. */
const endlessPages = () => {
  let transactions = 0;
  const inTransaction: InTransaction = () => {
    transactions += 1;
    return new Promise(() => undefined);
  };
  // The client never connects.
  const collections = collectionsOf(new MongoClient('mongodb://127.0.0.1:1').db('none'), 'none');
  const page = createPages(collections, inTransaction);
  return { page, transactions: () => transactions };
};

describe('the pages of an account', () => {
  it('take turns, and do not delay those of another account', async () => {
    const { page, transactions } = endlessPages();
    for (let nth = 0; nth < 3 * accountPagesMax; nth += 1) void page(query);
    await turn();
    expect(transactions()).toBe(accountPagesMax);
    void page({ ...query, account: 'account-b' });
    await turn();
    expect(transactions()).toBe(accountPagesMax + 1);
  });

  it('are refused while too many of them wait', async () => {
    const { page } = endlessPages();
    for (let nth = 0; nth < accountPagesMax + accountPagesWaitingMax; nth += 1) void page(query);
    await expect(page(query)).rejects.toThrow('too many pages');
  });
});
