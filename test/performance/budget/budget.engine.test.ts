import { join } from 'node:path';
import { describeOn, urlOf } from '@waymark/test-engines/test-engines.ts';
import { exceeded, type Ratios, report } from './budget.ts';
import { compare } from './compare.ts';

/** Main-thread processor time per request, relative to the release before: 0.5.0, whose requests do the same work. */
const stored: Ratios = { 'GET one': 1, 'page of 20': 1, create: 1, update: 1 };

const checkout = join(import.meta.dirname, '../../..');

const measure = async () => {
  const comparison = await compare(urlOf('releaseBefore'), checkout);
  process.stderr.write(report(comparison, stored));
  return exceeded(comparison, stored);
};

describeOn(['releaseBefore'], 'The main thread', () => {
  it('spends no more processor time on a request than its budget, measured once more before this fails', async () => {
    const first = await measure();
    if (first.length === 0) return;
    const second = await measure();
    expect(second.filter((operation) => first.includes(operation))).toEqual([]);
  });
});
