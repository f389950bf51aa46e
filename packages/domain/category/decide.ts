import { type Decider, type Decision, happened, refused } from '../decider.ts';
import { changes, isEmpty } from '../fields.ts';
import type { CategoryCommand, CategoryRefusal } from './commands.ts';
import type { CategoryEvent } from './events.ts';
import { type CategoryState, evolve, initial } from './state.ts';

export const decide = (category: CategoryState, command: CategoryCommand): Decision<CategoryEvent, CategoryRefusal> => {
  switch (command.type) {
    case 'CreateCategory': {
      if (category.status !== 'absent') return refused('id-taken');
      return happened({
        type: 'CategoryCreated',
        account: command.account,
        category: command.category,
        fields: command.fields,
      });
    }
    case 'EditCategory': {
      if (category.status !== 'present') return refused('not-found');
      if (category.account !== command.account) return refused('forbidden');
      const changed = changes(category.fields, command.fields);
      return isEmpty(changed) ? happened() : happened({ type: 'CategoryEdited', category: command.category, fields: changed });
    }
  }
};

/** The types of the aggregate. */
export type Category = {
  readonly state: CategoryState;
  readonly command: CategoryCommand;
  readonly event: CategoryEvent;
  readonly refusal: CategoryRefusal;
};

export const categoryDecider: Decider<Category> = {
  initial,
  evolve,
  decide,
};
