import { someInstallation, someSigner } from '@waymark/broker/testing/some-records.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import type { KnownFacts } from '../facts/facts.ts';
import { type FactsStore, openFacts, sealedCharactersMax, sealFacts } from '../facts/store.ts';

/** A store of facts, and what an attacker with write access can do to it. */
export type FactsStoreUnderTest = FactsStore & {
  /** Writes a text, whatever the store holds. */
  readonly forge: (text: string) => Promise<void>;
  /** Writes bytes that are not text. */
  readonly damage: () => Promise<void>;
};

export const someFacts: KnownFacts = {
  incarnation: 'some-log',
  head: 500,
  event: '00000000-0000-4000-8000-00000000000e',
  stream: 'pinpoint-7',
  revision: 3,
  ids: { pinpoint: 200, list: 100, category: 0, happening: 0 },
};

const sealed = (facts: Partial<KnownFacts> = {}) => sealFacts(someSigner, someInstallation, { ...someFacts, ...facts });
const otherSigner = createSigner(['the key of another installation, not of ours']);
const otherInstallation = '00000000-0000-4000-8000-000000000002';

/** Texts that an attacker with write access to the store, but without a key, may write. */
const forgeries: readonly (readonly [string, () => string])[] = [
  ['facts without a signature', () => JSON.stringify(someFacts)],
  ['facts with another signature', () => `${'A'.repeat(32)}${sealed().slice(32)}`],
  ['facts that were altered', () => sealed().replace('"head":500', '"head":501')],
  ['facts that were signed with another key', () => sealFacts(otherSigner, someInstallation, someFacts)],
  ['facts of another installation that were signed with the same key', () => sealFacts(someSigner, otherInstallation, someFacts)],
  ['an empty text', () => ''],
  ['a truncated text', () => sealed().slice(0, -1)],
  ['bytes that are not text', () => '\u00ff\u0000\u0007'],
  ['a text that is too long', () => sealed().padEnd(sealedCharactersMax + 5)],
];

/** Defines what every store of facts must do.
 * @param open returns an empty store */
export const factsStoreContract = (open: () => Promise<FactsStoreUnderTest>): void => {
  const opened = async (store: FactsStore) => openFacts(someSigner, someInstallation, await store.read());

  it('is empty at first', async () => expect(await (await open()).read()).toBeUndefined());

  it('returns the text that was written last', async () => {
    const store = await open();
    expect(await store.replace(undefined, sealed())).toBe(true);
    expect(await opened(store)).toEqual(someFacts);
    expect(await store.replace(await store.read(), sealed({ head: 501 }))).toBe(true);
    expect(await opened(store)).toEqual({ ...someFacts, head: 501 });
  });

  it('keeps its current text where the caller has read an earlier one', async () => {
    const store = await open();
    await store.replace(undefined, sealed());
    const before = await store.read();
    await store.replace(before, sealed({ head: 900 }));
    expect([await store.replace(before, sealed({ head: 501 })), await store.replace(undefined, sealed())]).toEqual([false, false]);
    expect(await opened(store)).toEqual({ ...someFacts, head: 900 });
  });

  it('accepts one of many simultaneous writes', async () => {
    const store = await open();
    for (const before of [undefined, sealed({ head: 1 })]) {
      if (before !== undefined) await store.forge(before);
      const written = await Promise.all(Array.from({ length: 8 }, (_, nth) => store.replace(before, sealed({ head: 10 + nth }))));
      expect(written.filter(Boolean)).toHaveLength(1);
      expect(await opened(store)).toMatchObject({ head: 10 + written.indexOf(true) });
    }
  });

  it.each(forgeries)('returns no facts after an attacker has written %s, and can be written again', async (_, forgery) => {
    const store = await open();
    await store.replace(undefined, sealed());
    await store.forge(forgery());
    expect(await opened(store)).toBeUndefined();
    expect(await store.replace(await store.read(), sealed({ head: 501 }))).toBe(true);
    expect(await opened(store)).toMatchObject({ head: 501 });
  });

  it('can be written again after an attacker has left bytes that are not text', async () => {
    const store = await open();
    await store.damage();
    const before = await store.read().catch(() => undefined);
    expect(await store.replace(before, sealed())).toBe(true);
    expect(await opened(store)).toEqual(someFacts);
  });
};
