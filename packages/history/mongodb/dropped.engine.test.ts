import { transactions } from '@waymark/read-models/mongodb/transactions.ts';
import { mine, pinpointCreated } from '@waymark/read-models/testing/facts.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import type { CommandStartedEvent } from 'mongodb';
import { type HistoryReads, HistoryUnavailable } from '../history.ts';
import { accountSet } from '../sets.ts';
import { ownHistory } from '../testing/mongodb.ts';
import { dropHistory } from './collections.ts';

const objects = accountSet(mine, 'pinpoint');
const end = Number.MAX_SAFE_INTEGER;

describeOn(['mongodb'], 'a generation of the history in MongoDB that is being dropped', () => {
  const database = ownHistory();

  const filled = async (): Promise<string> => {
    const name = await database.fresh();
    const { record } = recorder();
    await applyAll(database.history().generation(name).history.apply, [record(mine, pinpointCreated(1))]);
    return name;
  };

  it('loses its positions first, and then its entries, whose marker shows readers that the other collections existed', async () => {
    const name = await filled();
    const dropped: string[] = [];
    const listen = ({ commandName, command }: CommandStartedEvent): void => {
      if (commandName === 'drop') dropped.push(String(command['drop']));
    };
    database.client().on('commandStarted', listen);
    await dropHistory(database.collections(name), transactions(database.client()));
    database.client().off('commandStarted', listen);
    expect(dropped.slice(0, 2)).toEqual([`history.${name}.position`, `history.${name}.entry`]);
  });

  it.each<[string, (reads: HistoryReads) => Promise<unknown>]>([
    ['entries', ({ entries }) => entries('pinpoint-1', end, 20)],
    ['entriesAt', ({ entriesAt }) => entriesAt('pinpoint-1', [0])],
    ['lastStates', ({ lastStates }) => lastStates(['pinpoint-1'])],
    ['relationChanges', ({ relationChanges }) => relationChanges('pinpoint-1', end, 20)],
    ['intervalsIn', ({ intervalsIn }) => intervalsIn(objects, 1, { after: 0, through: end - 1 })],
    ['itemsAt', ({ itemsAt }) => itemsAt(objects, { at: end - 1, beyond: 0, direction: 'forward', items: 5, reads: 100 })],
    ['erased', ({ erased }) => erased('pinpoint-1')],
  ])('is unavailable once its entries are dropped, although the others exist: %s', async (_, read) => {
    const name = await filled();
    const { history } = database.history().generation(name);
    await history.read(read);
    await database.collections(name).entry.drop();
    await expect(history.read(read)).rejects.toThrow(HistoryUnavailable);
  });
});
