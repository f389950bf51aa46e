import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import type { GenerationEntry } from '../ports.ts';
import { type ControlSnapshot, currentOf, isSettled, isSuperseded, ofVersion, takeSnapshot } from './control-snapshot.ts';

const entry = (name: string, state: GenerationEntry['state']): GenerationEntry => {
  const [version = 0, serial = 0] = name.split('-').map(Number);
  return { name, version, serial, state };
};
const sight = (...entries: readonly GenerationEntry[]): ControlSnapshot => ({ entries, read: undefined, awaited: [], log: undefined });
const log = { incarnation: 'log', installation: 'model', head: 7 };
const roles = { read: '1-1', isSuperseded: false, awaited: ['1-1'], askedAtMs: 1 };
const failing = (error: Error) => () => Promise.reject(error);

describe('a control snapshot', () => {
  it('contains what the control and the log return', async () => {
    const entries = [entry('1-1', 'live')];
    const seen = await takeSnapshot({ list: async () => entries, roles: async () => roles }, { state: async () => log });
    expect(seen).toEqual({ entries, read: '1-1', awaited: ['1-1'], log });
  });

  it('shows that no generation is live, and that the log does not answer', async () => {
    const seen = await takeSnapshot(
      { list: async () => [], roles: failing(new ReadModelsUnavailable('No generation is live.')) },
      { state: failing(new LogUnavailable('The log is unavailable.')) },
    );
    expect(seen).toEqual({ entries: [], read: undefined, awaited: [], log: undefined });
  });

  it('fails on any other error', async () => {
    const list = async () => [];
    const state = async () => log;
    const wrong = failing(new TypeError('Another error.'));
    await expect(takeSnapshot({ list, roles: wrong }, { state })).rejects.toThrow(TypeError);
    await expect(takeSnapshot({ list, roles: async () => roles }, { state: wrong })).rejects.toThrow(TypeError);
    await expect(takeSnapshot({ list: wrong, roles: async () => roles }, { state })).rejects.toThrow(TypeError);
  });
});

describe('a generation', () => {
  it('belongs to a version unless it is being dropped', () => {
    const all = sight(entry('1-1', 'retired'), entry('1-2', 'live'), entry('2-3', 'live'), entry('1-4', 'filling'));
    expect(ofVersion(all, 1).map(({ name }) => name)).toEqual(['1-2', '1-4']);
  });

  it.each<[string, boolean, GenerationEntry]>([
    ['a later live generation of another version', true, entry('2-6', 'live')],
    ['an earlier live generation of another version', false, entry('2-4', 'live')],
    ['a live generation of another version that was started at the same time', false, entry('2-5', 'live')],
    ['a later live generation of its own version', false, entry('1-6', 'live')],
    ['a later generation of another version that is being filled', false, entry('2-6', 'filling')],
    ['a later generation of another version that is being dropped', false, entry('2-6', 'retired')],
  ])('is superseded by %s: %s', (_, gaveWay, other) => {
    expect(isSuperseded(sight(entry('1-1', 'live'), other), { version: 1, serial: 5 })).toBe(gaveWay);
  });

  it('is current if it is the newest of its version, unless it was live and is superseded', () => {
    const [first, second] = [entry('1-1', 'live'), entry('1-2', 'live')];
    expect(currentOf(sight(first, second), [first, second])).toBe(second);
    expect(currentOf(sight(first, entry('2-2', 'live')), [first])).toBeUndefined();
    const filling = entry('1-1', 'filling');
    expect(currentOf(sight(filling, entry('2-2', 'live')), [filling])).toBe(filling);
    expect(currentOf(sight(), [])).toBeUndefined();
  });

  it('is settled when it is the only generation that is read and that writes wait for', () => {
    expect(isSettled({ ...sight(), read: '1-1', awaited: ['1-1'] }, '1-1')).toBe(true);
    expect(isSettled({ ...sight(), read: '1-1', awaited: ['1-1', '1-2'] }, '1-1')).toBe(false);
    expect(isSettled({ ...sight(), read: '1-2', awaited: ['1-1'] }, '1-1')).toBe(false);
  });
});
