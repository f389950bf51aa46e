import { accountStates } from './account-states.ts';
import { described, type Entry, type Fact, isWrite } from './history.ts';
import { findingsOfReads } from './judge-reads.ts';
import { findingsOfWrites } from './judge-writes.ts';
import { operationsOf } from './operations.ts';

export type History = {
  readonly entries: readonly Entry[];
  /** The facts of each account in the log, by account name. */
  readonly facts: ReadonlyMap<string, readonly Fact[]>;
  /** Whether readers of two versions of the read models answered. */
  readonly twoVersions?: boolean;
};

/** Returns everything that is wrong with the responses, as text; empty if all promises were kept. */
export const judge = ({ entries, facts, twoVersions = false }: History): readonly string[] => {
  const findings: string[] = [];
  for (const account of new Set(entries.map((entry) => entry.account))) {
    const own = entries.filter((entry) => entry.account === account);
    const recorded = facts.get(account) ?? [];
    const operations = operationsOf(own, recorded);
    const states = accountStates(recorded);
    findings.push(
      ...own.filter(({ result }) => result.type === 'wrong').map((entry) => `no response of the contract: ${described(entry)}`),
      ...findingsOfWrites(operations, recorded, states),
      ...findingsOfReads({ entries: own.filter(({ requested }) => !isWrite(requested)), operations, states, twoVersions }),
      ...findingsOfTags(own),
    );
  }
  return findings;
};

/** Checks that an object never has the same entity tag with two values. */
const findingsOfTags = (entries: readonly Entry[]): readonly string[] => {
  const values = new Map<string, string>();
  const findings: string[] = [];
  for (const entry of entries) {
    const tagged = taggedIn(entry);
    if (tagged === undefined) continue;
    const known = values.get(tagged.key);
    if (known !== undefined && known !== tagged.value) findings.push(`its entity tag belonged to ${known} before: ${described(entry)}`);
    values.set(tagged.key, tagged.value);
  }
  return findings;
};

const taggedIn = ({ requested, result }: Entry): { readonly key: string; readonly value: string } | undefined => {
  if (result.type === 'seen' && requested.type === 'one' && result.etag !== undefined)
    return { key: `${requested.kind}/${requested.id} ${result.etag}`, value: result.objects[0]?.value ?? '' };
  if (result.type !== 'done' || result.etag === undefined || (requested.type !== 'create' && requested.type !== 'edit')) return undefined;
  const id = requested.type === 'edit' ? requested.id : result.id;
  return { key: `${requested.kind}/${id} ${result.etag}`, value: requested.value };
};
