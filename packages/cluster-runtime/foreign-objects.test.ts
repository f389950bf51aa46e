import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createForeignObjectAlarm } from './foreign-objects.ts';

describe('an object whose owner in the read models differs from the event log', () => {
  it('is counted, reported as a warning, and logged as an error that names its stream and the account', async () => {
    const [registry, lines] = [new Registry(), [] as string[]];
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const alarm = createForeignObjectAlarm({ registry, logger });
    expect(alarm.warnings()).toEqual([]);
    alarm.found('list-7', 'theirs');
    expect(alarm.warnings()).toEqual([expect.stringContaining('list-7')]);
    expect(await registry.metrics()).toContain('waymark_foreign_objects_total 1');
    expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ level: 50, stream: 'list-7', account: 'theirs' })]);
  });
});
