import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { erasures } from '@waymark/read-models/testing/erasures.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import fc from 'fast-check';
import type { History } from '../history.ts';
import { sqliteHistoryDigest } from '../sqlite/digest.ts';
import { openSqliteHistory } from '../sqlite/history.ts';
import { ownHistory } from '../testing/mongodb.ts';
import { propertiesTimeoutMs } from '../testing/subject.ts';

type Events = Parameters<typeof applyAll>[1];

const cleanAll = async ({ clean }: Pick<History, 'clean'>): Promise<void> => {
  while (await clean());
};

describeOn(['mongodb'], 'The digest of a history in MongoDB', () => {
  const database = ownHistory();
  const newFile = temporaryFiles();

  const filled = async (events: Events) => {
    const generation = database.history().generation(await database.fresh());
    await applyAll(generation.history.apply, events, [7]);
    return generation;
  };
  /** Returns the digest that a history in SQLite has. */
  const digestElsewhere = async (events: Events): Promise<string> => {
    const file = newFile();
    const history = openSqliteHistory(file);
    await applyAll(history.apply, events);
    await cleanAll(history);
    await history.close();
    return (await sqliteHistoryDigest(file)).rows;
  };

  it(
    'equals that of a history in SQLite, which was built after the erasures',
    async () => {
      await fc.assert(
        fc.asyncProperty(erasures({ minLength: 10, maxLength: 80 }), async ({ written, left }) => {
          const { history, digest } = await filled(written);
          await cleanAll(history);
          expect(await digest()).toMatchObject({ isClean: true, rows: await digestElsewhere(left) });
        }),
        { numRuns: 10 },
      );
    },
    propertiesTimeoutMs,
  );

  it('says whether an erasure has left something, and changes with any row', async () => {
    const { record } = recorder();
    const { PinpointCreated, PinpointRedacted } = sampleEvents;
    const events = [PinpointCreated, PinpointRedacted].map((event) => record(PinpointCreated.account, event));
    const { name, history, digest } = await filled(events);
    expect((await digest()).isClean).toBe(false);
    await cleanAll(history);
    const { isClean, rows } = await digest();
    expect([isClean, rows]).toEqual([true, await digestElsewhere(events)]);
    const { entry } = database.collections(name.replace('history.', ''));
    await entry.updateOne({ position: { $gt: 0 } }, { $set: { actor: 'forged' } });
    expect((await digest()).rows).not.toBe(rows);
  });

  it.each([{ fields: ['forged'] }, { fields: [] }, { chosen: 'forged' }, { origins: 'damaged' }])(
    'changes with what searches find an entry by: %j',
    async ($set) => {
      const { record } = recorder();
      const { PinpointCreated } = sampleEvents;
      const events = [record(PinpointCreated.account, PinpointCreated)];
      const { name, digest } = await filled(events);
      expect((await digest()).rows).toBe(await digestElsewhere(events));
      await database.collections(name.replace('history.', '')).entry.updateOne({ position: { $gt: 0 } }, { $set });
      expect((await digest()).rows).not.toBe(await digestElsewhere(events));
    },
  );
});
