import { someInstallation, someSigner } from '@waymark/broker/testing/some-records.ts';
import { knowableLog, memoryFacts } from '../testing/memory-facts.ts';
import { noIds } from './facts.ts';
import { createFactsKeeper, type FactsKeeper } from './keeper.ts';
import { openFacts, sealFacts } from './store.ts';

const other = '00000000-0000-4000-8000-000000000002';

/** Creates a log, a store, and processes that keep the store's facts. */
const newSetup = () => {
  const [log, stored] = [knowableLog(), memoryFacts()];
  const start = (): FactsKeeper => createFactsKeeper({ store: stored.store, name: 'store', log: log.known, signer: someSigner });
  const turn = async (keeper: FactsKeeper, ...further: Parameters<FactsKeeper['readStore']>) =>
    (await keeper.readStore(...further))(await log.state());
  return { log, stored, start, turn, facts: () => openFacts(someSigner, someInstallation, stored.text()) };
};

describe('a facts keeper', () => {
  it('writes the facts of the log, and again only once they have changed', async () => {
    const { log, stored, start, turn, facts } = newSetup();
    const keeper = start();
    for (let times = 0; times < 3; times += 1) expect(await turn(keeper)).toBe('fits');
    expect([stored.writes(), facts()]).toEqual([1, await log.known.facts()]);
    log.append('next', 200);
    await turn(keeper);
    expect([stored.writes(), facts()]).toEqual([2, expect.objectContaining({ head: 6, ids: { ...noIds, pinpoint: 200 } })]);
    expect(keeper.sealed()).toBe(stored.text());
  });

  it('reads only the state of the log while nothing changes', async () => {
    const { log, start, turn } = newSetup();
    const keeper = start();
    for (let times = 0; times < 3; times += 1) await turn(keeper);
    const before = log.questions();
    for (let times = 0; times < 5; times += 1) await turn(keeper);
    expect(log.questions()).toBe(before);
  });

  it('writes the facts again where they were deleted', async () => {
    const { stored, start, turn, facts } = newSetup();
    const keeper = start();
    await turn(keeper);
    stored.put(undefined);
    await turn(keeper);
    expect(facts()).toMatchObject({ head: 5 });
  });

  it.each<readonly [string, (log: ReturnType<typeof knowableLog>) => void]>([
    ['shorter', (log) => log.rollBack(4)],
    [
      'other event',
      (log) => {
        log.rollBack(4);
        for (const event of ['another', 'and another']) log.append(event);
      },
    ],
    ['missing ids', (log) => log.rollBack(5, 99)],
  ])('detects in a process that starts later that the log was rolled back (%s), and leaves the facts', async (finding, rollBack) => {
    const { log, stored, start, turn } = newSetup();
    await turn(start());
    const before = stored.text();
    rollBack(log);
    const keeper = start();
    for (let times = 0; times < 2; times += 1) expect(await turn(keeper)).toBe(finding);
    expect([stored.text(), keeper.sealed()]).toEqual([before, undefined]);
  });

  it('detects that the log was rolled back to before it had its incarnation, until a renewal sets that incarnation aside', async () => {
    const { log, start, turn, facts } = newSetup();
    log.renew('B');
    await turn(start());
    log.forgetNames('A');
    const keeper = start();
    expect(await turn(keeper)).toBe('unknown incarnation');
    log.renew('C', ['B']);
    expect(await turn(keeper)).toBe('fits');
    expect(facts()).toMatchObject({ incarnation: 'C' });
  });

  it('detects a rollback by the facts in its memory where the store was wiped, and writes them to the store', async () => {
    const { log, stored, start, turn, facts } = newSetup();
    const keeper = start();
    await turn(keeper);
    stored.put(undefined);
    log.rollBack(3);
    expect(await turn(keeper)).toBe('shorter');
    expect(facts()).toMatchObject({ head: 5 });
  });

  it('detects a rollback by facts from another source, and writes them to the store', async () => {
    const { log, start, turn, facts } = newSetup();
    const elsewhere = { ...(await log.known.facts()), head: 9, event: '' };
    await turn(start());
    expect(await turn(start(), [{ source: 'Kafka', facts: elsewhere }])).toBe('shorter');
    expect(facts()).toEqual(elsewhere);
    log.renew('B');
    expect(await turn(start(), [{ source: 'Kafka', facts: elsewhere }])).toBe('fits');
    expect(facts()).toMatchObject({ incarnation: 'B' });
  });

  it('ignores facts that are written again after a renewal, and replaces them', async () => {
    const { log, stored, start, turn, facts } = newSetup();
    const keeper = start();
    await turn(keeper);
    const old = stored.text();
    log.rollBack(3);
    expect(await turn(keeper)).toBe('shorter');
    log.renew('B');
    for (const one of [keeper, start()]) {
      stored.put(old);
      expect(await turn(one)).toBe('fits');
      expect(facts()).toMatchObject({ incarnation: 'B', head: 3 });
    }
  });

  it('does not overwrite later facts after a pause', async () => {
    const { log, stored, start, facts, turn } = newSetup();
    const [slow, quick] = [start(), start()];
    await turn(slow);
    const compare = await slow.readStore();
    const state = await log.state();
    log.append('next', 300);
    await turn(quick);
    const later = stored.text();
    expect(await compare(state)).toBe('fits');
    expect([stored.text(), facts()]).toEqual([later, expect.objectContaining({ head: 6 })]);
    // It does not overwrite them either with facts that it made before and compares only now.
    const stale = (await slow.readStore())(state);
    expect(await stale).toBe('shorter');
    expect(stored.text()).toBe(later);
  });

  it.each<readonly [string, string]>([
    ['forged', 'A'.repeat(32) + JSON.stringify({ incarnation: 'A', head: 900, event: '', stream: '', revision: 0, ids: noIds })],
    [
      'another installation’s',
      sealFacts(someSigner, other, { incarnation: 'A', head: 900, event: '', stream: '', revision: 0, ids: noIds }),
    ],
  ])('ignores facts that are %s, and replaces them', async (_, text) => {
    const { stored, start, turn, facts } = newSetup();
    stored.put(text);
    expect(await turn(start())).toBe('fits');
    expect(facts()).toMatchObject({ head: 5 });
  });

  it('continues without a store that is unavailable', async () => {
    const { stored, start, turn } = newSetup();
    const keeper = start();
    stored.unavailable(true);
    expect(await turn(keeper)).toBe('fits');
    expect(keeper.sealed()).toBeDefined();
    stored.unavailable(false);
    await turn(keeper);
    expect(stored.text()).toBe(keeper.sealed());
  });
});
