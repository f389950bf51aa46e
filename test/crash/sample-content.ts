import { aFile } from '../api/pictures.ts';
import { aCategory, aList, anEvent, aPinpoint, members } from '../api/samples.ts';
import { bodyOf, type Session, type Thing } from '../api/session.ts';

/** Sample content: an object of each kind, in one account. */
export type SampleContent = { readonly pinpoint: Thing; readonly list: Thing; readonly event: Thing; readonly category: Thing };

export const createSampleContent = async (session: Session, name: string): Promise<SampleContent> => {
  const category = await session.create('/categories', await aCategory({ name }));
  const pinpoint = await session.create('/pinpoints', aPinpoint({ name, category: category.id, media_file: await aFile() }));
  const second = await session.create('/pinpoints', aPinpoint({ name: `${name}, the other` }));
  const list = await session.create('/lists', aList({ name }));
  bodyOf(await session.post(`/lists/${list.id}/pinpoints`, members(pinpoint.id, second.id)), 200);
  const event = await session.create('/events', anEvent(pinpoint.id, { name }));
  return { pinpoint, list, event, category };
};
