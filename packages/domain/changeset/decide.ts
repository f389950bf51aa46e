import { type Decider, type Decision, happened, refused } from '../decider.ts';
import type { ChangesetCommand, ChangesetRefusal } from './commands.ts';
import type { ChangesetEvent } from './events.ts';
import { type ChangesetState, evolve, initial } from './state.ts';

export const decide = (changeset: ChangesetState, command: ChangesetCommand): Decision<ChangesetEvent, ChangesetRefusal> => {
  switch (command.type) {
    case 'OpenChangeset': {
      if (changeset.status !== 'absent') return refused('id-taken');
      return happened({
        type: 'ChangesetOpened',
        account: command.account,
        changeset: command.changeset,
        comment: command.comment,
        by: command.by,
      });
    }
  }
};

/** The types of the aggregate. */
export type Changeset = {
  readonly state: ChangesetState;
  readonly command: ChangesetCommand;
  readonly event: ChangesetEvent;
  readonly refusal: ChangesetRefusal;
};

export const changesetDecider: Decider<Changeset> = {
  initial,
  evolve,
  decide,
};
