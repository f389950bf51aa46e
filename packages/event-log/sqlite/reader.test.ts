import { newStream, someEvent, someEvents } from '../testing/some-events.ts';
import { temporaryLogs } from '../testing/temporary-logs.ts';
import { openLogReader } from './reader.ts';

const { open, file } = temporaryLogs();

describe('a reader of the log', () => {
  it('returns the events after a position, up to a limit that is no multiple of what it reads at once', async () => {
    const log = await open();
    await log.append(newStream(), someEvents(50), 'none');
    const { reader, close } = openLogReader(file());
    const all = reader.after(0, 100).map(({ position }) => position);
    expect(all).toHaveLength(50);
    expect(reader.after(all[2] ?? 0, 37).map(({ position }) => position)).toEqual(all.slice(3, 40));
    expect(reader.after(all.at(-1) ?? 0, 37)).toEqual([]);
    close();
  });

  it('reads parts of them one after the other, up to the limit or to the head that the log has by then', async () => {
    const log = await open();
    await log.append(newStream(), someEvents(20), 'none');
    const { reader, close } = openLogReader(file());
    const [parts, limited] = [reader.partsAfter(0, 100)[Symbol.iterator](), reader.partsAfter(0, 18)];
    const first = parts.next().value?.length ?? 0;
    await log.append(newStream(), someEvents(5), 'none');
    let others = 0;
    for (let part = parts.next(); part.done !== true; part = parts.next()) others += part.value.length;
    expect([first > 0, first + others]).toEqual([first < 20, 25]);
    expect([...limited].flat()).toEqual(reader.after(0, 18));
    close();
  });

  it('returns fewer events where they are large, and the others afterwards', async () => {
    const log = await open();
    const large = 'x'.repeat(1_000_000);
    for (let nth = 0; nth < 40; nth += 1) await log.append(newStream(), [someEvent(JSON.stringify(large))], 'none');
    const { reader, close } = openLogReader(file());
    const parts: number[] = [];
    for (let after = 0; parts.length < 40; ) {
      const events = reader.after(after, 100);
      if (events.length === 0) break;
      parts.push(events.length);
      after = events.at(-1)?.position ?? after;
    }
    expect(Math.max(...parts)).toBeLessThan(30);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(40);
    close();
  });
});
