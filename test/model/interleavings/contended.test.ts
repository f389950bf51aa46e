import { aList, members } from '../../api/samples.ts';
import { createFixture, type Fixture } from './fixture.ts';
import type { Request } from './instance.ts';
import { sendWithInterference } from './meanwhile.ts';
import { directOn } from './process.ts';
import { useInstallation } from './use-installation.ts';

const installation = useInstallation();

/** Attempts of a write that meets conflicts. */
const attemptsMax = 8;

const renaming = ({ account, list: id }: Fixture, name: string): Request => ({
  endpoint: 'PUT /lists/:id',
  account,
  id,
  body: aList({ name }),
});

/** Lets a third party change the list right before each of the first `times` appends. The last time it also does something else. */
const contending = (ground: Fixture, times: number, last: () => Promise<unknown> = async () => undefined) =>
  Array.from({ length: times }, (_, nth) => {
    const act = async (): Promise<void> => {
      expect((await directOn(installation()).send(renaming(ground, `Meanwhile ${nth}`))).status).toBe(200);
      if (nth === times - 1) await last();
    };
    return [new RegExp(`^append list-${ground.list}$`), act] as const;
  });

const marksOf = (name: string): number =>
  installation()
    .after(0)
    .filter(({ content }) => content?.includes(`"${name}"`)).length;

describe('a write to an object that others change constantly', () => {
  it('succeeds if one of the bounded number of attempts finds the object unchanged', async () => {
    const ground = await createFixture(installation());
    const response = await sendWithInterference(installation(), renaming(ground, 'At last'), contending(ground, attemptsMax - 1));
    expect(response.status).toBe(200);
    expect(marksOf('At last')).toBe(1);
  });

  it('is refused after that number of attempts, and stores nothing', async () => {
    const ground = await createFixture(installation());
    const response = await sendWithInterference(installation(), renaming(ground, 'Never'), contending(ground, attemptsMax));
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
      contending(ground, attemptsMax, async () => {
        repeat = (await directOn(installation()).send(request)).text;
      }),
    );
    expect([response.status, response.text]).toEqual([200, repeat]);
    expect(JSON.parse(repeat)).toEqual({ errors: [], total: 1 });
  });
});
