import { given } from '../testing/given.ts';
import { sampleEvents, sampleFile } from '../testing/samples.ts';
import { happeningDecider } from './decide.ts';
import type { HappeningEvent, HappeningFields } from './events.ts';

const { HappeningCreated: created, HappeningDeleted: deleted } = sampleEvents;
const { account, happening, fields } = created;
const create = { type: 'CreateHappening', account, happening, fields, place: 'present' } as const;
const edit = (asked: Partial<HappeningFields>) =>
  ({ type: 'EditHappening', account, happening, fields: asked, standing: true, place: 'present' }) as const;
const remove = { type: 'DeleteHappening', account, happening, standing: true } as const;

const happeningWith = (...history: readonly HappeningEvent[]) => given(happeningDecider, history);

describe('creating a happening', () => {
  it('records all its fields', () => {
    happeningWith().when(create).then(created);
  });

  it('is refused at a pinpoint that the account does not have', () => {
    happeningWith()
      .when({ ...create, place: 'unknown' })
      .refuses('unknown-pinpoint');
  });

  it('is refused at a pinpoint that has as many happenings as it may have', () => {
    happeningWith()
      .when({ ...create, place: 'full' })
      .refuses('too-many-happenings');
  });

  it('is refused under an id that was given out before, even to one deleted since', () => {
    happeningWith(created).when(create).refuses('id-taken');
    happeningWith(created, deleted).when(create).refuses('id-taken');
  });
});

describe('editing a happening', () => {
  it('records what changes and nothing else', () => {
    const dates = [...fields.dates, { start: '2026-06-02T08:00:00.000Z', end: '2026-06-02T08:00:00.000Z' }];
    happeningWith(created)
      .when(edit({ ...fields, dates }))
      .then({ type: 'HappeningEdited', happening, fields: { dates } });
  });

  it('records nothing where nothing changes, a file with the same bytes included', () => {
    happeningWith(created).when(edit({})).then();
    happeningWith(created)
      .when(edit({ ...fields, media: { ...sampleFile, name: 'f'.repeat(32) } }))
      .then();
  });

  it('sees the order of its dates', () => {
    const dates = [{ start: '2026-06-02T08:00:00.000Z', end: '2026-06-02T08:00:00.000Z' }, ...fields.dates];
    const reversed = dates.toReversed();
    happeningWith(created, { type: 'HappeningEdited', happening, fields: { dates } })
      .when(edit({ dates: reversed }))
      .then({ type: 'HappeningEdited', happening, fields: { dates: reversed } });
  });

  it('is refused where there is no such happening, or none any more', () => {
    happeningWith().when(edit(fields)).refuses('not-found');
    happeningWith(created, deleted).when(edit(fields)).refuses('not-found');
  });

  it('is refused once its pinpoint is deleted, even to move it elsewhere', () => {
    happeningWith(created)
      .when({ ...edit({ pinpoint: 13 }), standing: false })
      .refuses('not-found');
  });

  it('is forbidden to another account, which does not find it once its pinpoint is deleted', () => {
    const foreign = { ...edit({ name: 'Mine' }), account: 'other' };
    happeningWith(created).when(foreign).refuses('forbidden');
    happeningWith(created)
      .when({ ...foreign, standing: false })
      .refuses('not-found');
  });
});

describe('moving a happening to another pinpoint', () => {
  const move = edit({ ...fields, pinpoint: 13 });

  it('is recorded', () => {
    happeningWith(created)
      .when(move)
      .then({ type: 'HappeningEdited', happening, fields: { pinpoint: 13 } });
  });

  it('is refused where the account does not have that pinpoint, or it is full', () => {
    happeningWith(created)
      .when({ ...move, place: 'unknown' })
      .refuses('unknown-pinpoint');
    happeningWith(created)
      .when({ ...move, place: 'full' })
      .refuses('too-many-happenings');
  });

  it('is not what an edit does that names the pinpoint where it is, so a full one refuses nothing', () => {
    happeningWith(created)
      .when({ ...edit({ ...fields, name: 'Open night' }), place: 'full' })
      .then({ type: 'HappeningEdited', happening, fields: { name: 'Open night' } });
    happeningWith(created)
      .when({ ...edit(fields), place: 'full' })
      .then();
  });

  it('compares with the pinpoint that it was last moved to', () => {
    const moved: HappeningEvent = { type: 'HappeningEdited', happening, fields: { pinpoint: 13 } };
    happeningWith(created, moved)
      .when({ ...move, place: 'full' })
      .then();
    happeningWith(created, moved)
      .when({ ...edit(fields), place: 'full' })
      .refuses('too-many-happenings');
  });
});

describe('deleting a happening', () => {
  it('is recorded', () => {
    happeningWith(created).when(remove).then(deleted);
  });

  it('is refused where there is no such happening, none any more, or its pinpoint is deleted', () => {
    happeningWith().when(remove).refuses('not-found');
    happeningWith(created, deleted).when(remove).refuses('not-found');
    happeningWith(created)
      .when({ ...remove, standing: false })
      .refuses('not-found');
  });

  it('is forbidden to another account, which does not find it once it is deleted', () => {
    const foreign = { ...remove, account: 'other' };
    happeningWith(created).when(foreign).refuses('forbidden');
    happeningWith(created, deleted).when(foreign).refuses('not-found');
  });
});
