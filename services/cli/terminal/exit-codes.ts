/** The exit codes of the command line; `waymark --help` lists them. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  failed: { code: 1, meaning: 'an unexpected error' },
  usage: { code: 2, meaning: 'the command, an option or the configuration is wrong' },
  unreachable: { code: 3, meaning: 'the installation cannot be reached or started' },
  refused: { code: 4, meaning: 'refused, or not found' },
  faults: {
    code: 5,
    meaning: 'done, but faults were found: rows refused by load, findings of verify and audit verify, differences after import or rebuild',
  },
  interrupted: { code: 130, meaning: 'interrupted; load and import continue from there when run again' },
} as const;

export type Ending = keyof typeof exitCodes;

/** Ends the command. The message goes to stderr, and the ending selects the exit code. */
export class CommandFailed extends Error {
  readonly ending: Ending;
  constructor(ending: Ending, message: string, options?: ErrorOptions) {
    super(message, options);
    this.ending = ending;
  }
}
