/** The metrics that each process of a cluster reports on its operator port (`GET /operator/figures`). During a rolling update, processes of
 * two releases report to one operator service. Sent: never rename a field. */
export type FiguresResponse = {
  readonly service: string;
  readonly pid: number;
  readonly release: string;
  readonly ready: boolean;
  readonly missing: readonly string[];
  readonly warnings: readonly string[];
  readonly memoryBytes: number;
  readonly uptimeSeconds: number;
} & PartFiguresResponse;

/** The fields that only some processes report. Sent: never rename a field. */
export type PartFiguresResponse = {
  /** The base URL of the API, if the process serves it. */
  readonly api?: string;
  /** The incarnation of the log that the process uses. */
  readonly incarnation?: string | undefined;
  readonly writes?: string;
  /** The state of each engine, by its name. */
  readonly engines?: Readonly<Record<string, string>>;
  /** The public keys of the notary, the newest one first. */
  readonly verifierKeys?: readonly string[];
} & Partial<RelayFiguresResponse> &
  Partial<ProjectorFiguresResponse>;

/** The fields of the relay. Sent: never rename a field. */
export type RelayFiguresResponse = {
  readonly active: boolean;
  readonly trouble: string | undefined;
  readonly incarnation: string | undefined;
  readonly head: number;
  readonly reached: number;
  readonly positions: readonly number[];
  readonly events: number;
  readonly watermarks: number;
  readonly sessions: number;
  readonly failures: number;
};

/** The fields of a projector. Sent: never rename a field. */
export type ProjectorFiguresResponse = {
  readonly projections: readonly {
    readonly generation: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly position: number;
      readonly behind: number;
      readonly lagSeconds: number;
      readonly standing: string | undefined;
    }[];
    readonly totals: {
      readonly batches: number;
      readonly events: number;
      readonly filled: number;
      readonly skipped: number;
      readonly missed: number;
      readonly conflicts: number;
      readonly failures: number;
      readonly scans: number;
    };
    readonly lag: { readonly counts: readonly number[]; readonly sum: number };
  }[];
};
