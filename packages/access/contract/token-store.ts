import { sampleToken } from '../testing/sample-token.ts';
import type { TokenStore } from '../tokens/token-store.ts';

/** Tests the contract of every token store. `make` returns an empty store. */
export const tokensContract = (adapter: string, make: () => TokenStore | Promise<TokenStore>): void => {
  describe(`${adapter}: a store of tokens`, () => {
    let tokens: TokenStore;
    beforeEach(async () => {
      tokens = await make();
    });

    it('finds a token as it was saved', async () => {
      const record = sampleToken();
      await tokens.save(record);
      expect(await tokens.find(record.hash, nowMs)).toEqual(record);
    });

    it('keeps the scopes of a token in their order, be it none', async () => {
      for (const scopes of [['read', 'write'], ['write', 'read', 'audit'], ['read'], []] as const) {
        const record = sampleToken({ scopes });
        await tokens.save(record);
        expect((await tokens.find(record.hash, nowMs))?.scopes).toEqual(scopes);
      }
    });

    it('finds nothing by a hash that was never saved, however near', async () => {
      const record = sampleToken();
      await tokens.save(record);
      const { hash } = record;
      const others = [sampleToken().hash, '', hash.slice(1), `${hash}A`, hash.toUpperCase(), `${hash}\0`, '%', record.id];
      for (const other of others) expect(await tokens.find(other, nowMs)).toBeUndefined();
    });

    it('finds a token until the millisecond in which it expires, and never again', async () => {
      const record = sampleToken();
      await tokens.save(record);
      expect(await tokens.find(record.hash, record.expiresAtMs - 1)).toEqual(record);
      expect(await tokens.find(record.hash, record.expiresAtMs)).toBeUndefined();
      expect(await tokens.find(record.hash, record.expiresAtMs + 1_000_000)).toBeUndefined();
    });

    it('finds no token that was expired when it was saved', async () => {
      const record = sampleToken({ expiresAtMs: nowMs });
      await tokens.save(record);
      expect(await tokens.find(record.hash, nowMs)).toBeUndefined();
    });

    it('finds a revoked token no more, and all the others still', async () => {
      const [revoked, other] = [sampleToken(), sampleToken()];
      await tokens.save(revoked);
      await tokens.save(other);
      await tokens.revoke(revoked.hash);
      expect(await tokens.find(revoked.hash, nowMs)).toBeUndefined();
      expect(await tokens.find(other.hash, nowMs)).toEqual(other);
    });

    it('does not mind a revocation of what is not there', async () => {
      const record = sampleToken();
      await tokens.revoke(record.hash);
      await tokens.save(record);
      expect(await tokens.find(record.hash, nowMs)).toEqual(record);
      await tokens.revoke(record.hash);
      await tokens.revoke(record.hash);
      expect(await tokens.find(record.hash, nowMs)).toBeUndefined();
    });

    it('takes a token again, as after an answer that was lost', async () => {
      const record = sampleToken();
      await tokens.save(record);
      await tokens.save(record);
      expect(await tokens.find(record.hash, nowMs)).toEqual(record);
      await tokens.revoke(record.hash);
      expect(await tokens.find(record.hash, nowMs)).toBeUndefined();
    });

    it('keeps apart what comes at once', async () => {
      const records = Array.from({ length: 600 }, (_, index) => sampleToken({ application: `app-${index}` }));
      await Promise.all(records.map((record) => tokens.save(record)));
      const revoked = records.filter((_, index) => index % 3 === 0);
      await Promise.all(revoked.map(({ hash }) => tokens.revoke(hash)));
      const found = await Promise.all(records.map(({ hash }) => tokens.find(hash, nowMs)));
      expect(found).toEqual(records.map((record) => (revoked.includes(record) ? undefined : record)));
    });
  });
};

const nowMs = Date.UTC(2026, 5, 1);
