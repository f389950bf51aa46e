import { pino } from 'pino';
import { cleanHistory } from './history-cleaner.ts';
import { waitUntil } from './testing/until.ts';

const logger = pino({ level: 'silent' });

describe('The cleaner of the history', () => {
  it('cleans each generation that the process feeds, also after a failure, until it is closed', async () => {
    const left = new Map([
      ['1-a', 3],
      ['1-b', 2],
      ['1-c', 1],
    ]);
    let failures = 1;
    const generation = (name: string) => ({
      history: {
        clean: async () => {
          if (failures > 0) {
            failures -= 1;
            throw new Error('away');
          }
          left.set(name, Math.max(0, (left.get(name) ?? 0) - 1));
          return left.get(name) !== 0;
        },
      },
    });
    const { close } = cleanHistory({ readSide: { generation }, fed: () => ['1-a', '1-b'], logger });
    await waitUntil('both are clean', () => left.get('1-a') === 0 && left.get('1-b') === 0);
    await close();
    expect(left.get('1-c')).toBe(1);
  });
});
