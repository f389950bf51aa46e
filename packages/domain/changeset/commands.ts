export type ChangesetCommand = {
  readonly type: 'OpenChangeset';
  readonly account: string;
  readonly changeset: string;
  readonly comment: string;
  readonly by: string;
};

export type ChangesetRefusal = 'id-taken';
