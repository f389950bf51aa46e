import type { Signer } from '@waymark/signing/signer.ts';
import type { LogState } from '../event-log.ts';
import { createFactsCheck, type StoreFacts } from './check.ts';
import { type Finding, isLater, isRolledBack, type KnownFacts } from './facts.ts';
import type { KnownLog } from './known-log.ts';
import { type FactsStore, openFacts, sealFacts } from './store.ts';

/** Compares the facts in a store with the log, and updates the store. */
export type FactsKeeper = {
  /** Reads the store; has to be called before the log is read. An unavailable store counts as empty.
   * @returns a function that compares the facts with the log, and writes to the store only where the log has all that the store names */
  readonly readStore: (further?: readonly StoreFacts[]) => Promise<(state: LogState) => Promise<Finding>>;
  /** Returns the facts of the log at the last comparison, signed; undefined before that, and where the log was rolled back. */
  readonly sealed: () => string | undefined;
};

export type FactsKeeperOptions = {
  readonly store: FactsStore;
  /** The name of the store. */
  readonly name: string;
  readonly log: KnownLog;
  readonly signer: Signer;
};

type Made = { readonly facts: KnownFacts; readonly installation: string; readonly text: string };

export const createFactsKeeper = ({ store, name, log, signer }: FactsKeeperOptions): FactsKeeper => {
  const check = createFactsCheck(log);
  let made: Made | undefined;
  let fits = false;

  const present = async ({ head, incarnation, installation }: LogState): Promise<Made> => {
    const isSame = made?.facts.incarnation === incarnation && made.facts.head >= head && made.installation === installation;
    if (made !== undefined && isSame) return made;
    const facts = await log.facts();
    return { facts, installation, text: sealFacts(signer, installation, facts) };
  };

  const keep = async (text: string | undefined, further: readonly StoreFacts[], state: LogState): Promise<Finding> => {
    const { installation } = state;
    const kept = openFacts(signer, installation, text);
    const finding: Finding = kept === undefined ? 'fits' : await check({ source: name, facts: kept }, state);
    if (isRolledBack(finding)) return finding;
    const own = made?.installation === installation ? [{ source: 'memory', facts: made.facts }] : [];
    for (const known of [...further, ...own]) {
      const findings = await check(known, state);
      if (!isRolledBack(findings)) continue;
      await store.replace(text, sealFacts(signer, installation, known.facts)).catch(() => false);
      return findings;
    }
    made = await present(state);
    if (kept === undefined || finding === 'former' || isLater(made.facts, kept)) await store.replace(text, made.text).catch(() => false);
    return 'fits';
  };

  return {
    readStore: async (further = []) => {
      const text = await store.read().catch(() => undefined);
      return async (state) => {
        const finding = await keep(text, further, state);
        fits = !isRolledBack(finding);
        return finding;
      };
    },
    sealed: () => (fits ? made?.text : undefined),
  };
};
