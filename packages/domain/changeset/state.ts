import type { ChangesetEvent } from './events.ts';

export type ChangesetState = { readonly status: 'absent' } | { readonly status: 'open'; readonly account: string };

export const initial: ChangesetState = { status: 'absent' };

export const evolve = (_: ChangesetState, event: ChangesetEvent): ChangesetState => {
  switch (event.type) {
    case 'ChangesetOpened':
    case 'ChangesetRedacted':
      return { status: 'open', account: event.account };
  }
};
