import { isUuid } from '@waymark/domain/uuid.ts';
import { undoEventId } from './event-ids.ts';

describe('the id of an event that a job appends', () => {
  it('is the same UUID each time', () => {
    // Stored in events: never change it, because a job may have been begun by another release.
    expect(undoEventId('3f1c2c1e-8f7d-4b8a-9a55-0c6b7a9c4321', 'list-7', 3)).toBe('43921b53-8c9a-8218-8b26-59613d74e41f');
  });

  it('differs by job, stream and step', () => {
    const ids = [
      undoEventId('a', 'list-7', 3),
      undoEventId('b', 'list-7', 3),
      undoEventId('a', 'list-8', 3),
      undoEventId('a', 'list-7', null),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every(isUuid)).toBe(true);
  });
});
