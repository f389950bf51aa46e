import { given } from '../testing/given.ts';
import { sampleEvents } from '../testing/samples.ts';
import type { ListCommand } from './commands.ts';
import { listDecider } from './decide.ts';
import type { ListEvent, ListFields, NotAdded } from './events.ts';

const {
  ListCreated: created,
  ListDeleted: deleted,
  ListRestored: restored,
  ListMembersRestated: restated,
  ListRedacted: afterPieces,
} = sampleEvents;
const { account, list, fields } = created;
const create = { type: 'CreateList', account, list, fields } as const;
const edit = (asked: Partial<ListFields>) => ({ type: 'EditList', account, list, fields: asked }) as const;
const remove = { type: 'DeleteList', account, list } as const;
const addTo = (pinpoints: readonly number[], notAdded: readonly NotAdded[] = []) =>
  ({ type: 'AddPinpoints', account, list, pinpoints, notAdded }) as const;
const takeFrom = (...pinpoints: readonly number[]) => ({ type: 'RemovePinpoints', account, list, pinpoints }) as const;

const added = (pinpoints: readonly number[], notAdded: readonly NotAdded[] = []): ListEvent => ({
  type: 'PinpointsAdded',
  list,
  pinpoints,
  notAdded,
});
const removed = (...pinpoints: readonly number[]): ListEvent => ({ type: 'PinpointsRemoved', list, pinpoints });

const listWith = (...history: readonly ListEvent[]) => given(listDecider, history);

describe('creating a list', () => {
  it('records its fields', () => {
    listWith().when(create).then(created);
  });

  it('is refused if the id was used before, even by a list that was deleted since', () => {
    listWith(created).when(create).refuses('id-taken');
    listWith(created, deleted).when(create).refuses('id-taken');
  });
});

describe('editing a list', () => {
  it('records only the changed fields', () => {
    listWith(created)
      .when(edit({ ...fields, description: '' }))
      .then({ type: 'ListEdited', list, fields: { description: '' } });
  });

  it('records nothing if nothing changes', () => {
    listWith(created).when(edit(fields)).then();
    listWith(created, { type: 'ListEdited', list, fields: { name: 'Lights' } })
      .when(edit({ name: 'Lights' }))
      .then();
  });

  it('does not change the members', () => {
    listWith(created, added([12]), { type: 'ListEdited', list, fields: { name: 'Lights' } })
      .when(addTo([12]))
      .then();
  });
});

describe('deleting a list', () => {
  it('is recorded with or without members', () => {
    listWith(created).when(remove).then(deleted);
    listWith(created, added([12]))
      .when(remove)
      .then(deleted);
  });
});

describe('restoring a list', () => {
  const restore = { type: 'RestoreList', account, list, fields } as const;

  it('records its fields, whether it is deleted or not', () => {
    listWith(created, { type: 'ListEdited', list, fields: { name: 'Lights' } })
      .when(restore)
      .then(restored);
    listWith(created, added([12]), deleted)
      .when(restore)
      .then(restored);
  });

  it('records nothing if the list is present and has these fields, whatever its members are', () => {
    listWith(created, added([12]))
      .when(restore)
      .then();
  });

  it("is refused if the list never existed, or is another account's, even a deleted one", () => {
    listWith().when(restore).refuses('not-found');
    listWith({ ...restated, members: [3] })
      .when(restore)
      .refuses('not-found');
    listWith(created, deleted)
      .when({ ...restore, account: 'other' })
      .refuses('forbidden');
  });
});

describe('adding pinpoints to a list', () => {
  it('records them in the requested order', () => {
    listWith(created)
      .when(addTo([12, 3, 7]))
      .then(added([12, 3, 7]));
  });

  it('records only those that are not members yet', () => {
    listWith(created, added([12]))
      .when(addTo([12, 3]))
      .then(added([3]));
  });

  it('records nothing if all are already members', () => {
    listWith(created, added([12, 3]))
      .when(addTo([3, 12]))
      .then();
  });

  it('records the pinpoints that could not be added together with the added ones', () => {
    const notAdded: NotAdded[] = [
      { pinpoint: 99, reason: 'not_found' },
      { pinpoint: 98, reason: 'limit' },
    ];
    listWith(created)
      .when(addTo([12], notAdded))
      .then(added([12], notAdded));
  });

  it('records nothing if none can be added, or if the request names none', () => {
    listWith(created)
      .when(addTo([], [{ pinpoint: 99, reason: 'not_found' }]))
      .then();
    listWith(created).when(addTo([])).then();
  });

  it('records a pinpoint again that was removed in between', () => {
    listWith(created, added([12]), removed(12))
      .when(addTo([12]))
      .then(added([12]));
  });
});

describe('removing pinpoints from a list', () => {
  it('records only those that are members', () => {
    listWith(created, added([12, 3]))
      .when(takeFrom(99, 3))
      .then(removed(3));
  });

  it('records nothing if none is a member, or if the request names none', () => {
    listWith(created, added([12]), removed(12))
      .when(takeFrom(12))
      .then();
    listWith(created, added([12]))
      .when(takeFrom())
      .then();
  });

  it('keeps the other members', () => {
    listWith(created, added([12, 3]), removed(3))
      .when(takeFrom(12))
      .then(removed(12));
  });
});

describe('a list that was restored', () => {
  it('has the restored fields, and the members that it had when it was deleted', () => {
    const fields = { name: 'Lights', description: '' };
    const list = listWith(created, added([12, 3]), removed(3), deleted, { ...restored, fields });
    list.when(edit(fields)).then();
    list.when(addTo([12, 3])).then(added([3]));
  });

  it('keeps its present members if it was not deleted', () => {
    listWith(created, added([12]), restored)
      .when(addTo([12]))
      .then();
  });
});

describe('a list whose earlier events were erased', () => {
  const first: ListEvent = { ...restated, from: 1, to: 10, members: [3] };
  const second: ListEvent = { ...restated, from: 11, to: 20, members: [12] };
  const { restatedFrom: _, ...rest } = { restatedFrom: 0, ...afterPieces };
  const withMembers: ListEvent = { ...rest, members: [12] };

  it('has the members that one event restates', () => {
    listWith(withMembers)
      .when(addTo([12, 3]))
      .then(added([3]));
  });

  it('has the members that several events restate, each for its range, as other events between them leave them', () => {
    const list = listWith(first, added([5, 15]), removed(3), second, afterPieces);
    list.when(addTo([3, 5, 12, 15])).then(added([3, 15]));
  });

  it('has them again if it was deleted and is restored', () => {
    listWith(first, second, { ...afterPieces, fields: null }, restored)
      .when(addTo([3, 12, 4]))
      .then(added([4]));
  });

  it('changes nothing while its events are still there', () => {
    listWith(created, added([3, 12]), first, second)
      .when(addTo([3, 12]))
      .then();
  });
});

describe.each<ListCommand>([edit(fields), remove, addTo([12]), addTo([]), takeFrom(12)])('$type', (command) => {
  it('is refused if the list does not exist or is deleted', () => {
    listWith().when(command).refuses('not-found');
    listWith(created, deleted).when(command).refuses('not-found');
  });

  it('is forbidden for another account, which gets "not found" once the list is deleted', () => {
    const foreign = { ...command, account: 'other' };
    listWith(created).when(foreign).refuses('forbidden');
    listWith(created, deleted).when(foreign).refuses('not-found');
  });
});
