import { Stalled, stalledMs, type Work, watchForStall } from './stall-watch.ts';

describe('A process whose work is watched', () => {
  let failure: string | undefined;
  let works: readonly Work[];
  let ended: Error[];
  let stop: () => void;
  beforeEach(() => {
    jest.useFakeTimers();
    failure = undefined;
    works = [{ name: 'relaying', done: 1, isDue: true }];
    ended = [];
    stop = watchForStall({ engines: [{ failure: () => failure }], works: () => works, fatal: (error) => ended.push(error) });
  });
  afterEach(() => {
    stop();
    jest.useRealTimers();
  });
  const pass = (ms: number): void => void jest.advanceTimersByTime(ms);
  const step = (): void => {
    works = works.map((work) => ({ ...work, done: work.done + 1 }));
  };

  it('ends once, with the name of the work, if nothing is done while it is due', () => {
    pass(stalledMs);
    expect(ended).toEqual([]);
    pass(5_000);
    expect(ended).toEqual([new Stalled('No progress for 180 s although all engines respond: relaying.')]);
    pass(3 * stalledMs);
    expect(ended).toHaveLength(1);
  });

  it('continues as long as each step follows within the limit', () => {
    for (let steps = 0; steps < 10; steps += 1) {
      pass(stalledMs - 1_000);
      step();
    }
    expect(ended).toEqual([]);
  });

  it('continues while nothing is due, and gets the whole limit after that', () => {
    works = [{ name: 'relaying', done: 1, isDue: false }];
    pass(3 * stalledMs);
    works = [{ name: 'relaying', done: 1, isDue: true }];
    pass(stalledMs - 1_000);
    expect(ended).toEqual([]);
    pass(5_000);
    expect(ended).toHaveLength(1);
  });

  it('continues while an engine does not respond, and gets the whole limit after that', () => {
    failure = 'Kafka does not answer.';
    pass(3 * stalledMs);
    failure = undefined;
    pass(stalledMs - 1_000);
    expect(ended).toEqual([]);
    pass(5_000);
    expect(ended).toHaveLength(1);
  });

  it('is not hidden by other work that makes progress', () => {
    const stuck: Work = { name: 'generation 1-1-1', done: 7, isDue: true };
    works = [{ name: 'checks', done: 0, isDue: true }, stuck];
    for (let ms = 0; ms < stalledMs + 5_000; ms += 1_000) {
      pass(1_000);
      works = [{ name: 'checks', done: ms, isDue: true }, stuck];
    }
    expect(ended.map(({ message }) => message)).toEqual([expect.stringContaining('generation 1-1-1')]);
  });

  it('is not blamed for the time in which it was paused', () => {
    pass(stalledMs / 2);
    jest.setSystemTime(Date.now() + stalledMs);
    const now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now + stalledMs);
    pass(1_000);
    expect(ended).toEqual([]);
  });

  it('is not watched after the watch was stopped', () => {
    stop();
    pass(3 * stalledMs);
    expect(ended).toEqual([]);
  });
});
