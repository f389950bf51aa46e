import { given } from '../testing/given.ts';
import { sampleEvents, sampleUndoLine } from '../testing/samples.ts';
import { undoDecider, undoLinesMax } from './decide.ts';
import type { UndoEvent } from './events.ts';

const { UndoStarted: started, UndoReported: reported, UndoEnded: ended } = sampleEvents;
const start = { ...started, type: 'StartUndo' } as const;
const report = { ...reported, type: 'ReportUndo' } as const;
const end = { type: 'EndUndo', undo: started.undo, reason: null } as const;

const undoWith = (...history: readonly UndoEvent[]) => given(undoDecider, history);

describe('starting an undo', () => {
  it('records what it undoes', () => {
    undoWith().when(start).then(started);
  });

  it('is refused if the id was used before', () => {
    undoWith(started).when(start).refuses('id-taken');
    undoWith(started, ended).when(start).refuses('id-taken');
  });
});

describe('reporting an undo', () => {
  it('records what was done to each object', () => {
    undoWith(started).when(report).then(reported);
    undoWith(started, reported).when(report).then(reported);
  });

  it('records nothing without a line', () => {
    undoWith(started)
      .when({ ...report, lines: [] })
      .then();
  });

  it('is refused before the start, after the end, and with too many lines', () => {
    undoWith().when(report).refuses('not-running');
    undoWith(started, ended).when(report).refuses('not-running');
    const lines = Array.from({ length: undoLinesMax + 1 }, () => sampleUndoLine);
    undoWith(started)
      .when({ ...report, lines })
      .refuses('too-many-lines');
  });
});

describe('ending an undo', () => {
  it('records that it is done, or why it stopped', () => {
    undoWith(started, reported).when(end).then(ended);
    undoWith(started)
      .when({ ...end, reason: 'application-suspended' })
      .then({ ...ended, outcome: 'stopped', reason: 'application-suspended' });
  });

  it('is refused before the start, and a second time', () => {
    undoWith().when(end).refuses('not-running');
    undoWith(started, ended).when(end).refuses('not-running');
  });
});
