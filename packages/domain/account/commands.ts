/** `account` follows from `name` (see `accountId`), so two callers who open the same name open the same account. */
export type AccountCommand = { readonly type: 'OpenAccount'; readonly account: string; readonly name: string };

export type AccountRefusal = never;
