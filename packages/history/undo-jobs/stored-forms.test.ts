import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { operators } from '@waymark/event-log/seal.ts';
import { noProgress, sealUndoNote } from './notes.ts';
import { sealUndoEvent } from './stored-jobs.ts';

describe('what an undo job stores', () => {
  const { UndoStarted: started, UndoEnded: ended } = sampleEvents;
  const { account } = started;

  it('has the same content in a dry run, which is housekeeping', () => {
    for (const fact of [started, ended]) {
      const run = sealUndoEvent(fact, { account, origin: operators, isDryRun: false });
      const dryRun = sealUndoEvent(fact, { account, origin: operators, isDryRun: true });
      expect(dryRun.content).toBe(run.content);
      expect(run.envelope).toMatchObject({ type: fact.type, account });
      expect(dryRun.envelope).toMatchObject({ type: `DryRun${fact.type}`, version: 1, account: '' });
    }
  });

  it('notes how far it is in this form', () => {
    const { envelope, content } = sealUndoNote({ holder: 'a', progress: noProgress });
    expect(envelope).toMatchObject({ type: 'UndoProgressed', version: 1, account: '', actor: 'waymark' });
    expect(content).toBe(
      '{"holder":"a","progress":{"changes":null,"objects":null,"undone":0,"partly":0,"kept":0,"first":null,"last":null,"applications":[]}}',
    );
  });
});
