import { setTimeout as pause } from 'node:timers/promises';
import { turnMs } from '@waymark/commands/limits.ts';
import { aList, members } from '../../api/samples.ts';
import { createFixture, type Fixture } from './fixture.ts';
import type { Request } from './instance.ts';
import { sendWithInterference } from './meanwhile.ts';
import { directOn } from './process.ts';
import { useInstallation } from './use-installation.ts';

const installation = useInstallation();

/** More conflicts than a write meets by chance. */
const conflicts = 40;
/** Longer than a write is tried again after conflicts. */
const tooLongMs = turnMs + 100;

const renaming = ({ account, list: id }: Fixture, name: string): Request => ({
  endpoint: 'PUT /lists/:id',
  account,
  id,
  body: aList({ name }),
});

/** Lets a third party change the list right before each of the first `times` appends. */
const contending = (ground: Fixture, times: number, also: () => Promise<unknown> = async () => undefined) =>
  Array.from({ length: times }, (_, nth) => {
    const act = async (): Promise<void> => {
      expect((await directOn(installation()).send(renaming(ground, `Meanwhile ${nth}`))).status).toBe(200);
      await also();
    };
    return [new RegExp(`^append list-${ground.list}$`), act] as const;
  });

const tooLong = (): Promise<void> => pause(tooLongMs);

const marksOf = (name: string): number =>
  installation()
    .after(0)
    .filter(({ content }) => content?.includes(`"${name}"`)).length;

describe('a write to an object that others change constantly', () => {
  it('succeeds once an attempt finds the object unchanged', async () => {
    const ground = await createFixture(installation());
    const response = await sendWithInterference(installation(), renaming(ground, 'At last'), contending(ground, conflicts));
    expect(response.status).toBe(200);
    expect(marksOf('At last')).toBe(1);
  });

  it('is refused after a limited time, and stores nothing', async () => {
    const ground = await createFixture(installation());
    const response = await sendWithInterference(installation(), renaming(ground, 'Never'), contending(ground, 1, tooLong));
    expect([response.status, response.text]).toEqual([503, expect.stringContaining('Too many changes')]);
    expect(marksOf('Never')).toBe(0);
  });

  it('gets the response of its repeat if the repeat was faster at the last attempt', async () => {
    const ground = await createFixture(installation());
    const request: Request = {
      endpoint: 'POST /lists/:id/pinpoints',
      account: ground.account,
      id: ground.list,
      body: members(ground.lasting),
      key: 'key',
    };
    let repeat = '';
    const response = await sendWithInterference(
      installation(),
      request,
      contending(ground, 1, async () => {
        await tooLong();
        repeat = (await directOn(installation()).send(request)).text;
      }),
    );
    expect([response.status, response.text]).toEqual([200, repeat]);
    expect(JSON.parse(repeat)).toEqual({ errors: [], total: 1 });
  });
});
