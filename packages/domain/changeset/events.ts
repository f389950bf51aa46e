import type { ErasureSummary } from '../erasure-summary.ts';

/** A changeset groups changes: the events with its id as their correlation. */
export type ChangesetEvent =
  | {
      readonly type: 'ChangesetOpened';
      readonly account: string;
      /** A UUID. */
      readonly changeset: string;
      /** Why the changes are made. */
      readonly comment: string;
      /** The person who makes them, as the application claims; empty: not given. */
      readonly by: string;
    }
  /** Comment and person were erased. */
  | { readonly type: 'ChangesetRedacted'; readonly account: string; readonly changeset: string; readonly summary: ErasureSummary };

export const changesetEventVersions: Record<ChangesetEvent['type'], number> = { ChangesetOpened: 1, ChangesetRedacted: 1 };
