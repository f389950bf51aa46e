import { given } from '../testing/given.ts';
import { sampleEvents } from '../testing/samples.ts';
import { accountDecider, accountId } from './decide.ts';

const { AccountOpened: opened } = sampleEvents;
const open = { ...opened, type: 'OpenAccount' } as const;

describe('opening an account', () => {
  it('is recorded with its name', () => {
    given(accountDecider, []).when(open).then(opened);
  });

  it('records nothing if the account is already open', () => {
    given(accountDecider, [opened]).when(open).then();
  });
});

describe('the id of an account', () => {
  it('follows from its name, so two callers who open the same name open the same account', () => {
    expect(accountId('Museum of the Coast')).toBe(accountId('Museum of the Coast'));
    expect(accountId('Museum of the Coast')).not.toBe(accountId('Museum of the coast'));
  });

  it('has 32 hex digits that do not reveal the name', () => {
    for (const name of ['', 'a', 'Küste', 'x'.repeat(10_000)]) expect(accountId(name)).toMatch(/^[0-9a-f]{32}$/);
  });
});
