import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { ProofReads } from '@waymark/proof-store/proof-store.ts';

/** What proofs and exports are made from. */
export type ProofOptions = {
  /** The trees, which are not trusted: each proof is verified before it is returned. */
  readonly reads: ProofReads;
  /** The log, which has the contents. */
  readonly log: Pick<EventLog, 'read' | 'owners' | 'lastRevisions'>;
};
