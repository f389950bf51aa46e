import { given } from '../testing/given.ts';
import { sampleEvents, sampleFile } from '../testing/samples.ts';
import { happeningDecider } from './decide.ts';
import type { HappeningEvent, HappeningFields } from './events.ts';

const { HappeningCreated: created, HappeningDeleted: deleted, HappeningRestored: restored } = sampleEvents;
const { account, happening, fields } = created;
const create = { type: 'CreateHappening', account, happening, fields, place: 'present' } as const;
const edit = (asked: Partial<HappeningFields>) =>
  ({ type: 'EditHappening', account, happening, fields: asked, pinpointExists: true, place: 'present' }) as const;
const remove = { type: 'DeleteHappening', account, happening, pinpointExists: true } as const;

const happeningWith = (...history: readonly HappeningEvent[]) => given(happeningDecider, history);

describe('creating a happening', () => {
  it('records all its fields', () => {
    happeningWith().when(create).then(created);
  });

  it('is refused if the account does not have the pinpoint', () => {
    happeningWith()
      .when({ ...create, place: 'unknown' })
      .refuses('unknown-pinpoint');
  });

  it('is refused if the pinpoint has the maximum number of happenings', () => {
    happeningWith()
      .when({ ...create, place: 'full' })
      .refuses('too-many-happenings');
  });

  it('is refused if the id was used before, even by a happening that was deleted since', () => {
    happeningWith(created).when(create).refuses('id-taken');
    happeningWith(created, deleted).when(create).refuses('id-taken');
  });
});

describe('a happening that was restored', () => {
  const earlier = { ...restored, fields: { ...fields, name: 'Earlier' } };

  it('has all the restored fields, whether it was deleted or not', () => {
    happeningWith(created, deleted, earlier).when(edit(earlier.fields)).then();
    happeningWith(created, earlier).when(edit(earlier.fields)).then();
  });

  it('can be deleted again', () => {
    happeningWith(created, deleted, earlier).when(remove).then(deleted);
  });
});

describe('editing a happening', () => {
  it('records only the changed fields', () => {
    const dates = [...fields.dates, { start: '2026-06-02T08:00:00.000Z', end: '2026-06-02T08:00:00.000Z' }];
    happeningWith(created)
      .when(edit({ ...fields, dates }))
      .then({ type: 'HappeningEdited', happening, fields: { dates } });
  });

  it('records nothing if nothing changes, also with a file of the same bytes', () => {
    happeningWith(created).when(edit({})).then();
    happeningWith(created)
      .when(edit({ ...fields, media: { ...sampleFile, name: 'f'.repeat(32) } }))
      .then();
  });

  it('detects another order of its dates', () => {
    const dates = [{ start: '2026-06-02T08:00:00.000Z', end: '2026-06-02T08:00:00.000Z' }, ...fields.dates];
    const reversed = dates.toReversed();
    happeningWith(created, { type: 'HappeningEdited', happening, fields: { dates } })
      .when(edit({ dates: reversed }))
      .then({ type: 'HappeningEdited', happening, fields: { dates: reversed } });
  });

  it('is refused if the happening does not exist or is deleted', () => {
    happeningWith().when(edit(fields)).refuses('not-found');
    happeningWith(created, deleted).when(edit(fields)).refuses('not-found');
  });

  it('is refused once its pinpoint is deleted, even if the edit moves it', () => {
    happeningWith(created)
      .when({ ...edit({ pinpoint: 13 }), pinpointExists: false })
      .refuses('not-found');
  });

  it('is forbidden for another account, which gets "not found" once the pinpoint is deleted', () => {
    const foreign = { ...edit({ name: 'Mine' }), account: 'other' };
    happeningWith(created).when(foreign).refuses('forbidden');
    happeningWith(created)
      .when({ ...foreign, pinpointExists: false })
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

  it('is refused if the account does not have that pinpoint, or if it is full', () => {
    happeningWith(created)
      .when({ ...move, place: 'unknown' })
      .refuses('unknown-pinpoint');
    happeningWith(created)
      .when({ ...move, place: 'full' })
      .refuses('too-many-happenings');
  });

  it('does not apply to an edit that names the present pinpoint, so a full pinpoint does not refuse it', () => {
    happeningWith(created)
      .when({ ...edit({ ...fields, name: 'Open night' }), place: 'full' })
      .then({ type: 'HappeningEdited', happening, fields: { name: 'Open night' } });
    happeningWith(created)
      .when({ ...edit(fields), place: 'full' })
      .then();
  });

  it('compares with the pinpoint of the last move', () => {
    const moved: HappeningEvent = { type: 'HappeningEdited', happening, fields: { pinpoint: 13 } };
    happeningWith(created, moved)
      .when({ ...move, place: 'full' })
      .then();
    happeningWith(created, moved)
      .when({ ...edit(fields), place: 'full' })
      .refuses('too-many-happenings');
  });
});

describe('restoring a happening', () => {
  const restore = { type: 'RestoreHappening', account, happening, fields, pinpointExists: true } as const;
  const renamed: HappeningEvent = { type: 'HappeningEdited', happening, fields: { name: 'Open night' } };

  it('records all its fields, whether it is deleted or not', () => {
    happeningWith(created, renamed).when(restore).then(restored);
    happeningWith(created, deleted).when(restore).then(restored);
  });

  it('records nothing if the happening is present, and is as it was', () => {
    happeningWith(created).when(restore).then();
  });

  it('is refused while the pinpoint where it took place is deleted', () => {
    happeningWith(created, deleted)
      .when({ ...restore, pinpointExists: false })
      .refuses('unknown-pinpoint');
  });

  it("is refused if the happening never existed, or is another account's, even a deleted one", () => {
    happeningWith().when(restore).refuses('not-found');
    happeningWith(created, deleted)
      .when({ ...restore, account: 'other', pinpointExists: false })
      .refuses('forbidden');
  });
});

describe('deleting a happening', () => {
  it('is recorded', () => {
    happeningWith(created).when(remove).then(deleted);
  });

  it('is refused if the happening does not exist or is deleted, or if its pinpoint is deleted', () => {
    happeningWith().when(remove).refuses('not-found');
    happeningWith(created, deleted).when(remove).refuses('not-found');
    happeningWith(created)
      .when({ ...remove, pinpointExists: false })
      .refuses('not-found');
  });

  it('is forbidden for another account, which gets "not found" once the happening is deleted', () => {
    const foreign = { ...remove, account: 'other' };
    happeningWith(created).when(foreign).refuses('forbidden');
    happeningWith(created, deleted).when(foreign).refuses('not-found');
  });
});
