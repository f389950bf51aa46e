import type { HistoryAdapter, HistoryUnderTest } from '../testing/subject.ts';
import { applyContract } from './apply.ts';
import { erasureContract } from './erasure.ts';
import { itemsContract } from './items.ts';
import { pagesContract } from './pages.ts';
import { readsContract } from './reads.ts';
import { rowsContract } from './rows.ts';

/** The contract of every adapter of the history. */
export const historyContract = (name: string, adapter: HistoryAdapter) =>
  describe(`a history in ${name}`, () => {
    let history: HistoryUnderTest;
    beforeEach(async () => {
      history = await adapter.open();
    });
    afterEach(() => history.close());

    describe('apply and position', () => applyContract(() => history));
    describe('pages', () => pagesContract(() => history));
    describe('an erasure', () => erasureContract(() => history));
    describe('the items of a set', () => itemsContract(adapter));
    describe('of any events', () => {
      readsContract(adapter);
      rowsContract(adapter);
    });
  });
