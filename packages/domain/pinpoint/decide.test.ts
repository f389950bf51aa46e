import { given } from '../testing/given.ts';
import { sampleEvents, sampleFile } from '../testing/samples.ts';
import { pinpointDecider } from './decide.ts';
import type { PinpointEvent, PinpointFields } from './events.ts';

const { PinpointCreated: created, PinpointDeleted: deleted, PinpointRestored: restored } = sampleEvents;
const { account, pinpoint, fields } = created;
const create = { type: 'CreatePinpoint', account, pinpoint, fields, categoryExists: true } as const;
const edit = (asked: Partial<PinpointFields>) =>
  ({ type: 'EditPinpoint', account, pinpoint, fields: asked, categoryExists: true }) as const;
const remove = { type: 'DeletePinpoint', account, pinpoint } as const;

const pinpointWith = (...history: readonly PinpointEvent[]) => given(pinpointDecider, history);

describe('creating a pinpoint', () => {
  it('records all its fields', () => {
    pinpointWith().when(create).then(created);
  });

  it('is refused if the account does not have the category', () => {
    pinpointWith()
      .when({ ...create, categoryExists: false })
      .refuses('unknown-category');
  });

  it('is refused if the id was used before, even by a pinpoint that was deleted since', () => {
    pinpointWith(created).when(create).refuses('id-taken');
    pinpointWith(created, deleted).when(create).refuses('id-taken');
  });
});

describe('a pinpoint that was restored', () => {
  const earlier = { ...restored, fields: { ...fields, name: 'Earlier' } };

  it('has all the restored fields, whether it was deleted or not', () => {
    pinpointWith(created, deleted, earlier).when(edit(earlier.fields)).then();
    pinpointWith(created, earlier).when(edit(earlier.fields)).then();
  });

  it('can be deleted again', () => {
    pinpointWith(created, deleted, earlier).when(remove).then(deleted);
  });
});

describe('editing a pinpoint', () => {
  it('records only the changed fields', () => {
    pinpointWith(created)
      .when(edit({ ...fields, name: 'Mole light', tags: [] }))
      .then({ type: 'PinpointEdited', pinpoint, fields: { name: 'Mole light', tags: [] } });
  });

  it('records a removed value as null', () => {
    const bare = { altitude: null, category: null, media: null };
    pinpointWith(created).when(edit(bare)).then({ type: 'PinpointEdited', pinpoint, fields: bare });
  });

  it('records another file', () => {
    const media = { ...sampleFile, name: 'f'.repeat(32), digest: '0'.repeat(64) };
    pinpointWith(created).when(edit({ media })).then({ type: 'PinpointEdited', pinpoint, fields: { media } });
  });

  it('records nothing if nothing changes', () => {
    pinpointWith(created).when(edit(fields)).then();
    pinpointWith(created).when(edit({})).then();
  });

  it('records nothing for a file with the same bytes as the present one', () => {
    pinpointWith(created)
      .when(edit({ media: { ...sampleFile, name: 'f'.repeat(32) } }))
      .then();
  });

  it('compares with the latest edit, not with the creation', () => {
    const renamed: PinpointEvent = { type: 'PinpointEdited', pinpoint, fields: { name: 'Mole light' } };
    pinpointWith(created, renamed)
      .when(edit({ name: 'Mole light', address: fields.address }))
      .then();
    pinpointWith(created, renamed)
      .when(edit({ name: fields.name }))
      .then({ type: 'PinpointEdited', pinpoint, fields: { name: fields.name } });
  });

  it('is refused if the account does not have the category', () => {
    pinpointWith(created)
      .when({ ...edit({ category: 99 }), categoryExists: false })
      .refuses('unknown-category');
  });

  it('is refused if the pinpoint does not exist or is deleted', () => {
    pinpointWith().when(edit(fields)).refuses('not-found');
    pinpointWith(created, deleted).when(edit(fields)).refuses('not-found');
  });

  it('is forbidden for another account, whatever the request contains', () => {
    pinpointWith(created)
      .when({ ...edit({}), account: 'other' })
      .refuses('forbidden');
    pinpointWith(created)
      .when({ ...edit({ category: 99 }), account: 'other', categoryExists: false })
      .refuses('forbidden');
  });
});

describe('restoring a pinpoint', () => {
  const restore = { type: 'RestorePinpoint', account, pinpoint, fields } as const;
  const renamed: PinpointEvent = { type: 'PinpointEdited', pinpoint, fields: { name: 'Mole light' } };

  it('records all its fields, whether it is deleted or not', () => {
    pinpointWith(created, renamed).when(restore).then(restored);
    pinpointWith(created, renamed, deleted).when(restore).then(restored);
    pinpointWith(created, deleted).when(restore).then(restored);
  });

  it('records nothing if the pinpoint is present, and is as it was', () => {
    pinpointWith(created).when(restore).then();
    pinpointWith(created, deleted, restored).when(restore).then();
  });

  it("is refused if the pinpoint never existed, or is another account's, even a deleted one", () => {
    pinpointWith().when(restore).refuses('not-found');
    const foreign = { ...restore, account: 'other' };
    pinpointWith(created).when(foreign).refuses('forbidden');
    pinpointWith(created, deleted).when(foreign).refuses('forbidden');
  });
});

describe('deleting a pinpoint', () => {
  it('is recorded', () => {
    pinpointWith(created).when(remove).then(deleted);
  });

  it('is refused if the pinpoint does not exist or is deleted', () => {
    pinpointWith().when(remove).refuses('not-found');
    pinpointWith(created, deleted).when(remove).refuses('not-found');
  });

  it('is forbidden for another account, which gets "not found" once the pinpoint is deleted', () => {
    const foreign = { ...remove, account: 'other' };
    pinpointWith(created).when(foreign).refuses('forbidden');
    pinpointWith(created, deleted).when(foreign).refuses('not-found');
  });
});
