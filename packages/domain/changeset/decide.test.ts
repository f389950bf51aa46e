import { given } from '../testing/given.ts';
import { sampleEvents } from '../testing/samples.ts';
import { changesetDecider } from './decide.ts';
import type { ChangesetEvent } from './events.ts';

const { ChangesetOpened: opened, ChangesetRedacted: redacted } = sampleEvents;
const open = { ...opened, type: 'OpenChangeset' } as const;

const changesetWith = (...history: readonly ChangesetEvent[]) => given(changesetDecider, history);

describe('opening a changeset', () => {
  it('records its comment and the person', () => {
    changesetWith().when(open).then(opened);
  });

  it('is refused if the id was used before, also if its comment was erased', () => {
    changesetWith(opened).when(open).refuses('id-taken');
    changesetWith(redacted).when(open).refuses('id-taken');
  });
});
