export type AccountEvent = { readonly type: 'AccountOpened'; readonly account: string; readonly name: string };

export const accountEventVersions: Record<AccountEvent['type'], number> = { AccountOpened: 1 };
