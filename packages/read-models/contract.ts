import { applyContract } from './contract-apply.ts';
import { consequencesContract } from './contract-consequences.ts';
import { findContract } from './contract-find.ts';
import { historiesContract } from './contract-histories.ts';
import { membershipContract } from './contract-membership.ts';
import { pageContract } from './contract-page.ts';
import { pageSizeContract } from './contract-page-size.ts';
import { rowsContract } from './contract-rows.ts';
import type { ReadModelsAdapter, ReadModelsUnderTest } from './testing/subject.ts';

/** What every adapter of the read models must do. */
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
    describe('what follows from a deletion', () => consequencesContract(() => models));
    describe('membership', () => membershipContract(() => models));
    describe('any history', () => {
      historiesContract(adapter);
      const { open, rebuild } = adapter;
      if (rebuild) rowsContract({ open, rebuild });
    });
  });
