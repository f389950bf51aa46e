import { type TokenRecord, type TokenStore, TokenStoreUnavailable } from '@waymark/access/tokens/token-store.ts';
import type { Scope } from '@waymark/domain/application/events.ts';
import { secretHash } from '@waymark/http/secret-hash.ts';
import { grant } from './grant.ts';

const client = (scopes: readonly Scope[] = ['write', 'read']) => ({
  id: 'app-1',
  application: { status: 'active' as const, account: 'account-1', name: 'Museum CMS', scopes, secrets: [] },
  revision: 7,
  secretId: 'secret-2',
});

/** Creates a token store that only records saved tokens. */
const saving = (save: TokenStore['save'] = async () => undefined) => {
  const saved: TokenRecord[] = [];
  const tokens: TokenStore = {
    save: async (record) => {
      await save(record);
      saved.push(record);
    },
    find: async () => undefined,
    revoke: async () => undefined,
  };
  return { tokens, saved };
};

const form = (fields: Readonly<Record<string, string>> = {}) => new Map(Object.entries({ grant_type: 'client_credentials', ...fields }));

describe('a grant', () => {
  it('saves the hash of a token with its secret, the revision of the application and its expiry, before the response', async () => {
    const { tokens, saved } = saving();
    const beforeMs = Date.now();
    const { accessToken, scopes } = await grant(tokens, client(), form());
    const afterMs = Date.now();
    expect(scopes).toEqual(['write', 'read']);
    expect(Buffer.from(accessToken, 'base64url')).toHaveLength(32);
    const [record] = saved;
    expect(saved).toEqual([
      {
        hash: secretHash(accessToken),
        id: expect.stringMatching(/^[\w-]{12}$/),
        application: 'app-1',
        account: 'account-1',
        scopes: ['write', 'read'],
        secretId: 'secret-2',
        applicationRevision: 7,
        issuedAtMs: expect.any(Number),
        expiresAtMs: (record?.issuedAtMs ?? 0) + 36_000_000,
      },
    ]);
    expect(record?.issuedAtMs).toBeGreaterThanOrEqual(beforeMs);
    expect(record?.issuedAtMs).toBeLessThanOrEqual(afterMs);
  });

  it('has all scopes of the application, or the requested ones', async () => {
    const { tokens, saved } = saving();
    const scopesOf = async (has: readonly Scope[], scope?: string) =>
      (await grant(tokens, client(has), form(scope ? { scope } : {}))).scopes;
    expect(await scopesOf(['read'])).toEqual(['read']);
    expect(await scopesOf(['read', 'write'])).toEqual(['write', 'read']);
    expect(await scopesOf(['write', 'read', 'audit'], 'audit write')).toEqual(['write', 'audit']);
    expect(saved.map(({ scopes }) => scopes)).toEqual([['read'], ['write', 'read'], ['write', 'audit']]);
  });

  it.each([
    ['a scope that the application does not have', { scope: 'write audit' }, 'invalid_scope'],
    ['an unknown scope', { scope: 'read everything' }, 'invalid_scope'],
    ['a malformed scope', { scope: 'read"' }, 'invalid_scope'],
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no grant', { grant_type: '' }, 'unsupported_grant_type'],
  ])('of %s is refused, and nothing is saved', async (_, fields, error) => {
    const { tokens, saved } = saving();
    await expect(grant(tokens, client(), form(fields))).rejects.toMatchObject({ status: 400, body: { error } });
    expect(saved).toEqual([]);
  });

  it('without a grant type is refused', async () => {
    await expect(grant(saving().tokens, client(), new Map())).rejects.toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('is not answered if its token cannot be saved', async () => {
    const { tokens } = saving(() => Promise.reject(new TokenStoreUnavailable('away')));
    await expect(grant(tokens, client(), form())).rejects.toThrow(TokenStoreUnavailable);
  });
});
