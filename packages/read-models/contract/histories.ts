import type { PageQuery } from '@waymark/domain/pages.ts';
import { resourceKinds } from '@waymark/domain/streams.ts';
import fc from 'fast-check';
import type { ReadModels } from '../read-models.ts';
import { expected } from '../testing/expected-state.ts';
import { accounts, histories } from '../testing/histories.ts';
import { applyAll } from '../testing/recorder.ts';
import { historiesTimeoutMs, type ReadModelsAdapter, using } from '../testing/subject.ts';

const limit = 3;
const stepsMax = 10_000;
type Walk = Pick<PageQuery, 'kind' | 'account' | 'within'>;

export const historiesContract = ({ open, runs }: Pick<ReadModelsAdapter, 'open' | 'runs'>) => {
  it(
    'shows in its pages exactly what the domain state has, in both directions',
    async () => {
      await fc.assert(
        fc.asyncProperty(histories({ minLength: 20, maxLength: 120 }), async ({ events, setup }) =>
          using(open, async (models) => {
            await applyAll(models.apply, events, [10]);
            for (const walk of walks(setup.list.size, setup.pinpoint.size)) {
              const all = expected(setup, walk);
              expect(await forward(models, walk)).toEqual(all);
              expect(await backward(models, walk)).toEqual(all);
            }
          }),
        ),
        { numRuns: runs },
      );
    },
    historiesTimeoutMs,
  );
};

/** Returns every page walk: each kind, list and pinpoint of each account. */
const walks = (lists: number, pinpoints: number): Walk[] =>
  accounts.flatMap((account) => [
    ...resourceKinds.map((kind) => ({ kind, account, within: null })),
    ...Array.from({ length: lists }, (_, index) => ({ kind: 'pinpoint' as const, account, within: index + 1 })),
    ...Array.from({ length: pinpoints }, (_, index) => ({ kind: 'happening' as const, account, within: index + 1 })),
  ]);

const forward = async (models: ReadModels, walk: Walk) => {
  const items: { id: number; text: string }[] = [];
  for (let from = 0, steps = 0; steps < stepsMax; steps += 1) {
    const page = await models.page({ ...walk, direction: 'forward', from, limit });
    expect(page.before).toBe(items.length > 0);
    items.push(...page.items);
    if (!page.after) break;
    from = page.items.at(-1)?.id ?? from;
  }
  return items;
};

const backward = async (models: ReadModels, walk: Walk) => {
  const items: { id: number; text: string }[] = [];
  for (let from = Number.MAX_SAFE_INTEGER, steps = 0; steps < stepsMax; steps += 1) {
    const page = await models.page({ ...walk, direction: 'backward', from, limit });
    expect(page.after).toBe(items.length > 0);
    items.unshift(...page.items);
    if (!page.before) break;
    from = page.items[0]?.id ?? from;
  }
  return items;
};
