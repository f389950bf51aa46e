/** What an undo did to an object. Only ids and names: values are read where the report is shown. Stored in events: never rename a field. */
export type UndoLine = {
  /** The stream of the object, for example `pinpoint-12`. */
  readonly object: string;
  /** `undone`: all of it; `partly`: something was kept; `kept`: nothing was changed. */
  readonly outcome: 'undone' | 'partly' | 'kept';
  /** The revision of the event that the undo appended; null: none. */
  readonly revision: number | null;
  /** A code that says why something was kept; null: nothing was. */
  readonly reason: string | null;
  /** The fields that were kept, because others have changed them since. */
  readonly fields: readonly string[];
  /** Of a list: the ids of pinpoints whose membership was kept, because others have changed it since. */
  readonly pinpoints: readonly number[];
};

/** A job that undoes all changes of a correlation, or all changes that an application made in a span of time. */
export type UndoEvent =
  | {
      readonly type: 'UndoStarted';
      readonly account: string;
      /** A UUID, which is also the correlation of the changes that the job makes. */
      readonly undo: string;
      readonly correlation: string | null;
      readonly application: string | null;
      /** ISO 8601, UTC, milliseconds; null: no limit. */
      readonly from: string | null;
      readonly to: string | null;
      /** The id of the account's last event that the job takes into account. */
      readonly through: string;
    }
  | { readonly type: 'UndoReported'; readonly undo: string; readonly lines: readonly UndoLine[] }
  /** `reason`: a code that says why the job stopped; null if it is done. */
  | { readonly type: 'UndoEnded'; readonly undo: string; readonly outcome: 'done' | 'stopped'; readonly reason: string | null };

export const undoEventVersions: Record<UndoEvent['type'], number> = { UndoStarted: 1, UndoReported: 1, UndoEnded: 1 };
