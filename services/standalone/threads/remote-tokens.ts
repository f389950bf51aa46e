import { openTokenReader } from '@waymark/access/tokens/sqlite/token-store.ts';
import { type TokenStore, TokenStoreUnavailable } from '@waymark/access/tokens/token-store.ts';
import type { Calls } from '@waymark/threads/calls.ts';
import type { TokenCall } from './messages.ts';

/** The tokens in an HTTP thread: it finds them over a connection of its own. The main thread writes them. */
export type RemoteTokens = TokenStore & { readonly close: () => void };

export const openRemoteTokens = (file: string, calls: Pick<Calls<TokenCall>, 'ask'>): RemoteTokens => {
  const { find, close } = openTokenReader({ file });
  const ask = async (call: TokenCall): Promise<void> => {
    try {
      await calls.ask(call);
    } catch (cause) {
      throw new TokenStoreUnavailable('The tokens cannot be written.', { cause });
    }
  };
  return { find, save: (record) => ask({ kind: 'save', record }), revoke: (hash) => ask({ kind: 'revoke', hash }), close };
};
