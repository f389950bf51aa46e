import { sampleToken } from '../testing/sample-token.ts';
import type { TokenStore } from '../tokens/token-store.ts';

/** Tests the contract of every token store. `make` returns an empty store. */
export const tokensContract = (adapter: string, make: () => TokenStore | Promise<TokenStore>): void => {
  describe(`${adapter}: a token store`, () => {
    let tokens: TokenStore;
    beforeEach(async () => {
      tokens = await make();
    });

    it('finds a saved token unchanged', async () => {
      const record = sampleToken();
      await tokens.save(record);
      expect(await tokens.find(record.hash, nowMs)).toEqual(record);
    });

    it('keeps the scopes of a token in their order, also an empty list', async () => {
      for (const scopes of [['read', 'write'], ['write', 'read', 'audit'], ['read'], []] as const) {
        const record = sampleToken({ scopes });
        await tokens.save(record);
        expect((await tokens.find(record.hash, nowMs))?.scopes).toEqual(scopes);
      }
    });

    it('finds nothing by a hash that was never saved, however similar', async () => {
      const record = sampleToken();
      await tokens.save(record);
      const { hash } = record;
      const others = [sampleToken().hash, '', hash.slice(1), `${hash}A`, hash.toUpperCase(), `${hash}\0`, '%', record.id];
      for (const other of others) expect(await tokens.find(other, nowMs)).toBeUndefined();
    });

    it('finds a token until the millisecond in which it expires, and not afterwards', async () => {
      const record = sampleToken();
      await tokens.save(record);
      expect(await tokens.find(record.hash, record.expiresAtMs - 1)).toEqual(record);
      expect(await tokens.find(record.hash, record.expiresAtMs)).toBeUndefined();
      expect(await tokens.find(record.hash, record.expiresAtMs + 1_000_000)).toBeUndefined();
    });

    it('does not find a token that had already expired when it was saved', async () => {
      const record = sampleToken({ expiresAtMs: nowMs });
      await tokens.save(record);
      expect(await tokens.find(record.hash, nowMs)).toBeUndefined();
    });

    it('does not find a revoked token, and still finds all others', async () => {
      const [revoked, other] = [sampleToken(), sampleToken()];
      await tokens.save(revoked);
      await tokens.save(other);
      await tokens.revoke(revoked.hash);
      expect(await tokens.find(revoked.hash, nowMs)).toBeUndefined();
      expect(await tokens.find(other.hash, nowMs)).toEqual(other);
    });

    it('ignores the revocation of a token that does not exist', async () => {
      const record = sampleToken();
      await tokens.revoke(record.hash);
      await tokens.save(record);
      expect(await tokens.find(record.hash, nowMs)).toEqual(record);
      await tokens.revoke(record.hash);
      await tokens.revoke(record.hash);
      expect(await tokens.find(record.hash, nowMs)).toBeUndefined();
    });

    it('accepts the same token again, as after a lost response', async () => {
      const record = sampleToken();
      await tokens.save(record);
      await tokens.save(record);
      expect(await tokens.find(record.hash, nowMs)).toEqual(record);
      await tokens.revoke(record.hash);
      expect(await tokens.find(record.hash, nowMs)).toBeUndefined();
    });

    it('keeps concurrent tokens apart', async () => {
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
