import { given } from '../testing/given.ts';
import { sampleEvents, sampleFile } from '../testing/samples.ts';
import { categoryDecider } from './decide.ts';
import type { CategoryEvent, CategoryFields } from './events.ts';

const { CategoryCreated: created } = sampleEvents;
const { account, category, fields } = created;
const create = { type: 'CreateCategory', account, category, fields } as const;
const edit = (asked: Partial<CategoryFields>) => ({ type: 'EditCategory', account, category, fields: asked }) as const;

const categoryWith = (...history: readonly CategoryEvent[]) => given(categoryDecider, history);

describe('creating a category', () => {
  it('records its name and its image', () => {
    categoryWith().when(create).then(created);
  });

  it('is refused if the id was used before', () => {
    categoryWith(created).when(create).refuses('id-taken');
  });
});

describe('editing a category', () => {
  it('records only the changed fields', () => {
    categoryWith(created)
      .when(edit({ ...fields, name: 'Beacon' }))
      .then({ type: 'CategoryEdited', category, fields: { name: 'Beacon' } });
  });

  it('records another image', () => {
    const image = { ...sampleFile, name: 'f'.repeat(32), digest: '0'.repeat(64) };
    categoryWith(created).when(edit({ image })).then({ type: 'CategoryEdited', category, fields: { image } });
  });

  it('records nothing if nothing changes, also with an image of the same bytes', () => {
    categoryWith(created).when(edit({})).then();
    categoryWith(created)
      .when(edit({ ...fields, image: { ...sampleFile, name: 'f'.repeat(32) } }))
      .then();
  });

  it('compares with the latest edit', () => {
    categoryWith(created, { type: 'CategoryEdited', category, fields: { name: 'Beacon' } })
      .when(edit({ name: 'Beacon' }))
      .then();
  });

  it('is refused if the category does not exist', () => {
    categoryWith().when(edit(fields)).refuses('not-found');
  });

  it('is forbidden for another account', () => {
    categoryWith(created)
      .when({ ...edit({}), account: 'other' })
      .refuses('forbidden');
  });
});
