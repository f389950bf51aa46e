import type { ReadModelsAdapter, ReadModelsUnderTest } from '../testing/subject.ts';
import { applyContract } from './apply.ts';
import { consequencesContract } from './consequences.ts';
import { findContract } from './find.ts';
import { historiesContract } from './histories.ts';
import { membershipContract } from './membership.ts';
import { pageContract } from './page.ts';
import { pageSizeContract } from './page-size.ts';
import { rowsContract } from './rows.ts';

/** The contract of every adapter of the read models. */
export const readModelsContract = (name: string, adapter: ReadModelsAdapter) =>
  describe(`the read models on ${name}`, () => {
    let models: ReadModelsUnderTest;
    beforeEach(async () => {
      models = await adapter.open();
    });
    afterEach(() => models.close());

    describe('apply and position', () => applyContract(() => models));
    describe('find and applications', () => findContract(() => models));
    describe('page', () => pageContract(() => models));
    describe('page sizes', () => pageSizeContract(() => models));
    describe('consequences of a deletion', () => consequencesContract(() => models));
    describe('membership', () => membershipContract(() => models));
    describe('any history', () => {
      historiesContract(adapter);
      const { open, rebuild, runs } = adapter;
      if (rebuild) rowsContract({ open, rebuild, runs });
    });
  });
