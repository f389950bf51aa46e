import { sampleFile } from '../testing/samples.ts';
import { type ChangesToUndo, nothingKept, planRestore, planUndo, type Surroundings } from './plan.ts';

const current = { name: 'B', address: 'Mole 1', media: null };
const undone: ChangesToUndo = {
  kind: 'pinpoint',
  present: true,
  presence: undefined,
  isShared: false,
  current,
  before: {},
  setSince: [],
  memberships: [],
};
const nowhere: Surroundings = { missingFiles: new Set(), members: new Set(), pinpoints: new Set(), full: new Set() };

const undo = (changes: Partial<ChangesToUndo>, surroundings: Partial<Surroundings> = {}) =>
  planUndo({ ...undone, ...changes }, { ...nowhere, ...surroundings });
const untouched = { before: true, isChangedSince: false, isUsedSince: false };

describe('undoing a change of fields', () => {
  it('sets the values of before', () => {
    expect(undo({ before: { name: 'A' } })).toEqual({ steps: [{ type: 'edit', fields: { name: 'A' } }], kept: nothingKept });
  });

  it('keeps what others have set since, and reports it', () => {
    expect(undo({ before: { name: 'A' }, setSince: ['address'] })).toEqual({
      steps: [{ type: 'edit', fields: { name: 'A' } }],
      kept: { reason: 'changed-since', fields: ['address'], pinpoints: [] },
    });
  });

  it('has nothing to do where the values are those of before', () => {
    expect(undo({ before: { name: 'B' } })).toEqual({ steps: [], kept: nothingKept });
  });

  it('changes nothing of an object that was deleted since', () => {
    expect(undo({ present: false, before: { name: 'A' } })).toEqual({ steps: [], kept: { ...nothingKept, reason: 'deleted-since' } });
  });

  it('never names a file that is not stored any more', () => {
    const before = { name: 'A', media: sampleFile };
    expect(undo({ before })).toMatchObject({ steps: [{ fields: before }], kept: nothingKept });
    expect(undo({ before }, { missingFiles: new Set([sampleFile.name]) })).toEqual({
      steps: [{ type: 'edit', fields: { name: 'A' } }],
      kept: { reason: 'file-missing', fields: ['media'], pinpoints: [] },
    });
  });
});

describe('undoing a deletion', () => {
  const deleted = { present: false, presence: untouched };

  it('brings the object back with the fields that it had', () => {
    expect(undo(deleted)).toEqual({ steps: [{ type: 'restore', fields: current }], kept: nothingKept });
  });

  it('brings it back without the other changes that are undone', () => {
    const { steps } = undo({ ...deleted, before: { name: 'A' } });
    expect(steps).toEqual([{ type: 'restore', fields: { ...current, name: 'A' } }]);
  });

  it('has no effect on an object that others have brought back since', () => {
    const since = { ...untouched, isChangedSince: true };
    expect(undo({ presence: since })).toEqual({ steps: [], kept: { ...nothingKept, reason: 'changed-since' } });
    expect(undo({ present: false, presence: since })).toEqual({ steps: [], kept: { ...nothingKept, reason: 'deleted-since' } });
  });

  it('has nothing to do where the changes have brought it back themselves', () => {
    expect(undo({ presence: untouched })).toEqual({ steps: [], kept: nothingKept });
  });

  it('brings back what others have changed in between, although the changes have created it', () => {
    const kept = { ...nothingKept, reason: 'changed-since' };
    expect(undo({ ...deleted, isShared: true })).toEqual({ steps: [{ type: 'restore', fields: current }], kept });
    expect(undo({ before: { name: 'A' }, isShared: true })).toEqual({ steps: [], kept });
  });

  it('is not possible without its file', () => {
    const withFile = { ...deleted, current: { ...current, media: sampleFile } };
    expect(undo(withFile, { missingFiles: new Set([sampleFile.name]) })).toEqual({
      steps: [],
      kept: { reason: 'file-missing', fields: ['media'], pinpoints: [] },
    });
  });
});

describe('undoing a creation, or what brought an object back', () => {
  const presence = { ...untouched, before: false };

  it('deletes the object', () => {
    expect(undo({ presence })).toEqual({ steps: [{ type: 'delete' }], kept: nothingKept });
  });

  it('has nothing to do where the changes have deleted it themselves', () => {
    expect(undo({ present: false, presence })).toEqual({ steps: [], kept: nothingKept });
  });

  it.each([
    ['others have changed it since', {}, { isChangedSince: true }, 'changed-since'],
    ['others have changed it since and use it', {}, { isChangedSince: true, isUsedSince: true }, 'changed-since'],
    ['others have deleted it since', { present: false }, { isChangedSince: true }, 'deleted-since'],
    ['others use it', {}, { isUsedSince: true }, 'in-use'],
    ['it is a category', { kind: 'category' }, {}, 'never-deleted'],
  ] as const)('keeps it as it is if %s', (_, changes, since, reason) => {
    expect(undo({ ...changes, before: { name: 'A' }, presence: { ...presence, ...since } })).toEqual({
      steps: [],
      kept: { ...nothingKept, reason },
    });
  });
});

describe('undoing a change of members', () => {
  const list = { kind: 'list', current: { name: 'Lights' } } as const;
  const none = { revision: 1, added: [], removed: [], changedSince: [] };

  it('removes those that were added, and adds those that were removed: one step for each event', () => {
    const memberships = [
      { ...none, added: [3, 12] },
      { ...none, revision: 4, removed: [7] },
    ];
    const known = { members: new Set([3, 12]), pinpoints: new Set([7]) };
    expect(undo({ ...list, memberships }, known)).toEqual({
      steps: [
        { type: 'remove', undoes: 1, pinpoints: [3, 12] },
        { type: 'add', undoes: 4, pinpoints: [7] },
      ],
      kept: nothingKept,
    });
  });

  it('keeps members that others have added again, and does not add those that others have removed again', () => {
    const memberships = [{ ...none, added: [3, 12, 13], changedSince: [12] }];
    expect(undo({ ...list, memberships }, { members: new Set([3, 12]) })).toEqual({
      steps: [{ type: 'remove', undoes: 1, pinpoints: [3] }],
      kept: { reason: 'changed-since', fields: [], pinpoints: [12, 13] },
    });
  });

  it.each([
    ['that others have added since', { members: new Set([7]), pinpoints: new Set([7]) }, [], 'changed-since'],
    ['that others have added and removed since', { pinpoints: new Set([7]) }, [7], 'changed-since'],
    ['that is deleted', {}, [], 'deleted-since'],
    ['that is in as many lists as it may be', { pinpoints: new Set([7]), full: new Set([7]) }, [], 'limit'],
  ] as const)('does not add a pinpoint %s', (_, known, changedSince, reason) => {
    expect(undo({ ...list, memberships: [{ ...none, removed: [7], changedSince }] }, known)).toEqual({
      steps: [],
      kept: { reason, fields: [], pinpoints: [7] },
    });
  });
});

describe('restoring a version', () => {
  it('sets all fields', () => {
    expect(planRestore(current, nowhere)).toEqual({ steps: [{ type: 'restore', fields: current }], kept: nothingKept });
  });

  it('is not possible without its file', () => {
    const plan = planRestore({ ...current, image: sampleFile }, { missingFiles: new Set([sampleFile.name]) });
    expect(plan).toEqual({ steps: [], kept: { reason: 'file-missing', fields: ['image'], pinpoints: [] } });
  });
});
