import { originOf } from '@waymark/proof/checkpoint.ts';
import { type CheckpointPlace, CheckpointTaken, PlaceUnavailable } from '../place.ts';

const origin = originOf('0a0a0a0a-0b0b-4c0c-8d0d-0e0e0e0e0e0e', 'first');
const other = originOf('0a0a0a0a-0b0b-4c0c-8d0d-0e0e0e0e0e0e', 'second');

/** What every place of checkpoints does. Each test has a place of its own.
 * @param openGone opens a place that does not exist */
export const placeContract = (name: string, open: () => Promise<CheckpointPlace>, openGone: () => Promise<CheckpointPlace>): void => {
  describe(`a place of checkpoints: ${name}`, () => {
    const opened: CheckpointPlace[] = [];
    const openOne = async (how = open): Promise<CheckpointPlace> => {
      const place = await how();
      opened.push(place);
      return place;
    };
    afterEach(() => {
      for (const place of opened.splice(0)) place.close();
    });
    const noteOf = (number: number): string => `${origin}\n1\n\nnumber ${number} — é\n`;
    const publishAll = async (place: CheckpointPlace, through: number): Promise<void> => {
      for (let number = 1; number <= through; number += 1) await place.publish(origin, number, noteOf(number));
    };

    it('has none at first', async () => {
      const place = await openOne();
      expect(await place.latest(origin)).toBeUndefined();
      expect(await place.latest(origin, 7)).toBeUndefined();
      expect(await place.read(origin, 1)).toBeUndefined();
    });

    it('returns what was published, byte for byte', async () => {
      const place = await openOne();
      await publishAll(place, 3);
      expect(await place.read(origin, 2)).toBe(noteOf(2));
      expect(await place.read(origin, 4)).toBeUndefined();
      expect(await place.read(other, 2)).toBeUndefined();
    });

    it('finds the latest one, wherever the search begins', async () => {
      const place = await openOne();
      for (const through of [1, 2, 3, 6, 11]) {
        await publishAll(place, through);
        for (const from of [0, 1, through, through + 3]) {
          expect(await place.latest(origin, from)).toEqual({ number: through, note: noteOf(through) });
        }
      }
      expect(await place.latest(other)).toBeUndefined();
    });

    it('never replaces one', async () => {
      const place = await openOne();
      await place.publish(origin, 1, noteOf(1));
      await place.publish(origin, 1, noteOf(1));
      await expect(place.publish(origin, 1, noteOf(2))).rejects.toThrow(CheckpointTaken);
      expect(await place.read(origin, 1)).toBe(noteOf(1));
    });

    it('keeps one of two that are published at the same time', async () => {
      const place = await openOne();
      const outcomes = await Promise.allSettled([1, 2].map((text) => place.publish(origin, 1, noteOf(text))));
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const kept = await place.read(origin, 1);
      expect(outcomes.findIndex(({ status }) => status === 'fulfilled')).toBe(kept === noteOf(1) ? 0 : 1);
    });

    it('is unavailable, not empty, where it does not exist', async () => {
      const place = await openOne(openGone);
      const calls = [place.latest(origin), place.read(origin, 1), place.publish(origin, 1, noteOf(1))];
      for (const call of await Promise.allSettled(calls)) {
        expect(call.status === 'rejected' && call.reason).toBeInstanceOf(PlaceUnavailable);
      }
    });
  });
};
