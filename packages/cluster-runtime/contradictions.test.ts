import { recorded } from '@waymark/domain/testing/samples.ts';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createContradictionAlarm } from './contradictions.ts';

it('An event whose content contradicts its type is counted, reported as a warning and logged as an error', async () => {
  const [registry, lines] = [new Registry(), [] as string[]];
  const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  const { found, warnings } = createContradictionAlarm({ registry, logger });
  expect(warnings()).toEqual([]);
  found(recorded('PinpointCreated', 1, '{}'));
  expect(await registry.metrics()).toContain('waymark_contradictory_events_total 1');
  expect(warnings()).toEqual([expect.stringContaining('pinpoint-12 revision 0')]);
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ level: 50, stream: 'pinpoint-12', revision: 0 })]);
});
